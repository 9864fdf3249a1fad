"""A program's pipes, each read or written by a thread of its own: for Windows, where pipes cannot be polled."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import IO, Protocol

from dragoman.local.program import Child

__all__ = ["PIECE", "Pumps", "Served"]

PIECE = 65536
"""Bytes to read or write at once: what a pipe holds on most systems."""


class Served(Protocol):
    """Whom the pumps tell; called from their threads."""

    def output(self, data: bytes) -> None:
        """Take standard output; empty at its end."""

    def remark(self, data: bytes) -> None:
        """Take standard error; empty at its end."""

    def took(self, size: int) -> None:
        """Take that the program's input has swallowed so many bytes more; -1 when it swallows no more."""

    def exited(self) -> None:
        """Take that the program has exited."""


class Pumps:
    """The threads of one running program; each closes its pipe, and ends, when the program has ended."""

    def __init__(self, child: Child, served: Served, name: str) -> None:
        self._child = child
        self._served = served
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
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

    def push(self, data: bytes) -> None:
        """Write, after all that was pushed before; never waits."""
        self._queue.put(data)

    def close_stdin(self) -> None:
        """End the program's input, after all that was pushed."""
        self._queue.put(None)

    def join(self, seconds: float) -> None:
        """Wait for the threads of a program that has ended, so many seconds for all of them at most."""
        self.close_stdin()
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _write(self) -> None:
        descriptor = self._child.stdin.fileno()
        try:
            while (data := self._queue.get()) is not None:
                self._write_all(descriptor, memoryview(data))
        except OSError:
            self._served.took(-1)
        self._child.stdin.close()

    def _write_all(self, descriptor: int, view: memoryview) -> None:
        while view:
            size = os.write(descriptor, view[:PIECE])
            self._served.took(size)
            view = view[size:]

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
