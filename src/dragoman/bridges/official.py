"""The names of the official library's sessions, on this one: `stdio_client`, `ClientSession` and what belongs to them.

A pair of streams is a mere token here: what it leads to is connected when a session is entered on it. Values have their
fields under both spellings, `input_schema` and `inputSchema`, since programs were written for either, and callbacks may
answer with values of the official library's, or of `types` here, which makes values of this one by the same names.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from dragoman.aio.client import AsyncClient
from dragoman.bridges import official_types as types
from dragoman.bridges.opening import opened
from dragoman.bridges.spellings import met, own, spoken
from dragoman.errors import UsageError
from dragoman.protocol.inbound import Refusal
from dragoman.types import (
    CreateMessageResult,
    ElicitResult,
    Implementation,
    ListRootsResult,
    LoggingLevel,
    LogMessage,
    ProgressParams,
    PromptReference,
    ResourceTemplateReference,
)
from dragoman.views import Context

__all__ = [
    "ClientRequestContext",
    "ClientSession",
    "RequestContext",
    "StdioServerParameters",
    "get_display_name",
    "sse_client",
    "stdio_client",
    "streamable_http_client",
    "streamablehttp_client",
    "types",
]

ClientRequestContext = Context
RequestContext = Context
"""What callbacks are given first, by its names there."""

Callback: TypeAlias = Callable[..., Awaitable[Any]]
Seconds: TypeAlias = float | timedelta | None


@dataclass(frozen=True)
class StdioServerParameters:
    """What to start, and in which surroundings. Text is UTF-8, as the protocol has it."""

    command: str
    args: list[str] = field(default_factory=list)
    env: dict[str, str] | None = None
    cwd: str | Path | None = None
    encoding: str = "utf-8"
    encoding_error_handler: str = "strict"


@dataclass(frozen=True)
class _Line:
    """What stands for a pair of streams: where they lead."""

    target: Any
    options: dict[str, Any]


@asynccontextmanager
async def stdio_client(server: StdioServerParameters, errlog: Any = None) -> AsyncGenerator[tuple[Any, Any], None]:
    """Give what a session with a program of this machine is made of; `errlog`, a text file, gets its standard error."""
    options: dict[str, Any] = {"env": server.env, "cwd": server.cwd}
    if errlog is not None:
        options["on_stderr"] = lambda line: print(line, file=errlog)
    line = _Line([server.command, *server.args], {name: value for name, value in options.items() if value is not None})
    yield line, line


@asynccontextmanager
async def streamable_http_client(url: str, **options: Any) -> AsyncGenerator[tuple[Any, Any], None]:
    """Give what a session with a server at a URL is made of; options are those of `connect`, such as `headers`."""
    line = _Line(url, _web_options(options))
    yield line, line


@asynccontextmanager
async def streamablehttp_client(url: str, **options: Any) -> AsyncGenerator[tuple[Any, Any, Callable[[], None]], None]:
    """Do the same under the older name, whose third value tells a session's id: sessions are kept elsewhere here."""
    line = _Line(url, _web_options(options))
    yield line, line, lambda: None


sse_client = streamable_http_client
"""The same, for the transport of 2024-11-05: which one a server speaks is found out."""


def _web_options(given: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(given) - {"headers", "sse_read_timeout", "terminate_on_close", "timeout"})
    if unknown:
        raise UsageError(
            f"there is no option {unknown[0]!r} here", hint="give `AsyncClient.connect` the options of this library"
        )
    options: dict[str, Any] = {"headers": given["headers"]} if given.get("headers") else {}
    return {**options, "timeout": _seconds(given["timeout"])} if given.get("timeout") is not None else options


