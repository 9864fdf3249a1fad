"""Waiting on asyncio, each wait until a deadline: mailboxes, events, locks."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from math import inf
from threading import Lock as Guard
from types import TracebackType
from typing import Any, Generic, TypeVar

from dragoman.deadline import Deadline

__all__ = [
    "Alarm",
    "CutOff",
    "Event",
    "Guard",
    "Lock",
    "Mailbox",
    "alarm_of",
    "alone",
    "before",
    "here",
    "pause",
    "within",
]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


# ------------------------------------------------------------------------------------------------------------ deadlines


class Alarm:
    """Wakes the waiters of one loop whose deadline has come; owned by that loop.

    One timer serves them all: while deadlines come in the order in which they were set, as those of equal calls do,
    a wait neither makes nor cancels one.
    """

    __slots__ = ("_timer", "at", "loop", "waiting")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.waiting: dict[asyncio.Future[None], Deadline] = {}
        self.at = inf
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, waiter: asyncio.Future[None], deadline: Deadline) -> None:
        """Wake a waiter when its deadline has come, wherever that has been moved to by then."""
        self.waiting[waiter] = deadline
        if deadline.at < self.at:
            self.arm(deadline)

    async def wait(self, waiter: asyncio.Future[None], deadline: Deadline) -> None:
        """Wait until the waiter is woken, or until the deadline, which may move while it is waited for."""
        self.watch(waiter, deadline)
        try:
            await waiter
        finally:
            del self.waiting[waiter]

    def arm(self, deadline: Deadline) -> None:
        """Ring when this deadline has come, if no other is to come first."""
        if self._timer is not None:
            self._timer.cancel()
        self.at = deadline.at
        # A millisecond more: clocks that count in milliseconds would ring before the deadline, again and again.
        self._timer = self.loop.call_later(deadline.remaining + 0.001, self._ring)

    def _ring(self) -> None:
        self._timer, self.at = None, inf
        later: Deadline | None = None
        for waiter, deadline in self.waiting.items():
            if deadline.expired:
                _wake(waiter)
            elif later is None or deadline.at < later.at:
                later = deadline
        if later is not None and later.at < inf:
            self.arm(later)


_alarms: dict[asyncio.AbstractEventLoop, Alarm] = {}


def alarm_of(loop: asyncio.AbstractEventLoop) -> Alarm:
    """Return the alarm of a loop."""
    return _alarms.get(loop) or _new_alarm(loop)


def here() -> Alarm:
    """Return what waits here need to know of this place: who waits often in one place asks but once."""
    return alarm_of(asyncio.get_running_loop())


def _new_alarm(loop: asyncio.AbstractEventLoop) -> Alarm:
    for other in list(_alarms):
        if other.is_closed():
            _alarms.pop(other, None)
    alarm = _alarms[loop] = Alarm(loop)
    return alarm


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        with contextlib.suppress(RuntimeError):  # its loop is closed
            waiter.set_result(None)


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


# ------------------------------------------------------------------------------------------------------------- waiting


class Mailbox(Generic[T]):
    """Things put by anybody and got by one, in order. Owned by the one who gets, `there` if that is known before."""

    __slots__ = ("_items", "_there", "_waiter")

    def __init__(self, there: Alarm | None = None) -> None:
        self._items: deque[T] = deque()
        self._there = there
        self._waiter: asyncio.Future[None] | None = None

    def put(self, item: T) -> None:
        """Put something in; never waits."""
        self._items.append(item)
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            try:  # noqa: SIM105 - every answer comes by here, and a `with` takes longer
                waiter.set_result(None)
            except RuntimeError:  # its loop is closed
                pass

    async def get(self, deadline: Deadline) -> T:
        """Take out the oldest item, waiting for one until the deadline, wherever that has been moved to by then.

        Raises:
            TimeoutError: the deadline came first.
        """
        # Written out in one piece: every call of every client waits here.
        items = self._items
        while not items:
            alarm = self._there or here()
            waiter = self._waiter = alarm.loop.create_future()
            alarm.waiting[waiter] = deadline
            if deadline.at < alarm.at:
                alarm.arm(deadline)
            try:
                await waiter
            finally:
                del alarm.waiting[waiter]
                self._waiter = None
            if not items and deadline.expired and not deadline.waits_on():
                raise TimeoutError
        return items.popleft()


def alone(method: F) -> F:
    """Let a method that awaits nothing run while nothing else is done under its object's `_guard`: here that is so anyway."""
    return method


