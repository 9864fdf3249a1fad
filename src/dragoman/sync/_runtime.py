"""Waiting and background work with threads: each name here has a twin of the same meaning in the async colour's runtime."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from dragoman.deadline import Deadline
from dragoman.errors import UsageError
from dragoman.sync._home import Home
from dragoman.sync._waiting import Event, Guard, Interrupted, Lock, Mailbox, alone, heed, here, pause, slice_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

__all__ = [
    "Courier",
    "Crew",
    "CutOff",
    "Event",
    "GaveUp",
    "Guard",
    "Home",
    "Interrupted",
    "Lock",
    "Mailbox",
    "Opening",
    "Stage",
    "alone",
    "call_before",
    "call_foreign",
    "here",
    "in_time",
    "opening",
    "pause",
    "slice_of",
]

T = TypeVar("T")

log = logging.getLogger("dragoman.sync")

_ENDING = 5.0
"""Seconds that ending background work may take before what is left of it is left behind, and said to be."""

_HASTE = 0.5
"""The same where somebody wants to be gone: what has not ended by then is a function of the application's."""

# ----------------------------------------------------------------------------------------------------- background work


class Crew:
    """All the background work of one owner; none of it outlives `end`.

    Attributes:
        closing: set when the work is to end. A thread cannot be interrupted: it waits on this.
            Those of a crew that is interruptible can be while they wait for something of this library's.
    """

    def __init__(self, name: str, *, is_interruptible: bool = False) -> None:
        self.name = name
        self.closing = Event()
        self._called_off = threading.Event() if is_interruptible else None
        self._guard = Guard()
        self._members: set[threading.Thread] = set()

    def start(self, function: Callable[..., object], *arguments: Any) -> Callable[[], None]:
        """Run a function in the background; nothing happens once the crew has ended.

        What it raises is logged. What is given interrupts all of the crew, where that can be, and nothing elsewhere.
        """
        thread = threading.Thread(
            target=self._work, args=(function, arguments), name=f"dragoman {self.name}", daemon=True
        )
        with self._guard:
            if self.closing.is_set():
                return _nothing
            self._members.add(thread)
        try:
            thread.start()
        except RuntimeError:  # the interpreter is ending, and starts no threads any more
            self._members.discard(thread)
        return _nothing if self._called_off is None else self._called_off.set

    def _work(self, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        if self._called_off is not None:
            heed(self._called_off)
        try:
            function(*arguments)
        except Interrupted:
            log.debug("%s: background work was called off: %s", self.name, _name_of(function))
        except BaseException:  # noqa: BLE001 - nobody waits for background work: its failure is said here or nowhere
            log.exception("%s: background work failed: %s", self.name, _name_of(function))
        finally:
            with self._guard:
                self._members.discard(threading.current_thread())

    def end(self, *, in_haste: bool = False) -> None:
        """Ask all members to end and see them off, within a bounded time; a member may call this itself."""
        with self._guard:
            self.closing.set()
            members = self._members - {threading.current_thread()}
        if self._called_off is not None:
            self._called_off.set()
        _join(self.name, members, _HASTE if in_haste else _ENDING)


def _nothing() -> None:
    pass


def _join(name: str, threads: set[threading.Thread], patience: float = _ENDING) -> None:
    deadline = Deadline(patience)
    for thread in threads:
        while thread.is_alive() and not deadline.expired:
            thread.join(slice_of(deadline))
        if thread.is_alive():
            log.warning("%s: background work did not end in %g s: %s", name, patience, thread.name)


def _name_of(function: Callable[..., object]) -> str:
    return getattr(function, "__qualname__", None) or repr(function)


class Courier:
    """Delivers calls of the application's functions: in order, one at a time, each failure logged and by itself.

    A delivered function may call the client, even close it. At most 10,000 wait; what comes on top is dropped.
    """

    LIMIT = 10_000
    PATIENCE = 2.0
    """Seconds that `end` grants to what still waits to be delivered."""
    LINGER = 1.0
    """Seconds that the thread stays for the next call before it ends."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dropped = 0
        self._waiting: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._changed = threading.Condition()
        self._runner: threading.Thread | None = None
        self._is_ended = False

    def send(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have a function called, after all that was sent before it; never waits."""
        with self._changed:
            if self._is_ended:
                return
            if len(self._waiting) >= self.LIMIT:
                self._drop()
                return
            self._waiting.append((function, arguments))
            self._changed.notify()
            if self._runner is None:
                self._runner = threading.Thread(
                    target=self._deliver, name=f"dragoman {self.name} callbacks", daemon=True
                )
                self._runner.start()

    def _drop(self) -> None:
        self.dropped += 1
        if self.dropped == 1:
            log.warning("%s: %d callbacks wait already; further ones are dropped", self.name, self.LIMIT)

    def _deliver(self) -> None:
        while (call := self._next()) is not None:
            function, arguments = call
            try:
                call_foreign(function, *arguments)
            except BaseException:  # noqa: BLE001 - the application's code: even its exit concerns no other callback
                log.exception("%s: the callback %s raised", self.name, _name_of(function))

    def _next(self) -> tuple[Callable[..., object], tuple[Any, ...]] | None:
        with self._changed:
            if not self._waiting and not self._is_ended:
                self._changed.wait(self.LINGER)
            if self._waiting:
                return self._waiting.popleft()
            self._runner = None
            return None

    def end(self) -> None:
        """Deliver what waits, within a bounded time, and nothing after it; a delivered function may call this."""
        with self._changed:
            self._is_ended = True
            self._changed.notify()
            runner = self._runner
        if runner is None or runner is threading.current_thread():
            return
        deadline = Deadline(self.PATIENCE)
        while runner.is_alive() and not deadline.expired:
            runner.join(slice_of(deadline))
        self._discard()

    def _discard(self) -> None:
        with self._changed:
            if self._waiting:
                log.warning("%s: %d callbacks are not delivered: the client was closed", self.name, len(self._waiting))
                self._waiting.clear()


# ----------------------------------------------------------------------------------------------------- others' functions


class GaveUp(Exception):
    """An application's function was cancelled: it has nothing to say, and whoever called it goes on."""


def call_foreign(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call an application's function, here and now.

    Raises:
        GaveUp: it was cancelled from within, as by the application.
        UsageError: it is a coroutine function, which this colour cannot run.
    """
    try:
        result = function(*arguments)
    except BaseException as error:
        # That of asyncio or of concurrent.futures, neither of which is imported for it.
        if type(error).__name__ == "CancelledError":
            raise GaveUp(f"{_name_of(function)} was cancelled") from error
        raise
    if hasattr(result, "__await__"):
        if hasattr(result, "close"):
            result.close()
        raise UsageError(f"{_name_of(function)} is asynchronous", hint="give plain functions, or use AsyncClient")
    return result


def in_time(deadline: Deadline, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ARG001
    """Call a function. It runs in the caller's own thread, where no deadline can end it."""
    return function(*arguments)


class CutOff(Exception):
    """What would end a function if something came before it has returned; no thread is ended."""


def call_before(event: Event, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ARG001
    """Call a function. It runs in the caller's own thread, where no event can end it."""
    return function(*arguments)


class Stage:
    """Where asynchronous code that is not ours runs: in this colour a loop in a thread of its own.

    `end` cancels it and ends the thread. Owned by the transport that has such a server.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, function: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
        """Run a coroutine function, which sees to its own failures."""
        if self._loop is None:
            self._loop = self._begin()
        self._loop.call_soon_threadsafe(self._start, self._loop, function, arguments)

    def _start(
        self,
        loop: asyncio.AbstractEventLoop,
        function: Callable[..., Coroutine[Any, Any, None]],
        arguments: tuple[Any, ...],
    ) -> None:
        task = loop.create_task(function(*arguments))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _begin(self) -> asyncio.AbstractEventLoop:
        import asyncio  # a program that is sync throughout does not pay for it

        loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_run_loop, args=(loop,), name=f"dragoman {self._name}", daemon=True)
        self._thread.start()
        return loop

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a plain function where the coroutine functions run; never waits."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, and what ran on it has ended
                self._loop.call_soon_threadsafe(function, *arguments)

    def end(self) -> None:
        """Cancel what runs and wait for its end, within a bounded time."""
        loop, thread = self._loop, self._thread
        if loop is not None and thread is not None:
            self.call(loop.stop)
            _join(self._name, {thread})


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    import asyncio

    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=_ENDING))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


# ------------------------------------------------------------------------------------------------------------- opening

Opening: TypeAlias = Annotated[T, "opened already: in this colour there is nothing to await"]


def opening(opened: T) -> T:
    """Hand on what has been opened; it closes itself at the end of its own `with`."""
    return opened
