# generated from tests/aio/http/test_events.py by tools/unasync.py; do not edit
"""Answers that are streams of events: how they are written, what comes with them, where they break and go on."""

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionLost, McpTimeout, OutcomeUnknown, ProtocolError
from tests.servers.rude import Exchange, Rude, acts
from tests.sync.client.support import Seen, failure, until
from tests.sync.http.support import Ruder, connect

BEFORE = b": hello\n\nretry: 10\nid: 1\ndata\n\nevent: ping\ndata: {}\n\nid\n\n"


@pytest.mark.parametrize("separator", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("before", [b"", BEFORE, b"\xef\xbb\xbf"], ids=["nothing", "noise", "a mark"])
def test_events_are_read_however_they_are_written(rude: Ruder, engine: str, separator: bytes, before: bytes) -> None:
    server = rude(on={"tools/call": acts.by_events("a\u2028b ✓", separator, before)})
    with connect(server, engine=engine) as client:
        assert client.call_tool("echo").text == "a\u2028b ✓"


def test_events_may_come_a_byte_at_a_time(rude: Ruder, engine: str) -> None:
    def drip(exchange: Exchange) -> None:
        exchange.begin()
        for byte in acts.sse(exchange.text("größe")):
            exchange.line.chunk(bytes([byte]))
        exchange.end()

    with connect(rude(on={"tools/call": drip}), engine=engine) as client:
        assert client.call_tool("echo").text == "größe"


def test_data_may_be_of_several_lines(rude: Ruder) -> None:
    def lines(exchange: Exchange) -> None:
        exchange.begin()
        exchange.line.chunk(f'data: {{"jsonrpc": "2.0",\ndata: "id": {exchange.id}, "result":\n'.encode())
        exchange.line.chunk(b'data: {"content": [{"type": "text", "text": "done"}]}}\n\n')
        exchange.end()

    with connect(rude(on={"tools/call": lines})) as client:
        assert client.call_tool("echo").text == "done"


def test_an_answer_counts_without_the_blank_line_after_it(rude: Ruder, engine: str) -> None:
    def cut(exchange: Exchange) -> None:
        exchange.begin()
        exchange.line.chunk(acts.sse(exchange.text("done")).rstrip())
        exchange.line.close()

    with connect(rude(on={"tools/call": cut}), engine=engine) as client:
        assert client.call_tool("echo").text == "done"


@pytest.mark.parametrize("ending", ["end", "close", "go on"])
def test_how_a_stream_ends_after_its_answer_does_not_matter(rude: Ruder, engine: str, ending: str) -> None:
    server = rude(on={"tools/call": acts.by_events("done", ending=ending)})
    with connect(server, engine=engine) as client:
        assert [client.call_tool("echo").text for _ in range(3)] == ["done"] * 3


def test_a_stream_that_has_ended_leaves_its_connection_for_the_next_call(rude: Ruder, engine: str) -> None:
    server = rude("modern", on={"tools/call": acts.by_events("done")})
    with connect(server, engine=engine) as client:
        for _ in range(20):
            client.call_tool("echo")

    assert server.web.connections == 1


@pytest.mark.feature(80)
def test_what_comes_before_an_answer_is_heard_before_it_is_returned(rude: Ruder, engine: str) -> None:
    def talk(exchange: Exchange) -> None:
        for progress in range(3):
            params = {"progressToken": exchange.token, "progress": progress, "message": f"step {progress}"}
            exchange.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        exchange.send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "hi"}})
        exchange.send(exchange.text("done"))

    server = rude(on={"tools/call": acts.stream(talk)})
    progress, logs = Seen(), Seen()
    with connect(server, engine=engine, on_log=logs) as client:
        client.call_tool("echo", on_progress=progress)

        assert [each.message for each in progress.values] == ["step 0", "step 1", "step 2"]
        assert logs.first().data == "hi"


def test_what_is_no_message_is_skipped(rude: Ruder) -> None:
    def odd(exchange: Exchange) -> None:
        exchange.line.chunk(b"data: {nonsense\n\ndata: keep-alive\n\n")
        exchange.send(exchange.text("done"))

    with connect(rude(on={"tools/call": acts.stream(odd)})) as client:
        assert client.call_tool("echo").text == "done"


def test_an_answer_that_cannot_be_read_is_told_at_once(rude: Ruder) -> None:
    def broken(exchange: Exchange) -> None:
        exchange.begin()
        exchange.line.chunk(f'data: {{"jsonrpc": "2.0", "id": {exchange.id}, "result": {{"con\n\n'.encode())
        exchange.line.wait_for_the_end()

    with connect(rude(on={"tools/call": broken})) as client:
        error = failure(client.call_tool, "echo")

        assert isinstance(error, ProtocolError)
        assert '"result": {"con' in str(error)


def test_streams_that_never_end_are_waited_for_a_few_times_only(rude: Ruder, engine: str, era: str) -> None:
    server = rude(era, on={"tools/call": acts.by_events("done", ending="stay open")})
    with connect(server, engine=engine) as client:
        for _ in range(3):
            client.call_tool("echo")
        began = Deadline.never()
        for _ in range(10):
            assert client.call_tool("echo").text == "done"

        assert began.waited < 1.5


# ------------------------------------------------------------------------------------------------------------ going on


