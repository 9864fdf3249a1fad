# generated from tests/aio/engines/support.py by tools/unasync.py; do not edit
"""What tests of the engines say in one line each."""

from typing import Any, Self

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import McpError
from dragoman.sync.engines import HttpReply, HttpRequest, Wire, engine_for
from dragoman.web.options import HttpOptions

__all__ = ["LIMIT", "Sender", "post"]

LIMIT = 1_000_000


def post(url: str, body: bytes = b"hello", *headers: tuple[str, str]) -> HttpRequest:
    return HttpRequest("POST", url, headers, body)


class Sender:
    """An engine with some options, closed at the end."""

    def __init__(self, **options: Any) -> None:
        self.engine = engine_for(HttpOptions(**options))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    def send(self, url: str, body: bytes = b"hello", seconds: float = 10, wire: Wire | None = None) -> HttpReply:
        return self.engine.send(post(url, body), Deadline(seconds), wire)

    def call(self, url: str, body: bytes = b"hello", seconds: float = 10) -> bytes:
        """Send a request and read its answer to the end."""
        reply = self.send(url, body, seconds)
        return reply.read(LIMIT, Deadline(seconds))

    def failure(self, url: str, seconds: float = 10) -> McpError:
        """Return the error that a call ends with."""
        with pytest.raises(McpError) as caught:
            self.call(url, seconds=seconds)
        return caught.value
