"""Keep one bad or slow server from being asked for ever, and a busy one from being asked too often."""

from __future__ import annotations

from collections import deque

from msgspec import Struct

__all__ = ["Breaker", "BreakerPolicy", "Rate"]


class BreakerPolicy(Struct, frozen=True):
    """When a server is given up for a while: after `failures` in a row, for `seconds`."""

    failures: int = 5
    seconds: float = 30.0


class Breaker:
    """Whether a server is worth asking; owns how its last requests went.

    After failures in a row nobody asks for a while; then one request tries, and decides. Times are of one clock, in
    seconds.
    """

    def __init__(self, policy: BreakerPolicy) -> None:
        self._policy = policy
        self._failures = 0
        self._open_until: float | None = None
        self._is_tried = False

    @property
    def is_open(self) -> bool:
        """Whether requests are refused, or only one is let through."""
        return self._open_until is not None

    def closed_for(self, now: float) -> float:
        """Give the seconds until one may ask; 0 lets the request through."""
        if self._open_until is None:
            return 0.0
        if now < self._open_until:
            return self._open_until - now
        if self._is_tried:
            return self._policy.seconds
        self._is_tried = True
        return 0.0

    def succeeded(self) -> None:
        """Note that the server answered, whatever it said."""
        self._failures = 0
        self._open_until = None
        self._is_tried = False

    def failed(self, now: float) -> None:
        """Note that it did not."""
        self._failures += 1
        if self._is_tried or self._failures >= self._policy.failures:
            self._open_until = now + self._policy.seconds
        self._is_tried = False

    def gave_up(self) -> None:
        """Note that nothing came of a request through no fault of the server's."""
        self._is_tried = False


class Rate:
    """At most `count` in any `seconds`; owns when the last ones were, and when those come that wait for their turn."""

    def __init__(self, count: int, seconds: float) -> None:
        self._count = count
        self._seconds = seconds
        self._turns: deque[float] = deque()

    def turn(self, now: float, latest: float) -> float | None:
        """Take the next turn, and give when it comes; None, and nothing is taken, if that is after `latest`."""
        turns = self._turns
        while len(turns) > self._count and turns[0] + self._seconds <= now:
            turns.popleft()
        turn = max(now, turns[-self._count] + self._seconds) if len(turns) >= self._count else now
        if turn > latest:
            return None
        turns.append(turn)
        return turn

    def give_back(self, turn: float) -> None:
        """Let somebody else have a turn that nobody has used."""
        self._turns.remove(turn)
