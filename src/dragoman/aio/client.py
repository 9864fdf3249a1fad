"""What a user holds: one server, connected, and a verb for everything that can be asked of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

from dragoman.aio._runtime import Opening, opening

if TYPE_CHECKING:
    from dragoman.aio.calls import Calls
    from dragoman.aio.options import ConnectOptions, Duration, OnProgress
    from dragoman.aio.targets import Target
    from dragoman.models.definition import Definitions
    from dragoman.models.formats import Provider
    from dragoman.types import (
        CallToolParams,
        CallToolResult,
        CompleteResult,
        GetPromptParams,
        GetPromptResult,
        Implementation,
        ListPromptsResult,
        ListResourcesResult,
        ListResourceTemplatesResult,
        ListToolsResult,
        LoggingLevel,
        Prompt,
        PromptReference,
        ReadResourceParams,
        ReadResourceResult,
        Resource,
        ResourceTemplate,
        ResourceTemplateReference,
        Root,
        ServerCapabilities,
        Tool,
    )
    from dragoman.views import State

__all__ = ["AsyncClient"]


class AsyncClient:
    """A connected MCP server. Made by `connect`, and of use until `close`.

    Every verb may raise:
        ServerError: the server answered with an error.
        ProtocolError: it broke the protocol.
        TransportError: the line broke, and the request did not run or could not be sent again.
        OutcomeUnknown: the line broke, and the request may have run.
        McpTimeout: no answer came within `timeout` seconds (None: the client's own; progress starts them anew).
        NotOffered: the server never said that it could.

    `meta` is put into the request's `_meta`; keys that are the protocol's own keep the protocol's value.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._connection = calls.connection

    @classmethod
    def connect(cls, target: Target, /, **options: Unpack[ConnectOptions]) -> Opening[AsyncClient]:
        """Connect to a server.

        `target` is a command line or a sequence of its arguments, a configuration entry, a transport, or, for tests
        of servers, a server object or a function in this process. The options are those of `ConnectOptions`.

        Raises:
            ConnectFailed, ServerExited: the server cannot be started, or ended at once; its last words are told.
            McpTimeout: it did not answer in time.
            ServerError, ProtocolError: it cannot be spoken with.
            UsageError: an option or the target makes no sense.
        """
        return opening(cls._open(target, options))

    @classmethod
    async def _open(cls, target: Target, options: ConnectOptions) -> Self:
        # Imported here: who only imports this library, or asks for help, waits for nothing that connecting takes.
        from dragoman.aio.calls import Calls

        return cls(await Calls.connected(target, options))

    async def close(self) -> None:
        """End the connection and all that belongs to it; from any thread, task and loop, any number of times."""
        await self._calls.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        # Not there when it could not be connected.
        calls = getattr(self, "_calls", None)
        if calls is not None and calls.is_open:
            unclosed = f"unclosed {self!r}"
            calls.let_go()
            warnings.warn(unclosed, ResourceWarning, source=self, stacklevel=2)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {self.state.phase}>"

    # ----------------------------------------------------------------------------------------------- who is there

    @property
    def name(self) -> str:
        """What the server is called in errors and logs."""
        return self._connection.name

    @property
    def endpoint(self) -> str:
        """What the server was reached by, its command line or its URL, without secrets."""
        return self._calls.endpoint

    @property
    def server(self) -> Implementation:
        """Who the server says it is."""
        return self._connection.introduction.server

    @property
    def capabilities(self) -> ServerCapabilities:
        """What the server says it can do."""
        return self._connection.introduction.capabilities

    @property
    def instructions(self) -> str | None:
        """How the server wants to be used, in words for a model; None when it does not say."""
        return self._connection.introduction.instructions

    @property
    def protocol_version(self) -> str:
        """The protocol version that is spoken."""
        return self._connection.era.version

    @property
    def era(self) -> str:
        """The family of that version: "legacy" up to 2025-11-25, "modern" from 2026-07-28."""
        return self._connection.era.name

    @property
    def state(self) -> State:
        """How the connection is doing, since when, and what went wrong last."""
        return self._connection.state

    @property
    def timeout(self) -> float:
        """Seconds that one round trip may take."""
        return self._connection.timing.timeout

    # ------------------------------------------------------------------------------------------------------ tools

    async def list_tools(self, *, timeout: Duration = None, meta: Mapping[str, Any] | None = None) -> ListToolsResult:
        """List all tools, page by page to the end."""
        return await self._calls.list("tools", timeout, meta)  # type: ignore[no-any-return]

    async def list_tools_page(
        self, cursor: str | None = None, *, timeout: Duration = None, meta: Mapping[str, Any] | None = None
    ) -> ListToolsResult:
        """List one page of tools: the first, or the one at another page's `next_cursor`."""
        return await self._calls.page("tools", cursor, timeout, meta)  # type: ignore[no-any-return]

    @overload
    async def tools_for(self, name: Provider) -> Definitions: ...
    @overload
    async def tools_for(self, name: str) -> list[Any]: ...
    async def tools_for(self, name: str) -> list[Any]:
        """Give the tools for a provider of models: "anthropic", "openai", "gemini" and others; or for a framework.

        The tools of a framework ("langchain", "openai-agents", "pydantic-ai") run here.

        Raises:
            UsageError: there is no such provider or framework, or the framework is not installed.
        """
        from dragoman.aio.runner import AsyncToolRunner

        return await AsyncToolRunner(self, on_protocol_error="message").tools_for(name)

    async def call_tool(
        self,
        tool: str | Tool | CallToolParams,
        arguments: Mapping[str, Any] | None = None,
        *,
        raise_on_error: bool = False,
        timeout: Duration = None,
        on_progress: OnProgress | None = None,
        meta: Mapping[str, Any] | None = None,
        retry_elicitation: bool = False,
    ) -> CallToolResult:
        """Call a tool, by name, by what was listed of it, or by a whole request.

        What the tool reports as an error is a result with `is_error`, or raised as `ToolFailed` with `raise_on_error`.
        A structured result is checked against the schema of a tool that was listed: see `violations`. With
        `retry_elicitation`, URLs that the server wants visited first (-32042) are put to `url_elicitation`, their
        completion is waited for, for `timeout` at most, and the call is made again.

        Raises:
            ToolFailed: the tool reported an error, and `raise_on_error` is set.
            UrlElicitationRequired: the user has to visit a URL first.
            SchemaViolation: the result breaks the tool's schema, and the client is strict.
        """
        return await self._calls.call_tool(
            tool, arguments, raise_on_error, timeout, on_progress, meta, retry_elicitation
        )

    # -------------------------------------------------------------------------------------------------- resources

    async def list_resources(
        self, *, timeout: Duration = None, meta: Mapping[str, Any] | None = None
    ) -> ListResourcesResult:
        """List all resources, page by page to the end."""
        return await self._calls.list("resources", timeout, meta)  # type: ignore[no-any-return]

    async def list_resources_page(
        self, cursor: str | None = None, *, timeout: Duration = None, meta: Mapping[str, Any] | None = None
    ) -> ListResourcesResult:
        """List one page of resources: the first, or the one at another page's `next_cursor`."""
        return await self._calls.page("resources", cursor, timeout, meta)  # type: ignore[no-any-return]

    async def list_resource_templates(
        self, *, timeout: Duration = None, meta: Mapping[str, Any] | None = None
    ) -> ListResourceTemplatesResult:
        """List all resource templates, page by page to the end."""
        return await self._calls.list("resource templates", timeout, meta)  # type: ignore[no-any-return]

    async def list_resource_templates_page(
        self, cursor: str | None = None, *, timeout: Duration = None, meta: Mapping[str, Any] | None = None
    ) -> ListResourceTemplatesResult:
        """List one page of resource templates: the first, or the one at another page's `next_cursor`."""
        return await self._calls.page("resource templates", cursor, timeout, meta)  # type: ignore[no-any-return]

    async def read_resource(
        self,
        resource: str | Resource | ReadResourceParams,
        *,
        timeout: Duration = None,
        on_progress: OnProgress | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> ReadResourceResult:
        """Read a resource, by its URI, which is passed on unchanged, by what was listed of it, or by a whole request.

        Raises:
            ResourceNotFound, InvalidParams: there is none of that URI.
        """
        return await self._calls.read_resource(resource, timeout, on_progress, meta)

    async def subscribe_resource(self, uri: str, *, timeout: Duration = None) -> None:
        """Be told when a resource changes: `on_resource_updated` then gets its contents, read anew."""
        await self._calls.subscribe(uri, timeout)

    async def unsubscribe_resource(self, uri: str, *, timeout: Duration = None) -> None:
        """Be told no longer; nothing is delivered after this returns."""
        await self._calls.unsubscribe(uri, timeout)

    # ---------------------------------------------------------------------------------------------------- prompts

    async def list_prompts(
        self, *, timeout: Duration = None, meta: Mapping[str, Any] | None = None
    ) -> ListPromptsResult:
        """List all prompts, page by page to the end."""
        return await self._calls.list("prompts", timeout, meta)  # type: ignore[no-any-return]

    async def list_prompts_page(
        self, cursor: str | None = None, *, timeout: Duration = None, meta: Mapping[str, Any] | None = None
    ) -> ListPromptsResult:
        """List one page of prompts: the first, or the one at another page's `next_cursor`."""
        return await self._calls.page("prompts", cursor, timeout, meta)  # type: ignore[no-any-return]

    async def get_prompt(
        self,
        prompt: str | Prompt | GetPromptParams,
        arguments: Mapping[str, str] | None = None,
        *,
        timeout: Duration = None,
        on_progress: OnProgress | None = None,
        meta: Mapping[str, Any] | None = None,
        retry_elicitation: bool = False,
    ) -> GetPromptResult:
        """Get a prompt, filled in with `arguments`; `retry_elicitation` is as for `call_tool`.

        Raises:
            InvalidParams: there is none of that name, or an argument is missing.
            UrlElicitationRequired: the user has to visit a URL first.
        """
        return await self._calls.get_prompt(prompt, arguments, timeout, on_progress, meta, retry_elicitation)

    async def complete(
        self,
        ref: PromptReference | ResourceTemplateReference | Prompt | ResourceTemplate,
        argument: str,
        value: str,
        *,
        context: Mapping[str, str] | None = None,
        timeout: Duration = None,
        meta: Mapping[str, Any] | None = None,
    ) -> CompleteResult:
        """Ask what could follow `value` in an argument of a prompt, or a variable of a resource template.

        `context` holds the arguments that are known already (from 2025-06-18).
        """
        return await self._calls.complete(ref, argument, value, context, timeout, meta)

    # ------------------------------------------------------------------------------------------ the server's world

    async def ping(self, *, timeout: Duration = None) -> float:
        """Ask for a sign of life, and return the seconds that it took."""
        return await self._calls.ping(timeout)

    async def set_log_level(self, level: LoggingLevel | str, *, timeout: Duration = None) -> None:
        """Have only log messages from `level` upwards sent, and pass on no others."""
        await self._calls.set_log_level(level, timeout)

    @property
    def roots(self) -> tuple[Root, ...]:
        """The places that the server may work in."""
        return self._calls.places.all()

    async def add_root(self, root: Root | str, name: str | None = None) -> None:
        """Let the server work in one more place, and tell it, if that was declared; one of the same URI is replaced.

        Raises:
            UsageError: roots were not declared when this client was connected.
        """
        await self._calls.places.add(root, name)

    async def remove_root(self, uri: str) -> None:
        """Let the server no longer work in a place, and tell it, if that was declared.

        Raises:
            UsageError: there is no such root.
        """
        await self._calls.places.remove(uri)

    async def send_roots_changed(self) -> None:
        """Tell the server that the roots are others now; a server of the modern era asks when it needs them."""
        await self._calls.places.tell()

    async def wait_for_elicitation(self, elicitation_id: str, *, timeout: Duration = None) -> bool:
        """Wait until the user is done with a URL elicitation; False when the time was up first."""
        return await self._calls.completion(elicitation_id, timeout)
