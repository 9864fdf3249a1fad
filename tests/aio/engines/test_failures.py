"""What went wrong is told precisely: never sent, or perhaps processed, and what to change."""

import socket
from typing import Any

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import ConnectFailed, ConnectionLost, McpTimeout, ProtocolError, TransportError
from tests.aio.engines._runtime import released
from tests.aio.engines.support import LIMIT, Sender
from tests.servers.web import scripts
from tests.servers.web.authority import Authority
from tests.servers.web.proxy import refusing_proxy
from tests.servers.web.server import Script, WebServer


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


async def test_refused_connection(sender: Sender) -> None:
    port = closed_port()
    error = await sender.failure(f"http://localhost:{port}/mcp")

    assert isinstance(error, ConnectFailed)
    assert not error.was_sent
    assert f"localhost:{port}" in str(error)
    assert "refused" in str(error)


async def test_unknown_host(sender: Sender) -> None:
    error = await sender.failure("http://no-such-host.invalid/mcp")

    assert isinstance(error, ConnectFailed)
    assert not error.was_sent
    assert "no-such-host.invalid: there is no host of this name" in str(error)


@pytest.mark.parametrize(
    ("host", "hint"),
    [("fe80::1%25nowhere0", "is 'nowhere0' an interface of this machine"), ("fe80::1", r"name the interface as well")],
)
async def test_address_on_a_network_that_is_not_here(sender: Sender, host: str, hint: str) -> None:
    error = await sender.failure(f"http://[{host}]:9/mcp")

    assert isinstance(error, ConnectFailed)
    assert not error.was_sent
    assert hint in str(error.hint)


async def test_unknown_authority(sender: Sender, authority: Authority) -> None:
    with WebServer(scripts.echo, authority.server("localhost")) as server:
        error = await sender.failure(server.url)

    assert isinstance(error, ConnectFailed)
    assert not error.was_sent
    assert f"localhost:{server.port}" in str(error)
    assert "ca_file" in str(error)
    assert server.requests == []


async def test_certificate_of_another_host(engine_name: Any, authority: Authority) -> None:
    with WebServer(scripts.echo, authority.server("elsewhere.example")) as server:
        async with Sender(engine=engine_name, ca_file=authority.file) as sender:
            error = await sender.failure(server.url)

    assert isinstance(error, ConnectFailed)
    assert not error.was_sent
    assert "another host's" in str(error)
    assert server.requests == []


async def test_tls_to_a_server_without(sender: Sender) -> None:
    with WebServer(scripts.stall, greeting=b"220 mail.example ESMTP\r\n") as server:
        error = await sender.failure(server.url.replace("http:", "https:"))

    assert isinstance(error, ConnectFailed)
    assert not error.was_sent


async def test_proxy_that_is_not_there(engine_name: Any) -> None:
    port = closed_port()
    async with Sender(engine=engine_name, proxy=f"http://me:secret@localhost:{port}") as sender:
        errors = [await sender.failure(f"{scheme}://server.example/mcp") for scheme in ("http", "https")]

    for error in errors:
        assert isinstance(error, ConnectFailed)
        assert not error.was_sent
        assert f"the proxy http://localhost:{port}" in str(error)
        assert "`proxy`" in str(error)
        assert "secret" not in str(error)


async def test_proxy_that_refuses(engine_name: Any) -> None:
    with WebServer(refusing_proxy) as server:
        async with Sender(engine=engine_name, proxy=f"http://localhost:{server.port}") as sender:
            error = await sender.failure("https://server.example/mcp")

    assert isinstance(error, ConnectFailed)
    assert not error.was_sent
    assert f"the proxy http://localhost:{server.port}" in str(error)
    assert "it wants to know who you are (407)" in str(error)
    assert "user and password in `proxy`" in str(error)


@pytest.mark.edge("B24")
@pytest.mark.parametrize("script", [scripts.close_before_answer, scripts.close_in_head, scripts.reset_before_answer])
async def test_connection_ended_before_the_answer(sender: Sender, script: Script) -> None:
    with WebServer(script) as server:
        error = await sender.failure(server.url)

        assert isinstance(error, ConnectionLost)
        assert error.was_sent
        assert "before it answered" in str(error)
        assert len(server.requests) == 1


async def test_line_of_a_head_that_is_no_header(sender: Sender) -> None:
    with WebServer(scripts.answer(b"hello", 200, "X Some: thing", "Y: z")) as server:
        error = await sender.failure(server.url)

    assert isinstance(error, ProtocolError)
    assert "not HTTP" in str(error)


@pytest.mark.parametrize("kind", ["multipart/mixed", "message/rfc822"])
async def test_a_body_that_mail_has_rules_for_is_one_like_any_other(sender: Sender, kind: str) -> None:
    with WebServer(scripts.answer(b"hello", 200, f"Content-Type: {kind}")) as server:
        assert await sender.call(server.url) == b"hello"


