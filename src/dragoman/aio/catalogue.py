"""What a server offers: its lists, kept for as long as they hold, and what they say of each tool."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

from msgspec import UnsetType, structs

from dragoman.aio._runtime import Guard, Lock
from dragoman.aio.caller import Caller
from dragoman.aio.connection import Connection
from dragoman.aio.mirroring import Mirroring
from dragoman.aio.options import ConnectOptions
from dragoman.aio.reports import Reports
from dragoman.aio.run import run
from dragoman.aio.shelf import Shelf, list_key, resource_key
from dragoman.deadline import Deadline
from dragoman.errors import BadSchema, McpError, McpTimeout, MethodNotFound, NotOffered, SchemaViolation
from dragoman.protocol import operations
from dragoman.protocol.inbound import Event, ListChanged, ResourceUpdated
from dragoman.protocol.lists import LISTS, RESOURCE_TEMPLATES, TOOLS, Kind, Page
from dragoman.protocol.negotiate import Introduction
from dragoman.protocol.recovery import is_repeatable
from dragoman.protocol.salvage import Problem
from dragoman.protocol.schemas import compile_schema
from dragoman.protocol.steps import Conversation
from dragoman.types import (
    CallToolParams,
    CallToolResult,
    JsonObject,
    ListToolsResult,
    ReadResourceParams,
    ReadResourceResult,
    Tool,
    Violation,
    with_violations,
)

__all__ = ["Catalogue"]

log = logging.getLogger("dragoman.aio")

Check: TypeAlias = Callable[[Any], Sequence[Violation]]


class Catalogue:
    """The lists of one server; owns what was listed last, and the checks made of its tools' schemas.

    What was listed of tools holds until the server says that they have changed. After a restart it holds no longer
    either, but is remembered as what the server's former life said: see `may_repeat`.

    Attributes:
        fetches_schemas: whether a tool has to be listed before it is called, so that its result can be checked.
    """

    def __init__(self, connection: Connection, reports: Reports, shelf: Shelf, options: ConnectOptions) -> None:
        self._connection = connection
        self._reports = reports
        self._shelf = shelf
        self._strict = options.get("strict")
        self.fetches_schemas = options.get("fetch_schemas", False)
        self._validator = options.get("validator")
        # Whose capabilities were looked at, and which of them are there.
        self._introduction: Introduction | None = None
        self._offered: set[str] = set()
        self._tools: dict[str, Tool] = {}
        self._former: dict[str, Tool] = {}
        self._checks: dict[str, tuple[Tool, Check]] = {}
        self._changes = 0
        self._listed_at = -1
        self._listing = Lock()
        self._guard = Guard()
        self._mirroring = Mirroring()

    def require(self, capability: str) -> bool:
        """Tell whether the server offers something.

        Raises:
            NotOffered: it does not, and `strict` is not False.
        """
        introduction = self._connection.introduction
        if introduction is not self._introduction:
            self._introduction, self._offered = introduction, set()
        elif capability in self._offered:
            return True
        offered: Any = introduction.capabilities
        for part in capability.split("."):
            offered = getattr(offered, part, None)
        if offered is not None and offered is not False:
            self._offered.add(capability)
            return True
        if self._strict is False:
            return False
        raise NotOffered(f"the server does not offer {capability}", capability=capability, server=self._connection.name)

    # ----------------------------------------------------------------------------------------------------- lists

    async def list(self, kind: Kind, caller: Caller, meta: JsonObject | None = None) -> Any:
        """Give a whole list: the one that was kept if it still holds, or else all pages."""
        if not self.require(kind.capability):
            return kind.empty()
        key, ticket = list_key(kind.method), self._shelf.ticket()
        kept = None if meta else self._shelf.take(key)
        if kept is not None:
            return kept
        listed = await self._asked(kind, operations.every_page(kind, meta), caller)
        if not meta:
            self._shelf.put(key, listed, ticket, self._connection.era)
        return listed

    async def page(self, kind: Kind, cursor: str | None, caller: Caller, meta: JsonObject | None) -> Any:
        """Give one page of a list."""
        if not self.require(kind.capability):
            return kind.empty()
        return await self._asked(kind, operations.one_page(kind, cursor, meta), caller)

    async def relist(self, name: str, caller: Caller) -> Any:
        """Give a list as it is now."""
        self._shelf.drop_list(name)
        return await self.list(LISTS[name], caller)

    async def _asked(self, kind: Kind, asking: Conversation[Page], caller: Caller) -> Any:
        changes = self._changes
        try:
            return self._learned(await run(asking, caller), changes)
        except MethodNotFound:
            # Templates go with resources, and many servers that have only these never heard of them.
            if kind is not RESOURCE_TEMPLATES or self._strict:
                raise
        log.info("%s: it offers resources and knows no templates", self._connection.name)
        return kind.empty()

    def _learned(self, page: Page, changes: int) -> Any:
        """Note what a page says of tools, unless they have changed since it was asked for."""
        result, problems = page.result, page.problems
        if isinstance(result, ListToolsResult):
            if self._connection.mirrors_arguments:
                kept, misplaced = self._mirroring.learn(result)
                if misplaced:
                    result, problems = structs.replace(result, tools=kept), (*problems, *misplaced)
            with self._guard:
                if changes == self._changes:
                    self._tools.update(zip(map(attrgetter("name"), result), result, strict=True))
        return self._reports.attach(result, problems)

    # ------------------------------------------------------------------------------------------------- resources

    async def read(self, params: ReadResourceParams, caller: Caller, meta: JsonObject | None) -> ReadResourceResult:
        """Give what a resource holds: what was kept of it if that still holds, or else what it is now."""
        key, ticket = resource_key(params.uri), self._shelf.ticket()
        kept: ReadResourceResult | None = None if meta else self._shelf.take(key)
        if kept is not None:
            return kept
        conversation = operations.read_resource(params, meta, apply_defaults=self._connection.applies_defaults)
        contents = self._reports.attach(*await run(conversation, caller))
        if not meta:
            self._shelf.put(key, contents, ticket, self._connection.era, carried_input=caller.has_carried_input)
        return contents

    async def reread(self, uri: str, caller: Caller) -> ReadResourceResult:
        """Give what a resource holds now."""
        self._shelf.drop_resource(uri)
        return await self.read(ReadResourceParams(uri=uri), caller, None)

    # --------------------------------------------------------------------------------------------- what no longer holds

    def forget(self, event: Event) -> None:
        """Keep what a notification is about no longer."""
        if isinstance(event, ListChanged):
            self._shelf.drop_list(event.kind)
            if event.kind == "tools":
                self._forget_tools({})
        elif isinstance(event, ResourceUpdated):
            self._shelf.drop_resource(event.uri)

    def forget_all(self) -> None:
        """Keep nothing: the server may be another one now."""
        self._shelf.clear()
        self._forget_tools({**self._former, **self._tools})

    def _forget_tools(self, former: dict[str, Tool]) -> None:
        with self._guard:
            self._changes += 1
            self._tools, self._former, self._checks = {}, former, {}

    # ------------------------------------------------------------------------------------------------------ tools

    async def fetch_schemas(self, caller: Caller) -> None:
        """List the tools: however many ask for it at once, but once, and again only after they have changed."""
        deadline = caller.deadline()
        if not await self._listing.acquire(deadline):
            raise McpTimeout(
                f"the tools were still being listed after {deadline.waited:.3g} s",
                method=TOOLS.method,
                waited=deadline.waited,
                was_sent=False,
                server=self._connection.name,
            )
        try:
            changes = self._changes
            if self._listed_at != changes:
                await self.list(TOOLS, caller)
                self._listed_at = changes
        finally:
            self._listing.release()

    def tool(self, name: str) -> Tool | None:
        """Give what was last listed of a tool that is to be called; None where it was not listed, or has changed since.

        Raises:
            NotOffered: the server has no tools, and `strict` is not False.
        """
        if self._connection.introduction is not self._introduction or "tools" not in self._offered:
            self.require("tools")
        return self._tools.get(name)

    def is_repeatable(self, name: str) -> bool:
        """Tell whether running a tool twice does no harm, as far as that has been said."""
        tool = self._tools.get(name) or self._former.get(name)
        return tool is not None and is_repeatable("tools/call", tool.annotations)

    async def may_repeat(self, name: str, deadline: Deadline) -> bool:
        """Tell whether a tool that may have run can be run again without harm, by what is said of it now.

        A server that was started again may be another one: it is asked before it is believed.
        """
        if name not in self._tools and name in self._former:
            try:
                await self.fetch_schemas(Caller(self._connection, within=deadline))
            except McpError as error:
                log.info("%s: what it says of %s now is not known: %s", self._connection.name, name, error)
        return name in self._tools and self.is_repeatable(name)

    def headers(self, params: CallToolParams) -> dict[str, str] | None:
        """Give the headers that repeat the arguments of a call; None where there are none."""
        return self._mirroring.headers(params)

    def checked(self, result: CallToolResult, tool: Tool) -> CallToolResult:
        """Compare a structured result with its tool's output schema, and let the result say what is wrong with it.

        Only what is structured is looked at, and only where a schema was listed that still stands. A tool that failed
        owes no result.

        Raises:
            SchemaViolation: something is wrong, and the client is strict.
        """
        if isinstance(tool.output_schema_raw, UnsetType) or result.is_error or self._validator is False:
            return result
        if tool is not (now := self._tools.get(tool.name)) and tool != now:
            return result
        violations = self._violations(result, tool)
        if not violations:
            return result
        result = with_violations(result, tuple(violations))
        if self._strict:
            raise SchemaViolation(
                f"the result of {tool.name} breaks its output schema: {violations[0]}",
                result=result,
                server=self._connection.name,
            )
        return result

    def _violations(self, result: CallToolResult, tool: Tool) -> Sequence[Violation]:
        if not result.has_structured:
            return () if tool.output_schema is None else (Violation("", "there is no structured result"),)
        try:
            return self._check(tool)(result.structured)
        except BadSchema as error:
            self._unusable(tool, error)
            return ()

    def _check(self, tool: Tool) -> Check:
        known, check = self._checks.get(tool.name, (None, None))
        if check is None or known is not tool:
            check = self._made_check(tool)
            self._checks[tool.name] = (tool, check)
        return check

    def _made_check(self, tool: Tool) -> Check:
        schema = tool.output_schema or {}
        validator = self._validator
        if callable(validator):
            return lambda value: validator(schema, value)
        try:
            return compile_schema(schema).violations
        except BadSchema as error:
            self._unusable(tool, error)
            return lambda _: ()

    def _unusable(self, tool: Tool, error: BadSchema) -> None:
        self._reports.say(Problem("outputSchema", tool.name, error.message))
