"""Loops and sockets, as the engines meet them on asyncio: each name has a twin of the same meaning in the sync colour."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from dragoman.aio._waiting import within
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
