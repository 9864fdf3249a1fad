"""HTTP answers that are no results: what each means, and where a redirect may lead."""

import json
from typing import Any

import pytest

from dragoman.errors import AuthError, HttpError, SessionExpired
from dragoman.protocol.jsonrpc import Message, read_error
from dragoman.protocol.refusals import blames_session, origin, redirected, refusal, resolved

HTML = {"content-type": "text/html; charset=utf-8"}


def error(code: int, words: str = "no", request_id: Any = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": words}}).encode()


def refused(status: int, body: bytes = b"", headers: dict[str, str] | None = None, *, has_session: bool = False) -> Any:
    return refusal(status, headers or {}, body, has_session=has_session)


@pytest.mark.parametrize("status", [400, 404, 405, 500])
@pytest.mark.parametrize("request_id", [1, "1", None])
def test_an_error_of_the_protocols_is_a_message(status: int, request_id: Any) -> None:
    message = refused(status, error(-32602, "n must be even", request_id))

    assert isinstance(message, Message)
    assert isinstance(message.error, bytes | memoryview) or message.error
    assert read_error(message.error, "").message == "n must be even"


@pytest.mark.edge("B25")
@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504])
def test_who_asks_to_come_back_later_may_say_so_in_any_words(status: int) -> None:
    found = refused(status, error(-32000, "too many requests"), {"retry-after": "3"})

    assert isinstance(found, HttpError)
    assert (found.status, found.headers) == (status, {"retry-after": "3"})
    assert "too many requests" in str(found)


def test_an_error_may_stand_in_a_batch() -> None:
    notice = b'{"jsonrpc":"2.0","method":"notifications/message"}'

    assert isinstance(refused(400, b"[" + notice + b"," + error(-32602) + b"]"), Message)


@pytest.mark.parametrize("body", [b"", b"  ", b"no", b"{}", b'{"error": "invalid_token"}', b"[1]", b'{"result": {}}'])
def test_anything_else_is_an_error_of_the_line(body: bytes) -> None:
    assert isinstance(refused(400, body), HttpError)


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (400, "takes this for a bad request"),
        (404, "there is nothing at this URL"),
        (407, "a proxy wants to know who you are"),
        (413, "larger than the server, or a proxy before it, takes"),
        (429, "there were too many requests"),
        (502, "a proxy could not reach the server"),
        (504, "a proxy got no answer from the server in time"),
        (418, "the server refuses"),
        (507, "the server failed"),
        (200, "what answers here is no MCP server"),
    ],
)
def test_each_status_says_what_it_is(status: int, sentence: str) -> None:
    found = refused(status)

    assert isinstance(found, HttpError)
    assert found.status == status
    assert sentence in str(found)
    assert f"({status})" in str(found)


@pytest.mark.parametrize("status", [200, 404, 405])
def test_a_wrong_path_is_hinted_at(status: int) -> None:
    assert "It is often /mcp" in str(refused(status).hint)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"<html><title lang=en> 502 Bad\nGateway </title>", 'a web page, "502 Bad Gateway"'),
        (b"<html><title></title></html>", "a web page"),
        (b"", "a web page"),
    ],
)
def test_of_a_page_its_title_is_shown(body: bytes, shown: str) -> None:
    assert str(refused(502, body, HTML)).endswith(f"(502): {shown}")


def test_of_a_text_the_beginning_is_shown() -> None:
    found = refused(500, b"because " * 1000)

    assert "(500): because because" in str(found)
    assert len(str(found)) < 1000
    assert found.body == ("because " * 1000)[:500]


def test_only_telling_headers_are_kept() -> None:
    headers = {"retry-after": "7", "set-cookie": "a=b", "content-type": "text/plain", "authorization": "hush"}

    assert refused(429, headers=headers).headers == {"content-type": "text/plain", "retry-after": "7"}


# ------------------------------------------------------------------------------------------------------- who are you


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("body", [b"", b"no token", error(-32001, "no token")])
def test_who_is_not_let_in_is_told_so_whatever_the_body(status: int, body: bytes) -> None:
    found = refused(status, body)

    assert isinstance(found, AuthError)
    assert found.status == status
    assert ("no token" in str(found)) is bool(body)


def test_a_challenge_and_its_scope_are_kept() -> None:
    challenge = 'Bearer error="insufficient_scope", scope="files:read files:write"'
    found = refused(403, headers={"www-authenticate": challenge})

    assert (found.challenge, found.scope, found.hint) == (challenge, "files:read files:write", None)


def test_who_has_no_token_is_told_where_to_give_one() -> None:
    found = refused(401)

    assert (found.challenge, found.scope) == (None, None)
    assert "`auth`" in found.hint


# ---------------------------------------------------------------------------------------------------------- sessions


