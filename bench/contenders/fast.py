"""The client of `fastmcp`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


class Connection:
    def __init__(self, client: Client[Any]) -> None:
        self._client = client

    async def echo(self) -> str:
        return _text(await self._client.call_tool("bench-echo", {"text": "hello"}))

    async def report(self) -> Any:
        return (await self._client.call_tool("bench-report", {})).structured_content

    async def list_tools(self) -> int:
        return len(await self._client.list_tools())

    async def text(self, megabytes: int) -> int:
        return len(_text(await self._client.call_tool("bench-text", {"megabytes": megabytes})))


def _text(result: Any) -> str:
    text: str = result.content[0].text
    return text


@asynccontextmanager
async def connect(target: list[str] | str) -> AsyncGenerator[Connection]:
    transport = (
        StreamableHttpTransport(target)
        if isinstance(target, str)
        else StdioTransport(target[0], target[1:], keep_alive=False)
    )
    async with Client(transport) as client:
        yield Connection(client)
