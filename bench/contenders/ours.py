"""This client, async."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from dragoman import AsyncClient


class Connection:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def echo(self) -> str:
        return (await self._client.call_tool("bench-echo", {"text": "hello"})).text

    async def report(self) -> Any:
        result = await self._client.call_tool("bench-report", {})
        assert not result.violations
        return result.structured

    async def list_tools(self) -> int:
        return len((await self._client.list_tools()).tools)

    async def text(self, megabytes: int) -> int:
        return len((await self._client.call_tool("bench-text", {"megabytes": megabytes})).text)


@asynccontextmanager
async def connect(command: list[str]) -> AsyncGenerator[Connection]:
    async with AsyncClient.connect(command) as client:
        yield Connection(client)
