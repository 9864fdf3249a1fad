"""Bring the tools of servers, hosts and this program under one roof, each by a name of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from msgspec import structs

from dragoman.errors import UsageError
from dragoman.host.naming import Bearer, Names, Naming, tame
from dragoman.models.arguments import ArgumentReader
from dragoman.models.functions import LocalTool, tool
from dragoman.models.observing import ServerFacts
from dragoman.types import CallToolResult, Tool

__all__ = ["Entry", "Source", "ToolSource", "Toolbox"]

log = logging.getLogger("dragoman.aio")

LOCAL = "local"
"""What functions of this program go by where a server would be named."""


@runtime_checkable
class ToolSource(Protocol):
    """What offers tools and runs them: a client, a host, or anything else with these two verbs."""

    async def list_tools(self) -> Iterable[Tool]:
        """List the tools."""
        ...

    async def call_tool(self, tool: str, arguments: Mapping[str, Any] | None = None, /) -> CallToolResult:
        """Call one; it also takes `timeout` and `meta` where those are wanted."""
        ...


Source: TypeAlias = ToolSource | LocalTool | Callable[..., Any] | Iterable[Any]
"""A source of tools, a function, or several of these."""


class Entry:
    """One tool, by the name that models know it by before a provider's conversion.

    Attributes:
        name: that name.
        tool: the tool, by its own name.
        shown: the same, by that name.
        source: what runs it; a function of this program is `local` instead.
        facts: where it is.
    """

    def __init__(self, name: str, definition: Tool, source: ToolSource | None, local: LocalTool | None) -> None:
        self.name = name
        self.tool = definition
        self.shown = definition if definition.name == name else structs.replace(definition, name=name)
        self.source = source
        self.local = local
        self.facts = None if source is None else _facts(source, definition)
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


def _facts(source: Any, definition: Any) -> ServerFacts:
    owner = getattr(definition, "server", None)
    name = owner if isinstance(owner, str) else str(getattr(source, "name", "") or type(source).__name__)
    return ServerFacts(name, getattr(source, "protocol_version", None), getattr(source, "endpoint", None))


class Toolbox:
    """The tools of several sources; owns their names, which are kept for good once they are given."""

    def __init__(self, sources: Iterable[Source], naming: Naming) -> None:
        self.entries: dict[str, Entry] = {}
        self._names = Names(naming)
        self._locals: list[LocalTool] = []
        self._sources: list[ToolSource] = []
        for source in sources:
            self._add(source)
        self._is_listed = False

    def _add(self, source: Any) -> None:
        if isinstance(source, LocalTool):
            self._locals.append(source)
        elif isinstance(source, ToolSource):
            self._sources.append(source)
        elif callable(source):
            self._locals.append(tool(source))
        elif isinstance(source, Iterable) and not isinstance(source, str | bytes | Mapping):
            for each in cast("Iterable[Any]", source):
                self._add(each)
        else:
            raise UsageError(
                f"{type(source).__name__} is no source of tools",
                hint="give clients, hosts, functions, or lists of these",
            )

    async def listed(self) -> dict[str, Entry]:
        """Give all tools, asking the servers only the first time."""
        return self.entries if self._is_listed else await self.relist()

    async def relist(self) -> dict[str, Entry]:
        """Ask every source for its tools, in the order in which they were given; what is unchanged is kept."""
        found: list[tuple[str, Tool, ToolSource | None, LocalTool | None]] = []
        for source in self._sources:
            server = str(getattr(source, "name", "") or type(source).__name__)
            found += [(server, each, source, None) for each in await source.list_tools()]
        found += [(LOCAL, local.tool, None, local) for local in self._locals]
        self.entries = self._named(found)
        self._is_listed = True
        return self.entries

    def _named(self, found: list[tuple[str, Tool, ToolSource | None, LocalTool | None]]) -> dict[str, Entry]:
        # Functions of this program are named first: their names are in its source, for anybody to see.
        ranked = sorted(found, key=lambda each: each[3] is None)
        keys = _keys([(server, source) for server, _, source, _ in ranked])
        self._names.give(Bearer(key, each[1].name, tame(each[0])) for key, each in zip(keys, ranked, strict=True))
        entries: dict[str, Entry] = {}
        for key, (_, definition, source, local) in zip(keys, ranked, strict=True):
            name = self._names.name(key, definition.name)
            known = self.entries.get(name)
            if name in entries:
                log.warning("%s lists %s twice; the first counts", key, definition.name)
            elif known is not None and known.tool == definition and known.source is source:
                entries[name] = known
            else:
                entries[name] = Entry(name, definition, source, local)
        return entries


def _keys(sources: list[tuple[str, ToolSource | None]]) -> list[str]:
    """Tell two sources of one name apart, by the order in which they were given."""
    numbers: dict[str, list[int]] = {}
    keys: list[str] = []
    for name, source in sources:
        known = numbers.setdefault(name, [])
        if id(source) not in known:
            known.append(id(source))
        position = known.index(id(source))
        keys.append(f"{name} #{position + 1}" if position else name)
    return keys
