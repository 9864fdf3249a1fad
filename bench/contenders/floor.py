"""The least an async client could do: the loop's own callbacks, one future a call, no checks."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, cast

from msgspec import Raw

from bench.contenders.shapes import decode_envelope, decode_result, decode_tools, request


class Connection(asyncio.SubprocessProtocol):
    def __init__(self) -> None:
        self.stdin: asyncio.WriteTransport
        self._loop = asyncio.get_running_loop()
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Raw]] = {}
        self._parts: list[bytes] = []
        self.gone = self._loop.create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        if lines and self._parts:
            lines[0] = b"".join([*self._parts, lines[0]])
            self._parts = []
        if rest:
            self._parts.append(rest)
        for line in lines:
            envelope = decode_envelope(line)
            self._waiting.pop(envelope.id).set_result(envelope.result)

    def process_exited(self) -> None:
        self.gone.set_result(None)

    def ask(self, method: str, *call: Any) -> asyncio.Future[Raw]:
        number = next(self._numbers)
        answer = self._waiting[number] = self._loop.create_future()
        self.stdin.write(request(number, method, *call))
        return answer

    async def echo(self) -> str:
        return decode_result(await self.ask("tools/call", "bench-echo", {"text": "hello"})).text

    async def report(self) -> Any:
        return decode_result(await self.ask("tools/call", "bench-report", {})).structured

    async def list_tools(self) -> int:
        return len(decode_tools(await self.ask("tools/list")).tools)

    async def text(self, megabytes: int) -> int:
        return len(decode_result(await self.ask("tools/call", "bench-text", {"megabytes": megabytes})).text)


@asynccontextmanager
async def connect(command: list[str]) -> AsyncGenerator[Connection]:
    loop = asyncio.get_running_loop()
    child, connection = await loop.subprocess_exec(Connection, *command, stderr=None)
    connection.stdin = cast("asyncio.WriteTransport", child.get_pipe_transport(0))
    try:
        await connection.ask("server/discover")
        yield connection
    finally:
        connection.stdin.close()
        await connection.gone
        child.close()
