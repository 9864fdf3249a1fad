"""Compare what a server says now with what was approved, and write the difference for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher, unified_diff
from typing import Any, Literal

import msgspec
from msgspec import Struct

from dragoman.host.lockfile import ItemKind, Surface
from dragoman.host.secrets import plain_text
from dragoman.host.suspicion import Suspicion, suspicions

__all__ = ["Difference", "differences", "written"]

_ALIKE = 0.65
_SAYING = 0.7
_MOST_COMPARED = 4000


class Difference(Struct, frozen=True):
    """One thing that is not as it was approved.

    Attributes:
        kind: "tool", "prompt", "resource", "template" or "instructions".
        name: what the server calls it; empty for the instructions.
        what: "added", "removed", "changed" or "renamed".
        before, after: its definitions, None where there is none.
        former: the name that it seems to have had, for "renamed".
    """

    kind: ItemKind | Literal["instructions"]
    name: str
    what: Literal["added", "removed", "changed", "renamed"]
    before: Any = None
    after: Any = None
    former: str | None = None

    @property
    def suspicions(self) -> tuple[Suspicion, ...]:
        """What is odd in the new definition, and was not in the old one."""
        known = set(suspicions(self.before))
        return tuple(each for each in suspicions(self.after) if each not in known)

    @property
    def heading(self) -> str:
        """The difference in one line."""
        called = f" (it was {plain_text(self.former)})" if self.former else ""
        return f"{self.kind} {plain_text(self.name)}".rstrip() + f" {self.what}{called}"

    def __str__(self) -> str:
        lines = [self.heading, *(f"  {line}" for line in _changed_lines(self.before, self.after))]
        return "\n".join([*lines, *(f"  ! {each}" for each in self.suspicions)])


def written(found: tuple[Difference, ...]) -> str:
    """Write differences one below the other."""
    return "\n".join(map(str, found))


def differences(approved: Surface, now: Surface, kinds: frozenset[str] | None = None) -> tuple[Difference, ...]:
    """Find what is different; `kinds` are those that have been listed, None for all."""
    found = list(_instructions(approved, now)) if kinds is None or "instructions" in kinds else []
    for kind in ("tool", "prompt", "resource", "template"):
        if kinds is None or kind in kinds:
            found += _items(kind, approved.items(kind), now.items(kind))
    return tuple(found)


def _instructions(approved: Surface, now: Surface) -> Iterator[Difference]:
    before, after = approved.instructions, now.instructions
    if before != after:
        what: Any = "added" if before is None else "removed" if after is None else "changed"
        yield Difference("instructions", "", what, before, after)


def _items(kind: ItemKind, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    gone = {name: before[name] for name in before if name not in after}
    for name, definition in after.items():
        if name in before:
            if definition != before[name]:
                yield Difference(kind, name, "changed", before[name], definition)
        elif (former := _former(definition, gone)) is not None:
            yield Difference(kind, name, "renamed", gone.pop(former), definition, former)
        else:
            yield Difference(kind, name, "added", None, definition)
    for name, definition in gone.items():
        yield Difference(kind, name, "removed", definition, None)


def _former(definition: Any, gone: Mapping[str, Any]) -> str | None:
    """Find the thing that has gone and of which this seems to be another name."""
    best = max(gone, key=lambda name: _likeness(gone[name], definition), default=None)
    return best if best is not None and _likeness(gone[best], definition) >= _ALIKE else None


def _likeness(one: Any, other: Any) -> float:
    """Say from 0 to 1 how much two definitions are alike, but for their names: by what they say and what they take."""
    left, right = str(one.get("description") or ""), str(other.get("description") or "")
    if not left and "inputSchema" not in one:
        return 0.0
    takes_the_same = bool(one.get("inputSchema") == other.get("inputSchema"))
    said = 1.0 if left == right else 0.0
    if not said and max(len(left), len(right)) <= _MOST_COMPARED:
        said = SequenceMatcher(None, left, right, autojunk=False).ratio()
    return _SAYING * said + (1 - _SAYING) * takes_the_same


def _text(value: Any) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _changed_lines(before: Any, after: Any) -> Iterator[str]:
    old, new = _lines(before), _lines(after)
    for line in unified_diff(old, new, lineterm="", n=1):
        if not line.startswith(("---", "+++", "@@")):
            yield line


def _lines(value: Any) -> list[str]:
    """Write a definition one fact a line, each sentence of a text by itself, and nothing unseen."""
    return [plain_text(line) for path, text in _facts(value, "") for line in _split(path, text)]


def _facts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case Mapping() if value:
            for key, each in value.items():
                yield from _facts(each, f"{path}.{key}" if path else str(key))
        case None if not path:
            return
        case str():
            yield path, value
        case _:
            yield path, _text(value)


def _split(path: str, text: str) -> Iterator[str]:
    for line in text.replace(". ", ".\n").splitlines() or [""]:
        yield f"{path}: {line}" if path else line
