"""Sessions of servers up to 2025-11-25: begun, lost, begun again, ended."""

import pytest

from dragoman.aio.transports.standing import FRUITLESS, wait_before
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, HttpError, SessionExpired
from dragoman.protocol.framing import Events
from tests.aio.client.support import Background, Seen, failure, is_phase, until
from tests.aio.http.support import Ruder, connect, refused
from tests.servers.rude import Exchange, Rude, acts


def forgetful(server: Rude) -> acts.Act:
    """Lose all sessions, and then do as it should be done."""

    def act(exchange: Exchange) -> None:
        server.forget_sessions()
        acts.default(exchange)

    return act


def sessions(server: Rude, method: str) -> list[str | None]:
    return [each.session for each in server.heard(method)]


@pytest.mark.feature(35)
async def test_every_request_after_the_handshake_is_of_the_session(rude: Ruder, engine: str) -> None:
    server = rude()
    async with connect(server, engine=engine) as client:
        await client.list_tools()
        await client.call_tool("echo")

    assert [(each.method, each.session) for each in server.exchanges] == [
        ("server/discover", None),
        ("initialize", None),
        ("notifications/initialized", "s1"),
        ("GET", "s1"),
        ("tools/list", "s1"),
        ("tools/call", "s1"),
        ("DELETE", "s1"),
    ]


@pytest.mark.feature(41)
@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
async def test_every_request_after_the_handshake_says_the_version_agreed_on(rude: Ruder, version: str) -> None:
    server = rude()
    async with connect(server, versions=[version, "2026-07-28"]) as client:
        await client.list_tools()
        assert client.protocol_version == version

    said = {each.method: each.header("MCP-Protocol-Version") for each in server.exchanges}
    assert said.pop("server/discover") == "2026-07-28"
    assert said.pop("initialize") is None
    assert set(said.values()) == {version}


async def test_there_need_not_be_a_session(rude: Ruder) -> None:
    server = rude(has_sessions=False)
    async with connect(server) as client:
        await client.call_tool("echo")

    assert sessions(server, "tools/call") == [None]
    assert server.heard("DELETE") == []


@pytest.mark.edge("B23")
@pytest.mark.feature("12.11")
async def test_a_lost_session_is_begun_anew_and_the_call_made_again(rude: Ruder, engine: str) -> None:
    server = rude()
    states = Seen()
    async with connect(server, engine=engine, on_state=states) as client:
        server.forget_sessions()
        result = await client.call_tool("echo", {"n": 1})

        assert result.text == 'echo {"n": 1}'
        assert sessions(server, "tools/call") == ["s1", "s2"]
        assert server.ran["echo", 1] == 1
        await states.at_least(3)
        assert [str(state.phase) for state in states.values] == ["ready", "restarting", "ready"]
        assert isinstance(states.values[1].error, SessionExpired)


@pytest.mark.edge("B23")
async def test_many_who_find_the_session_lost_begin_one_anew(rude: Ruder, engine: str) -> None:
    server = rude()
    async with connect(server, engine=engine) as client:
        server.forget_sessions()
        calls = [Background(client.call_tool, "echo", {"n": n}) for n in range(8)]
        texts = {(await call.wait()).text for call in calls}

        assert texts == {f'echo {{"n": {n}}}' for n in range(8)}
        assert len(server.heard("initialize")) == 2
        assert server.ran["echo"] == 8


def bad_request(exchange: Exchange) -> None:
    """Say that the session is lost in the way of server-everything."""
    if exchange.session == "s1":
        exchange.refuse(-32000, "Bad Request: No valid session ID provided", 400)
    else:
        acts.default(exchange)


@pytest.mark.edge("B23")
async def test_a_bad_request_that_is_about_the_session_means_that_it_is_lost(rude: Ruder) -> None:
    server = rude(on={"tools/call": bad_request})
    async with connect(server) as client:
        result = await client.call_tool("echo", {"n": 1})

        assert result.text == 'echo {"n": 1}'
        assert sessions(server, "tools/call") == ["s1", "s2"]


async def test_a_session_that_is_always_lost_is_not_begun_for_ever(rude: Ruder) -> None:
    server = rude(on={"tools/call": acts.body(b"Session not found", 404)})
    async with connect(server) as client:
        error = await failure(client.call_tool, "echo")

        assert isinstance(error, SessionExpired)
        assert len(server.heard("tools/call")) == 4


