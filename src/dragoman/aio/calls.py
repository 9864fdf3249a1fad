"""Make the client's verbs of conversations: who waits how long, who hears of progress, what is checked and kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from dragoman.aio.assembly import Parts, read_level
from dragoman.aio.caller import Caller
from dragoman.aio.handlers import consumer
from dragoman.aio.options import ConnectOptions, Duration, OnProgress
from dragoman.aio.places import Places
from dragoman.aio.run import run
from dragoman.aio.targets import Target, transport_to
from dragoman.deadline import Deadline, seconds
from dragoman.errors import HeaderMismatch, PolicyDenied, ToolFailed, UrlElicitationRequired
from dragoman.protocol import operations
from dragoman.protocol.lists import LISTS
from dragoman.protocol.operations import Read
from dragoman.protocol.steps import Conversation
from dragoman.protocol.wording import (
    completion_argument,
    completion_reference,
    meta_of,
    prompt_params,
    resource_params,
    resource_uri,
    text,
    texts,
    tool_params,
)
from dragoman.types import (
    CallToolParams,
    CallToolResult,
    CompleteParams,
    CompleteResult,
    CompletionContext,
    ElicitResult,
    ElicitUrlParams,
    GetPromptParams,
    GetPromptResult,
    LoggingLevel,
    Prompt,
    PromptReference,
    ReadResourceParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    ResourceTemplateReference,
    Tool,
)
from dragoman.views import Context, Phase

__all__ = ["Calls"]

T = TypeVar("T")

Meta = Mapping[str, Any] | None


class Calls:
    """The calls of one client.

    Attributes:
        connection: the way to the server.
        places: the roots.
        endpoint: what the server was reached by, without secrets.
    """

    def __init__(self, parts: Parts, endpoint: str) -> None:
        self.endpoint = endpoint
        self.connection = self._connection = parts.connection
        self.places = Places(parts.connection)
        self._parts = parts
        self._catalogue = parts.catalogue
        self._reports = parts.reports
        self._apply_defaults = parts.apply_defaults

    @classmethod
    async def connected(cls, target: Target, options: ConnectOptions) -> Calls:
        """Connect to a server."""
        if not isinstance(target, str | list | tuple | dict):
            # Imported here: who gives no entry waits for nothing that configurations take.
            from dragoman.aio.entries import entry_as_target

            target, options = entry_as_target(target, options)
        transport = transport_to(target, options)
        parts = Parts(transport, options)
        await parts.start()
        return cls(parts, transport.key)

    async def close(self) -> None:
        """End everything."""
        await self._parts.close()

    @property
    def is_open(self) -> bool:
        """Whether there is something to be closed, and in this process."""
        return self._parts.home.is_ours() and self.connection.state.phase is not Phase.CLOSED

    def let_go(self) -> None:
        """End everything without waiting for it."""
        self._parts.let_go()

    async def run(self, conversation: Conversation[T], timeout: Duration, on_progress: OnProgress | None = None) -> T:
        """Perform a conversation for one caller."""
        return await run(conversation, self._caller(timeout, on_progress))

    def _caller(self, timeout: Duration, on_progress: OnProgress | None = None) -> Caller:
        wait = None if timeout is None else seconds(timeout)
        return Caller(self._connection, wait, None if on_progress is None else consumer(on_progress))

    async def list(self, kind: str, timeout: Duration, meta: Meta) -> Any:
        """Give a whole list."""
        return await self._catalogue.list(LISTS[kind], self._caller(timeout), meta_of(meta))

    async def page(self, kind: str, cursor: str | None, timeout: Duration, meta: Meta) -> Any:
        """Give one page of a list."""
        if cursor is not None:
            text(cursor, "a cursor", "the `next_cursor` of a page")
        return await self._catalogue.page(LISTS[kind], cursor, self._caller(timeout), meta_of(meta))

    async def call_tool(
        self,
        tool: str | Tool | CallToolParams,
        arguments: Mapping[str, Any] | None,
        raise_on_error: bool,
        timeout: Duration,
        on_progress: OnProgress | None,
        meta: Meta,
        retry_elicitation: bool,
    ) -> CallToolResult:
        """Call a tool and check its result."""
        params = tool_params(tool, arguments)
        caller = self._caller(timeout, on_progress)
        listed = self._catalogue.tool(params.name)
        if listed is None and self._catalogue.fetches_schemas:
            await self._catalogue.fetch_schemas(caller)
            listed = self._catalogue.tool(params.name)
        if retry_elicitation:
            found = await self._visiting(lambda: self._call_tool(params, meta, caller), caller)
        else:
            found = await self._call_tool(params, meta, caller)
        result, problems = found
        if problems:
            self._reports.attach(result, problems)
        if result.is_error:
            self._failed(params.name, result, raise_on_error)
        return result if listed is None else self._catalogue.checked(result, listed)

    def _failed(self, tool: str, result: CallToolResult, raise_on_error: bool) -> None:
        connection = self._connection
        hint = connection.era.way_out(result.text)
        if raise_on_error:
            said = result.text or "it did not say why"
            raise ToolFailed(said, tool=tool, result=result, server=connection.name, hint=hint)
        if hint is not None:
            self._reports.advise(tool, f"it could not ask ({hint})")

    def _call_tool(self, params: CallToolParams, meta: Meta, caller: Caller) -> Awaitable[Read[CallToolResult]]:
        if self._connection.mirrors_arguments:
            return self._call_mirrored(params, meta, caller)
        return run(self._calling(params, meta, caller), caller)

    async def _call_mirrored(self, params: CallToolParams, meta: Meta, caller: Caller) -> Read[CallToolResult]:
        try:
            return await run(self._calling(params, meta, caller, self._catalogue.headers(params)), caller)
        except HeaderMismatch:
            # Streamable HTTP, Client Behavior: the tool's schema may mark other arguments by now.
            await self._catalogue.relist("tools", Caller(self._connection))
        return await run(self._calling(params, meta, caller, self._catalogue.headers(params)), caller)

    def _calling(
        self, params: CallToolParams, meta: Meta, caller: Caller, mirrored: dict[str, str] | None = None
    ) -> Conversation[Read[CallToolResult]]:
        is_repeatable = self._catalogue.is_repeatable(params.name)
        if is_repeatable:
            caller.vouch = partial(self._catalogue.may_repeat, params.name)
        return operations.call_tool(
            params,
            None if meta is None else meta_of(meta),
            is_repeatable=is_repeatable,
            apply_defaults=self._apply_defaults,
            mirrored=mirrored,
        )

    async def get_prompt(
        self,
        prompt: str | Prompt | GetPromptParams,
        arguments: Mapping[str, str] | None,
        timeout: Duration,
        on_progress: OnProgress | None,
        meta: Meta,
        retry: bool,
    ) -> GetPromptResult:
        """Get a prompt, filled in."""
        self._catalogue.require("prompts")
        params = prompt_params(prompt, arguments)
        caller = self._caller(timeout, on_progress)

        async def attempt() -> GetPromptResult:
            conversation = operations.get_prompt(params, meta_of(meta), apply_defaults=self._apply_defaults)
            return self._reports.attach(*await run(conversation, caller))

        return await (self._visiting(attempt, caller) if retry else attempt())

    async def read_resource(
        self,
        resource: str | Resource | ReadResourceParams,
        timeout: Duration,
        on_progress: OnProgress | None,
        meta: Meta,
    ) -> ReadResourceResult:
        """Read a resource, or give what was read of it if that still holds."""
        self._catalogue.require("resources")
        return await self._catalogue.read(resource_params(resource), self._caller(timeout, on_progress), meta_of(meta))

    async def complete(
        self,
        ref: PromptReference | ResourceTemplateReference | Prompt | ResourceTemplate,
        argument: str,
        value: str,
        known: Mapping[str, str] | None,
        timeout: Duration,
        meta: Meta,
    ) -> CompleteResult:
        """Ask what could follow."""
        self._catalogue.require("completions")
        context = None if known is None else CompletionContext(texts(known, "`context`"))
        params = CompleteParams(
            ref=completion_reference(ref), argument=completion_argument(argument, value), context=context
        )
        return self._reports.attach(*await self.run(operations.complete(params, meta_of(meta)), timeout))

    async def ping(self, timeout: Duration) -> float:
        """Ask for a sign of life and tell how long it took."""
        asked = Deadline.never()
        await self.run(operations.ping(self._connection.era), timeout)
        return asked.waited

    async def subscribe(self, uri: str, timeout: Duration) -> None:
        """Watch a resource."""
        resource_uri(uri)
        if self._catalogue.require("resources.subscribe"):
            await self._parts.watching.subscribe(uri, self._caller(timeout))

    async def unsubscribe(self, uri: str, timeout: Duration) -> None:
        """Watch it no longer."""
        resource_uri(uri)
        await self._parts.watching.unsubscribe(uri, self._caller(timeout))

    async def set_log_level(self, level: LoggingLevel | str, timeout: Duration) -> None:
        """Choose what is worth being told."""
        if self._catalogue.require("logging"):
            await self._parts.set_level(read_level(level), self._caller(timeout))

    async def completion(self, elicitation_id: str, timeout: Duration) -> bool:
        """Wait for the end of a URL elicitation."""
        text(elicitation_id, "the id of an elicitation", "its `elicitation_id`")
        self._parts.home.check()
        return await self._parts.news.completion(elicitation_id, self._caller(timeout).deadline())

    async def _visiting(self, attempt: Callable[[], Awaitable[T]], caller: Caller) -> T:
        """Attempt a call; where URLs are to be visited first, have that done, and attempt it once more."""
        try:
            return await attempt()
        except UrlElicitationRequired as error:
            for elicitation in error.elicitations:
                if not await self._visited(elicitation, caller):
                    raise
            if not error.elicitations:
                raise
        return await attempt()

    async def _visited(self, elicitation: ElicitUrlParams, caller: Caller) -> bool:
        """Have the user visit a URL, and wait for the end of that as long as for an answer; False when they will not."""
        context = Context(self._connection.name)
        try:
            answer = await self._connection.handlers.ask("elicitation/create", elicitation, context)
        except PolicyDenied:
            return False
        if not _accepts(answer):
            return False
        if elicitation.elicitation_id is not None:
            # 2025-11-25, Elicitation: servers may tell when a visit is over. One that does not is asked by the second
            # attempt, which is safe: the first was refused.
            await self._parts.news.completion(elicitation.elicitation_id, caller.deadline())
        return True


def _accepts(answer: Any) -> bool:
    return (
        answer is True or isinstance(answer, dict) or (isinstance(answer, ElicitResult) and answer.action == "accept")
    )
