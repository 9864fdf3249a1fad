"""The least an async client could do over HTTP: a connection for each call that is at once, kept for the next one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, cast
from urllib.parse import urlsplit

from bench.contenders.posts import Answer, post
from bench.contenders.shapes import Envelope, decode_result


class Line(asyncio.Protocol):
    """One TCP connection, and the answer that is under way on it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def ask(self, data: bytes) -> asyncio.Future[Answer]:
        self._answer, self._waiter = Answer(), self._loop.create_future()
        self.transport.write(data)
        return self._waiter

    def data_received(self, data: bytes) -> None:
        if self._answer.feed(data):
            self._waiter.set_result(self._answer)


class Connection:
    def __init__(self, host: str, port: int) -> None:
        self._place = host, port
        self._numbers = count(1)
        self._idle: list[Line] = []

    async def ask(self, method: str, *call: Any) -> list[Envelope]:
        line = self._idle.pop() if self._idle else await self._line()
        answer = await line.ask(post(next(self._numbers), method, *call))
        self._idle.append(line)
        return answer.envelopes()

    async def _line(self) -> Line:
        return (await asyncio.get_running_loop().create_connection(Line, *self._place))[1]

    async def echo(self) -> str:
        return decode_result((await self.ask("tools/call", "bench-echo", {"text": "hello"}))[-1].result).text

    async def events(self, count: int) -> int:
        return len(await self.ask("tools/call", "bench-events", {"count": count})) - 1

    def close(self) -> None:
        for line in self._idle:
            line.transport.close()


@asynccontextmanager
async def connect(target: str) -> AsyncGenerator[Connection]:
    parts = urlsplit(target)
    connection = Connection(parts.hostname or "", parts.port or 80)
    await connection.ask("server/discover")
    yield connection
    connection.close()
