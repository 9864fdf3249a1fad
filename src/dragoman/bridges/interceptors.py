"""What stands between an agent and a tool, as langchain-mcp-adapters has it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from dragoman.aio.runner import AsyncToolRunner
from dragoman.bridges.spellings import own_result, spoken
from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.types import JsonObject

__all__ = ["HEADERS", "MCPToolCallRequest", "ToolCallInterceptor", "intercepted"]

HEADERS: ContextVar[Mapping[str, str] | None] = ContextVar("headers", default=None)
"""The headers that an interceptor set for the call that is being made."""


@dataclass
class MCPToolCallRequest:
    """A call on its way through interceptors; `override` gives another one to pass on.

    Attributes:
        name, args: the tool, and its arguments.
        server_name: where it is.
        headers: those that its HTTP request gets on top of the connection's.
        runtime: what LangGraph knows of the run, None outside of one.
    """

    name: str
    args: dict[str, Any]
    server_name: str
    headers: dict[str, Any] | None = None
    runtime: Any = None

    def override(self, **changes: Any) -> MCPToolCallRequest:
        """Give a request that differs in its name, its arguments or its headers."""
        return replace(self, **changes)


ToolCallInterceptor: TypeAlias = Callable[
    [MCPToolCallRequest, Callable[[MCPToolCallRequest], Awaitable[Any]]], Awaitable[Any]
]
"""Gets the request and what to pass it on to, and returns a result: it may change the one that it got, or make one of
this library's, of the official one's, or a message or a command of LangChain's."""


def intercepted(
    runner: AsyncToolRunner, server_name: str, interceptors: Sequence[ToolCallInterceptor]
) -> Callable[[str, JsonObject, Any], Awaitable[Any]]:
    """Give what runs a tool by its name, its arguments and the runtime, with interceptors around it."""

    async def call(name: str, arguments: JsonObject, runtime: Any) -> Any:
        if not interceptors:
            return await runner.call(name, arguments)
        made: list[ToolResponse] = []

        async def run(request: MCPToolCallRequest) -> Any:
            made.append(await _run(runner, request))
            return spoken(made[-1].result)

        handler: Callable[[MCPToolCallRequest], Awaitable[Any]] = run
        for interceptor in reversed(interceptors):
            handler = _around(interceptor, handler)
        found = await handler(MCPToolCallRequest(name, arguments, server_name, runtime=runtime))
        result = own_result(found)
        return found if result is None else ToolResponse(_id(made, name, arguments), name, result, server_name, name)

    return call


async def _run(runner: AsyncToolRunner, request: MCPToolCallRequest) -> ToolResponse:
    token = HEADERS.set(request.headers)
    try:
        return await runner.call(request.name, request.args)
    finally:
        HEADERS.reset(token)


def _id(made: list[ToolResponse], name: str, arguments: JsonObject) -> str:
    return made[-1].id if made else ToolCall.scripted(name, arguments).id


def _around(
    interceptor: ToolCallInterceptor, handler: Callable[[MCPToolCallRequest], Awaitable[Any]]
) -> Callable[[MCPToolCallRequest], Awaitable[Any]]:
    async def around(request: MCPToolCallRequest) -> Any:
        return await interceptor(request, handler)

    return around
