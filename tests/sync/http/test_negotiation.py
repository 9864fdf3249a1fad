# generated from tests/aio/http/test_negotiation.py by tools/unasync.py; do not edit
"""Finding out which era and which transport a server speaks, by its URL alone."""

from typing import Any

import pytest

from dragoman import Client
from dragoman.deadline import Deadline
from dragoman.errors import (
    AuthError,
    ConnectFailed,
    HttpError,
    McpTimeout,
    OutcomeUnknown,
    ServerError,
    UnsupportedProtocolVersion,
)
from tests.servers.rude import Exchange, acts
from tests.sync.client.support import Background, Seen, failure, is_phase, until
from tests.sync.http.support import Ruder, connect, refused

HTML = "Content-Type: text/html"


def begin_and_be_silent(exchange: Exchange) -> None:
    exchange.begin()
    exchange.line.wait_for_the_end()


@pytest.mark.edge("B44")
@pytest.mark.feature(35)
@pytest.mark.parametrize("act", [acts.silence, begin_and_be_silent], ids=["nothing", "no event"])
def test_a_server_that_is_silent_when_it_is_probed_is_greeted(rude: Ruder, engine: str, act: acts.Act) -> None:
    server = rude(on={"server/discover": act})
    with connect(server, engine=engine, timeout=2) as client:
        assert client.protocol_version == "2025-11-25"
        assert client.call_tool("echo").text == "echo {}"

    assert len(server.heard("initialize")) == 1


def test_a_slow_server_is_probed_again_after_it_did_not_answer(rude: Ruder) -> None:
    server = rude("modern", on={"server/discover": [acts.silence, acts.default]})
    with connect(server, timeout=2) as client:
        assert client.protocol_version == "2026-07-28"


@pytest.mark.edge("B44")
@pytest.mark.feature(35)
@pytest.mark.parametrize(
    "no",
    [
        acts.error(-32601, "Method not found", 200),
        acts.error(-32601, "Method not found", 404),
        acts.error(-32600, "Invalid Request"),
        acts.error(-32602, "Invalid params"),
        acts.error(-32000, "Bad Request: Unsupported protocol version"),
        acts.error(-32000, "Bad Request: No valid session ID provided", request_id=None),
        acts.error(0, "no", 500),
        acts.body(b"Bad Request", 400),
        acts.body(b"", 401),
        acts.body(b"", 403),
        acts.body(b"", 404),
        acts.body(b"", 405),
        acts.body(b"", 406),
        acts.body(b"oops", 500),
        acts.body(b"", 202),
        acts.body(b"<html></html>", 200, HTML),
        acts.body(b"", 200),
        acts.stream(lambda exchange: None),
        acts.close,
        acts.reset,
    ],
)
def test_whatever_is_said_to_the_probe_a_legacy_server_is_greeted(rude: Ruder, no: acts.Act) -> None:
    server = rude(on={"server/discover": no})
    with connect(server) as client:
        assert (client.era, client.protocol_version) == ("legacy", "2025-11-25")
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.feature(35, 44)
@pytest.mark.parametrize("transport", ["streamable_http", "streamable-http", "http"])
def test_a_server_can_be_given_as_an_entry(rude: Ruder, transport: str) -> None:
    server = rude()
    entry = {"url": server.url, "transport": transport, "headers": {"X-Tenant": "ada"}}
    with Client.connect(entry, remembered={}) as client:
        assert client.call_tool("echo").text == "echo {}"

    assert {each.header("X-Tenant") for each in server.exchanges} == {"ada"}


@pytest.mark.feature(35)
@pytest.mark.parametrize("path", ["/mcp", "/", "", "/api/v1/tools?key=1"])
def test_the_endpoint_may_be_anywhere(rude: Ruder, path: str) -> None:
    server = rude()
    with connect(server.url.removesuffix("/mcp") + path) as client:
        client.ping()

    assert {each.received.target for each in server.exchanges} == {path or "/"}


def test_a_modern_server_is_not_greeted(rude: Ruder, engine: str) -> None:
    server = rude("modern")
    with connect(server, engine=engine) as client:
        assert (client.era, client.server.name) == ("modern", "rude")
        client.list_tools()

    assert [each.method for each in server.exchanges] == ["server/discover", "tools/list"]


