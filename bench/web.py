"""The same server over HTTP, as fast as Python can: `python -m bench.web json|sse [modern|legacy] [number of tools]`.

It says on which port it listens, and counts the connections that were made to it: `GET /connections` tells.
"""

import asyncio
import re
import sys
from collections.abc import Callable
from functools import cache

from bench.server import COUNT, ID, METHOD, TOKEN, Answers

LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
EVENTS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"
)
ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
NO_STREAM = b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"


class Count:
    """How many connections there have been."""

    def __init__(self) -> None:
        self.connections = 0


class Connection(asyncio.Protocol):
    """One connection: requests in, answers out, in order."""

    def __init__(self, answers: Answers, wrap: Callable[[bytes], bytes], count: Count) -> None:
        self._answers = answers
        self._wrap = wrap
        self._count = count
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._count.connections += 1

    def data_received(self, data: bytes) -> None:
        self._rest += data
        replies = []
        while (reply := self._next()) is not None:
            replies.append(reply)
        if replies:
            self._transport.write(b"".join(replies))  # type: ignore[attr-defined]

    def _next(self) -> bytes | None:
        head, found, rest = self._rest.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        size = int(length[1]) if length else 0
        if not found or len(rest) < size:
            return None
        body, self._rest = rest[:size], rest[size:]
        if head.startswith(b"GET /connections"):
            told = str(self._count.connections).encode()
            return HEAD % (len(told), told)
        return self._answer(body) if head.startswith(b"POST") else NO_STREAM

    def _answer(self, body: bytes) -> bytes:
        number, method = ID.search(body), METHOD.search(body)
        if not number or not method:
            return ACCEPTED
        answer = b'{"jsonrpc":"2.0","id":' + number[1] + self._answers.to(method[1], body).rstrip(b"\n")
        count, token = COUNT.search(body), TOKEN.search(body)
        if count and token:
            return with_progress(int(count[1]), token[1], answer)
        return self._wrap(answer)


def as_json(message: bytes) -> bytes:
    return HEAD % (len(message), message)


def as_event(message: bytes) -> bytes:
    return stream(event(message))


def with_progress(count: int, token: bytes, answer: bytes) -> bytes:
    return stream(progress(count).replace(b"TOKEN", token) + event(answer))


@cache
def progress(count: int) -> bytes:
    """Tell of so much progress, under a token that is still to be named."""
    told = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":TOKEN,"progress":%d}}'
    return b"".join(event(told % done) for done in range(count))


def event(message: bytes) -> bytes:
    return b"event: message\ndata: " + message + b"\n\n"


def stream(events: bytes) -> bytes:
    return EVENTS % (len(events), events)


async def serve(shape: str, era: str, number_of_tools: int) -> None:
    """Answer until stdin ends."""
    answers, count = Answers(era, number_of_tools), Count()
    wrap = as_event if shape == "sse" else as_json
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answers, wrap, count), "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    shape, era, number = (*sys.argv[1:], *["json", "modern", "3"][len(sys.argv) - 1 :])
    asyncio.run(serve(shape, era, int(number)))
