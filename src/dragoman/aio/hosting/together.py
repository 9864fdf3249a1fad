"""Do several things at once, and wait until all are done or the time is up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from dragoman.aio._runtime import Crew, Event, Guard
from dragoman.deadline import Deadline

__all__ = ["together"]


async def together(crew: Crew, tasks: Iterable[Callable[[], Awaitable[object]]], deadline: Deadline) -> bool:
    """Start all at once; False when the time was up first. What is under way then goes on, and is the crew's.

    A task that returns False ends the waiting for the others.
    """
    started = list(tasks)
    if not started:
        return True
    counter = _Counter(len(started))
    for task in started:
        crew.start(counter.run, task)
    return await counter.done.wait(deadline)


class _Counter:
    """Counts down what is under way; owns how much that is."""

    def __init__(self, count: int) -> None:
        self.done = Event()
        self._guard = Guard()
        self._left = count

    async def run(self, task: Callable[[], Awaitable[object]]) -> None:
        result: object = None
        try:
            result = await task()
        finally:
            with self._guard:
                self._left -= 1
                is_over = not self._left or result is False
            if is_over:
                self.done.set()
