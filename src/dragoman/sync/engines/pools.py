# generated from src/dragoman/aio/engines/pools.py by tools/unasync.py; do not edit
"""Connections shared by all engines with the same options, for as long as any of them is in use."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Generic, Protocol, TypeVar

from dragoman.deadline import now
from dragoman.errors import ConnectionLost, McpError
from dragoman.sync._runtime import Guard
from dragoman.sync.engines._runtime import Ending, here, is_over
from dragoman.web.messages import Origin
from dragoman.web.options import HttpOptions

__all__ = [
    "CONNECTIONS",
    "IDLE",
    "Membership",
    "Pool",
    "Pools",
    "closes_early",
    "is_worth_using",
    "learn_early_close",
    "learned",
]

CONNECTIONS = 256
"""Connections to one host at most; further requests wait for one, within their deadline."""

IDLE = 4.0
"""Seconds that an unused connection is kept: Node closes it after 5, and one closed under a request is a request lost."""


_WARY = 30.0
_MOST_KNOWN = 1000

_early: dict[Origin, float] = {}


def closes_early(origin: Origin) -> bool:
    """Whether a server has lately closed a connection that it had let us keep: then none of its is used twice for now.

    What is sent just as it closes the next would be lost, and for most requests nobody can know whether they ran.
    """
    return origin in _early and now() < _early.get(origin, 0.0)


def learn_early_close(origin: Origin) -> None:
    """Note that a server has done so."""
    if len(_early) >= _MOST_KNOWN:
        _early.clear()
    _early[origin] = now() + _WARY


def learned(failed: McpError, origin: Origin) -> McpError:
    """Note what the failure of a request tells of a server, and return it."""
    if isinstance(failed, ConnectionLost):
        learn_early_close(origin)
    return failed


def is_worth_using(origin: Origin, used_at: float, *, is_open: bool) -> bool:
    """Whether a kept connection, used last at some time, may be used once more; learns from one that was closed early."""
    if now() - used_at >= IDLE:
        return False
    if not is_open:
        learn_early_close(origin)
    return is_open and not closes_early(origin)


class Pool(Protocol):
    """Connections, and what is needed to make more."""

    def close(self) -> None: ...


P = TypeVar("P", bound=Pool)


class _Shared(Generic[P]):
    """A pool and the number of those who use it."""

    __slots__ = ("ending", "pool", "users")

    def __init__(self, pool: P, ending: Ending) -> None:
        self.pool = pool
        self.ending = ending
        self.users = 0


class Pools(Generic[P]):
    """All pools of one engine, one for each place (a loop, or a process) and set of options."""

    def __init__(self, make: Callable[[HttpOptions], P]) -> None:
        self._make = make
        self._guard = Guard()
        self._shared: dict[tuple[Hashable, HttpOptions], _Shared[P]] = {}

    def join(self, place: Hashable, options: HttpOptions) -> P:
        """Return the pool for some options, made if it is not there; it stays until everybody has left."""
        begun: Ending | None = None
        with self._guard:
            self._drop_abandoned()
            shared = self._shared.get((place, options))
            if shared is None:
                pool = self._make(options)
                begun = Ending(partial(self._end, place, options, pool))
                shared = self._shared[place, options] = _Shared(pool, begun)
            shared.users += 1
        if begun is not None:
            begun.begin()
        return shared.pool

    def leave(self, place: Hashable, options: HttpOptions) -> None:
        """Stop using a pool; the last one closes it."""
        with self._guard:
            shared = self._shared.get((place, options))
            if shared is None:
                return
            shared.users -= 1
            if shared.users:
                return
            del self._shared[place, options]
        shared.ending.reach()

    def _end(self, place: Hashable, options: HttpOptions, pool: P) -> None:
        with self._guard:
            shared = self._shared.get((place, options))
            if shared is not None and shared.pool is pool:
                del self._shared[place, options]
        pool.close()

    def _drop_abandoned(self) -> None:
        for key in [key for key in self._shared if is_over(key[0])]:
            del self._shared[key]


class Membership(Generic[P]):
    """One engine's use of a pool: where it is, it has the pool of this place.

    Owned by the engine; begun at its first request, and anew in another loop or after a fork.
    """

    __slots__ = ("_guard", "_options", "_place", "_pool", "_pools")

    def __init__(self, pools: Pools[P], options: HttpOptions) -> None:
        self._pools = pools
        self._options = options
        self._guard = Guard()
        self._place: Hashable = None
        self._pool: P | None = None

    def pool(self) -> P:
        """Return the pool to use here."""
        place = here()
        pool = self._pool
        if pool is None or self._place != place:
            with self._guard:  # joining never waits
                pool = self._join(place)
        return pool

    def _join(self, place: Hashable) -> P:
        if self._pool is None or self._place != place:
            self._pool = self._pools.join(place, self._options)
            self._place = place
        return self._pool

    def end(self) -> None:
        """Stop using the pool. Harmless when none is in use."""
        pool, self._pool = self._pool, None
        if pool is not None and self._place == here():
            self._pools.leave(self._place, self._options)
