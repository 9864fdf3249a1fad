"""Let at most so many through at a time."""

from __future__ import annotations

from collections import deque

from dragoman.aio._runtime import Event, Guard
from dragoman.deadline import Deadline

__all__ = ["Turnstile"]


class Turnstile:
    """At most `limit` are inside; whoever waits gets in by turns. Owns who does."""

    def __init__(self, limit: int) -> None:
        self._guard = Guard()
        self._free = limit
        self._waiting: deque[Event] = deque()

    async def enter(self, deadline: Deadline) -> bool:
        """Go in; False when the deadline came first."""
        turn = Event()
        with self._guard:
            if self._free:
                self._free -= 1
                return True
            self._waiting.append(turn)
        try:
            if await turn.wait(deadline):
                return True
        except BaseException:
            if not self._withdraw(turn):
                self.leave()
            raise
        return not self._withdraw(turn)

    def leave(self) -> None:
        """Go out, and let the next one in."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def _withdraw(self, turn: Event) -> bool:
        """Wait no longer; False when the turn has come already."""
        with self._guard:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return True
            return False
