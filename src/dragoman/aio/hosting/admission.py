"""How much is asked of one server: so many at a time, so often, and nothing for a while once it has failed too often."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from dragoman.aio._runtime import Guard, pause
from dragoman.aio.hosting.turnstile import Turnstile
from dragoman.deadline import Deadline, now
from dragoman.errors import ConnectionLost, McpTimeout, OutcomeUnknown, ServerError, TransportError
from dragoman.host.limits import Breaker, BreakerPolicy, Rate

__all__ = ["Admission"]

R = TypeVar("R")

_MANY = 1_000_000


class Admission:
    """The limits of one server; owns how its last requests went.

    Attributes:
        latency: the seconds that the last request took; None before the first.
    """

    def __init__(self, name: str, policy: BreakerPolicy, at_once: int | None, rate: tuple[int, float] | None) -> None:
        self.latency: float | None = None
        self._name = name
        self._breaker = Breaker(policy)
        self._turnstile = Turnstile(at_once or _MANY)
        self._rate = Rate(*rate) if rate else None
        self._guard = Guard()

    @property
    def is_paused(self) -> bool:
        """Whether it is left alone."""
        return self._breaker.is_open

    async def enter(self, method: str, deadline: Deadline) -> None:
        """Wait for a turn; whoever has got one has to `leave`.

        Raises:
            McpTimeout: none came in time.
            ConnectionLost: the server is left alone for a while.
        """
        if not await self._turnstile.enter(deadline):
            raise self._late(method, deadline)
        try:
            await self._paced(method, deadline)
            self._check()
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Let the next one have a turn."""
        self._turnstile.leave()

    async def measured(self, perform: Callable[[], Awaitable[R]]) -> R:
        """Perform a request, and note how it went."""
        began = now()
        try:
            result = await perform()
        except (TransportError, McpTimeout, OutcomeUnknown):
            with self._guard:
                self._breaker.failed(now())
            raise
        except BaseException as error:
            with self._guard:
                # An error that the server has answered by is an answer.
                self._breaker.succeeded() if isinstance(error, ServerError) else self._breaker.gave_up()
            raise
        with self._guard:
            self._breaker.succeeded()
        self.latency = now() - began
        return result

    async def _paced(self, method: str, deadline: Deadline) -> None:
        if self._rate is None:
            return
        with self._guard:
            turn = self._rate.turn(now(), deadline.at)
        if turn is None:
            raise self._late(method, deadline)
        wait = turn - now()
        if wait > 0:
            try:
                await pause(wait)
            except BaseException:
                with self._guard:
                    self._rate.give_back(turn)
                raise

    def _check(self) -> None:
        with self._guard:
            wait = self._breaker.closed_for(now())
        if wait:
            raise ConnectionLost(
                f"it failed too often, and is left alone for {wait:.0f} s",
                was_sent=False,
                server=self._name,
                hint="`restart` tries it at once",
            )

    def _late(self, method: str, deadline: Deadline) -> McpTimeout:
        return McpTimeout(
            f"no turn came in {deadline.span:.3g} s: it is asked too much",
            method=method,
            waited=deadline.waited,
            phase="queueing",
            was_sent=False,
            server=self._name,
            hint="raise `at_once` or `rate`, or the time-out",
        )