@pytest.mark.edge("B23")
async def test_what_is_under_way_when_a_session_is_lost_goes_on(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call slow": acts.wait_then(acts.text("done"))})
    async with connect(server, engine=engine) as client:
        slow = Background(client.call_tool, "slow")
        await until(lambda: server.heard("tools/call"))
        server.forget_sessions()
        await client.call_tool("echo")
        server.web.may_go_on.set()

        assert (await slow.wait()).text == "done"
        assert server.ran["slow"] == 1


async def test_a_session_is_not_adopted_from_a_refusal(rude: Ruder) -> None:
    def refuse(exchange: Exchange) -> None:
        exchange.line.reply(b"no", 400, "Mcp-Session-Id: forged")

    server = rude(has_sessions=False, on={"server/discover": refuse})
    async with connect(server) as client:
        await client.list_tools()

    assert {each.session for each in server.exchanges} == {None}


async def test_an_id_that_no_header_can_carry_is_not_adopted(rude: Ruder) -> None:
    def begin(exchange: Exchange) -> None:
        about = {"serverInfo": {"name": "rude", "version": "1"}, "capabilities": {}}
        result = {"protocolVersion": "2025-11-25", **about}
        exchange.reply(exchange.response(result), 200, "Mcp-Session-Id: caf\xe9 1")

    server = rude(has_sessions=False, on={"initialize": begin})
    async with connect(server) as client:
        await client.ping()

    assert {each.session for each in server.exchanges} == {None}


@pytest.mark.feature(20)
@pytest.mark.parametrize("status", [200, 204, 202, 404, 405, 500])
async def test_whatever_is_said_to_the_end_of_a_session_closing_works(rude: Ruder, status: int) -> None:
    server = rude(on={"DELETE": acts.body(b"", status)})
    client = await connect(server)
    await client.close()

    assert sessions(server, "DELETE") == ["s1"]


async def test_closing_does_not_wait_for_a_server_that_is_silent(rude: Ruder) -> None:
    server = rude(stands=True, on={"DELETE": acts.silence})
    client = await connect(server)
    await client.close()

    await until(lambda: server.web.hung_up.acquire(blocking=False))


async def test_closing_does_not_wait_for_what_is_being_told(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call": acts.silence, "notifications/cancelled": acts.silence})
    client = await connect(server, engine=engine)
    await failure(client.call_tool, "echo", timeout=0.1)
    await until(lambda: server.heard("notifications/cancelled"))
    began = Deadline.never()
    await client.close()

    assert began.waited < 2


async def test_another_session_does_not_wait_for_what_is_told_in_the_one_before(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call slow": acts.silence, "notifications/cancelled": acts.silence})
    async with connect(server, engine=engine) as client:
        await failure(client.call_tool, "slow", timeout=0.1)
        await until(lambda: server.heard("notifications/cancelled"))
        server.forget_sessions()

        assert (await client.call_tool("echo", timeout=2)).text == "echo {}"


async def test_a_call_that_is_under_way_when_the_client_closes_is_over_at_once(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call": acts.silence})
    async with connect(server, engine=engine) as other:
        client = await connect(server, engine=engine)
        call = Background(client.call_tool, "echo")
        await until(lambda: server.heard("tools/call"))
        await client.close()

        assert isinstance(await call.failure(), ConnectionClosed)
        # They share their connections, and nothing else.
        assert await other.ping() > 0


@pytest.mark.edge("B44")
async def test_a_server_that_cannot_begin_another_session_says_why(rude: Ruder) -> None:
    server = rude()
    async with connect(server) as client:
        server.on["initialize"] = acts.body(b"<html><title>Gone</title></html>", 403, "Content-Type: text/html")
        server.forget_sessions()
        error = await failure(client.call_tool, "echo")

        assert "Gone" in str(error)
        assert server.ran["echo"] == 0


async def test_a_session_is_told_again_what_the_one_before_had_been_told(rude: Ruder) -> None:
    server = rude()
    async with connect(server, log_level="warning") as client:
        await client.subscribe_resource("test://one")
        server.forget_sessions()
        await client.call_tool("echo")
        await until(lambda: len(server.heard("resources/subscribe")) == 2)

        assert sessions(server, "logging/setLevel") == ["s1", "s2"]
        assert sessions(server, "resources/subscribe") == ["s1", "s2"]


async def test_a_lost_session_means_lists_that_may_have_changed(rude: Ruder) -> None:
    server = rude()
    changed = Seen()
    async with connect(server, on_tools_changed=changed) as client:
        server.forget_sessions()
        server.tools.append({"name": "new", "inputSchema": {"type": "object"}})
        await client.call_tool("echo")

        assert [tool.name for tool in await changed.first()] == ["echo", "new"]


async def test_a_refused_handshake_is_told_with_its_status(rude: Ruder) -> None:
    error = await refused(rude(on={"*": acts.body(b"not today", 503)}))

    assert isinstance(error, HttpError)
    assert (error.status, error.body) == (503, "not today")


# -------------------------------------------------------------------------------------------------- the standing stream


@pytest.mark.feature(107)
async def test_what_belongs_to_no_request_is_heard_on_a_stream_of_its_own(rude: Ruder, engine: str) -> None:
    server = rude(stands=True)
    changed = Seen()
    async with connect(server, engine=engine, on_tools_changed=changed):
        await until(lambda: server.streams)
        server.tell("notifications/tools/list_changed")

        assert [tool.name for tool in await changed.first()] == ["echo"]


@pytest.mark.edge("B30")
@pytest.mark.parametrize("status", [405, 404, 400, 200])
async def test_a_server_without_a_standing_stream_is_asked_for_one_once(rude: Ruder, status: int) -> None:
    server = rude(on={"GET": acts.body(b"", status)})
    async with connect(server) as client:
        for _ in range(3):
            await client.ping()

    assert len(server.heard("GET")) == 1


@pytest.mark.edge("B29")
async def test_a_standing_stream_that_ends_at_once_is_opened_a_few_times(
    rude: Ruder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.aio.transports.standing._FIRST_WAIT", 0.001)
    server = rude(on={"GET": acts.stream(lambda exchange: exchange.line.chunk(b": nothing\n\n"))})
    async with connect(server) as client:
        await until(lambda: len(server.heard("GET")) == FRUITLESS)
        await client.ping()

    assert len(server.heard("GET")) == FRUITLESS


@pytest.mark.edge("B29")
def test_the_waits_for_a_standing_stream_grow_whatever_the_server_asks_for() -> None:
    events = Events()
    assert [wait_before(events, attempt) for attempt in range(7)] == [1, 2, 4, 8, 16, 30, 30]

    events.feed(b"retry: 1500\n")
    assert [wait_before(events, attempt) for attempt in range(5)] == [1.5, 3, 6, 12, 24]

    events.feed(b"retry: 0\n")
    assert [wait_before(events, attempt) for attempt in range(4)] == [0, 0.1, 0.2, 0.4]

    events.feed(b"retry: 60000\n")
    assert [wait_before(events, attempt) for attempt in range(2)] == [60, 60]


@pytest.mark.edge("B41")
async def test_a_standing_stream_goes_on_where_it_was_cut(rude: Ruder) -> None:
    def once(exchange: Exchange) -> None:
        exchange.begin()
        exchange.line.chunk(b"retry: 10\n")
        exchange.send({"jsonrpc": "2.0", "method": "notifications/message", "params": LOG}, "event-7")
        exchange.line.close()

    server = rude(on={"GET": [once, acts.silence]})
    logs = Seen()
    async with connect(server, on_log=logs):
        await logs.first()
        await until(lambda: len(server.heard("GET")) == 2)

    assert [each.header("Last-Event-ID") for each in server.heard("GET")] == [None, "event-7"]


async def test_what_a_broken_stream_did_not_tell_is_looked_up(rude: Ruder) -> None:
    server, changed = rude(stands=True), Seen()
    async with connect(server, on_tools_changed=changed):
        await until(lambda: server.streams)
        server.cut_streams()
        server.tools.append({"name": "new", "inputSchema": {"type": "object"}})

        assert [tool.name for tool in await changed.first()] == ["echo", "new"]


LOG = {"level": "info", "data": "hello"}


async def test_what_is_no_message_on_a_standing_stream_costs_nothing_else(rude: Ruder) -> None:
    def odd(exchange: Exchange) -> None:
        exchange.begin()
        exchange.line.chunk(b"data: {nonsense\n\n: a comment\n\nevent: other\ndata: {}\n\ndata: \n\n")
        exchange.send({"jsonrpc": "2.0", "method": "notifications/message", "params": LOG})
        exchange.line.wait_for_the_end()

    server = rude(on={"GET": odd})
    logs = Seen()
    async with connect(server, on_log=logs):
        assert (await logs.first()).data == "hello"

    assert len(server.heard("GET")) == 1


@pytest.mark.edge("B23")
async def test_a_lost_session_is_noticed_by_its_standing_stream(rude: Ruder) -> None:
    server = rude(stands=True)
    async with connect(server) as client:
        await until(lambda: server.streams)
        server.forget_sessions()
        server.cut_streams()
        await until(lambda: len(server.heard("initialize")) == 2)
        await until(lambda: server.streams)
        await is_phase(client, "ready")

        assert [each.session == "s1" for each in server.heard("GET")] == [True, True, False]


@pytest.mark.edge("B60")
@pytest.mark.feature(79)
async def test_progress_on_the_standing_stream_is_its_calls(rude: Ruder, engine: str) -> None:
    def slow(exchange: Exchange) -> None:
        for done in range(4):
            exchange.server.web.may_go_on.wait(0.2)
            params = {"progressToken": exchange.token, "progress": done}
            exchange.server.tell("notifications/progress", params)
        exchange.server.web.may_go_on.wait(0.2)  # nothing orders two streams
        exchange.reply(exchange.text("done"))

    server = rude(stands=True, on={"tools/call": slow})
    heard = Seen()
    async with connect(server, engine=engine) as client:
        await until(lambda: server.streams)
        result = await client.call_tool("echo", timeout=0.5, on_progress=heard)

        assert result.text == "done"
        assert [each.progress for each in heard.values] == [0, 1, 2, 3]