def cut_after(*events: tuple[str, bytes]) -> acts.Act:
    """Name some events, and break off."""

    def act(exchange: Exchange) -> None:
        exchange.begin()
        exchange.line.chunk(b"retry: 20\n")
        for event_id, data in events:
            exchange.line.chunk(b"id: %b\ndata: %b\n\n" % (event_id.encode(), data))
        exchange.line.close()

    return act


@pytest.mark.parametrize("event_id", ["größer", "a\tb"])
def test_a_stream_is_not_resumed_from_what_no_header_can_name(rude: Ruder, event_id: str) -> None:
    server = rude(on={"tools/call": cut_after((event_id, b""))})
    with connect(server) as client:
        error = failure(client.call_tool, "echo")

        assert isinstance(error, OutcomeUnknown)


def resumed(*acts_in_turn: acts.Act) -> list[acts.Act]:
    """Say that there is no standing stream, and answer those who ask for the rest of another by one act after the other."""
    return [acts.body(b"", 405), *acts_in_turn]


def answer_to(server_calls: Rude, words: str) -> acts.Act:
    """Answer, on another stream, the last tool call."""

    def act(exchange: Exchange) -> None:
        call = server_calls.heard("tools/call")[-1]
        exchange.begin()
        exchange.send(call.text(words), "event-9")
        exchange.end()

    return act


@pytest.mark.edge("B41")
@pytest.mark.feature(38)
def test_a_stream_that_was_cut_goes_on_where_it_was(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call": acts.run_and(cut_after(("event-1", b""), ("event-2", b"")))})
    server.on["GET"] = resumed(answer_to(server, "done"))
    with connect(server, engine=engine) as client:
        assert client.call_tool("echo").text == "done"

    assert [each.header("Last-Event-ID") for each in server.heard("GET")] == [None, "event-2"]
    assert server.ran["echo"] == 1


@pytest.mark.edge("B41")
@pytest.mark.parametrize(
    "act",
    [acts.reset, acts.close, acts.body(b"", 503), acts.half_an_event],
    ids=["reset", "close", "503", "half"],
)
def test_a_stream_that_cannot_go_on_yet_is_asked_for_again(rude: Ruder, engine: str, act: acts.Act) -> None:
    server = rude(on={"tools/call": acts.run_and(cut_after(("event-1", b"")))})
    server.on["GET"] = resumed(act, act, answer_to(server, "done"))
    with connect(server, engine=engine) as client:
        assert client.call_tool("echo").text == "done"

    assert server.ran["echo"] == 1


@pytest.mark.edge("B49")
@pytest.mark.parametrize(
    "act",
    [acts.body(b"", 405), acts.body(b"", 404), acts.error(-32000, "no such stream"), acts.body(b"{}", 200)],
    ids=["405", "404", "an error", "no stream"],
)
def test_a_stream_that_cannot_go_on_leaves_the_outcome_unknown(rude: Ruder, engine: str, act: acts.Act) -> None:
    server = rude(on={"tools/call": acts.run_and(cut_after(("event-1", b""))), "GET": resumed(act)})
    with connect(server, engine=engine) as client:
        error = failure(client.call_tool, "echo")

        assert isinstance(error, OutcomeUnknown)
        assert isinstance(error.__cause__, ConnectionLost)
        assert server.ran["echo"] == 1


@pytest.mark.edge("B49")
def test_a_server_that_went_away_in_the_middle_is_not_asked_to_run_it_again(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call": acts.run_and(cut_after(("event-1", b"")))})

    def go_away(exchange: Exchange) -> None:
        exchange.server.web._listener.close()
        exchange.line.reset()

    server.on["GET"] = resumed(go_away)
    with connect(server, engine=engine, timeout=1) as client:
        error = failure(client.call_tool, "echo")

        assert isinstance(error, McpTimeout)
        assert error.was_sent
        assert server.ran["echo"] == 1


def test_a_stream_that_brings_nothing_is_not_asked_for_for_ever(
    rude: Ruder, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.sync.transports.standing._FIRST_WAIT", 0.001)
    empty = acts.stream(lambda exchange: exchange.line.chunk(b": nothing\n\n"))
    server = rude(on={"tools/call": cut_after(("event-1", b"")), "GET": resumed(empty)})
    with connect(server, engine=engine) as client:
        error = failure(client.call_tool, "echo")

        assert isinstance(error, OutcomeUnknown)
        assert len(server.heard("GET")) == 6


@pytest.mark.edge("B41", "B49")
def test_a_modern_stream_does_not_go_on(rude: Ruder, engine: str) -> None:
    server = rude("modern", on={"tools/call": acts.run_and(cut_after(("event-1", b"")))})
    with connect(server, engine=engine) as client:
        assert isinstance(failure(client.call_tool, "echo"), OutcomeUnknown)

    assert server.heard("GET") == []


def test_the_time_that_a_server_asks_for_is_waited(rude: Ruder) -> None:
    def cut(exchange: Exchange) -> None:
        exchange.begin()
        exchange.line.chunk(b"retry: 60000\nid: event-1\ndata:\n\n")
        exchange.line.close()

    server = rude(on={"tools/call": cut})
    with connect(server) as client:
        error = failure(client.call_tool, "echo", timeout=0.3)

        # Longer than anybody waits: the time-out is its own, and comes when it is due.
        assert isinstance(error, McpTimeout)
        assert error.waited < 2
        assert [each.header("Last-Event-ID") for each in server.heard("GET") if each.header("Last-Event-ID")] == []
        until(lambda: server.heard("notifications/cancelled"))
