"""What tests of the engines say in one line each."""

from typing import Any, Self

import pytest

from dragoman.aio.engines import HttpReply, HttpRequest, Wire, engine_for
from dragoman.deadline import Deadline
from dragoman.errors import McpError
from dragoman.web.options import HttpOptions

__all__ = ["LIMIT", "Sender", "post"]

LIMIT = 1_000_000


def post(url: str, body: bytes = b"hello", *headers: tuple[str, str]) -> HttpRequest:
    return HttpRequest("POST", url, headers, body)


class Sender:
    """An engine with some options, closed at the end."""

    def __init__(self, **options: Any) -> None:
        self.engine = engine_for(HttpOptions(**options))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.close()

    async def send(self, url: str, body: bytes = b"hello", seconds: float = 10, wire: Wire | None = None) -> HttpReply:
        return await self.engine.send(post(url, body), Deadline(seconds), wire)

    async def call(self, url: str, body: bytes = b"hello", seconds: float = 10) -> bytes:
        """Send a request and read its answer to the end."""
        reply = await self.send(url, body, seconds)
        return await reply.read(LIMIT, Deadline(seconds))

    async def failure(self, url: str, seconds: float = 10) -> McpError:
        """Return the error that a call ends with."""
        with pytest.raises(McpError) as caught:
            await self.call(url, seconds=seconds)
        return caught.value
