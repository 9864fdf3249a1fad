"""This client, async."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any

from dragoman import AsyncClient, AsyncToolRunner
from dragoman.types import ProgressParams


class Connection:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def echo(self) -> str:
        return (await self._client.call_tool("bench-echo", {"text": "hello"})).text

    @cached_property
    def runner(self) -> AsyncToolRunner:
        return AsyncToolRunner(self._client)

    async def run(self) -> str:
        return (await self.runner.call("bench-echo", {"text": "hello"})).text

    async def report(self) -> Any:
        result = await self._client.call_tool("bench-report", {})
        assert not result.violations
        return result.structured

    async def list_tools(self) -> int:
        return len((await self._client.list_tools()).tools)

    async def text(self, megabytes: int) -> int:
        return len((await self._client.call_tool("bench-text", {"megabytes": megabytes})).text)

    async def events(self, count: int) -> int:
        heard = 0

        async def hear(progress: ProgressParams) -> None:
            nonlocal heard
            heard += 1

        await self._client.call_tool("bench-events", {"count": count}, on_progress=hear)
        return heard


@asynccontextmanager
async def connect(target: list[str] | str, **options: Any) -> AsyncGenerator[Connection]:
    async with AsyncClient.connect(target, **options) as client:
        yield Connection(client)
