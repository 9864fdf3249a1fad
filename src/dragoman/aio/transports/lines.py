"""What a channel needs of the line below it: where the bytes of all exchanges go, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dragoman.deadline import Deadline

__all__ = ["Answered", "Forked", "Line", "Unwritten"]


class Unwritten(TimeoutError):
    """A message could not be written in time; `is_partial` says that some of it was."""

    def __init__(self, *, is_partial: bool) -> None:
        super().__init__()
        self.is_partial = is_partial


class Answered:
    """Whether a request has been answered, for the line that may be busy with it still.

    Attributes:
        is_so: whether it has.
        then: what is done as soon as it has.
    """

    __slots__ = ("is_so", "then")

    def __init__(self) -> None:
        self.is_so = False
        self.then: Callable[[], object] | None = None

    def come(self) -> None:
        """Note that it has."""
        self.is_so = True
        if self.then is not None:
            self.then()


class Line(Protocol):
    """Where the bytes of all exchanges go."""

    @property
    def taken(self) -> int:
        """Up to which position all that was written has left."""
        ...

    @property
    def is_still(self) -> bool:
        """Whether something waits to leave, and nothing has left for a second or longer."""
        ...

    def offer(self, data: bytes, /) -> int | None:
        """Write a message if that takes no waiting, and return its position; None when `write` has to."""
        ...

    async def write(self, data: bytes, deadline: Deadline) -> int:
        """Write a message whole, and return its position, which `taken` passes as soon as its first byte leaves.

        Raises:
            Unwritten: the deadline came first.
        """
        ...

    def write_soon(self, data: bytes) -> None:
        """Write a message when there is room for it; never waits."""
        ...

    def withdraw(self, position: int) -> bool:
        """Let a message leave no more; False when it has begun to."""
        ...

    def stop(self) -> None:
        """Let nothing leave any more of what waits; never waits."""
        ...


class Forked(Protocol):
    """A line whose answers come another way than messages leave: one may be there before its message has left."""

    async def write_until(self, answered: Answered, data: bytes, deadline: Deadline, /) -> int:
        """Write a request as `Line.write` does, and do not wait for the end of that much longer than for its answer."""
        ...
