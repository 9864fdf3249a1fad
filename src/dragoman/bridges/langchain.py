"""What langchain-mcp-adapters offers, on this library: for its programs, only the import is another.

Every protocol version that a server knows is spoken. A session is opened once and stays, so that servers keep their
state from one call to the next; `close`, or `async with`, ends them all.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from dragoman.aio.client import AsyncClient
from dragoman.aio.host import AsyncHost
from dragoman.aio.runner import AsyncToolRunner
from dragoman.bridges.callbacks import CallbackContext, Callbacks
from dragoman.bridges.connections import Afresh, Told, connected
from dragoman.bridges.interceptors import MCPToolCallRequest, ToolCallInterceptor, intercepted
from dragoman.bridges.spellings import met
from dragoman.models.anthropic import NAMES
from dragoman.models.arguments import restored
from dragoman.models.langchain import ArunWithin, langchain_tool
from dragoman.models.names import alias
from dragoman.types import JsonObject, ResourceContents, TextContent

if TYPE_CHECKING:
    from langchain_core.documents.base import Blob
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import BaseTool

__all__ = [
    "CallbackContext",
    "Callbacks",
    "HasClient",
    "MCPToolCallRequest",
    "MultiServerMCPClient",
    "ToolCallInterceptor",
    "load_mcp_prompt",
    "load_mcp_resources",
    "load_mcp_tools",
]

log = logging.getLogger("dragoman.bridges")

_EVERYWHERE = "anthropic"
"""The format whose names and schemas every provider takes: which one an agent speaks with is not known here."""


class HasClient(Protocol):
    """A session that has one of this library's clients, as `dragoman.bridges.official` has it."""

    client: AsyncClient


Session: TypeAlias = AsyncClient | AsyncHost | HasClient
"""What tools are loaded from."""


class MultiServerMCPClient:
    """Several servers for LangChain, as langchain-mcp-adapters has it, with sessions that stay open.

    Args:
        connections: each server's `transport` ("stdio", "http", "streamable_http" or "sse") and what belongs to it.
        callbacks: what hears of log messages and progress.
        tool_interceptors: what stands between agents and tools, the outermost first.
        tool_name_prefix: whether a tool's name begins with its server's.
        handle_tool_errors: whether a tool's failure is a message of status "error", or raised.
    """

    def __init__(
        self,
        connections: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        callbacks: Callbacks | None = None,
        tool_interceptors: Sequence[ToolCallInterceptor] | None = None,
        tool_name_prefix: bool = False,
        handle_tool_errors: bool = True,
    ) -> None:
        self.connections: dict[str, Mapping[str, Any]] = dict(connections or {})
        self.callbacks = callbacks or Callbacks()
        self.tool_interceptors = list(tool_interceptors or ())
        self.tool_name_prefix = tool_name_prefix
        self.handle_tool_errors = handle_tool_errors
        self._clients: dict[str, AsyncClient] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End all sessions."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()

    @asynccontextmanager
    async def session(
        self,
        server_name: str,
        *,
        auto_initialize: bool = True,  # programs say it, and a session here is never half open
    ) -> AsyncGenerator[AsyncClient, None]:
        """Open a session of its own, which ends with the block; it is initialized whatever `auto_initialize` says.

        Raises:
            ValueError: there is no such server.
        """
        async with await self._connect(server_name) as client:
            yield client

    async def get_tools(self, *, server_name: str | None = None) -> list[BaseTool]:
        """Give the tools of one server, or of all of them, side by side.

        Raises:
            ValueError: there is no such server.
        """
        names = list(self.connections) if server_name is None else [server_name]
        lists = await asyncio.gather(*(self._tools(name) for name in names))
        return [tool for tools in lists for tool in tools]

    async def _tools(self, server_name: str) -> list[BaseTool]:
        return await load_mcp_tools(
            await self._client(server_name),
            callbacks=self.callbacks,
            tool_interceptors=self.tool_interceptors,
            server_name=server_name,
            tool_name_prefix=self.tool_name_prefix,
            handle_tool_errors=self.handle_tool_errors,
        )

    async def get_server_info(self, *, server_name: str | None = None) -> dict[str, Any]:
        """Tell who one server is, or all of them: what each said when it was met, its instructions among it.

        Raises:
            ValueError: there is no such server.
        """
        names = list(self.connections) if server_name is None else [server_name]
        return {name: met(await self._client(name)) for name in names}

    async def get_prompt(
        self, server_name: str, prompt_name: str, *, arguments: dict[str, Any] | None = None
    ) -> list[HumanMessage | AIMessage]:
        """Give a server's prompt as messages."""
        return await load_mcp_prompt(await self._client(server_name), prompt_name, arguments=arguments)

    async def get_resources(self, server_name: str | None = None, *, uris: str | list[str] | None = None) -> list[Blob]:
        """Read resources of one server, or of all; by URI, or whatever is listed."""
        names = list(self.connections) if server_name is None else [server_name]
        lists = [await load_mcp_resources(await self._client(name), uris=uris) for name in names]
        return [blob for blobs in lists for blob in blobs]

    async def _client(self, server_name: str) -> AsyncClient:
        """Give the session of a server that stays, opened once however many ask for it at a time."""
        async with self._locks.setdefault(server_name, asyncio.Lock()):
            if server_name not in self._clients:
                self._clients[server_name] = await self._connect(server_name)
            return self._clients[server_name]

    async def _connect(self, server_name: str) -> AsyncClient:
        if server_name not in self.connections:
            known = ", ".join(map(repr, self.connections))
            raise ValueError(f"there is no server {server_name!r}; there are {known or 'none'}")
        return await connected(self.connections[server_name], server_name, self.callbacks)


