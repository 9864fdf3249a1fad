"""Compare what a server says now with what was approved, and write the difference for people to read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from itertools import islice
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
_MOST_PAIRS = 2000
_MOST_LINES = 400
_WORD = re.compile(r"\w+")


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
    formers = _formers({name: after[name] for name in after if name not in before}, gone)
    for name, definition in after.items():
        if name in before:
            if definition != before[name]:
                yield Difference(kind, name, "changed", before[name], definition)
        elif name in formers:
            yield Difference(kind, name, "renamed", gone.pop(formers[name]), definition, formers[name])
        else:
            yield Difference(kind, name, "added", None, definition)
    for name, definition in gone.items():
        yield Difference(kind, name, "removed", definition, None)


class _Saying(Struct, frozen=True):
    """A definition but for its name: what it says, in which words, and what it takes; None where it takes nothing."""

    text: str
    words: Counter[str]
    takes: str | None

    @classmethod
    def of(cls, definition: Any) -> _Saying:
        text = str(definition.get("description") or "")
        is_short = len(text) <= _MOST_COMPARED
        takes = _text(definition["inputSchema"]) if "inputSchema" in definition else None
        return cls(text, Counter(_WORD.findall(text.lower()) if is_short else ()), takes)


def _formers(fresh: Mapping[str, Any], gone: Mapping[str, Any]) -> dict[str, str]:
    """Find for new things the ones that have gone and of which they seem to be other names.

    How much is compared is bounded: a server that renames everything must not keep the host busy.
    """
    left = {name: _Saying.of(definition) for name, definition in gone.items()}
    right = {name: _Saying.of(definition) for name, definition in fresh.items()}
    formers: dict[str, str] = {}
    same = {(each.text, each.takes): name for name, each in reversed(left.items()) if each.text or each.takes}
    for name, each in right.items():
        former = same.pop((each.text, each.takes), None)
        if former is not None:
            formers[name] = former
            del left[former]
    for name, each in right.items():
        if name not in formers and (former := _most_alike(each, left, _MOST_PAIRS // len(right))) is not None:
            formers[name] = former
            del left[former]
    return formers


def _most_alike(wanted: _Saying, gone: Mapping[str, _Saying], most: int) -> str | None:
    likeness = {name: _likeness(each, wanted) for name, each in islice(gone.items(), most)}
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] >= _ALIKE else None


def _likeness(one: _Saying, other: _Saying) -> float:
    """Say from 0 to 1 how much two definitions are alike, but for their names: by what they say and what they take."""
    if not one.text and one.takes is None:
        return 0.0
    said = 1.0 if one.text == other.text else 0.0
    count = one.words.total() + other.words.total()
    if not said and one.words and other.words:
        said = 2 * (one.words & other.words).total() / count
    return _SAYING * said + (1 - _SAYING) * (one.takes == other.takes)


def _text(value: Any) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _changed_lines(before: Any, after: Any) -> Iterator[str]:
    old, new = _lines(before), _lines(after)
    start = _same(old, new)
    end = _same(old[:start:-1], new[:start:-1])
    # One line of what has stayed shows where it is.
    old, new = (lines[max(start - 1, 0) : len(lines) - max(end - 1, 0)] for lines in (old, new))
    for line in unified_diff(old[:_MOST_LINES], new[:_MOST_LINES], lineterm="", n=1):
        if not line.startswith(("---", "+++", "@@")):
            yield line
    more = max(len(old), len(new)) - _MOST_LINES
    if more > 0:
        yield f" ... and {more} lines more"


def _same(one: list[str], other: list[str]) -> int:
    """Count the lines at the beginning that are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (left, right) in pairs if left != right), min(len(one), len(other)))


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