def test_the_answer_to_the_probe_may_be_a_stream(rude: Ruder, engine: str) -> None:
    def discover(exchange: Exchange) -> None:
        about = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
        exchange.begin()
        exchange.send(exchange.response(about))
        exchange.end()

    with connect(rude("modern", on={"server/discover": discover}), engine=engine) as client:
        assert client.era == "modern"


def test_a_refused_version_is_exchanged_for_another(rude: Ruder) -> None:
    refuse = acts.error(-32022, "Unsupported protocol version", 400, {"supported": ["2025-06-18"]})
    with connect(rude(on={"server/discover": refuse})) as client:
        assert client.protocol_version == "2025-06-18"


def test_no_version_in_common_is_told(rude: Ruder) -> None:
    refuse = acts.error(-32022, "Unsupported protocol version", 400, {"supported": ["2031-01-01"]})
    error = refused(rude(on={"server/discover": refuse}))

    assert isinstance(error, UnsupportedProtocolVersion)
    assert error.supported == ("2031-01-01",)


@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504])
def test_a_server_that_is_not_there_just_now_is_not_taken_for_a_legacy_one(rude: Ruder, status: int) -> None:
    server = rude(on={"*": acts.body(b"", status)})
    error = refused(server)

    assert isinstance(error, HttpError)
    assert error.status == status
    assert [each.method for each in server.exchanges] == ["server/discover"]


def test_what_a_server_was_is_remembered(rude: Ruder) -> None:
    server, remembered = rude(), dict[str, str]()
    for _ in range(2):
        with connect(server, remembered=remembered):
            pass

    assert len(server.heard("server/discover")) == 1
    assert list(remembered.values()) == ["legacy"]


def test_a_server_that_has_become_modern_is_found_to_be(rude: Ruder) -> None:
    server = rude("modern")
    with connect(server, remembered={server.url: "legacy"}) as client:
        assert client.era == "modern"


def test_who_wants_to_know_who_one_is_says_so(rude: Ruder, engine: str) -> None:
    error = refused(rude(on={"*": acts.body(b"", 401, 'WWW-Authenticate: Bearer scope="all"')}), engine=engine)

    assert isinstance(error, AuthError)
    assert (error.status, error.scope, error.server) == (401, "all", "rude")


@pytest.mark.edge("B25")
def test_a_wrong_path_is_told_with_all_that_was_tried(rude: Ruder) -> None:
    error = refused(rude(on={"*": acts.body(b"Not Found", 404)}))

    assert isinstance(error, HttpError)
    words = str(error)
    assert words.startswith("rude: there is nothing at this URL (404): Not Found (is the path right? It is often /mcp;")
    assert "server/discover: " in words
    assert "initialize: " in words
    assert "event stream: " in words


def test_an_error_of_the_protocols_is_not_followed_by_a_search_for_a_stream(rude: Ruder) -> None:
    server = rude(on={"*": acts.error(-32000, "closed on Sundays", 400)})
    error = refused(server)

    assert isinstance(error, ServerError)
    assert "closed on Sundays" in str(error)
    assert server.heard("GET") == []


# -------------------------------------------------------------------------------------------------------------- HTTP+SSE


@pytest.mark.feature(36)
def test_a_server_of_2024_is_found_and_spoken_with(rude: Ruder, engine: str) -> None:
    server = rude(is_sse=True)
    with connect(server, engine=engine) as client:
        assert (client.era, client.protocol_version) == ("legacy", "2025-11-25")
        assert client.list_tools()[0].name == "echo"
        calls = [Background(client.call_tool, "echo", {"n": n}) for n in range(5)]
        assert [call.wait().text for call in calls] == [f'echo {{"n": {n}}}' for n in range(5)]


def test_a_server_of_2024_is_known_the_next_time(rude: Ruder) -> None:
    server = rude(is_sse=True)
    for _ in range(2):
        with connect(server, remembered={}):
            pass
    posts = [each for each in server.exchanges if each.received.target == "/mcp" and each.received.method == "POST"]

    # The probe and the handshake of the first time.
    assert len(posts) == 2


