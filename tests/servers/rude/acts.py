"""What a server may do to a request instead of answering it as it should."""

import gzip
import json
from collections.abc import Callable
from typing import Any

from tests.servers.rude.server import JSON, Act, Exchange, default, run, sse

__all__ = [
    "Act",
    "answer_as",
    "asks",
    "at_leisure",
    "body",
    "by_events",
    "close",
    "default",
    "drip",
    "error",
    "flood",
    "half_a_chunk",
    "half_a_head",
    "half_an_event",
    "most_of_an_event",
    "no_http",
    "redirect",
    "reset",
    "run",
    "run_and",
    "silence",
    "sse",
    "stream",
    "text",
    "wait_then",
    "zipped",
]  # fmt: skip


def body(content: bytes, status: int = 200, *headers: str) -> Act:
    """Answer by any body."""
    return lambda exchange: exchange.line.reply(content, status, *headers)


def text(words: str) -> Act:
    """Answer a tool call by a text."""

    def act(exchange: Exchange) -> None:
        run(exchange)
        exchange.reply(exchange.text(words))

    return act


def error(code: int, words: str, status: int = 400, data: Any = None, *, request_id: Any = "its own") -> Act:
    """Answer by an error of the protocol's, perhaps with another id than the request's."""

    def act(exchange: Exchange) -> None:
        if request_id != "its own":
            exchange.message["id"] = request_id
        exchange.refuse(code, words, status, data)

    return act


def answer_as(change: Callable[[Any], Any], words: str = "done") -> Act:
    """Answer a tool call by a message that is changed before."""

    def act(exchange: Exchange) -> None:
        run(exchange)
        exchange.reply(change(exchange.text(words)))

    return act


def stream(write: Callable[[Exchange], None], *headers: str) -> Act:
    """Answer by a stream of events that a function writes, and end it."""

    def act(exchange: Exchange) -> None:
        exchange.begin(*headers)
        write(exchange)
        exchange.end()

    return act


def by_events(words: str, separator: bytes = b"\n", before: bytes = b"", ending: str = "end") -> Act:
    """Answer a tool call by a stream with one kind of line end, and something before the answer."""

    def act(exchange: Exchange) -> None:
        run(exchange)
        exchange.begin()
        event = before + sse(exchange.text(words))
        exchange.line.chunk(event.replace(b"\n", separator))
        if ending == "end":
            exchange.end()
        elif ending == "close":
            exchange.line.close()
        else:
            exchange.line.wait_for_the_end()

    return act


def asks(method: str, params: Any = None, *, apart: bool = False) -> Act:
    """Ask the client something, on the call's own stream or apart from it, and answer the call by what it says."""

    def act(exchange: Exchange) -> None:
        question = f"question {exchange.id}"
        message = {"jsonrpc": "2.0", "id": question, "method": method, "params": params or {}}
        if apart:
            exchange.server.ask(message)
        else:
            exchange.begin()
            exchange.send(message)
        answer = exchange.server.answer_to(question)
        run(exchange)
        words = json.dumps(answer.get("result", answer.get("error")))
        content = [{"type": "text", "text": words}]
        said = exchange.response({"content": content, "isError": "error" in answer})
        if apart:
            exchange.reply(said)
        else:
            exchange.send(said)
            exchange.end()

    return act


def silence(exchange: Exchange) -> None:
    """Say nothing, until the client has had enough."""
    exchange.line.wait_for_the_end()


def reset(exchange: Exchange) -> None:
    exchange.line.reset()


def close(exchange: Exchange) -> None:
    exchange.line.close()


def half_a_head(exchange: Exchange) -> None:
    """Begin to answer, and be silent."""
    exchange.line.send(b"HTTP/1.1 200 OK\r\nContent-Ty")
    exchange.line.wait_for_the_end()


def half_a_chunk(exchange: Exchange) -> None:
    """Break off in the middle of an answer."""
    exchange.line.begin_chunks(JSON)
    exchange.line.send(b'100\r\n{"jsonrpc"')
    exchange.line.close()


def half_an_event(exchange: Exchange) -> None:
    exchange.begin()
    exchange.line.chunk(b'data: {"jsonrpc"')
    exchange.line.close()


def most_of_an_event(exchange: Exchange) -> None:
    exchange.begin()
    exchange.line.chunk(sse(exchange.text("never to be read"))[:-20])
    exchange.line.close()


def no_http(exchange: Exchange) -> None:
    exchange.line.send(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")
    exchange.line.close()


def run_and(act: Act) -> Act:
    """Let the tool run, and then do something else than to say so."""

    def both(exchange: Exchange) -> None:
        run(exchange)
        act(exchange)

    return both


def redirect(status: int, location: str | Callable[[Exchange], str]) -> Act:
    """Send the client elsewhere."""

    def act(exchange: Exchange) -> None:
        target = location if isinstance(location, str) else location(exchange)
        exchange.line.reply(b"", status, f"Location: {target}")

    return act


def drip(exchange: Exchange) -> None:
    """Send a byte now and then, for as long as anybody listens."""
    exchange.line.begin_chunks(JSON)
    try:
        while not exchange.server.web.is_stopping:
            exchange.line.chunk(b" ")
            exchange.server.web.may_go_on.wait(0.02)
    except OSError:
        exchange.server.web.hung_up.release()


def flood(size: int, kind: str = JSON, begin: bytes = b"") -> Act:
    """Answer by very much, or by as much of it as is taken."""

    def act(exchange: Exchange) -> None:
        exchange.line.begin_chunks(kind)
        exchange.line.chunk(begin + b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"')
        block = b"x" * 65536
        for _ in range(size // len(block)):
            exchange.line.chunk(block)
        exchange.line.chunk(b'"}]}}\n\n')
        exchange.end()

    return act


def zipped(exchange: Exchange) -> None:
    """Answer by a little that becomes very much."""
    exchange.line.reply(gzip.compress(bytes(100_000_000), 1), 200, JSON, "Content-Encoding: gzip")


def wait_then(act: Act) -> Act:
    """Do something when the test lets it go on."""

    def later(exchange: Exchange) -> None:
        exchange.server.web.may_go_on.wait(10)
        act(exchange)

    return later


def at_leisure(words: str, seconds: float) -> Act:
    """Answer a tool call by a text, and take some time."""

    def act(exchange: Exchange) -> None:
        exchange.server.web.may_go_on.wait(seconds)
        run(exchange)
        exchange.reply(exchange.text(words))

    return act