class ClientSession:
    """A session with a server, with the verbs and the values of the official library's.

    It is connected when it is entered; `initialize` then tells who was met. `client` is this library's own client.
    """

    client: AsyncClient

    def __init__(
        self,
        read_stream: Any,
        write_stream: Any = None,  # one of the pair says it all
        read_timeout_seconds: Seconds = None,
        sampling_callback: Callback | None = None,
        elicitation_callback: Callback | None = None,
        list_roots_callback: Callback | None = None,
        logging_callback: Callback | None = None,
        message_handler: Callback | None = None,
        client_info: Implementation | None = None,
    ) -> None:
        if not isinstance(read_stream, _Line):
            raise UsageError(
                "these are no streams of `stdio_client` here", hint="import both from dragoman.bridges.official"
            )
        self._line = read_stream
        self._list_roots = list_roots_callback
        asked = {
            "sampling": (sampling_callback, CreateMessageResult),
            "elicitation": (elicitation_callback, ElicitResult),
            "url_elicitation": (elicitation_callback, ElicitResult),
        }
        told = {"on_log": logging_callback, "on_notification": message_handler}
        self._options: dict[str, Any] = {
            **read_stream.options,
            **{name: _asked(callback, kind) for name, (callback, kind) in asked.items() if callback is not None},
            **{name: _told(callback) for name, callback in told.items() if callback is not None},
        }
        if client_info is not None:
            self._options["client_info"] = client_info
        if read_timeout_seconds is not None:
            self._options["timeout"] = _seconds(read_timeout_seconds)

    async def __aenter__(self) -> Self:
        if self._list_roots is not None:
            self._options["roots"] = own(await self._list_roots(None), ListRootsResult).roots
        self.client = await opened(self._line.target, **self._options)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.client.close()

    async def initialize(self) -> Any:
        """Tell who the server is, and what it can do."""
        return met(self.client)

    def get_server_capabilities(self) -> Any:
        """Tell what the server can do."""
        return spoken(self.client.capabilities)

    @property
    def server_info(self) -> Any:
        """Who the server is."""
        return spoken(self.client.server)

    @property
    def server_capabilities(self) -> Any:
        """What the server can do."""
        return spoken(self.client.capabilities)

    @property
    def instructions(self) -> str | None:
        """What the server wants a model to know."""
        return self.client.instructions

    @property
    def protocol_version(self) -> str:
        """The version of the protocol that is spoken."""
        return self.client.protocol_version

    async def list_tools(self, cursor: str | None = None, *, params: Any = None) -> Any:
        """List one page of tools."""
        return spoken(await self.client.list_tools_page(_cursor(cursor, params)))

    async def list_resources(self, cursor: str | None = None, *, params: Any = None) -> Any:
        """List one page of resources."""
        return spoken(await self.client.list_resources_page(_cursor(cursor, params)))

    async def list_resource_templates(self, cursor: str | None = None, *, params: Any = None) -> Any:
        """List one page of resource templates."""
        return spoken(await self.client.list_resource_templates_page(_cursor(cursor, params)))

    async def list_prompts(self, cursor: str | None = None, *, params: Any = None) -> Any:
        """List one page of prompts."""
        return spoken(await self.client.list_prompts_page(_cursor(cursor, params)))

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        read_timeout_seconds: Seconds = None,
        progress_callback: Callback | None = None,
        *,
        meta: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a tool."""
        timeout = _seconds(read_timeout_seconds)
        told = None if progress_callback is None else _progressed(progress_callback)
        return spoken(await self.client.call_tool(name, arguments, timeout=timeout, on_progress=told, meta=meta))

    async def read_resource(self, uri: Any) -> Any:
        """Read a resource."""
        return spoken(await self.client.read_resource(str(uri)))

    async def get_prompt(self, name: str, arguments: dict[str, str] | None = None) -> Any:
        """Get a prompt."""
        return spoken(await self.client.get_prompt(name, arguments))

    async def complete(
        self, ref: Any, argument: Mapping[str, str], context_arguments: Mapping[str, str] | None = None
    ) -> Any:
        """Ask what could follow; the reference is a value of this or of the official library's, or its JSON."""
        return spoken(
            await self.client.complete(_reference(ref), argument["name"], argument["value"], context=context_arguments)
        )

    async def subscribe_resource(self, uri: Any) -> None:
        """Be told when a resource changes."""
        await self.client.subscribe_resource(str(uri))

    async def unsubscribe_resource(self, uri: Any) -> None:
        """Be told no longer."""
        await self.client.unsubscribe_resource(str(uri))

    async def set_logging_level(self, level: LoggingLevel | str) -> None:
        """Have only log messages from this level upwards sent."""
        await self.client.set_log_level(level)

    async def send_ping(self) -> None:
        """Ask for a sign of life."""
        await self.client.ping()

    async def send_roots_list_changed(self) -> None:
        """Tell that the roots are others now."""
        await self.client.send_roots_changed()


def get_display_name(value: Any) -> str:
    """Give what to call a tool, a resource, a template or a prompt in front of a user."""
    hints = getattr(value, "annotations", None)
    return str(value.title or getattr(hints, "title", None) or value.name)


def _asked(callback: Callback, kind: type[Any]) -> Callback:
    async def answer(params: Any, context: Any) -> Any:
        answered = await callback(context, spoken(params))
        code = getattr(answered, "code", None)
        if isinstance(code, int):
            raise Refusal(code, str(getattr(answered, "message", "")))
        return own(answered, kind)

    return answer


def _told(callback: Callback) -> Callback:
    async def hear(value: LogMessage) -> None:
        await callback(spoken(value))

    return hear


def _progressed(callback: Callback) -> Callback:
    async def hear(params: ProgressParams) -> None:
        await callback(params.progress, params.total, params.message)

    return hear


def _cursor(cursor: str | None, params: Any) -> str | None:
    return getattr(params, "cursor", None) if params is not None else cursor


def _seconds(given: Seconds) -> float | None:
    return given.total_seconds() if isinstance(given, timedelta) else given


def _reference(ref: Any) -> PromptReference | ResourceTemplateReference:
    read: Any = ref.get if isinstance(ref, Mapping) else lambda name: getattr(ref, name, None)
    if read("type") == "ref/resource":
        return ResourceTemplateReference(str(read("uri")))
    return PromptReference(str(read("name")))