async def test_long_header(sender: Sender) -> None:
    with WebServer(scripts.answer(b"hello", 200, f"Content-Security-Policy: {'x' * 60_000}")) as server:
        assert await sender.call(server.url) == b"hello"


@pytest.mark.parametrize("script", [scripts.close_in_body, scripts.reset_in_body])
async def test_connection_ended_in_the_body(sender: Sender, script: Script) -> None:
    with WebServer(script) as server:
        reply = await sender.send(server.url)
        begun = await reply.next_chunk(Deadline(10))
        server.may_go_on.set()
        with pytest.raises(ConnectionLost) as caught:
            await reply.next_chunk(Deadline(10))

        assert begun == b"half"
        assert caught.value.was_sent
        assert "in the middle of its answer" in str(caught.value)


async def test_body_that_is_shorter_than_announced(sender: Sender) -> None:
    with WebServer(scripts.too_short) as server:
        error = await sender.failure(server.url)

    assert isinstance(error, ConnectionLost)


async def test_what_came_before_the_end_is_not_lost(sender: Sender) -> None:
    with WebServer(scripts.close_in_body) as server:
        reply = await sender.send(server.url)
        assert server.finished.acquire(timeout=10)  # the loop stands still: it will see bytes and end at once

        assert await reply.next_chunk(Deadline(10)) == b"half"
        await reply.close()


@pytest.mark.edge("B40")
async def test_server_that_never_answers(sender: Sender) -> None:
    with WebServer(scripts.stall) as server:
        error = await sender.failure(server.url, seconds=0.2)

        assert isinstance(error, McpTimeout)
        assert (error.phase, error.was_sent) == ("waiting", True)
        assert error.waited == pytest.approx(0.2, abs=0.15)
        await released(server.hung_up)


async def test_server_that_stops_in_the_body(sender: Sender) -> None:
    with WebServer(scripts.stall_in_body) as server:
        reply = await sender.send(server.url)
        assert await reply.next_chunk(Deadline(10)) == b"first"
        with pytest.raises(McpTimeout) as caught:
            await reply.next_chunk(Deadline(0.2))

        assert (caught.value.phase, caught.value.was_sent) == ("waiting", True)
        await released(server.hung_up)


async def test_slow_bytes_do_not_outlast_the_deadline(sender: Sender) -> None:
    with WebServer(scripts.drip) as server:
        error = await sender.failure(server.url, seconds=0.3)

        assert isinstance(error, McpTimeout)
        await released(server.hung_up)


async def test_server_that_does_not_take_connections(sender: Sender) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        fillers = [socket.socket() for _ in range(8)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        error = await sender.failure(f"http://127.0.0.1:{port}/", seconds=0.3)
        for filler in fillers:
            filler.close()

    assert isinstance(error, McpTimeout)
    assert (error.phase, error.was_sent) == ("connecting", False)


async def test_connecting_has_a_limit_of_its_own(engine_name: Any) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        fillers = [socket.socket() for _ in range(8)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        async with Sender(engine=engine_name, connect_timeout=0.2) as sender:
            error = await sender.failure(f"http://127.0.0.1:{port}/", seconds=60)
        for filler in fillers:
            filler.close()

    assert isinstance(error, McpTimeout)
    assert (error.phase, error.was_sent) == ("connecting", False)


async def test_something_else_than_http(sender: Sender) -> None:
    with WebServer(scripts.garbage) as server:
        error = await sender.failure(server.url + "?key=secret")

    assert isinstance(error, ProtocolError)
    assert f"what localhost:{server.port} answers is not HTTP" in str(error)
    assert "SSH-2.0" in str(error)
    assert "secret" not in str(error)


async def test_failure_of_one_request_is_its_own(sender: Sender) -> None:
    with WebServer(scripts.in_turn(scripts.stall_in_body, scripts.reset_before_answer, scripts.echo)) as server:
        waiting = await sender.send(server.url)
        error = await sender.failure(server.url)

        assert isinstance(error, TransportError)
        assert await sender.call(server.url, b"3") == b"3"
        assert await waiting.next_chunk(Deadline(10)) == b"first"
        await waiting.close()


async def test_answer_over_the_limit(sender: Sender) -> None:
    with WebServer(scripts.answer(b"x" * (LIMIT + 1))) as server:
        error = await sender.failure(server.url)

    assert isinstance(error, ProtocolError)
    assert "1,000,000 bytes" in str(error)
    assert "`max_message_size`" in str(error)


async def test_large_request_that_nobody_reads(sender: Sender) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:  # connected by the system, and never looked at
        port = listener.getsockname()[1]
        with pytest.raises(McpTimeout) as caught:
            await sender.send(f"http://127.0.0.1:{port}/", b"x" * 20_000_000, seconds=0.3)

    assert caught.value.was_sent
