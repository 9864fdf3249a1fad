"""Decide which of several calls may run now: so many at once, and of one tool so many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

__all__ = ["Schedule", "ToolLimits"]


class ToolLimits(Struct, frozen=True):
    """How much a runner does.

    Attributes:
        at_once: how many calls of one run go on at the same time; 1 makes them one after the other, in their order.
        at_once_per_tool: the same for single tools, by name.
        calls: how many calls the runner makes in its life, None for any number; those beyond are told so.
        calls_per_tool: the same for single tools, by name.
    """

    at_once: int = 8
    at_once_per_tool: Mapping[str, int] = {}
    calls: int | None = None
    calls_per_tool: Mapping[str, int] = {}

    def exceeded(self, name: str, made: Counter[str]) -> str | None:
        """Say which limit one more call would break, given the calls that were made; None when it may be made."""
        if self.calls is not None and made.total() >= self.calls:
            return f"the limit of {self.calls} tool calls is reached"
        most = self.calls_per_tool.get(name)
        if most is not None and made[name] >= most:
            return f"the limit of {most} calls of {name} is reached"
        return None


class Schedule:
    """The calls of one run, by position; owned by it. At most `limits.at_once` run, in their order where they may."""

    def __init__(self, names: Sequence[str], limits: ToolLimits, exclusive: frozenset[str] = frozenset()) -> None:
        self._waiting = list(enumerate(names))
        self._names = names
        self._limits = limits
        self._exclusive = exclusive
        self._running: Counter[str] = Counter()

    @property
    def is_done(self) -> bool:
        """Whether nothing waits and nothing runs."""
        return not self._waiting and not self._running.total()

    def startable(self) -> Iterator[int]:
        """Give the positions of the calls to start now; they run from then on."""
        for position, name in list(self._waiting):
            if self._running.total() >= max(1, self._limits.at_once):
                return
            if self._running[name] < self._most(name):
                self._running[name] += 1
                self._waiting.remove((position, name))
                yield position

    def ended(self, position: int) -> None:
        """Note that a call has ended."""
        self._running[self._names[position]] -= 1

    def _most(self, name: str) -> int:
        most = max(1, self._limits.at_once_per_tool.get(name, self._limits.at_once))
        return 1 if name in self._exclusive else most
