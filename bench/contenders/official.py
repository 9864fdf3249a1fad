"""The official client, `mcp`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client


class Connection:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def echo(self) -> str:
        return _text(await self._client.call_tool("bench-echo", {"text": "hello"}))

    async def report(self) -> Any:
        return (await self._client.call_tool("bench-report", {})).structured_content

    async def list_tools(self) -> int:
        return len((await self._client.list_tools()).tools)

    async def text(self, megabytes: int) -> int:
        return len(_text(await self._client.call_tool("bench-text", {"megabytes": megabytes})))


def _parameters(command: list[str]) -> StdioServerParameters:
    return StdioServerParameters(command=command[0], args=command[1:])


def _text(result: Any) -> str:
    text: str = result.content[0].text
    return text


@asynccontextmanager
async def connect(target: list[str] | str) -> AsyncGenerator[Connection]:
    server = target if isinstance(target, str) else stdio_client(_parameters(target))
    async with Client(server, mode="auto") as client:
        yield Connection(client)
