"""Choose tools: by name, by server, by what they say they do, or by any predicate; combined by `&`, `|` and `~`."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TypeAlias

from msgspec import Struct

from dragoman.host.entries import ToolChoice
from dragoman.types import Implementation, Tool

__all__ = [
    "Filter",
    "Predicate",
    "ServerInfo",
    "chosen",
    "destructive",
    "everything",
    "from_servers",
    "idempotent",
    "matches",
    "named",
    "open_world",
    "read_only",
    "where",
]


class ServerInfo(Struct, frozen=True):
    """The server that a tool is of.

    Attributes:
        name: what the host calls it.
        server: who it says it is; None for the tools of this program.
        era, protocol_version: how it is spoken with.
        instructions: how it wants to be used.
        transport: "stdio", "http" or "memory".
    """

    name: str
    server: Implementation | None = None
    era: str | None = None
    protocol_version: str | None = None
    instructions: str | None = None
    transport: str = "memory"


Predicate: TypeAlias = Callable[[ServerInfo, Tool], bool]


class Filter:
    """A choice of tools. `a & b` is both, `a | b` either, `~a` the others."""

    __slots__ = ("_predicate", "_words")

    def __init__(self, predicate: Predicate, words: str = "") -> None:
        self._predicate = predicate
        self._words = words or getattr(predicate, "__name__", "a predicate")

    def __call__(self, server: ServerInfo, tool: Tool) -> bool:
        """Whether a tool is chosen."""
        return bool(self._predicate(server, tool))

    def __and__(self, other: Filter | Predicate) -> Filter:
        also = where(other)
        return Filter(lambda server, tool: self(server, tool) and also(server, tool), f"({self!r} & {also!r})")

    def __or__(self, other: Filter | Predicate) -> Filter:
        also = where(other)
        return Filter(lambda server, tool: self(server, tool) or also(server, tool), f"({self!r} | {also!r})")

    def __invert__(self) -> Filter:
        return Filter(lambda server, tool: not self(server, tool), f"~{self!r}")

    def __repr__(self) -> str:
        return self._words


def where(predicate: Filter | Predicate) -> Filter:
    """Choose by a function of the server and the tool."""
    return predicate if isinstance(predicate, Filter) else Filter(predicate)


def named(*patterns: str) -> Filter:
    """Choose by the name that the server gives, `*` standing for any text; `server/tool` tells the server, too."""
    return Filter(
        lambda server, tool: any(matches(pattern, server.name, tool.name) for pattern in patterns),
        f"named({', '.join(map(repr, patterns))})",
    )


def from_servers(*patterns: str) -> Filter:
    """Choose by the name of the server, `*` standing for any text."""
    return Filter(
        lambda server, _: any(fnmatchcase(server.name, pattern) for pattern in patterns),
        f"from_servers({', '.join(map(repr, patterns))})",
    )


def matches(pattern: str, server: str, tool: str) -> bool:
    """Whether a pattern is for a tool: `tool`, or `server/tool`."""
    return fnmatchcase(tool, pattern) or ("/" in pattern and fnmatchcase(f"{server}/{tool}", pattern))


def chosen(choice: ToolChoice) -> Filter:
    """Choose as a configuration says."""
    wanted = named(*choice.include) if choice.include else everything
    wanted = wanted & ~named(*choice.exclude) if choice.exclude else wanted
    return wanted & read_only if choice.read_only else wanted


everything = Filter(lambda _, __: True, "everything")
"""Choose all."""

read_only = Filter(lambda _, tool: tool.hints.is_read_only, "read_only")
"""Choose those that say that they change nothing."""

destructive = Filter(lambda _, tool: tool.hints.is_destructive, "destructive")
"""Choose those that may destroy something: all that do not say otherwise."""

idempotent = Filter(lambda _, tool: tool.hints.is_idempotent, "idempotent")
"""Choose those for which doing it twice is as doing it once."""

open_world = Filter(lambda _, tool: tool.hints.is_open_world, "open_world")
"""Choose those that reach beyond their server: all that do not say otherwise."""