def test_a_server_that_has_learned_is_found_to_have(rude: Ruder) -> None:
    server = rude(is_sse=True)
    with connect(server):
        pass
    server.is_sse, server.has_sessions = False, True
    with connect(server) as client:
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.parametrize(
    "get", [acts.error(-32600, "Missing session ID"), begin_and_be_silent], ids=["refuses", "silent"]
)
def test_a_server_that_was_replaced_by_one_without_such_streams_is_greeted(
    rude: Ruder, era: str, get: acts.Act, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.sync.transports.sse._BEGINNING", 0.1)
    server = rude(is_sse=True)
    with connect(server):
        pass
    server.is_sse, server.era = False, era
    server.on["GET"] = get
    for _ in range(2):
        with connect(server, remembered={}) as client:
            assert (client.era, client.call_tool("echo").text) == (era, "echo {}")


def test_a_refusal_of_the_stream_in_the_protocols_words_is_among_what_was_tried(rude: Ruder) -> None:
    no = acts.error(-32600, "Missing session ID")
    error = refused(rude(on={"initialize": acts.body(b"", 404), "GET": no}))

    assert isinstance(error, HttpError)
    assert error.status == 404
    assert "event stream: GET was answered by status 400: Missing session ID" in str(error)


@pytest.mark.feature(36)
def test_the_stream_brings_what_nobody_asked_for(rude: Ruder, engine: str) -> None:
    server, changed = rude(is_sse=True), Seen()
    with connect(server, engine=engine, on_tools_changed=changed):
        server.tell("notifications/tools/list_changed")

        assert [tool.name for tool in changed.first()] == ["echo"]


def naming(endpoint: str) -> acts.Act:
    """Open a stream that names a URL to post to."""

    def act(exchange: Exchange) -> None:
        exchange.begin()
        exchange.server.streams["1"] = exchange
        exchange.line.chunk(f"event: endpoint\ndata: {endpoint}\n\n".encode())
        exchange.line.wait_for_the_end()

    return act


@pytest.mark.feature(36)
@pytest.mark.parametrize("endpoint", ["/messages?session=1", "messages?session=1", "//127.0.0.1:{}/messages?session=1"])
def test_the_url_to_post_to_follows_from_where_the_stream_is(rude: Ruder, endpoint: str) -> None:
    server = rude(is_sse=True)
    server.on["GET"] = naming(endpoint.format(server.web.port))
    with connect(server) as client:
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.edge("B42")
@pytest.mark.parametrize(
    "endpoint", ["http://localhost:8080/messages", "https://127.0.0.1/messages", "//evil.example/"]
)
def test_a_url_of_another_origin_is_refused(rude: Ruder, engine: str, endpoint: str) -> None:
    server = rude(is_sse=True, on={"GET": naming(endpoint)})
    error = refused(server, engine=engine)

    assert isinstance(error, ConnectFailed)
    assert endpoint in str(error)
    assert server.url in str(error)
    assert "connect with `message_url`" in str(error)


@pytest.mark.edge("B42")
@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:99999/messages", "http://[::1/messages"])
def test_what_is_no_url_is_refused(rude: Ruder, endpoint: str) -> None:
    error = refused(rude(is_sse=True, on={"GET": naming(endpoint)}))

    assert isinstance(error, ConnectFailed)
    assert f"{endpoint!r}, which is no URL" in str(error)


def test_a_url_to_post_to_needs_no_user_and_no_encoding(rude: Ruder) -> None:
    server = rude(is_sse=True)
    server.on["GET"] = naming(f"http://eve:secret@127.0.0.1:{server.web.port}/mäil box?session=1")
    with connect(server) as client:
        assert client.call_tool("echo").text == "echo {}"

    assert server.heard("tools/call")[0].received.target == "/m%C3%A4il%20box?session=1"
    assert {each.header("authorization") for each in server.exchanges} == {None}


@pytest.mark.edge("B42")
def test_the_user_may_say_where_to_post_to(rude: Ruder) -> None:
    server = rude(is_sse=True, on={"GET": naming("http://internal:8080/messages")})
    url = f"http://127.0.0.1:{server.web.port}/messages?session=1"
    with connect(server, message_url=url) as client:
        assert client.call_tool("echo").text == "echo {}"


def test_a_stream_that_never_says_where_to_post_is_given_up(rude: Ruder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.sync.transports.sse._BEGINNING", 0.1)

    def endless(exchange: Exchange) -> None:
        exchange.begin()
        exchange.line.wait_for_the_end()

    error = refused(rude(is_sse=True, on={"GET": endless}))

    assert isinstance(error, HttpError)
    assert isinstance(error.__cause__, McpTimeout)
    assert "the stream did not say where to post messages" in str(error)


def test_a_stream_that_is_not_for_everybody_says_so(rude: Ruder) -> None:
    error = refused(rude(is_sse=True, on={"GET": acts.body(b"", 401)}))

    assert isinstance(error, AuthError)


def test_a_message_that_is_refused_fails_its_call_only(rude: Ruder, engine: str) -> None:
    server = rude(is_sse=True, on={"tools/call bad": acts.body(b"too large", 413)})
    with connect(server, engine=engine) as client:
        error: Any = failure(client.call_tool, "bad")

        assert isinstance(error, HttpError)
        assert error.status == 413
        assert client.call_tool("echo").text == "echo {}"


def test_a_message_that_is_not_accepted_in_time_fails_its_call_only(rude: Ruder, engine: str) -> None:
    server = rude(is_sse=True, on={"tools/call bad": acts.silence})
    with connect(server, engine=engine) as client:
        error = failure(client.call_tool, "bad", timeout=0.3)

        assert isinstance(error, McpTimeout)
        assert (error.method, error.was_sent) == ("tools/call", True)
        assert client.call_tool("echo").text == "echo {}"


def test_an_answer_may_come_before_its_message_is_accepted(rude: Ruder, engine: str) -> None:
    def early(exchange: Exchange) -> None:
        assert exchange.stream
        exchange.stream.send(exchange.text("done"))
        exchange.line.reply(b"Accepted", 202)

    with connect(rude(is_sse=True, on={"tools/call": early}), engine=engine) as client:
        assert client.call_tool("echo").text == "done"


def test_a_stream_that_breaks_is_opened_again(rude: Ruder, engine: str) -> None:
    server, states = rude(is_sse=True), Seen()
    with connect(server, engine=engine, on_state=states) as client:
        greetings = len(server.heard("initialize"))
        server.cut_streams()
        until(lambda: len(server.heard("initialize")) > greetings)
        is_phase(client, "ready")

        assert client.call_tool("echo").text == "echo {}"
        states.at_least(3)
        assert [str(each.phase) for each in states.values[:3]] == ["ready", "restarting", "ready"]


@pytest.mark.parametrize("act", [acts.silence, begin_and_be_silent], ids=["no answer", "no endpoint"])
def test_closing_does_not_wait_for_a_stream_that_is_being_opened_again(
    rude: Ruder, engine: str, act: acts.Act, caplog: pytest.LogCaptureFixture
) -> None:
    server = rude(is_sse=True)
    client = connect(server, engine=engine)
    asked = len(server.heard("GET"))
    server.on["GET"] = act
    server.cut_streams()
    until(lambda: len(server.heard("GET")) > asked)
    began = Deadline.never()
    client.close()

    assert began.waited < 2
    assert not [each for each in caplog.messages if "background work" in each]


@pytest.mark.edge("B49")
def test_a_call_whose_message_is_under_way_when_the_stream_breaks_has_an_unknown_outcome(
    rude: Ruder, engine: str
) -> None:
    look = {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    on = {f"tools/call {name}": [acts.silence, acts.default] for name in ("bad", "look")}
    server = rude(is_sse=True, tools=[look], on=on)
    with connect(server, engine=engine) as client:
        client.list_tools()
        bad, reading = Background(client.call_tool, "bad"), Background(client.call_tool, "look")
        until(lambda: len(server.heard("tools/call")) == 2)
        server.cut_streams()

        assert isinstance(bad.failure(), OutcomeUnknown)
        assert reading.wait().text == "look {}"


@pytest.mark.edge("B49")
def test_a_call_whose_stream_breaks_has_an_unknown_outcome(rude: Ruder, engine: str) -> None:
    def cut(exchange: Exchange) -> None:
        acts.run(exchange)
        exchange.line.reply(b"Accepted", 202)
        exchange.server.cut_streams()

    server = rude(is_sse=True, on={"tools/call bad": cut})
    with connect(server, engine=engine) as client:
        error = failure(client.call_tool, "bad")

        assert type(error).__name__ == "OutcomeUnknown"
        assert server.ran["bad"] == 1
        assert client.call_tool("echo").text == "echo {}"


def test_closing_ends_the_stream(rude: Ruder, engine: str) -> None:
    server = rude(is_sse=True)
    client = connect(server, engine=engine)
    call = Background(client.call_tool, "echo")
    call.wait()
    client.close()

    until(lambda: not server.streams)