async def load_mcp_tools(
    session: Session | None,
    *,
    connection: Mapping[str, Any] | None = None,
    callbacks: Callbacks | None = None,
    tool_interceptors: Sequence[ToolCallInterceptor] | None = None,
    server_name: str | None = None,
    tool_name_prefix: bool = False,
    handle_tool_errors: bool = True,
) -> list[BaseTool]:
    """Give the tools of a session, or of a whole host, as LangChain tools.

    Without a session, each call connects anew, as `connection` says. Names that a provider would refuse are others
    here, and are put back for the call. A tool that cannot be expressed is left out; the log says why.

    Raises:
        ValueError: there is neither a session nor a connection.
    """
    client = _client_of(session)
    name = server_name or str(getattr(client, "name", "") or "unknown")
    runner = AsyncToolRunner(_source(client, connection, name, callbacks or Callbacks()))
    call = intercepted(runner, name, tool_interceptors or ())
    definitions = await runner.definitions(_EVERYWHERE)
    for omitted in definitions.omitted:
        log.warning("%s: %s is no LangChain tool: %s", name, omitted.name, omitted.reason)
    return [
        langchain_tool(
            each.tool,
            name=_called(each.name, server_name if tool_name_prefix else None),
            schema=each.converted.schema,
            arun_within=_restoring(call, each.converted.renamed),
            handle_tool_errors=handle_tool_errors,
        )
        for each in definitions.each()
    ]


def _called(name: str, prefix: str | None) -> str:
    return alias(f"{prefix}_{name}", NAMES) if prefix else name


def _restoring(call: ArunWithin, renamed: Mapping[str, str]) -> ArunWithin:
    """Give what calls a tool by the arguments' own names, whatever the model knows them by."""

    async def called(name: str, arguments: JsonObject, runtime: Any) -> Any:
        return await call(name, restored(arguments, renamed), runtime)

    return called


def _source(client: Any, connection: Mapping[str, Any] | None, name: str, callbacks: Callbacks) -> Any:
    if client is None:
        if connection is None:
            raise ValueError("there is neither a session nor a connection to load tools from")
        return Afresh(connection, name, callbacks)
    return Told(client, name, callbacks) if isinstance(client, AsyncClient) else client


def _client_of(session: Any) -> Any:
    """Give this library's client of a session in the official library's manner; all else is one itself."""
    return session if isinstance(session, AsyncClient) else getattr(session, "client", session)


async def load_mcp_prompt(
    session: AsyncClient | HasClient, name: str, *, arguments: dict[str, Any] | None = None
) -> list[HumanMessage | AIMessage]:
    """Give a prompt as LangChain messages.

    Raises:
        ValueError: a message is of a kind that LangChain has none for.
    """
    from langchain_core.messages import AIMessage, HumanMessage

    found: list[HumanMessage | AIMessage] = []
    for message in (await _client_of(session).get_prompt(name, arguments)).messages:
        kind = {"user": HumanMessage, "assistant": AIMessage}.get(message.role)
        if kind is None or not isinstance(message.content, TextContent):
            raise ValueError(f"a message of {message.role} with {message.content.type} is none of LangChain's")
        found.append(kind(content=message.content.text))
    return found


async def load_mcp_resources(session: AsyncClient | HasClient, *, uris: str | list[str] | None = None) -> list[Blob]:
    """Read resources as LangChain blobs: those of the URIs, or all that are listed.

    Raises:
        RuntimeError: one cannot be read; which one is told.
    """
    client = _client_of(session)
    if uris is None:
        uris = [resource.uri for resource in await client.list_resources()]
    found: list[Blob] = []
    for uri in [uris] if isinstance(uris, str) else uris:
        try:
            contents = (await client.read_resource(uri)).contents
            found += [_blob(uri, each) for each in contents]
        except Exception as error:
            raise RuntimeError(f"the resource {uri} cannot be read: {error}") from error
    return found


def _blob(uri: str, contents: ResourceContents) -> Blob:
    from langchain_core.documents.base import Blob

    data: str | bytes = contents.text if contents.text is not None else contents.bytes
    return Blob.from_data(data=data, mime_type=contents.mime_type, metadata={"uri": uri})
