"""Whom an engine trusts, and what it proves to servers."""

import logging
import ssl
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import ConfigError, ConnectFailed, ConnectionLost
from dragoman.web import tls
from dragoman.web.options import HttpOptions
from tests.aio.engines.support import Sender
from tests.servers.web import scripts
from tests.servers.web.authority import Authority
from tests.servers.web.server import WebServer


async def test_authority_in_a_file_is_trusted(engine_name: Any, authority: Authority) -> None:
    with WebServer(scripts.echo, authority.server("localhost")) as server:
        async with Sender(engine=engine_name, ca_file=authority.file) as sender:
            for _ in range(3):
                assert await sender.call(server.url) == b"hello"

        assert server.connections == 1


async def test_authority_in_the_environment_is_trusted(
    engine_name: Any, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", authority.file)
    with WebServer(scripts.echo, authority.server("localhost")) as server:
        async with Sender(engine=engine_name) as sender:
            assert await sender.call(server.url) == b"hello"


@pytest.mark.edge("B123")
def test_own_authority_is_added_to_the_systems(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    system = tls.context_for(HttpOptions()).cert_store_stats()["x509_ca"]
    monkeypatch.setenv("SSL_CERT_FILE", authority.file)

    assert tls.context_for(HttpOptions()).cert_store_stats()["x509_ca"] == system + 1
    assert tls.context_for(HttpOptions(ca_file=authority.file)).cert_store_stats()["x509_ca"] == system + 1


def test_options_have_one_context_for_the_process(authority: Authority) -> None:
    assert tls.context_for(HttpOptions()) is tls.context_for(HttpOptions(connect_timeout=3))
    assert tls.context_for(HttpOptions()) is not tls.context_for(HttpOptions(ca_file=authority.file))


async def test_no_context_before_the_first_https_request(engine_name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_is_needed(*_: object) -> ssl.SSLContext:
        raise AssertionError

    monkeypatch.setattr(ssl, "SSLContext", none_is_needed)
    with WebServer(scripts.echo) as server:
        async with Sender(engine=engine_name) as sender:
            assert await sender.call(server.url) == b"hello"


async def test_trusting_anybody_is_warned_of_once(
    engine_name: Any, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    tls.forget_contexts()
    with WebServer(scripts.echo, authority.server("elsewhere.example")) as server:
        async with Sender(engine=engine_name, verify=False) as sender:
            assert await sender.call(server.url) == b"hello"
        async with Sender(engine=engine_name, verify=False, connect_timeout=9) as sender:
            assert await sender.call(server.url) == b"hello"

    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert ["verify=False" in record.getMessage() for record in warnings] == [True]


@pytest.mark.parametrize("password", [None, b"secret"])
async def test_client_certificate(engine_name: Any, authority: Authority, password: bytes | None) -> None:
    file, key = authority.issue("client", password=password)
    proof = (file, key, password.decode() if password else None)
    with WebServer(scripts.echo, authority.server("localhost", asks_for_client=True)) as server:
        async with Sender(engine=engine_name, ca_file=authority.file, client_cert=proof) as sender:
            assert await sender.call(server.url) == b"hello"


@pytest.mark.edge("B49")
async def test_tls_that_breaks_after_a_request_leaves_it_open_what_ran(engine_name: Any, authority: Authority) -> None:
    with WebServer(scripts.break_tls, authority.server("localhost")) as server:
        async with Sender(engine=engine_name, ca_file=authority.file) as sender:
            error = await sender.failure(server.url)

        assert isinstance(error, ConnectionLost)
        assert error.was_sent
        assert len(server.requests) == 1


async def test_client_certificate_that_is_not_accepted(engine_name: Any, authority: Authority, tmp_path: Path) -> None:
    stranger = Authority.make(tmp_path).issue("client")
    with WebServer(scripts.echo, authority.server("localhost", asks_for_client=True)) as server:
        async with Sender(engine=engine_name, ca_file=authority.file, client_cert=stranger) as sender:
            error = await sender.failure(server.url)

        # Where its alert is overtaken by the end of the connection, nobody knows why.
        assert isinstance(error, ConnectFailed | ConnectionLost)
        assert isinstance(error, ConnectionLost) or "`client_cert`" in str(error)
        assert server.requests == []


async def test_client_certificate_that_is_missing(engine_name: Any, authority: Authority) -> None:
    with WebServer(scripts.echo, authority.server("localhost", asks_for_client=True)) as server:
        async with Sender(engine=engine_name, ca_file=authority.file) as sender:
            error = await sender.failure(server.url)

        # TLS 1.3 says so after the request has left.
        assert isinstance(error, ConnectFailed | ConnectionLost)
        assert server.requests == []


async def test_file_that_is_not_there(engine_name: Any) -> None:
    async with Sender(engine=engine_name, ca_file="/no/such/file.pem") as sender:
        error = await sender.failure("https://localhost:1/")

    assert isinstance(error, ConfigError)
    assert (error.file, error.field) == ("/no/such/file.pem", "ca_file")


async def test_key_whose_password_is_wrong(engine_name: Any, authority: Authority) -> None:
    file, key = authority.issue("locked", password=b"secret")
    async with Sender(engine=engine_name, client_cert=(file, key, "guess")) as sender:
        error = await sender.failure("https://localhost:1/")

    assert isinstance(error, ConfigError)
    assert error.field == "client_cert"
    assert "password" in str(error)


async def test_connection_closed_while_idle_costs_no_call(engine_name: Any, authority: Authority) -> None:
    with WebServer(scripts.close_after_answer, authority.server("localhost")) as server:
        async with Sender(engine=engine_name, ca_file=authority.file) as sender:
            for _ in range(3):
                assert await sender.call(server.url) == b"hello"
                assert server.finished.acquire(timeout=10)

        assert len(server.requests) == 3
