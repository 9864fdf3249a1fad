"""HTTP+SSE: answers that come on the stream before their own POST is answered, or without that."""

from collections.abc import Callable

import pytest

from dragoman.errors import HttpError, McpTimeout, OutcomeUnknown
from tests.aio.client.support import Seen, failure
from tests.aio.http.support import Ruder, connect
from tests.servers.rude import Act, Exchange, acts


def on_the_stream(*messages: Callable[[Exchange], object], then: Act) -> Act:
    """Send messages on the stream, with a pause after each, and only then do something about the POST."""

    def act(exchange: Exchange) -> None:
        acts.run(exchange)
        assert exchange.stream is not None
        for message in messages:
            exchange.stream.send(message(exchange))
            exchange.server.web.may_go_on.wait(0.3)
        then(exchange)

    return act


def done(exchange: Exchange) -> object:
    return exchange.text("done")


def step(exchange: Exchange) -> object:
    params = {"progressToken": exchange.token, "progress": exchange.server.ran["echo"]}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def accept(exchange: Exchange) -> None:
    exchange.line.reply(b"Accepted", 202)


async def test_an_answer_counts_whose_post_is_never_answered(rude: Ruder, engine: str) -> None:
    server = rude(is_sse=True, on={"tools/call": on_the_stream(done, then=acts.silence)})
    async with connect(server, engine=engine) as client:
        results = [await client.call_tool("echo", timeout=5) for _ in range(2)]

        assert [each.text for each in results] == ["done", "done"]
        assert server.ran["echo"] == 2


@pytest.mark.parametrize("then", [acts.body(b"too late", 502), acts.reset], ids=["502", "reset"])
async def test_an_answer_counts_whose_post_fails_after_it(rude: Ruder, engine: str, then: Act) -> None:
    server = rude(is_sse=True, on={"tools/call": on_the_stream(done, then=then)})
    async with connect(server, engine=engine) as client:
        assert (await client.call_tool("echo", timeout=5)).text == "done"
        assert server.ran["echo"] == 1


async def test_a_post_that_is_answered_soon_after_keeps_its_connection(rude: Ruder, engine: str) -> None:
    def act(exchange: Exchange) -> None:
        assert exchange.stream is not None
        exchange.stream.send(done(exchange))
        accept(exchange)

    server = rude(is_sse=True, on={"tools/call": act})
    async with connect(server, engine=engine) as client:
        await client.call_tool("echo")
        before = server.web.connections
        for _ in range(20):
            await client.call_tool("echo")

        assert server.web.connections == before


async def test_progress_on_the_stream_lets_a_post_take_longer(rude: Ruder, engine: str) -> None:
    progress = Seen()
    act = on_the_stream(step, step, step, step, step, done, then=accept)
    server = rude(is_sse=True, on={"tools/call": act})
    async with connect(server, engine=engine) as client:
        result = await client.call_tool("echo", timeout=1, on_progress=progress)

        assert result.text == "done"
        assert len(progress) == 5


async def test_a_post_that_is_refused_is_so_however_long_that_takes(rude: Ruder, engine: str) -> None:
    server = rude(is_sse=True, on={"tools/call": on_the_stream(step, then=acts.body(b"no", 400))})
    async with connect(server, engine=engine) as client:
        error = await failure(client.call_tool, "echo")

        assert isinstance(error, HttpError | OutcomeUnknown)
        assert "400" in str(error)


async def test_a_call_with_neither_is_out_of_time(rude: Ruder, engine: str) -> None:
    server = rude(is_sse=True, on={"tools/call": acts.silence})
    async with connect(server, engine=engine) as client:
        assert isinstance(await failure(client.call_tool, "echo", timeout=0.3), McpTimeout)
