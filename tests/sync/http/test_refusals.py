# generated from tests/aio/http/test_refusals.py by tools/unasync.py; do not edit
"""Answers that are no results: refusals by status, odd ids, pages of proxies."""

import json
from typing import Any

import pytest

from dragoman.errors import AuthError, HttpError, InvalidParams, OutcomeUnknown, ProtocolError, ServerError
from tests.servers.rude import Exchange, Rude, acts
from tests.sync.client.support import failure
from tests.sync.http.support import Ruder, connect

PAGE = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
HTML = "Content-Type: text/html"
READING = {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


def ending(server: Rude, tool: str = "echo", **options: Any) -> Any:
    """Give the error that a call ends with."""
    with connect(server, **options) as client:
        client.list_tools()
        return failure(client.call_tool, tool, {"n": 1})


@pytest.mark.edge("B25")
@pytest.mark.feature(95)
@pytest.mark.parametrize(
    ("status", "content", "headers", "kind", "words"),
    [
        (400, b"what?", (), HttpError, "takes this for a bad request (400): what?"),
        (401, b"", (), AuthError, ""),
        (403, b"no", (), AuthError, "does not allow this (403): no"),
        (406, b"", (), HttpError, "no answer in a form that MCP knows"),
        (413, b"too large", (), HttpError, "larger than the server, or a proxy before it, takes (413): too large"),
        (421, b"", (), HttpError, "does not answer for this host name"),
        (429, b"slowly", ("Retry-After: 7",), HttpError, "too many requests (429): slowly"),
        (500, b"oops", (), HttpError, "the server failed (500): oops"),
        (501, b"", (), HttpError, "the server failed (501)"),
        (418, b"", (), HttpError, "the server refuses (418)"),
        (503, PAGE, (HTML,), HttpError, 'not available now (503): a web page, "502 Bad Gateway"'),
    ],
)
def test_a_refusal_says_what_it_is(
    rude: Ruder,
    engine: str,
    status: int,
    content: bytes,
    headers: tuple[str, ...],
    kind: type[HttpError | AuthError],
    words: str,
) -> None:
    error = ending(rude(on={"tools/call": acts.body(content, status, *headers)}), engine=engine)

    assert isinstance(error, kind)
    assert (error.status, error.server) == (status, "rude")
    assert words in str(error)


def test_what_helps_to_find_the_cause_is_kept(rude: Ruder) -> None:
    headers = ("Retry-After: 7", "Server: nginx", "X-Request-Id: abc", "X-Secret: hush", "Set-Cookie: a=b")
    error = ending(rude(on={"tools/call": acts.body(b"x" * 5000, 429, *headers)}))

    assert error.headers == {"retry-after": "7", "server": "nginx", "x-request-id": "abc"}
    assert error.body == "x" * 500


def test_a_challenge_is_kept(rude: Ruder) -> None:
    challenge = 'Bearer error="insufficient_scope", scope="files:write"'
    error = ending(rude(on={"tools/call": acts.body(b"", 403, f"WWW-Authenticate: {challenge}")}))

    assert (error.challenge, error.scope) == (challenge, "files:write")


@pytest.mark.edge("B25", "B49")
def test_a_gateway_that_lost_the_server_leaves_the_outcome_unknown(rude: Ruder) -> None:
    server = rude(on={"tools/call": acts.run_and(acts.body(PAGE, 502, HTML))})
    error = ending(server)

    assert isinstance(error, OutcomeUnknown)
    assert isinstance(error.__cause__, HttpError)
    assert "a proxy could not reach the server" in str(error)
    assert server.ran["echo"] == 1


@pytest.mark.edge("B25", "B49")
@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_tool_that_only_reads_is_called_again(rude: Ruder, status: int) -> None:
    server = rude(tools=[READING], on={"tools/call": [acts.body(b"", status, "Retry-After: 0"), acts.default]})
    with connect(server) as client:
        client.list_tools()

        assert client.call_tool("look").text == "look {}"


@pytest.mark.edge("B25")
def test_a_server_is_not_waited_for_longer_than_the_policy_allows(rude: Ruder) -> None:
    server = rude(tools=[READING], on={"tools/call": acts.body(b"", 429, "Retry-After: 60")})
    error = ending(server, "look")

    assert (error.status, error.headers["retry-after"]) == (429, "60")
    assert len(server.heard("tools/call")) == 1


@pytest.mark.edge("B108")
@pytest.mark.parametrize("status", [200, 400, 404, 500])
def test_an_error_of_the_protocols_is_one_whatever_its_status(rude: Ruder, engine: str, status: int) -> None:
    server = rude(on={"tools/call": acts.error(-32602, "n must be even", status, {"n": 1})}, has_sessions=False)
    error = ending(server, engine=engine)

    assert isinstance(error, InvalidParams)
    assert (error.code, error.message, error.data) == (-32602, "n must be even", {"n": 1})
    assert len(server.heard("tools/call")) == 1


# ----------------------------------------------------------------------------------------------------------------- ids


@pytest.mark.edge("B26")
@pytest.mark.parametrize("status", [200, 400])
def test_an_error_without_an_id_is_the_answer_to_its_post(rude: Ruder, engine: str, status: int) -> None:
    server = rude(on={"tools/call": acts.error(-32001, "out of order", status, request_id=None)})
    error = ending(server, engine=engine)

    assert isinstance(error, ServerError)
    assert (error.code, error.message) == (-32001, "out of order")


@pytest.mark.edge("B26")
def test_an_error_without_an_id_is_the_answer_to_its_stream(rude: Ruder, engine: str) -> None:
    def refuse(exchange: Exchange) -> None:
        exchange.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "out of order"}})

    error = ending(rude(on={"tools/call": acts.stream(refuse)}), engine=engine)

    assert isinstance(error, ServerError)


