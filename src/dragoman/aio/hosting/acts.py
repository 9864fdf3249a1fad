"""Make an act of each verb: find whose it is, let it pass the gate, and have it done by its server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from dragoman.aio._runtime import call_foreign
from dragoman.aio.client import AsyncClient
from dragoman.aio.hosting.gate import Gate, Standing
from dragoman.aio.hosting.member import Member
from dragoman.aio.hosting.members import Members
from dragoman.aio.hosting.offers import Offers
from dragoman.aio.hosting.pinning import Pinning
from dragoman.aio.options import OnProgress
from dragoman.errors import NotOffered, PolicyDenied, ToolChanged, ToolFailed, UsageError
from dragoman.files.places import this_program
from dragoman.host.catalog import LOCAL, HostPrompt, HostResource, HostTool
from dragoman.host.lockfile import ItemKind
from dragoman.host.policy import Act
from dragoman.models.functions import LocalTool, as_result, failed
from dragoman.nearest import nearest
from dragoman.types import CallToolResult, GetPromptResult, ReadResourceResult, Wire

__all__ = ["Acts", "Extras"]

R = TypeVar("R", bound=Wire)

Extras = Mapping[str, Any]
"""What a call of one client takes besides: `on_progress`, `meta`."""


class Acts:
    """The verbs of one host that do something."""

    def __init__(self, members: Members, offers: Offers, gate: Gate, pinning: Pinning) -> None:
        self._members = members
        self._offers = offers
        self._gate = gate
        self._pinning = pinning
        # What was answered for a function of one program holds for none of another's.
        self._own = Standing(runs=this_program())

    # ------------------------------------------------------------------------------------------------------ tools

    async def call_tool(
        self,
        tool: str | HostTool,
        arguments: Mapping[str, Any] | None,
        timeout: float | str | None,
        on_progress: OnProgress | None,
        meta: Mapping[str, Any] | None,
        origins: frozenset[str],
    ) -> CallToolResult:
        """Call a tool, wherever it is."""
        found = self._named("tool", tool)
        act = Act("tool", found.server, found.tool.name, dict(arguments or {}), found.tool, origins)
        if found.server == LOCAL:
            return await self._do(act, None, partial(_called, self._offers.local(found.tool.name)), CallToolResult)

        def call(client: AsyncClient, left: float | None, given: Any) -> Awaitable[CallToolResult]:
            return client.call_tool(found.tool.name, given, timeout=left, on_progress=on_progress, meta=meta)

        return await self._at_server(act, "tool", "tools/call", timeout, call, CallToolResult)

    def failed(self, found: str | HostTool, result: CallToolResult) -> ToolFailed:
        """Make the error of a tool that failed."""
        tool = self._named("tool", found)
        return ToolFailed(result.text or "it did not say why", tool=tool.tool.name, result=result, server=tool.server)

    # -------------------------------------------------------------------------------------- resources and prompts

    async def read_resource(
        self, resource: str | HostResource, server: str | None, timeout: float | str | None
    ) -> ReadResourceResult:
        """Read a resource, wherever it is."""
        uri = resource if isinstance(resource, str) else resource.uri
        owner = self._owner(uri, server) if isinstance(resource, str) else resource.server

        def read(client: AsyncClient, left: float | None, _: Any) -> Awaitable[ReadResourceResult]:
            return client.read_resource(uri, timeout=left)

        act = Act("resource", owner, uri, {"uri": uri})
        return await self._at_server(act, "resource", "resources/read", timeout, read, ReadResourceResult)

    def _owner(self, uri: str, server: str | None) -> str:
        if server is not None:
            return self._members.get(server).name
        for each in self._offers.resources:
            if each.uri == uri:
                return each.server
        able = [name for member in self._members if (name := _reads(member)) is not None]
        if len(able) == 1:
            return able[0]
        raise UsageError(
            f"no server lists {uri}",
            hint=f"say which one is meant: server={able[0]!r}" if able else "no server has resources",
        )

    async def get_prompt(
        self, prompt: str | HostPrompt, arguments: Mapping[str, str] | None, timeout: float | str | None
    ) -> GetPromptResult:
        """Get a prompt, wherever it is."""
        found = self._named("prompt", prompt)

        def get(client: AsyncClient, left: float | None, given: Any) -> Awaitable[GetPromptResult]:
            return client.get_prompt(found.prompt.name, given, timeout=left)

        act = Act("prompt", found.server, found.prompt.name, dict(arguments or {}))
        return await self._at_server(act, "prompt", "prompts/get", timeout, get, GetPromptResult)

    # --------------------------------------------------------------------------------------------------------- common

    def _named(self, kind: ItemKind, given: Any) -> Any:
        """Find what bears a name, as it was listed last; of what is gone, say so."""
        name: str = given if isinstance(given, str) else given.name
        found = self._offers.known(kind, name)
        bearer = self._offers.bearer(kind, name)
        if found is None and bearer is not None:
            self._pinned(kind, *bearer)
        if found is None:
            for server in self._pinning.servers:
                # By its server's name for it, since a thing that was never on offer may have no other.
                self._pinned(kind, server, name)
            raise self._unknown(kind, name)
        if not self._offers.has(found) and (found.server == LOCAL or self._members.get(found.server).is_usable):
            raw = bearer[1] if bearer else name
            self._pinned(kind, found.server, raw)
            raise NotOffered(f"the {kind} {raw!r} is not on offer any more", capability=f"{kind}s", server=found.server)
        return found

    def _pinned(self, kind: ItemKind, server: str, raw: str) -> None:
        try:
            self._pinning.require(server, kind, raw)
        except ToolChanged:
            self._gate.refused(kind, server, raw, "pinned")
            raise

    def _unknown(self, kind: ItemKind, name: str) -> UsageError:
        names = [each.name for each in (self._offers.tools if kind == "tool" else self._offers.prompts)]
        near = nearest(name, names)
        coming = [member.name for member in self._members if not member.settled.is_set()]
        hint = f"did you mean {near!r}?" if near else f"`list_{kind}s` tells what there is"
        hint += f"; still connecting: {', '.join(coming)}" if coming else ""
        hint += "".join(f"; it is not as it was pinned: {each}" for each in self._pinning.formerly(kind, name))
        return UsageError(f"no {kind} is called {name!r}", hint=hint)

    async def _at_server(
        self,
        act: Act,
        kind: ItemKind,
        method: str,
        timeout: float | str | None,
        perform: Callable[[AsyncClient, float | None, Any], Awaitable[R]],
        result: type[R],
    ) -> R:
        member = self._members.get(act.server)
        self._pinned(kind, act.server, act.name)

        async def ask(given: Any) -> R:
            return await member.ask(method, timeout, lambda client, left: perform(client, left, given))

        return await self._do(act, member, ask, result)

    async def _do(self, act: Act, member: Member | None, perform: Callable[[Any], Awaitable[R]], result: type[R]) -> R:
        passage = await self._gate.passage(act, member.standing if member else self._own)
        if passage.is_dry:
            dry = self._gate.dry(act, passage)
            if isinstance(dry, result):
                return dry
            raise PolicyDenied(dry.text, server=act.server)
        return await self._gate.perform(act, passage, perform, result)


async def _called(local: LocalTool, arguments: Mapping[str, Any]) -> CallToolResult:
    """Call a function of this program; what it raises is its failure, as a server's tool would report one."""
    try:
        return as_result(await call_foreign(local.bound(arguments)))
    except Exception as error:  # noqa: BLE001 - the application's code: whoever called is told
        return failed(f"{type(error).__name__}: {error}")


def _reads(member: Member) -> str | None:
    client = member.client
    return member.name if client is not None and client.capabilities.resources is not None else None
