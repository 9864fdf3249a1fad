"""Messages that wait to leave, each at its place among all that were: what has not begun to can be taken back."""

from __future__ import annotations

from itertools import islice

from dragoman.deadline import now

__all__ = ["PIECE", "STILL", "WIDE", "Backlog", "is_long"]

PIECE = 65536
"""Bytes to read or write at once: what a pipe holds on most systems."""

WIDE = 1 << 20
"""Bytes to read at once in the middle of a long message, and that pipes hold which are made for that."""

_MANY = 256
"""How many messages are written at once: systems take 1,024 or fewer."""

STILL = 1.0
"""Seconds after which a program that reads none of what waits for it is called still."""


def is_long(data: bytes) -> bool:
    """Tell whether a piece that was read is of a message that goes on, by its end alone: all of it is searched later."""
    return len(data) >= PIECE and b"\n" not in data[-PIECE:]


class Backlog:
    """What waits for room in a pipe. Owned by the pipe's writer, who alone takes from its front.

    Positions count all bytes that were ever to be written, those that were withdrawn or dropped too: of a message that
    has begun to leave, `taken` is past its position.

    Attributes:
        taken: up to where all has left. Setting it is all it takes to note that something has: one step, which nothing
            can interrupt, so that no byte is ever written twice.
        end: where the next message begins.
        messages: what waits, by position. The first may have left in part, or even whole.
        whole: how many bytes these messages have, with what has left of the first.
        moved: when something last left, or began to wait for that, in seconds of the monotonic clock.
    """

    __slots__ = ("end", "messages", "moved", "taken", "whole")

    def __init__(self) -> None:
        self.taken = 0
        self.end = 0
        self.messages: dict[int, bytes] = {}
        self.whole = 0
        self.moved = 0.0

    @property
    def size(self) -> int:
        """How many bytes wait."""
        if not self.messages:
            return 0
        return self.whole - max(0, self.taken - next(iter(self.messages)))

    @property
    def is_still(self) -> bool:
        """Whether something waits, and nothing has left for a second or longer."""
        return bool(self.messages) and now() - self.moved >= STILL

    def add(self, data: bytes) -> int:
        """Let a message wait behind all others, and return its position."""
        if not self.messages:
            self.moved = now()
        position, size = self.end, len(data)
        self.end = position + size
        self.whole += size
        self.messages[position] = data
        return position

    def first(self) -> memoryview | None:
        """Return what is left of the message whose turn it is, or None when none waits."""
        while self.messages:
            position = next(iter(self.messages))
            data = self.messages[position]
            # Between what has left and this may have been what was withdrawn.
            self.taken = max(self.taken, position)
            if self.taken < position + len(data):
                return memoryview(data)[self.taken - position :]
            del self.messages[position]
            self.whole -= len(data)
        return None

    def front(self) -> list[memoryview | bytes]:
        """Return what is left of the first messages, as many as are written at once."""
        first = self.first()
        return [] if first is None else [first, *islice(self.messages.values(), 1, _MANY)]

    def advance(self, size: int) -> None:
        """Note that so many bytes of the front have left."""
        if self.taken + size == self.end:
            self.taken = self.end
            self.clear()
            return
        self.moved = now()
        for position, data in list(islice(self.messages.items(), _MANY)):
            begun = max(self.taken, position)
            left = position + len(data) - begun
            self.taken = begun + min(size, left)
            if size < left:
                return
            size -= left
            self._remove(position)

    def withdraw(self, position: int) -> bool:
        """Let the message at a position leave no more; False when it has begun to."""
        if self.taken > position:
            return False
        if position in self.messages:
            self._remove(position)
        return True

    def clear(self) -> None:
        """Let nothing leave any more of what waits."""
        self.messages.clear()
        self.whole = 0

    def _remove(self, position: int) -> None:
        self.whole -= len(self.messages.pop(position))
