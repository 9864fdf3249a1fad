"""Connect to a server as langchain-mcp-adapters describes one: for good, or anew for each request."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from dragoman.aio.client import AsyncClient
from dragoman.bridges.callbacks import Callbacks
from dragoman.bridges.interceptors import HEADERS
from dragoman.bridges.opening import opened
from dragoman.errors import UsageError
from dragoman.types import CallToolResult, Tool

__all__ = ["Afresh", "Told", "connected", "target_of"]

_WEB = frozenset({"http", "sse", "streamable_http", "streamable-http"})
_OF_A_PROCESS = frozenset(
    {"args", "command", "cwd", "encoding", "encoding_error_handler", "env", "session_kwargs", "transport"}
)
_OF_THE_WEB = frozenset(
    {"headers", "session_kwargs", "sse_read_timeout", "terminate_on_close", "timeout", "transport", "url"}
)


async def connected(connection: Mapping[str, Any], server_name: str, callbacks: Callbacks) -> AsyncClient:
    """Connect to a server.

    Raises:
        UsageError: the connection asks for what there is not, and silence would change what it means.
    """
    target, options = target_of(connection)
    if isinstance(target, str):
        options["headers"] = _for_each_call(options.get("headers", {}))
    return await opened(target, name=server_name, **options, **callbacks.options(server_name))


def _for_each_call(headers: Mapping[str, str]) -> Any:
    async def made() -> Mapping[str, str]:
        return {**headers, **(HEADERS.get() or {})}

    return lambda _: made()


def target_of(connection: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Give what to connect to, and the options, for a connection as langchain-mcp-adapters writes it.

    Raises:
        UsageError: it asks for what there is not, and silence would change what it means.
    """
    transport = connection.get("transport", "stdio" if "command" in connection else "http")
    if transport not in {"stdio", *_WEB}:
        raise UsageError(f"there is no transport {transport!r}", hint="there are stdio, http, streamable_http and sse")
    known = _OF_A_PROCESS if transport == "stdio" else _OF_THE_WEB
    unknown = sorted(name for name, value in connection.items() if name not in known and value)
    unknown += sorted(f"session_kwargs: {name}" for name in connection.get("session_kwargs") or () if name != _TIMEOUT)
    if unknown:
        raise UsageError(
            f"a connection by {transport} has no field {unknown[0]!r}",
            hint="connect with `AsyncClient`, and give that to `load_mcp_tools`",
        )
    options = _timeout(connection)
    if transport == "stdio":
        given = {name: connection[name] for name in ("env", "cwd") if connection.get(name) is not None}
        return [str(connection["command"]), *map(str, connection.get("args", ()))], {**given, **options}
    headers = {"headers": dict(connection["headers"])} if connection.get("headers") else {}
    return str(connection["url"]), {**headers, **options}


_TIMEOUT = "read_timeout_seconds"


def _timeout(connection: Mapping[str, Any]) -> dict[str, Any]:
    given = (connection.get("session_kwargs") or {}).get(_TIMEOUT, connection.get("timeout"))
    if given is None:
        return {}
    return {"timeout": given.total_seconds() if isinstance(given, timedelta) else given}


class Told:
    """A client whose calls tell callbacks of their progress; a source of tools."""

    def __init__(self, client: Any, name: str, callbacks: Callbacks) -> None:
        self.name = name
        self._client = client
        self._callbacks = callbacks

    async def list_tools(self) -> tuple[Tool, ...]:
        """List the tools, on all pages."""
        return tuple(await self._client.list_tools())

    async def call_tool(
        self, tool: str, arguments: Mapping[str, Any] | None = None, /, **options: Any
    ) -> CallToolResult:
        """Call one."""
        hears = self._callbacks.progress(self.name, tool)
        options = {**options, "on_progress": hears} if hears else options
        return await self._client.call_tool(tool, arguments, **options)  # type: ignore[no-any-return]


class Afresh:
    """A server that is connected to anew for each request, so that there is nothing to close; a source of tools."""

    def __init__(self, connection: Mapping[str, Any], name: str, callbacks: Callbacks) -> None:
        self.name = name
        self._connection = connection
        self._callbacks = callbacks

    async def list_tools(self) -> tuple[Tool, ...]:
        """List the tools, on all pages."""
        async with await connected(self._connection, self.name, self._callbacks) as client:
            return await Told(client, self.name, self._callbacks).list_tools()

    async def call_tool(
        self, tool: str, arguments: Mapping[str, Any] | None = None, /, **options: Any
    ) -> CallToolResult:
        """Call one."""
        async with await connected(self._connection, self.name, self._callbacks) as client:
            return await Told(client, self.name, self._callbacks).call_tool(tool, arguments, **options)
