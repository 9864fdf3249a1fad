"""Waiting in threads, each wait until a deadline, or until who waits is called off: mailboxes, events, locks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from queue import Empty, SimpleQueue
from threading import Lock as Guard
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar, cast

from dragoman.deadline import Deadline

__all__ = ["Event", "Guard", "Interrupted", "Lock", "Mailbox", "alone", "heed", "here", "pause", "slice_of"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

# Windows delivers Ctrl-C only between waits. Elsewhere it interrupts them, and an hour is merely a safe number.
_SLICE = 0.1 if sys.platform == "win32" else 3600.0


_LOOK = 0.05
"""Seconds after which a thread that can be called off looks whether it has been."""


class Interrupted(BaseException):
    """What ends the wait of a thread that was called off; it comes once, so that it can see to its own end."""


class _Guarded(Protocol):
    _guard: Guard


class _Own(threading.local):
    called_off: threading.Event | None = None


_own = _Own()


def heed(called_off: threading.Event) -> None:
    """Let the waits of this thread end by `Interrupted` as soon as an event is set."""
    _own.called_off = called_off


def slice_of(deadline: Deadline) -> float:
    """Tell how many seconds to wait at once: until the deadline, or until Ctrl-C has to be looked for.

    Raises:
        Interrupted: this thread was called off.
    """
    called_off = _own.called_off
    if called_off is None:
        return min(deadline.remaining, _SLICE)
    if called_off.is_set():
        _own.called_off = None
        raise Interrupted
    return min(deadline.remaining, _LOOK)


# ------------------------------------------------------------------------------------------------------------- waiting


def here() -> object:
    """Return what waits here need to know of this place: nothing, for threads."""
    return None


class Mailbox(Generic[T]):
    """Things put by anybody and got by one, in order. Owned by the one who gets."""

    __slots__ = ("_items", "put")

    def __init__(self, there: object = None) -> None:  # noqa: ARG002 - threads wait anywhere
        self._items: SimpleQueue[T] = SimpleQueue()
        self.put: Callable[[T], None] = self._items.put
        """Put something in; never waits."""

    def get(self, deadline: Deadline) -> T:
        """Take out the oldest item, waiting for one until the deadline, wherever that has been moved to by then.

        Raises:
            TimeoutError: the deadline came first.
        """
        while True:
            try:
                return self._items.get(timeout=slice_of(deadline))
            except Empty:
                if deadline.expired and not deadline.waits_on():
                    raise TimeoutError from None


def alone(method: F) -> F:
    """Let a method run while nothing else is done under its object's `_guard`."""

    @wraps(method)
    def guarded(self: _Guarded, *args: Any) -> Any:
        with self._guard:  # pyright: ignore[reportPrivateUsage] - it is the object's own, whose method this becomes
            return method(self, *args)

    return cast(F, guarded)


class Event:
    """A fact that others wait for."""

    __slots__ = ("_event", "clear", "is_set", "set")

    def __init__(self) -> None:
        self._event = threading.Event()
        self.set = self._event.set
        """Make it so, and wake all who wait."""
        self.clear = self._event.clear
        """Make it no longer so."""
        self.is_set = self._event.is_set
        """Whether it is so."""

    def wait(self, deadline: Deadline) -> bool:
        """Wait until it is so; False when the deadline came first."""
        while not self._event.wait(slice_of(deadline)):
            if deadline.expired and not deadline.waits_on():
                return False
        return True


class Lock:
    """One at a time: `with lock`, or `acquire` where there is a deadline."""

    __slots__ = ("_lock", "release")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.release = self._lock.release
        """Let the next one have it."""

    def acquire(self, deadline: Deadline) -> bool:
        """Take the lock; False when the deadline came first."""
        while not self._lock.acquire(timeout=slice_of(deadline)):
            if deadline.expired and not deadline.waits_on():
                return False
        return True

    def __enter__(self) -> None:
        self.acquire(Deadline.never())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


def pause(seconds: float) -> None:
    """Let some seconds go by."""
    if _own.called_off is None:
        time.sleep(seconds)
        return
    deadline = Deadline(seconds)
    while not deadline.expired:
        time.sleep(slice_of(deadline))
