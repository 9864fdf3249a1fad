"""Lines that break, are silent, or bring too much: each call ends, by itself, and takes no other with it."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from dragoman.errors import ConnectFailed, ConnectionLost, HttpError, McpTimeout, OutcomeUnknown, ProtocolError
from tests.aio.client.support import Background, failure, until
from tests.aio.http.support import Ruder, connect, refused
from tests.servers.rude import Exchange, acts

READING = {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
AGAIN = {"name": "again", "inputSchema": {"type": "object"}, "annotations": {"idempotentHint": True}}
EVENTS = "Content-Type: text/event-stream"


def no_event(exchange: Exchange) -> None:
    exchange.begin()
    exchange.end()


def events_and_reset(exchange: Exchange) -> None:
    exchange.begin()
    exchange.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
    exchange.line.reset()


BREAKS: dict[str, acts.Act] = {
    "reset": acts.reset,
    "close": acts.close,
    "half a chunk": acts.half_a_chunk,
    "half an event": acts.half_an_event,
    "most of an event": acts.most_of_an_event,
    "no event": no_event,
    "events and a reset": events_and_reset,
}
each_break = pytest.mark.parametrize("act", BREAKS.values(), ids=BREAKS)


@pytest.mark.edge("B24", "B49")
@each_break
async def test_of_a_call_whose_line_broke_the_outcome_is_unknown(
    rude: Ruder, engine: str, era: str, act: acts.Act
) -> None:
    server = rude(era, on={"tools/call": acts.run_and(act)})
    async with connect(server, engine=engine) as client:
        error = await failure(client.call_tool, "echo")

        assert isinstance(error, OutcomeUnknown)
        assert (error.method, error.server) == ("tools/call", "rude")
        assert isinstance(error.__cause__, ConnectionLost)
        assert server.ran["echo"] == 1


@pytest.mark.edge("B49")
@pytest.mark.feature("12.10")
@pytest.mark.parametrize("tool", ["look", "again"])
@each_break
async def test_a_safe_tool_is_called_again(rude: Ruder, engine: str, era: str, tool: str, act: acts.Act) -> None:
    server = rude(era, tools=[READING, AGAIN], on={"tools/call": [act, acts.default]})
    async with connect(server, engine=engine) as client:
        await client.list_tools()

        assert (await client.call_tool(tool)).text == f"{tool} {{}}"
        assert len({each.id for each in server.heard("tools/call")}) == 2


@each_break
async def test_a_list_is_asked_for_again(rude: Ruder, engine: str, act: acts.Act) -> None:
    server = rude("modern", on={"tools/list": [act, act, acts.default]})
    async with connect(server, engine=engine) as client:
        assert len(await client.list_tools()) == 1
        assert len(server.heard("tools/list")) == 3


@pytest.mark.edge("B24")
async def test_one_reset_costs_one_call(rude: Ruder, engine: str, era: str) -> None:
    server = rude(
        era, on={"tools/call bad": acts.wait_then(acts.reset), "tools/call good": acts.wait_then(acts.text("done"))}
    )
    async with connect(server, engine=engine) as client:
        good = [Background(client.call_tool, "good") for _ in range(3)]
        bad = Background(client.call_tool, "bad")
        await until(lambda: len(server.heard("tools/call")) == 4)
        server.web.may_go_on.set()

        assert isinstance(await bad.failure(), OutcomeUnknown)
        assert [(await call.wait()).text for call in good] == ["done"] * 3
        assert (await client.call_tool("echo")).text == "echo {}"


# ------------------------------------------------------------------------------------------------------------- silence


def endless(exchange: Exchange) -> None:
    exchange.begin()
    exchange.line.wait_for_the_end()


SILENCES: dict[str, acts.Act] = {
    "nothing": acts.silence,
    "half a head": acts.half_a_head,
    "a stream without events": endless,
    "a byte now and then": acts.drip,
}


@pytest.mark.edge("B40")
@pytest.mark.feature(83, 85, 86, 89)
@pytest.mark.parametrize("act", SILENCES.values(), ids=SILENCES)
async def test_a_silent_server_is_given_up_in_time(rude: Ruder, engine: str, era: str, act: acts.Act) -> None:
    server = rude(era, on={"tools/call": act})
    async with connect(server, engine=engine) as client:
        error = await failure(client.call_tool, "echo", timeout=0.3)

        assert isinstance(error, McpTimeout)
        assert (error.method, error.phase, error.was_sent) == ("tools/call", "waiting", True)
        assert 0.25 < error.waited < 2
        await until(lambda: server.web.hung_up.acquire(blocking=False))
        assert (await client.list_tools())[0].name == "echo"


@pytest.mark.edge("B40")
@pytest.mark.feature(87, 90)
async def test_a_server_that_accepts_and_says_nothing_is_given_up_in_time(rude: Ruder, engine: str) -> None:
    error = await refused(rude(on={"*": acts.silence}), engine=engine, timeout=0.3)

    assert isinstance(error, McpTimeout)
    assert error.phase == "connecting"
    assert str(error).startswith("rude: initialization failed: initialize: no answer from 127.0.0.1:")


@pytest.fixture
def black_hole() -> Iterator[int]:
    """Give a port where connections are neither taken nor refused."""
    with socket.socket() as full, ExitStack() as stack:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield full.getsockname()[1]


@pytest.mark.edge("B40")
@pytest.mark.feature(39)
async def test_a_port_that_swallows_connections_is_given_up_in_time(black_hole: int, engine: str) -> None:
    error = await refused(f"http://127.0.0.1:{black_hole}/mcp", engine=engine, connect_timeout=0.3)

    assert isinstance(error, McpTimeout)
    assert (error.phase, error.was_sent) == ("connecting", False)
    assert error.waited < 2


@pytest.mark.edge("B40")
@pytest.mark.feature(39)
async def test_connecting_as_a_whole_can_be_bounded(rude: Ruder, engine: str) -> None:
    server = rude(on={"initialize": acts.silence})
    error = await refused(server, engine=engine, timeout=10, connect_timeout=0.3)

    assert isinstance(error, McpTimeout)
    assert error.waited < 2


@pytest.mark.edge("B59")
async def test_a_legacy_server_is_told_that_nobody_waits(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call": acts.silence})
    async with connect(server, engine=engine) as client:
        await failure(client.call_tool, "echo", timeout=0.2)
        await until(lambda: server.heard("notifications/cancelled"))

    (call,), (notice,) = server.heard("tools/call"), server.heard("notifications/cancelled")
    assert (notice.params["requestId"], notice.session) == (call.id, "s1")


@pytest.mark.edge("B59")
async def test_a_modern_server_is_told_so_by_closing(rude: Ruder, engine: str) -> None:
    server = rude("modern", on={"tools/call": acts.silence})
    async with connect(server, engine=engine) as client:
        await failure(client.call_tool, "echo", timeout=0.2)

        await until(lambda: server.web.hung_up.acquire(blocking=False))
        assert server.heard("notifications/cancelled") == []


@pytest.mark.edge("B60")
async def test_progress_keeps_a_call_alive_up_to_a_cap(rude: Ruder, engine: str, era: str) -> None:
    def slow(exchange: Exchange) -> None:
        exchange.begin()
        progress = 0
        while not exchange.server.web.is_stopping:
            progress += 1
            params = {"progressToken": exchange.token, "progress": progress}
            exchange.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            exchange.server.web.may_go_on.wait(0.1)

    server = rude(era, on={"tools/call": slow})
    async with connect(server, engine=engine, timeout=0.5, max_timeout=1.2) as client:
        error = await failure(client.call_tool, "echo")

        assert isinstance(error, McpTimeout)
        assert 1.1 < error.waited < 3


# ------------------------------------------------------------------------------------------------------------ too much


@pytest.mark.edge("B32")
@pytest.mark.parametrize("by", ["json", "event"])
async def test_a_large_answer_is_read(rude: Ruder, engine: str, by: str) -> None:
    words = "ä" * 3_000_000
    server = rude(on={"tools/call": acts.text(words) if by == "json" else acts.by_events(words)})
    async with connect(server, engine=engine) as client:
        assert (await client.call_tool("echo")).text == words


@pytest.mark.edge("B32")
@pytest.mark.parametrize("kind", ["Content-Type: application/json", EVENTS], ids=["json", "event"])
async def test_what_is_too_large_is_refused_by_name_of_the_setting(rude: Ruder, engine: str, kind: str) -> None:
    begin = b"data: " if kind == EVENTS else b""
    server = rude(on={"tools/call": acts.flood(100_000_000, kind, begin)})
    async with connect(server, engine=engine, max_message_size=1_000_000) as client:
        error = await failure(client.call_tool, "echo")

        assert isinstance(error, ProtocolError)
        assert "over the limit of 1,000,000" in str(error)
        assert "raise `max_message_size`" in str(error)
        server.on.clear()
        assert (await client.call_tool("echo")).text == "echo {}"


async def test_what_unpacks_to_too_much_is_refused(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call": acts.zipped})
    async with connect(server, engine=engine, max_message_size=1_000_000) as client:
        error = await failure(client.call_tool, "echo")

        assert "over the limit of 1,000,000" in str(error)


async def test_a_refusal_may_be_endless(rude: Ruder, engine: str) -> None:
    def endless(exchange: Exchange) -> None:
        exchange.line.head(400, "Transfer-Encoding: chunked")
        while not exchange.server.web.is_stopping:
            exchange.line.chunk(b"no " * 10_000)

    server = rude(on={"tools/call": endless})
    async with connect(server, engine=engine) as client:
        error = await failure(client.call_tool, "echo")

        assert isinstance(error, HttpError)
        assert (error.status, error.body[:6]) == (400, "no no ")


async def test_a_refusal_whose_body_breaks_off_is_one(rude: Ruder, engine: str) -> None:
    def broken(exchange: Exchange) -> None:
        exchange.line.head(400, "Content-Length: 1000")
        exchange.line.send(b"because")
        exchange.line.close()

    error = await refused(rude(on={"*": broken}), engine=engine)

    assert isinstance(error, HttpError)
    assert error.status == 400


# ------------------------------------------------------------------------------------------------------ not reached at all


async def test_who_is_not_there_is_told_at_once(rude: Ruder, engine: str) -> None:
    with_port = rude()
    with_port.web.__exit__()
    error = await refused(with_port, engine=engine)

    assert isinstance(error, ConnectFailed)
    assert "is the server running, and is the port right?" in str(error)


async def test_who_does_not_speak_http_is_told_at_once(rude: Ruder, engine: str) -> None:
    error = await refused(rude(on={"*": acts.no_http}), engine=engine)

    assert isinstance(error, ProtocolError | ConnectionLost)
    assert "127.0.0.1" in str(error)


@pytest.mark.edge("B65")
async def test_what_is_raised_inside_is_raised_as_it_is(rude: Ruder, era: str) -> None:
    async def inside() -> Any:
        async with connect(rude(era, on={"tools/call": acts.reset})) as client:
            await client.call_tool("echo")

    error = await failure(inside)

    assert type(error) is OutcomeUnknown
