"""Loops and sockets, as the engines meet them on asyncio: each name has a twin of the same meaning in the sync colour."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import suppress
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from dragoman.aio._waiting import alarm_of
from dragoman.deadline import Deadline

if TYPE_CHECKING:
    import httpcore2

__all__ = ["Ending", "here", "is_over", "network_backend", "patience", "shut", "span_of", "through", "within"]


def here() -> Hashable:
    """Return what connections belong to: this loop."""
    return asyncio.get_running_loop()


def is_over(place: Hashable) -> bool:
    """Whether nobody can be in a place any more."""
    return isinstance(place, asyncio.AbstractEventLoop) and place.is_closed()


class Ending:
    """Something to be closed when it is no longer needed, or when the loop ends before that."""

    def __init__(self, close: Callable[[], Awaitable[None]]) -> None:
        self._close = close
        self._watch: AsyncGenerator[None, None] | None = None

    async def begin(self) -> None:
        """Watch for the end of the loop; never waits."""
        # A loop says that it ends to its unfinished generators alone: `shutdown_asyncgens`, which `asyncio.run` calls.
        self._watch = self._until_the_end()
        await anext(self._watch)

    async def _until_the_end(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            await self._close()

    async def reach(self) -> None:
        """Close it now."""
        if self._watch is not None:
            await self._watch.aclose()


class within:  # noqa: N801 - used like a function
    """Raise TimeoutError in the block when the deadline comes, wherever that has been moved to by then."""

    __slots__ = ("_alarm", "_bell", "_cancelled_before", "_deadline", "_rang", "_task")

    def __init__(self, deadline: Deadline, _wake: Callable[[], None] | None = None) -> None:
        self._deadline = deadline
        self._rang = False
        self._bell: asyncio.Future[None] | None = None

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None, "a request is sent from a task"
        self._task: asyncio.Task[Any] = task
        self._cancelled_before = task.cancelling()
        if self._deadline.at < inf:
            self._arm()

    def _arm(self) -> None:
        # Not a timer for each block: the loop's own alarm looks after all of them with one.
        loop = self._task.get_loop()
        self._alarm = alarm_of(loop)
        self._bell = loop.create_future()
        self._bell.add_done_callback(self._ring)
        self._alarm.watch(self._bell, self._deadline)

    def _disarm(self) -> None:
        if self._bell is not None:
            del self._alarm.waiting[self._bell]
            self._bell = None

    def _ring(self, bell: asyncio.Future[None]) -> None:
        if bell is not self._bell:  # the block was left just before
            return
        self._disarm()
        if not self._deadline.expired or self._deadline.waits_on():
            self._arm()
            return
        self._rang = True
        self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._disarm()
        if self._rang and self._task.uncancel() <= self._cancelled_before and kind is asyncio.CancelledError:
            raise TimeoutError from error


def patience(_: Deadline) -> float | None:
    """Return the seconds to wait before the deadline is looked at again: none, as `within` ends the wait."""
    return None


def span_of(_: Deadline) -> float | None:
    """Return the seconds to give to what cannot be told later that it may wait longer: none, as `within` ends it."""
    return None


def shut(connection: Any) -> None:
    """Shut a socket down, so that whoever waits on it wakes."""
    with suppress(OSError):  # it is closed already
        connection.shutdown(socket.SHUT_RDWR)


# --------------------------------------------------------------------------------------------------------- httpcore2


def network_backend() -> httpcore2.AsyncNetworkBackend:
    """Return what connects for httpcore2."""
    import httpcore2

    # A class of two definitions, one for where anyio is missing.
    return cast(httpcore2.AsyncNetworkBackend, httpcore2.AnyIOBackend())


def through(pool: httpcore2.AsyncConnectionPool, request: httpcore2.Request) -> Awaitable[httpcore2.Response]:
    """Send a request through a pool."""
    return pool.handle_async_request(request)
