"""Count what tools cost in tokens, and find the few that fit a task when all of them would cost too much."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import log
from typing import Any

import msgspec
from msgspec import Struct

from dragoman.errors import ProtocolError
from dragoman.types import JsonObject, Tool, is_object

__all__ = ["Costs", "estimate_tokens", "search"]

_CHARACTERS_PER_TOKEN = 3.5
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# A word in a tool's name tells more than one in its description.
_WEIGHTS = (("name", 5.0), ("title", 3.0), ("description", 1.0))


class Costs(Struct, frozen=True):
    """What tools cost, in tokens.

    Attributes:
        by_tool: by the name that the model knows.
        by_server: by the server's name; functions of this program are under "".
    """

    by_tool: dict[str, int]
    by_server: dict[str, int]

    @property
    def total(self) -> int:
        """The sum of all."""
        return sum(self.by_tool.values())

    @classmethod
    def of(cls, definitions: Iterable[tuple[str, str, Any]], count: Callable[[str], int] | None = None) -> Costs:
        """Count definitions, each given as the server's name, the tool's and the JSON; `count` counts a text's tokens."""
        by_tool: dict[str, int] = {}
        by_server: Counter[str] = Counter()
        for server, name, json in definitions:
            by_tool[name] = (count or estimate_tokens)(msgspec.json.encode(json).decode())
            by_server[server] += by_tool[name]
        return cls(by_tool, dict(by_server))


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text is; providers differ by some 20 %."""
    return round(len(text) / _CHARACTERS_PER_TOKEN + 0.5)


def search(tools: Iterable[Tool], query: str, limit: int = 5) -> list[Tool]:
    """Find the tools that fit a query best, by words of their names, descriptions and arguments; the best comes first."""
    candidates = list(tools)
    words = [_weights(tool) for tool in candidates]
    rarity = Counter(word for each in words for word in each)
    wanted = set(_words(query))
    scores = [sum(each.get(word, 0.0) * _worth(rarity[word], len(words)) for word in wanted) for each in words]
    ranked = sorted(range(len(candidates)), key=lambda index: (-scores[index], candidates[index].name))
    return [candidates[index] for index in ranked if scores[index] > 0][:limit]


def _worth(tools: int, total: int) -> float:
    return log(1 + total / tools) if tools else 0.0


def _weights(tool: Tool) -> dict[str, float]:
    found: Counter[str] = Counter()
    for attribute, weight in _WEIGHTS:
        for word in set(_words(getattr(tool, attribute) or "")):
            found[word] += weight  # type: ignore[assignment]  # a counter of floats
    for word in {word for name in _properties(tool) for word in _words(name)}:
        found[word] += 1
    return dict(found)


def _properties(tool: Tool) -> JsonObject:
    try:
        schema: Any = tool.input_schema
    except ProtocolError:  # nested too deep to be read: whoever defines the tool says so
        return {}
    properties = schema.get("properties") if is_object(schema) else None
    return properties if is_object(properties) else {}


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(_CAMEL.sub(" ", text)):
        folded = word.casefold()
        yield folded
        # Nobody minds whether it is "file" or "files".
        if folded.endswith("s") and len(folded) > 3:
            yield folded[:-1]
