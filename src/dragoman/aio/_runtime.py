"""Waiting and background work on asyncio: each name here has a twin of the same meaning in the sync colour's runtime."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import inspect
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial
from types import CoroutineType, TracebackType
from typing import Any, Generic, Protocol, TypeVar

from dragoman.aio._home import Home
from dragoman.aio._waiting import CutOff, Event, Guard, Lock, Mailbox, alone, before, here, pause, within
from dragoman.deadline import Deadline

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
]

log = logging.getLogger("dragoman.aio")

_ENDING = 5.0
"""Seconds that ending background work may take before what is left of it is left behind, and said to be."""


# ----------------------------------------------------------------------------------------------------- background work


class Crew:
    """All the background work of one owner; none of it outlives `end`.

    Attributes:
        closing: set when the work is to end. What cannot be interrupted waits on it.
    """

    def __init__(self, name: str, *, is_interruptible: bool = True) -> None:  # noqa: ARG002 - every task is
        self.name = name
        self.closing = Event()
        self._members: set[asyncio.Task[None]] = set()

    def start(self, function: Callable[..., Coroutine[Any, Any, object]], *arguments: Any) -> Callable[[], None]:
        """Run a function in the background, and give what interrupts it; nothing happens once the crew has ended.

        What it raises is logged. A cancelled member is none that failed.
        """
        if self.closing.is_set():
            return _nothing
        task = asyncio.create_task(_logged(self.name, function, arguments), name=f"dragoman {self.name}")
        self._members.add(task)
        task.add_done_callback(self._members.discard)
        return partial(_interrupt, task)

    async def end(self, *, in_haste: bool = False) -> None:  # noqa: ARG002 - who is cancelled makes haste
        """Cancel all members and see them off, within a bounded time; a member may call this itself."""
        self.closing.set()
        await _end_tasks(self.name, self._members - {asyncio.current_task()})


def _nothing() -> None:
    pass


def _interrupt(task: asyncio.Task[None]) -> None:
    """Cancel a task, unless it does so itself; not before it has begun, so that it can see to its own end."""
    if task is not asyncio.current_task():
        task.get_loop().call_soon(task.cancel)


async def _logged(name: str, function: Callable[..., Awaitable[object]], arguments: tuple[Any, ...]) -> None:
    try:
        await function(*arguments)
    except Exception:
        log.exception("%s: background work failed: %s", name, _name_of(function))


async def _end_tasks(name: str, tasks: set[asyncio.Task[None]] | set[asyncio.Task[None] | None]) -> None:
    members = [task for task in tasks if task is not None]
    for task in members:
        _interrupt(task)
    if members:
        _, left = await asyncio.wait(members, timeout=_ENDING)
        for task in left:
            log.warning("%s: background work did not end in %g s: %r", name, _ENDING, task)


def _name_of(function: Callable[..., object]) -> str:
    return getattr(function, "__qualname__", None) or repr(function)


class Courier:
    """Delivers calls of the application's functions: in order, one at a time, each failure logged and by itself.

    A delivered function may call the client, even close it. At most 10,000 wait; what comes on top is dropped.
    """

    LIMIT = 10_000
    PATIENCE = 2.0
    """Seconds that `end` grants to what still waits to be delivered."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dropped = 0
        self._waiting: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._runner: asyncio.Task[None] | None = None
        self._is_ended = False

    def send(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have a function called, after all that was sent before it; never waits."""
        if self._is_ended:
            return
        if len(self._waiting) >= self.LIMIT:
            self._drop()
            return
        self._waiting.append((function, arguments))
        if self._runner is None:
            self._runner = asyncio.create_task(self._deliver(), name=f"dragoman {self.name} callbacks")

    def _drop(self) -> None:
        self.dropped += 1
        if self.dropped == 1:
            log.warning("%s: %d callbacks wait already; further ones are dropped", self.name, self.LIMIT)

    async def _deliver(self) -> None:
        try:
            while self._waiting:
                function, arguments = self._waiting.popleft()
                await _delivered(self.name, function, arguments)
        finally:
            self._runner = None

    async def end(self) -> None:
        """Deliver what waits, within a bounded time, and nothing after it; a delivered function may call this."""
        self._is_ended = True
        runner = self._runner
        if runner is None or runner is asyncio.current_task():
            return
        await asyncio.wait([runner], timeout=self.PATIENCE)
        if self._waiting:
            log.warning("%s: %d callbacks are not delivered: the client was closed", self.name, len(self._waiting))
            self._waiting.clear()
        if not runner.done():
            await _end_tasks(self.name, {runner})


async def _delivered(name: str, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    try:
        await call_foreign(function, *arguments)
    except asyncio.CancelledError:
        raise  # ours: the courier ends
    except KeyboardInterrupt:
        # On the loop it is the user's, whatever ran just then; in a thread it can only be the function's own.
        if _is_coroutine_function(function):
            raise
        log.exception("%s: the callback %s raised", name, _name_of(function))
    except BaseException:
        log.exception("%s: the callback %s raised", name, _name_of(function))


# ----------------------------------------------------------------------------------------------------- others' functions


Interrupted = asyncio.CancelledError
"""What background work ends by when it is interrupted."""


class GaveUp(Exception):
    """An application's function was cancelled, and not by us: it has nothing to say, and whoever called it goes on."""


async def call_foreign(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call an application's function: a coroutine function here, a plain one in a thread, so that it blocks nobody.

    It runs with the context variables of the caller. Giving up the wait does not stop a plain function.

    Raises:
        GaveUp: it was cancelled from within, as by the application.
    """
    try:
        if _is_coroutine_function(function):
            return await function(*arguments)
        result = await _in_thread(function, arguments)
        return await result if inspect.isawaitable(result) else result
    except concurrent.futures.CancelledError as error:
        raise GaveUp(f"{_name_of(function)} was cancelled") from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise GaveUp(f"{_name_of(function)} was cancelled") from error


async def in_time(deadline: Deadline, function: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """Call a function, and cancel it when the deadline has come, wherever that has been moved to by then.

    Raises:
        TimeoutError: the deadline came first.
    """
    work = function(*arguments)
    if isinstance(work, CoroutineType):
        # Most functions that an application gives have nothing to wait for: those need no clock.
        try:
            work = _Begun(work, work.send(None))
        except StopIteration as end:
            return end.value
    with within(deadline):
        return await work


class _Begun:
    """A coroutine that has been begun, and now waits for something: to await this is to go on with it."""

    def __init__(self, coroutine: CoroutineType[Any, Any, Any], awaited: Any) -> None:
        self._coroutine = coroutine
        self._awaited = awaited

    def __await__(self) -> Generator[Any, Any, Any]:
        coroutine, awaited = self._coroutine, self._awaited
        try:
            while True:
                try:
                    answer = yield awaited
                except GeneratorExit:
                    coroutine.close()
                    raise
                except BaseException as error:  # noqa: BLE001 - whatever it is, the coroutine has to hear of it
                    awaited = coroutine.throw(error)
                else:
                    awaited = coroutine.send(answer)
        except StopIteration as end:
            return end.value


async def call_before(event: Event, function: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """Call a function, and cancel it when the event comes.

    Raises:
        CutOff: the event came first.
    """
    with before(event):
        return await function(*arguments)


def _is_coroutine_function(function: Callable[..., Any]) -> bool:
    # What nearly all are is told by one look, where `inspect` takes several; a callback may be called very often.
    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & inspect.CO_COROUTINE:
        return True
    if inspect.iscoroutinefunction(function):
        return True
    return not isinstance(function, type) and inspect.iscoroutinefunction(type(function).__call__)


def _in_thread(function: Callable[..., Any], arguments: tuple[Any, ...]) -> asyncio.Future[Any]:
    # Not the loop's executor: its threads are waited for when the program ends, and one may sit in `input()`.
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        result, failure = None, None
        try:
            result = context.run(function, *arguments)
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            loop.call_soon_threadsafe(_settle, future, result, failure)

    threading.Thread(target=work, name=f"dragoman {_name_of(function)}", daemon=True).start()
    return future


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    elif isinstance(error, StopIteration):
        # A future refuses it, as a generator would.
        future.set_exception(RuntimeError(f"a callback raised {error!r}"))
    else:
        future.set_exception(error)


class Stage:
    """Where asynchronous code that is not ours runs: in this colour on the caller's own loop.

    `end` cancels it. Owned by the transport that has such a server.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, function: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
        """Run a coroutine function, which sees to its own failures."""
        task = asyncio.create_task(function(*arguments), name=f"dragoman {self._name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a plain function where the coroutine functions run; never waits."""
        function(*arguments)

    async def end(self) -> None:
        """Cancel what runs and wait for its end, within a bounded time."""
        await _end_tasks(self._name, set(self._tasks))


# ------------------------------------------------------------------------------------------------------------- opening


class _Closable(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=_Closable)


class Opening(Generic[C]):
    """Something that is being opened: `await` it, or enter it by `async with`, which closes it at the end."""

    def __init__(self, coroutine: Coroutine[Any, Any, C]) -> None:
        self._coroutine = coroutine
        self._opened: list[C] = []

    def __await__(self) -> Generator[Any, Any, C]:
        return self._coroutine.__await__()

    async def __aenter__(self) -> C:
        opened = await self._coroutine
        self._opened.append(opened)
        return opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.pop().close()


def opening(coroutine: Coroutine[Any, Any, C]) -> Opening[C]:
    """Let what a coroutine opens be awaited or entered."""
    return Opening(coroutine)
