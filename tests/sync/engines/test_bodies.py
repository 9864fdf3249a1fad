# generated from tests/aio/engines/test_bodies.py by tools/unasync.py; do not edit
"""What is sent arrives as it is, and what is answered is handed on as it comes."""

import gzip
import zlib

import pytest

from dragoman import __version__
from dragoman.deadline import Deadline
from dragoman.errors import ProtocolError
from dragoman.sync.engines import HttpRequest
from tests.servers.web import scripts
from tests.servers.web.server import Received, WebServer
from tests.sync.engines.support import LIMIT, Sender, post


def test_request_arrives_as_it_is(sender: Sender) -> None:
    headers = (("X-Twice", "1"), ("x-twice", "2"), ("Content-Type", "application/json"))
    with WebServer(scripts.echo) as server:
        reply = sender.engine.send(post(server.url + "?a=1%20b", b"{}", *headers), Deadline(10))
        reply.read(LIMIT, Deadline(10))

        request = server.requests[0]
        assert (request.method, request.target, request.body) == ("POST", "/mcp?a=1%20b", b"{}")
        assert [value for name, value in request.headers if name.lower() == "x-twice"] == ["1", "2"]
        assert plain(request) == {
            "host": f"localhost:{server.port}",
            "content-type": "application/json",
            "content-length": "2",
            "accept-encoding": "identity",
            "user-agent": f"dragoman/{__version__}",
        }


def plain(request: Received) -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers if not name.lower().startswith("x-")}


def test_own_headers_stand_in_for_the_defaults(sender: Sender) -> None:
    with WebServer(scripts.echo) as server:
        request = post(server.url, b"", ("user-agent", "mine/1"), ("accept-encoding", "gzip"))
        sender.engine.send(request, Deadline(10)).read(LIMIT, Deadline(10))

        assert server.requests[0].header("user-agent") == "mine/1"
        assert server.requests[0].header("accept-encoding") == "gzip"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_request_without_a_body(sender: Sender, method: str) -> None:
    with WebServer(scripts.answer(b"", 204)) as server:
        reply = sender.engine.send(HttpRequest(method, server.url), Deadline(10))

        assert reply.status == 204
        assert reply.read(LIMIT, Deadline(10)) == b""
        assert server.requests[0].method == method


def test_headers_of_an_answer(sender: Sender) -> None:
    script = scripts.answer(b"", 401, "WWW-Authenticate: Basic", "www-authenticate: Bearer", "X-Name: J\xf6rg")
    with WebServer(script) as server:
        reply = sender.send(server.url)
        reply.read(LIMIT, Deadline(10))

    assert reply.status == 401
    assert reply.headers.get("Www-Authenticate") == "Basic"
    assert reply.headers.all("www-authenticate") == ("Basic", "Bearer")
    assert reply.headers.get("nothing") is None
    assert "content-length" in reply.headers


def test_chunks_are_handed_on_as_they_come(sender: Sender) -> None:
    with WebServer(scripts.step_by_step([b"one", b"two", b"three"])) as server:
        reply = sender.send(server.url)
        for expected in (b"one", b"two", b"three", b""):
            assert reply.next_chunk(Deadline(10)) == expected
            server.steps.release()
        assert reply.next_chunk(Deadline(10)) == b""


def test_body_that_ends_with_the_connection(sender: Sender) -> None:
    with WebServer(scripts.until_close(b"x" * 100_000)) as server:
        assert sender.call(server.url) == b"x" * 100_000


def test_large_body_both_ways(sender: Sender) -> None:
    body = b"0123456789" * 300_000
    with WebServer(scripts.echo) as server:
        reply = sender.send(server.url, body, seconds=30)

        assert reply.read(len(body), Deadline(30)) == body


def test_redirect_is_not_followed(sender: Sender) -> None:
    with WebServer(scripts.redirect) as server:
        reply = sender.send(server.url)
        reply.read(LIMIT, Deadline(10))

        assert (reply.status, reply.headers.get("location")) == (307, "/elsewhere")
        assert len(server.requests) == 1


def test_cookie_is_not_kept(sender: Sender) -> None:
    with WebServer(scripts.answer(b"", 200, "Set-Cookie: a=b; Path=/")) as server:
        sender.call(server.url)
        sender.call(server.url)

        assert server.requests[1].header("cookie") is None


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP", "deflate"])
def test_body_that_was_compressed_unasked(sender: Sender, encoding: str) -> None:
    packed = zlib.compress(b"hello") if encoding == "deflate" else gzip.compress(b"hello")
    with WebServer(scripts.answer(packed, 200, f"Content-Encoding: {encoding}")) as server:
        assert sender.call(server.url) == b"hello"


def test_compressed_body_is_bounded_by_what_it_becomes(sender: Sender) -> None:
    with WebServer(scripts.answer(gzip.compress(bytes(100_000_000)), 200, "Content-Encoding: gzip")) as server:
        error = sender.failure(server.url)

    assert isinstance(error, ProtocolError)
    assert "1,000,000 bytes" in str(error)


@pytest.mark.parametrize("body", [b"no gzip at all", gzip.compress(b"hello", mtime=0)[:-4]])
def test_compressed_body_that_is_damaged(sender: Sender, body: bytes) -> None:
    with WebServer(scripts.answer(body, 200, "Content-Encoding: gzip")) as server:
        error = sender.failure(server.url)

    assert isinstance(error, ProtocolError)
    assert "compressed body" in str(error)


def test_encoding_that_is_not_known(sender: Sender) -> None:
    with WebServer(scripts.answer(b"?", 200, "Content-Encoding: br")) as server:
        error = sender.failure(server.url)

        assert isinstance(error, ProtocolError)
        assert "'br'" in str(error)


def test_a_refusal_of_an_encoding_that_is_not_known_is_one_without_words(sender: Sender) -> None:
    with WebServer(scripts.answer(b"?", 502, "Content-Encoding: br")) as server:
        reply = sender.send(server.url)

        assert (reply.status, reply.read(LIMIT, Deadline(10))) == (502, b"")


@pytest.mark.parametrize("target", ["/a%2Fb;c=1?x=%2F&y=1", "/mcp;v=1", "/?redirect=http://a/b?c"])
def test_a_url_goes_as_it_was_written(sender: Sender, target: str) -> None:
    with WebServer(scripts.echo) as server:
        sender.call(f"http://localhost:{server.port}{target}")

        assert server.requests[0].target == target


def test_interim_answers_are_skipped(sender: Sender) -> None:
    with WebServer(scripts.with_interim) as server:
        assert sender.call(server.url) == b"hello"


def test_reading_waits_on_while_the_deadline_is_held(sender: Sender) -> None:
    with WebServer(scripts.step_by_step([b"one", b"two"])) as server:
        reply = sender.send(server.url)
        reply.next_chunk(Deadline(10))
        deadline = Deadline(0.1, cap=10)
        deadline.hold()
        server.after(0.5, server.steps.release)

        assert reply.next_chunk(deadline) == b"two"
        reply.close()
