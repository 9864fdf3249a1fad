"""Where something was made: in a process. Nowhere else can it be used."""

from __future__ import annotations

import _thread
import contextlib
import logging
import sys
import threading
from collections.abc import Callable

from dragoman.local import home
from dragoman.local.home import is_ending

__all__ = ["Home"]

log = logging.getLogger("dragoman.sync")

_End = Callable[[], None]


class Home(home.Home):
    """The process in which something was made; its threads are all alike."""

    __slots__ = ()

    def is_awake(self) -> bool:
        """Whether what was made here can go on by itself: threads always can."""
        return True

    def leave(self, end: _End, sever: Callable[[], None]) -> None:  # noqa: ARG002 - threads need no force
        """End what was made here. In a forked child nothing happens: there it is the parent's."""
        # As the interpreter is torn down no thread runs any more that could do it, and all processes were ended before.
        if self.is_ours() and not sys.is_finalizing():
            end()

    def let_go(self, end: _End, sever: Callable[[], None]) -> None:  # noqa: ARG002
        """End what was made here without waiting for it, from any thread, in the middle of anything."""
        if self.is_ours() and not is_ending():
            # Not by `threading`: its locks may be held by the very thread that collects this garbage.
            with contextlib.suppress(RuntimeError):  # the interpreter is ending, and starts no threads any more
                _thread.start_new_thread(_start, (end,))


def _start(end: _End) -> None:
    # A thread that `threading` has not made, and that asks who it is, is remembered by it for ever.
    with contextlib.suppress(RuntimeError):
        threading.Thread(target=_end_quietly, args=(end,), name="dragoman ending", daemon=True).start()


def _end_quietly(end: _End) -> None:
    try:
        end()
    except Exception:  # nobody waits for this
        log.exception("a client that was left open did not end well")
