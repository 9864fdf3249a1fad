"""Bring the tools of servers, hosts and this program under one roof, each by a name of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from inspect import getattr_static, iscoroutinefunction
from typing import Any, Protocol, TypeAlias

from msgspec import Struct, structs

from dragoman.errors import McpError, UsageError
from dragoman.host.catalog import LOCAL, HostTool
from dragoman.host.naming import Bearer, Names, Naming, tame
from dragoman.local.shapes import fits
from dragoman.models.arguments import ArgumentReader
from dragoman.models.functions import LocalTool, tool
from dragoman.models.observing import ServerFacts
from dragoman.types import CallToolResult, Tool

__all__ = ["LOCAL", "Entry", "Offer", "Source", "ToolSource", "Toolbox"]

log = logging.getLogger("dragoman.aio")


class ToolSource(Protocol):
    """What offers tools and runs them: a client, a host, or anything else with these two verbs."""

    async def list_tools(self) -> Iterable[Tool]:
        """List the tools."""
        ...

    async def call_tool(self, tool: str, arguments: Mapping[str, Any] | None = None, /) -> CallToolResult:
        """Call one; it also takes `timeout` and `meta` where those are wanted."""
        ...


Source: TypeAlias = ToolSource | LocalTool | Callable[..., Any] | Iterable[Any] | object
"""A source of tools, a function, an object with methods that are tools, or several of these."""


class Offer(Struct, frozen=True):
    """A tool as a source lists it.

    Attributes:
        origin: what the source goes by.
        tool: the tool, by its own name.
        called: what the source wants it called.
        source: what runs it; None for a function of this program, which is `local` instead.
        server: the name of the server that it is on.
    """

    origin: str
    tool: Tool
    called: str
    source: Any = None
    local: LocalTool | None = None
    server: str | None = None


class Entry:
    """One tool, by the name that models know it by before a provider's conversion.

    Attributes:
        name: that name.
        offer: where it comes from.
        tool: the tool, by its own name.
        shown: the same, by that name.
        facts: where it is; None for a function of this program.
    """

    def __init__(self, name: str, offer: Offer) -> None:
        self.name = name
        self.offer = offer
        self.tool = offer.tool
        self.shown = offer.tool if offer.tool.name == name else structs.replace(offer.tool, name=name)
        self.facts = None if offer.local is not None or offer.server == LOCAL else _facts(offer)
        self._reader: ArgumentReader | None = None

    @property
    def reader(self) -> ArgumentReader:
        """What repairs and checks its arguments, made when it is first needed.

        Raises:
            BadSchema: nothing can be checked with its schema.
        """
        if self._reader is None:
            self._reader = ArgumentReader(self.tool)
        return self._reader

    @property
    def server(self) -> str | None:
        """The name of its server, None for a function of this program."""
        return None if self.facts is None else self.facts.name


def _facts(offer: Offer) -> ServerFacts:
    # A host has a client for each server.
    clients = getattr(offer.source, "clients", None)
    client = clients.get(offer.server) if isinstance(clients, Mapping) else offer.source
    version, endpoint = getattr(client, "protocol_version", None), getattr(client, "endpoint", None)
    return ServerFacts(offer.server or offer.origin, version, endpoint)


class Toolbox:
    """The tools of several sources; owns their names, which are kept for good once they are given."""

    def __init__(self, sources: Iterable[Source], naming: Naming) -> None:
        self.entries: dict[str, Entry] = {}
        self._names = Names(naming)
        self._locals: list[LocalTool] = []
        self._sources: list[ToolSource] = []
        self._told: dict[int, list[Offer]] = {}
        for source in sources:
            self._add(source)
        self._is_listed = False

    def _add(self, source: Any) -> None:
        if isinstance(source, LocalTool):
            self._locals.append(_runnable(source))
        elif methods := _methods(source):
            self._locals += map(_runnable, methods)
        elif fits(source, ToolSource):
            self._sources.append(source)
        elif callable(source):
            self._locals.append(_runnable(tool(source)))
        elif isinstance(source, Iterable) and not isinstance(source, str | bytes | Mapping):
            for each in source:
                self._add(each)
        else:
            raise UsageError(
                f"{type(source).__name__} is no source of tools",
                hint="give clients, hosts, functions, objects with methods that are tools, or lists of these",
            )

    def by_own_name(self, name: str) -> Entry | None:
        """Give the tool that its source calls so, where that is one tool alone."""
        found = [entry for entry in self.entries.values() if entry.tool.name == name]
        return found[0] if len(found) == 1 else None

    async def listed(self) -> dict[str, Entry]:
        """Give all tools, asking the servers only the first time."""
        return self.entries if self._is_listed else await self.relist()

    async def relist(self) -> dict[str, Entry]:
        """Ask every source for its tools, in the order in which they were given; what is unchanged is kept.

        The tools of a source that cannot tell them now are those that it told last.

        Raises:
            McpError: a source has never told them.
        """
        offers: list[Offer] = []
        for source in self._sources:
            self._told[id(source)] = await self._offered(source)
            offers += self._told[id(source)]
        offers += [Offer(LOCAL, local.tool, local.tool.name, local=local) for local in self._locals]
        self.entries = self._named(offers)
        self._is_listed = True
        return self.entries

    async def _offered(self, source: ToolSource) -> list[Offer]:
        origin = str(getattr(source, "name", "") or type(source).__name__)
        try:
            return [_offer(origin, each, source) for each in await source.list_tools()]
        except McpError as error:
            if id(source) not in self._told:
                raise
            log.warning("%s: its tools are those of before, since they cannot be listed: %s", origin, error)
            return self._told[id(source)]

    def _named(self, offers: list[Offer]) -> dict[str, Entry]:
        keys = _keys(offers)
        # Functions of this program are named first: their names are in its source, for anybody to see.
        ranked = sorted(zip(keys, offers, strict=True), key=lambda each: each[1].local is None)
        self._names.give(Bearer(key, offer.called, tame(offer.origin)) for key, offer in ranked)
        entries: dict[str, Entry] = {}
        for key, offer in zip(keys, offers, strict=True):
            name = self._names.name(key, offer.called)
            known = self.entries.get(name)
            if name in entries:
                log.warning("%s lists %s twice; the first counts", offer.origin, offer.called)
            else:
                entries[name] = known if known is not None and known.offer == offer else Entry(name, offer)
        return entries


def _methods(source: Any) -> list[LocalTool]:
    """Find the methods of an object that its class marks as tools, in the order of their names."""
    marked = (name for name in dir(type(source)) if isinstance(getattr_static(type(source), name, None), LocalTool))
    return [getattr(source, name) for name in marked]


def _runnable(local: LocalTool) -> LocalTool:
    runs_coroutines = False
    runs_coroutines = True  # async-only
    if not runs_coroutines and iscoroutinefunction(local.function):
        raise UsageError(
            f"the tool {local.tool.name} is asynchronous", hint="make it plain, or use the asynchronous runner"
        )
    return local


def _offer(origin: str, listed: Any, source: Any) -> Offer:
    """Take what a source lists: a tool, or what a host has of one."""
    if isinstance(listed, HostTool):
        return Offer(origin, listed.tool, listed.name, source, server=listed.server)
    return Offer(origin, listed, listed.name, source, server=origin)


def _keys(offers: Iterable[Offer]) -> list[str]:
    """Tell two sources of one name apart, by the order in which they were given."""
    numbers: dict[str, list[int]] = {}
    keys: list[str] = []
    for offer in offers:
        known = numbers.setdefault(offer.origin, [])
        if id(offer.source) not in known:
            known.append(id(offer.source))
        position = known.index(id(offer.source))
        keys.append(f"{offer.origin} #{position + 1}" if position else offer.origin)
    return keys
