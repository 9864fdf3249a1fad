# generated from tests/aio/engines/test_proxies.py by tools/unasync.py; do not edit
"""Requests through proxies: the option's, and the environment's."""

from base64 import b64encode
from typing import Any

import pytest

from dragoman.errors import ConnectFailed, ConnectionLost
from tests.servers.web import scripts
from tests.servers.web.authority import Authority
from tests.servers.web.proxy import proxy
from tests.servers.web.server import Script, WebServer
from tests.sync.engines.support import Sender

PROOF = "Basic " + b64encode(b"me:s@fe").decode()


def test_plain_request_goes_to_the_proxy(engine_name: Any) -> None:
    with WebServer(proxy) as server:
        with Sender(engine=engine_name, proxy=f"http://me:s%40fe@localhost:{server.port}") as sender:
            answers = [sender.call("http://server.example/mcp?a=b") for _ in range(2)]

        assert answers == [b"by the proxy: http://server.example/mcp?a=b"] * 2
        assert server.requests[0].header("host") == "server.example"
        assert server.requests[0].header("proxy-authorization") == PROOF
        assert server.connections == 1


def test_plain_request_goes_to_a_proxy_over_tls(engine_name: Any, authority: Authority) -> None:
    with WebServer(proxy, authority.server("localhost")) as server:
        options = {"ca_file": authority.file, "proxy": f"https://localhost:{server.port}"}
        with Sender(engine=engine_name, **options) as sender:
            assert sender.call("http://server.example/mcp") == b"by the proxy: http://server.example/mcp"


@pytest.mark.edge("B49")
def test_a_proxy_that_takes_a_request_and_closes_leaves_it_open_what_ran(engine_name: Any) -> None:
    with WebServer(scripts.close_before_answer) as server:
        with Sender(engine=engine_name, proxy=f"http://localhost:{server.port}") as sender:
            error = sender.failure("http://server.example/mcp")

        assert isinstance(error, ConnectionLost)
        assert error.was_sent
        assert len(server.requests) == 1


@pytest.mark.parametrize("script", [scripts.close_before_answer, scripts.garbage])
def test_a_proxy_that_makes_no_tunnel_is_named(engine_name: Any, script: Script) -> None:
    with WebServer(script) as server:
        with Sender(engine=engine_name, proxy=f"http://localhost:{server.port}") as sender:
            error = sender.failure("https://server.example/mcp")

        assert isinstance(error, ConnectFailed)
        assert not error.was_sent
        assert f"the proxy http://localhost:{server.port}" in str(error)
        assert "\n" not in str(error)


def test_https_request_goes_through_a_tunnel(engine_name: Any, authority: Authority) -> None:
    with WebServer(proxy) as between, WebServer(scripts.echo, authority.server("server.example")) as server:
        url = f"https://server.example:{server.port}/mcp"
        options = {"ca_file": authority.file, "proxy": f"http://me:s%40fe@localhost:{between.port}"}
        with Sender(engine=engine_name, **options) as sender:
            for _ in range(3):
                assert sender.call(url) == b"hello"

        assert [request.target for request in between.requests] == [f"server.example:{server.port}"]
        assert between.requests[0].header("proxy-authorization") == PROOF
        assert server.requests[0].header("proxy-authorization") is None
        assert server.connections == 1


def test_proxy_of_the_environment(engine_name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with WebServer(proxy) as between, WebServer(scripts.echo) as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://localhost:{between.port}")
        with Sender(engine=engine_name) as sender:
            assert sender.call("http://server.example/mcp") == b"by the proxy: http://server.example/mcp"
            # This machine is reached directly.
            assert sender.call(server.url) == b"hello"


def test_proxy_of_the_environment_is_not_wanted(engine_name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with WebServer(proxy) as between:
        monkeypatch.setenv("HTTP_PROXY", f"http://localhost:{between.port}")
        with Sender(engine=engine_name, proxy=False) as sender:
            sender.failure("http://no-such-host.invalid/")

        assert between.requests == []


def test_certificate_behind_a_proxy_is_checked(engine_name: Any, authority: Authority) -> None:
    with WebServer(proxy) as between, WebServer(scripts.echo, authority.server("server.example")) as server:
        with Sender(engine=engine_name, proxy=f"http://localhost:{between.port}") as sender:
            error = sender.failure(f"https://server.example:{server.port}/mcp")

        assert "ca_file" in str(error)
        assert server.requests == []