@pytest.mark.edge("B28")
def test_an_id_may_come_back_as_a_string(rude: Ruder) -> None:
    server = rude(on={"tools/call": acts.answer_as(lambda message: {**message, "id": str(message["id"])})})
    with connect(server) as client:
        assert client.call_tool("echo").text == "done"


def test_an_answer_with_another_id_is_no_answer(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call": acts.answer_as(lambda message: {**message, "id": 4711})})
    error = ending(server, engine=engine)

    assert isinstance(error, ProtocolError)
    assert "answered by something that is not its answer" in str(error)


def test_of_two_answers_the_first_counts(rude: Ruder, engine: str) -> None:
    def twice(exchange: Exchange) -> None:
        exchange.begin()
        exchange.send(exchange.text("first"))
        exchange.send(exchange.text("second"))
        exchange.end()

    server = rude(on={"tools/call": twice})
    with connect(server, engine=engine) as client:
        assert client.call_tool("echo").text == "first"
        server.on.clear()
        assert client.call_tool("echo", {"n": 1}).text == 'echo {"n": 1}'


def test_an_answer_may_come_in_a_batch(rude: Ruder) -> None:
    notice = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "hi"}}
    server = rude(on={"tools/call": acts.answer_as(lambda message: [notice, message])})
    with connect(server) as client:
        assert client.call_tool("echo").text == "done"


# --------------------------------------------------------------------------------------------------------- no messages


@pytest.mark.edge("B25")
def test_a_page_in_place_of_an_answer_is_told(rude: Ruder, engine: str) -> None:
    login = b"<html><title>Sign in</title></html>"
    error = ending(rude(on={"tools/call": acts.body(login, 200, HTML)}), engine=engine)

    assert isinstance(error, HttpError)
    assert 'what answers here is no MCP server (200): a web page, "Sign in"' in str(error)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "tools/call was accepted (200) and not answered"),
        (b"  \n", "tools/call was accepted (200) and not answered"),
        (b'{"jsonrpc": "2.0", "id": 3, "resu', "the answer cannot be read"),
        (b"[]", "something that is not its answer"),
        (b"null", "the answer cannot be read"),
    ],
)
def test_what_is_no_answer_is_told_at_once(rude: Ruder, engine: str, content: bytes, words: str) -> None:
    server = rude(on={"tools/call": acts.body(content, 200, "Content-Type: application/json")})
    error = ending(server, engine=engine)

    assert isinstance(error, ProtocolError)
    assert words in str(error)


def test_an_accepted_request_without_an_answer_is_told_at_once(rude: Ruder) -> None:
    error = ending(rude(on={"tools/call": acts.body(b"", 202)}))

    assert "tools/call was accepted (202) and not answered" in str(error)


def test_json_needs_no_content_type(rude: Ruder) -> None:
    def bare(exchange: Exchange) -> None:
        exchange.line.reply(json.dumps(exchange.text("done")).encode())

    with connect(rude(on={"tools/call": bare})) as client:
        assert client.call_tool("echo").text == "done"


# -------------------------------------------------------------------------------------------------------- notifications


def endless(exchange: Exchange) -> None:
    exchange.begin()
    exchange.line.wait_for_the_end()


@pytest.mark.edge("B34")
@pytest.mark.parametrize(
    "act",
    [
        acts.body(b"", 202),
        acts.body(b"Accepted", 202, "Content-Type: text/plain"),
        acts.body(b"{}", 200, "Content-Type: application/json"),
        acts.body(b"", 204),
        acts.body(b"null", 200),
        acts.body(b"x" * 300_000, 200),
        endless,
    ],
    ids=["202", "text", "an object", "204", "null", "very much", "an endless stream"],
)
def test_whatever_comes_with_a_success_is_fine_for_a_notification(rude: Ruder, engine: str, act: acts.Act) -> None:
    server = rude(on={"notifications/initialized": act})
    with connect(server, engine=engine, timeout=5) as client:
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.edge("B38")
@pytest.mark.parametrize(
    "act",
    [acts.reset, acts.close, acts.half_a_chunk, acts.body(b"no", 500), acts.body(b"", 404), acts.no_http],
    ids=["reset", "close", "half", "500", "404", "no http"],
)
def test_a_notification_that_fails_fails_nothing_else(rude: Ruder, engine: str, act: acts.Act) -> None:
    server = rude(on={"notifications/initialized": act})
    with connect(server, engine=engine) as client:
        assert client.call_tool("echo").text == "echo {}"