class Event:
    """A fact that others wait for.

    Attributes:
        bells: what is called when it comes to be so.
    """

    __slots__ = ("_is_set", "_waiters", "bells")

    def __init__(self) -> None:
        self.bells: set[Callable[[], None]] = set()
        self._is_set = False
        self._waiters: set[asyncio.Future[None]] = set()

    def is_set(self) -> bool:
        """Whether it is so."""
        return self._is_set

    def set(self) -> None:
        """Make it so, and wake all who wait."""
        self._is_set = True
        for waiter in self._waiters:
            _wake(waiter)
        for ring in tuple(self.bells):
            ring()

    def clear(self) -> None:
        """Make it no longer so."""
        self._is_set = False

    async def wait(self, deadline: Deadline) -> bool:
        """Wait until it is so; False when the deadline came first."""
        while not self._is_set:
            if deadline.expired and not deadline.waits_on():
                return False
            await self._wait(deadline)
        return True

    async def _wait(self, deadline: Deadline) -> None:
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiters.add(waiter)
        try:
            await alarm_of(loop).wait(waiter, deadline)
        finally:
            self._waiters.discard(waiter)


class CutOff(Exception):
    """Something was waited for in vain: what was to come after it has come first."""


class before:  # noqa: N801 - used like a function
    """Raise CutOff in the block when the event comes."""

    __slots__ = ("_cancelled_before", "_event", "_rang", "_task")

    def __init__(self, event: Event) -> None:
        self._event = event
        self._rang = False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None, "an application is asked from a task"
        self._task: asyncio.Task[Any] = task
        self._cancelled_before = task.cancelling()
        self._event.bells.add(self._ring)
        if self._event.is_set():
            self._cut_off()

    def _ring(self) -> None:
        # Whoever makes it so within the block, as a handler that closes its client, is not to be stopped by that.
        if asyncio.current_task(self._task.get_loop()) is not self._task:
            self._cut_off()

    def _cut_off(self) -> None:
        self._rang = True
        self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._event.bells.discard(self._ring)
        if self._rang and self._task.uncancel() <= self._cancelled_before and kind is asyncio.CancelledError:
            raise CutOff from error


class Lock:
    """One at a time, in the order of asking: `async with lock`, or `acquire` where there is a deadline."""

    __slots__ = ("_is_held", "_waiters")

    def __init__(self) -> None:
        self._is_held = False
        self._waiters: deque[Event] = deque()

    async def acquire(self, deadline: Deadline) -> bool:
        """Take the lock; False when the deadline came first."""
        if not self._is_held:
            self._is_held = True
            return True
        turn = Event()
        self._waiters.append(turn)
        try:
            return await turn.wait(deadline) or self._withdraw(turn)
        except asyncio.CancelledError:
            if self._withdraw(turn):
                self.release()
            raise

    def _withdraw(self, turn: Event) -> bool:
        """Stop waiting; True when the lock had been handed over already."""
        if turn.is_set():
            return True
        self._waiters.remove(turn)
        return False

    def release(self) -> None:
        """Hand the lock to whoever has waited longest."""
        if self._waiters:
            self._waiters.popleft().set()
        else:
            self._is_held = False

    async def __aenter__(self) -> None:
        await self.acquire(Deadline.never())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


async def pause(seconds: float) -> None:
    """Let some seconds go by."""
    await asyncio.sleep(seconds)
