"""Clients of the user's own do the work, as they are, and stay open."""

import gzip
from typing import Any

import httpx2
import pytest

from dragoman.deadline import Deadline
from dragoman.errors import ConnectFailed, ConnectionLost, McpTimeout, UsageError
from tests.aio.engines._runtime import answering_app, client_that_reads, own_client, released
from tests.aio.engines.support import LIMIT, Sender
from tests.aio.engines.test_failures import closed_port
from tests.servers.web import scripts
from tests.servers.web.server import WebServer


async def test_own_client_sends_and_stays_open(engine_name: Any) -> None:
    async with own_client(engine_name, {"X-Mine": "1"}) as client:
        with WebServer(scripts.echo) as server:
            for _ in range(2):
                async with Sender(http_client=client) as sender:
                    assert await sender.call(server.url) == b"hello"

            assert [request.header("x-mine") for request in server.requests] == ["1", "1"]
            assert server.connections == 1


async def test_redirect_is_left_to_the_caller(engine_name: Any) -> None:
    async with own_client(engine_name, {}) as client, Sender(http_client=client) as sender:
        with WebServer(scripts.redirect) as server:
            reply = await sender.send(server.url)
            await reply.read(LIMIT, Deadline(10))

            assert reply.status == 307


async def test_failures_of_an_own_client(engine_name: Any) -> None:
    async with own_client(engine_name, {}) as client, Sender(http_client=client) as sender:
        refused = await sender.failure(f"http://localhost:{closed_port()}/")
        with WebServer(scripts.close_before_answer) as server:
            lost = await sender.failure(server.url)
        with WebServer(scripts.stall) as server:
            late = await sender.failure(server.url, seconds=0.2)

    assert isinstance(refused, ConnectFailed)
    assert not refused.was_sent
    assert isinstance(lost, ConnectionLost)
    assert lost.was_sent
    assert isinstance(late, McpTimeout)
    assert late.was_sent


async def test_body_of_an_own_client(engine_name: Any) -> None:
    async with own_client(engine_name, {}) as client, Sender(http_client=client) as sender:
        with WebServer(scripts.stall_in_body) as server:
            reply = await sender.send(server.url)
            assert await reply.next_chunk(Deadline(10)) == b"first"
            with pytest.raises(McpTimeout) as caught:
                await reply.next_chunk(Deadline(0.2))
            assert caught.value.waited < 5
            await released(server.hung_up)

            reply = await sender.send(server.url)
            await reply.close()
            await released(server.hung_up)


async def test_own_client_that_is_closed(engine_name: Any) -> None:
    async with own_client(engine_name, {}) as client:
        pass
    if engine_name == "default" and not hasattr(client, "closed"):
        return  # urllib3's cannot be closed for good
    async with Sender(http_client=client) as sender:
        error = await sender.failure("http://localhost:1/")

    assert isinstance(error, UsageError)


async def test_application_in_this_process() -> None:
    app = answering_app(b"from the app")
    async with httpx2.AsyncClient(transport=app) as client, Sender(http_client=client) as sender:
        assert await sender.call("http://app.example/mcp") == b"from the app"


async def test_answer_that_a_hook_has_read() -> None:
    async with client_that_reads() as client, Sender(http_client=client) as sender:
        with WebServer(scripts.answer(gzip.compress(b"hello"), 200, "Content-Encoding: gzip")) as server:
            assert await sender.call(server.url) == b"hello"
            assert await sender.call(server.url) == b"hello"


@pytest.mark.parametrize("client", ["http://localhost", object(), 5])
def test_what_is_no_client(client: Any) -> None:
    with pytest.raises(UsageError, match="cannot be used as http_client"):
        Sender(http_client=client)


async def test_http2_needs_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.aio.engines.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"httpx2\[http2\]"):
        Sender(engine="httpx", http2=True)
