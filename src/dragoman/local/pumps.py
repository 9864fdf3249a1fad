"""A program's pipes, each read or written by a thread of its own: for Windows, where pipes cannot be polled."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import IO, Protocol

from dragoman.local.backlog import PIECE, Backlog
from dragoman.local.program import Child

__all__ = ["Pumps", "Served"]


class Served(Protocol):
    """Whom the pumps tell; called from their threads."""

    def output(self, data: bytes) -> None:
        """Take standard output; empty at its end."""

    def remark(self, data: bytes) -> None:
        """Take standard error; empty at its end."""

    def moved(self) -> None:
        """Take that less waits to be written than before."""

    def broke(self) -> None:
        """Take that the program's input swallows no more."""

    def exited(self) -> None:
        """Take that the program has exited."""


class Pumps:
    """The threads of one running program; each closes its pipe, and ends, when the program has ended."""

    def __init__(self, child: Child, served: Served, name: str) -> None:
        self._child = child
        self._served = served
        self._changed = threading.Condition()
        self._backlog = Backlog()
        self._is_stopped = False
        jobs: list[tuple[str, Callable[[], None]]] = [
            ("output", lambda: _read(child.stdout, served.output)),
            ("stderr", lambda: _read(child.stderr, served.remark)),
            ("input", self._write),
            ("exit", self._wait),
        ]
        self._threads = [
            threading.Thread(target=job, name=f"dragoman {name} {what}", daemon=True) for what, job in jobs
        ]

    def begin(self) -> None:
        """Begin to read and write."""
        for thread in self._threads:
            thread.start()

    @property
    def taken(self) -> int:
        """Up to where all has left; see `Backlog`. Of what is just being written one byte counts as having left."""
        return self._backlog.taken

    @property
    def whole(self) -> int:
        """How many bytes the messages have that wait to be written, with what has left of the first."""
        return self._backlog.whole

    @property
    def size(self) -> int:
        """How many bytes wait to be written."""
        with self._changed:
            return self._backlog.size

    @property
    def is_still(self) -> bool:
        """Whether something waits, and nothing has left for a second or longer."""
        with self._changed:
            return self._backlog.is_still

    def push(self, data: bytes) -> int:
        """Write, after all that was pushed before, and return the position; never waits."""
        with self._changed:
            if self._is_stopped:
                return self._backlog.end
            self._changed.notify()
            return self._backlog.add(data)

    def withdraw(self, position: int) -> bool:
        """Let what was pushed leave no more; False when it has begun to."""
        with self._changed:
            return self._backlog.withdraw(position)

    def stop(self) -> None:
        """Let nothing leave any more of what waits, and end the program's input; never waits."""
        with self._changed:
            self._is_stopped = True
            self._backlog.clear()
            self._changed.notify()

    def join(self, seconds: float) -> None:
        """Wait for the threads of a program that has ended, so many seconds for all of them at most."""
        self.stop()
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _write(self) -> None:
        descriptor = self._child.stdin.fileno()
        try:
            while (piece := self._next()) is not None:
                self._left(os.write(descriptor, piece))
        except OSError:
            self._served.broke()
        self._child.stdin.close()

    def _next(self) -> memoryview | None:
        """Wait for what is to be written next; None when nothing is any more."""
        with self._changed:
            while (first := self._backlog.first()) is None and not self._is_stopped:
                self._changed.wait()
            if first is None or self._is_stopped:
                return None
            # Nobody knows how much of it has left as long as the write lasts.
            self._backlog.taken += 1
            return first[:PIECE]

    def _left(self, size: int) -> None:
        with self._changed:
            if self._is_stopped:
                return
            self._backlog.taken -= 1
            self._backlog.advance(size)
        self._served.moved()

    def _wait(self) -> None:
        self._child.popen.wait()
        self._served.exited()


def _read(pipe: IO[bytes], take: Callable[[bytes], None]) -> None:
    data = b"-"
    while data:
        try:
            data = os.read(pipe.fileno(), PIECE)
        except OSError:
            data = b""
        take(data)
    pipe.close()