@pytest.mark.edge("B23")
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, b""),
        (404, b"Session not found"),
        (404, error(-32001, "Session not found")),
        (404, error(-32600, "no", None)),
        (400, error(-32000, "Bad Request: No valid session ID provided", None)),
        (400, error(-32019, "Session expired")),
        (400, b"Invalid or missing session ID"),
        (400, b'{"error": "No such session"}'),
    ],
)
def test_a_session_is_lost(status: int, body: bytes) -> None:
    assert isinstance(refused(status, body, has_session=True), SessionExpired)
    assert not isinstance(refused(status, body), SessionExpired)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, error(-32601, "no such method")),
        (400, b""),
        (400, b"obsessed"),
        (400, b"<html>" + b"session " * 100),
        (500, b"session store failed"),
        (400, error(-32602, "the session argument is missing")),
        (400, error(-32020, "session header mismatch")),
        (400, error(-32000, "obsessions are not allowed")),
        (500, error(-32000, "session store failed")),
        (401, b""),
    ],
)
def test_a_session_is_not_lost(status: int, body: bytes) -> None:
    assert not isinstance(refused(status, body, has_session=True), SessionExpired)


def test_without_a_message_only_the_status_tells() -> None:
    assert blames_session(404, None)
    assert not blames_session(400, None)


# ---------------------------------------------------------------------------------------------------------- redirects


@pytest.mark.edge("B36")
@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize(
    ("url", "location", "target"),
    [
        ("http://a.example/mcp", "/mcp/", "http://a.example/mcp/"),
        ("http://a.example/mcp", "http://A.example:80/x", "http://A.example:80/x"),
        ("https://a.example/mcp", "https://a.example:443/x?y", "https://a.example:443/x?y"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/x", "http://[::1]:8000/x"),
    ],
)
def test_within_the_origin_a_request_is_sent_again(status: int, url: str, location: str, target: str) -> None:
    assert redirected(url, status, location) == target


@pytest.mark.edge("B36")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("url", ["http://a.example/mcp", "http://a.example:80/mcp", "http://a.example:443/mcp"])
def test_to_https_it_is_sent_whatever_the_status(status: int, url: str) -> None:
    assert redirected(url, status, "https://a.example/mcp") == "https://a.example/mcp"


@pytest.mark.edge("B36")
@pytest.mark.parametrize(
    ("url", "status", "location"),
    [
        ("http://a.example/mcp", 301, "/mcp/"),
        ("http://a.example/mcp", 307, "http://b.example/mcp"),
        ("http://a.example/mcp", 307, "//b.example/mcp"),
        ("http://a.example/mcp", 307, "http://a.example:8080/mcp"),
        ("https://a.example/mcp", 307, "http://a.example/mcp"),
        ("http://a.example/mcp", 301, "https://b.example/mcp"),
        ("http://a.example/mcp", 308, "https://a.example:8443/mcp"),
        ("http://a.example:8000/mcp", 308, "https://a.example/mcp"),
        ("http://a.example/mcp", 307, "file:///etc/passwd"),
    ],
)
def test_elsewhere_it_is_not_sent(url: str, status: int, location: str) -> None:
    with pytest.raises(HttpError, match=r"which is not followed") as caught:
        redirected(url, status, location)

    assert caught.value.status == status
    assert caught.value.headers == {"location": location}


@pytest.mark.parametrize("location", ["http://a.example:99999/", "http://[::1/", "http://[nonsense]/"])
def test_to_what_is_no_url_it_is_not_sent(location: str) -> None:
    with pytest.raises(HttpError, match="which is no URL") as caught:
        redirected("http://a.example/mcp", 307, location)

    assert caught.value.status == 307


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("/a b?c=ä#d", "http://a.example/a%20b?c=%C3%A4#d"),
        ("x%2Fy;z=1", "http://a.example/m/x%2Fy;z=1"),
        ("?s=1", "http://a.example/m/cp?s=1"),
        ("  y  ", "http://a.example/m/y"),
        ("http://eve:secret@a.example/z", "http://a.example/z"),
        ("http://a.example:no/", None),
    ],
)
def test_what_a_server_refers_to(reference: str, expected: str | None) -> None:
    assert resolved("http://a.example/m/cp", reference) == expected


@pytest.mark.parametrize("location", [None, ""])
def test_to_nowhere_it_is_not_sent(location: str | None) -> None:
    with pytest.raises(HttpError, match="to nowhere"):
        redirected("http://a.example/", 307, location)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://A.example/x", ("http", "a.example", 80)),
        ("https://user:pass@a.example", ("https", "a.example", 443)),
        ("http://a.example:8000?x", ("http", "a.example", 8000)),
        ("file:///x", ("file", "", 80)),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, expected: tuple[str, str, int]) -> None:
    assert origin(url) == expected
