"""Where something was made, in a process and on an event loop: nowhere else can it be used, and only there does it end."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from threading import get_ident
from typing import Any

from dragoman.errors import UsageError
from dragoman.local import home
from dragoman.local.home import is_ending

__all__ = ["Home"]

_GLANCE = 0.1
"""Seconds between two looks at whether another thread's loop still runs."""

_endings: set[asyncio.Task[None]] = set()
"""What ends by itself; a loop keeps no task alive."""

_End = Callable[[], Coroutine[Any, Any, None]]


class Home(home.Home):
    """The process in which something was made, and the loop, where one ran."""

    __slots__ = ("_loop", "_thread")

    def __init__(self) -> None:
        super().__init__()
        self._loop = _running_loop()
        self._thread = get_ident()

    def is_here(self) -> bool:
        """Whether this is still that process, and that loop."""
        return self.is_ours() and (self._loop is None or _running_loop() is self._loop)

    def is_awake(self) -> bool:
        """Whether what was made here can go on by itself: its loop runs."""
        return self._loop is None or self._loop.is_running()

    def check(self) -> None:
        """Refuse to go on in a forked child, or on another loop.

        Raises:
            UsageError: this is another process, or another loop.
        """
        # First what is nearly always so, and costs little to know: no thread runs two loops at a time.
        loop = self._loop
        if loop is not None and self._thread == get_ident() and self.made_after == home.forks and loop.is_running():
            return
        if self._loop is None or _running_loop() is not self._loop:
            self._refuse()

    def _refuse(self) -> None:
        super().check()
        if self._loop is not None:
            raise UsageError(
                "this client was connected in another event loop",
                hint="connect again in this one, or use `Client`, which needs none; only `close` may be awaited anywhere",
            )

    async def leave(self, end: _End, sever: Callable[[], None]) -> None:
        """End what was made here: on its own loop, or at once and by force where that does not run.

        In a forked child nothing happens: there it is the parent's.
        """
        # As the interpreter is torn down nothing could do it any more, and all processes were ended before.
        if not self.is_ours() or sys.is_finalizing():
            return
        loop = self._loop
        if loop is None or loop is asyncio.get_running_loop():
            await end()
        elif not await _has_ended(end, loop):
            sever()

    def let_go(self, end: _End, sever: Callable[[], None]) -> None:
        """End what was made here without waiting for it, from any thread, in the middle of anything."""
        if not self.is_ours() or is_ending():
            return
        loop = self._loop
        if loop is not None and loop.is_running():
            try:
                loop.call_soon_threadsafe(_begin, end, loop)
            except RuntimeError:  # it was closed just now
                sever()
        else:
            sever()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _begin(end: _End, loop: asyncio.AbstractEventLoop) -> None:
    task = loop.create_task(end(), name="dragoman ending")
    _endings.add(task)
    task.add_done_callback(_endings.discard)


async def _has_ended(end: _End, loop: asyncio.AbstractEventLoop) -> bool:
    """Have something end on a loop that runs in another thread; False when it does not run, or no longer."""
    if not loop.is_running():
        return False
    ending = end()
    try:
        ended = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(ending, loop))
    except RuntimeError:  # it was closed just now
        ending.close()
        return False
    while not ended.done():
        await asyncio.wait([ended], timeout=_GLANCE)
        if not ended.done() and not loop.is_running():
            return False
    await ended
    return True
