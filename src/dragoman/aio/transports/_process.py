"""A running program on asyncio: its pipes feed callbacks of the loop, on any kind of loop and any platform."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from dragoman.aio._runtime import Event
from dragoman.aio.transports.channel import Unwritten
from dragoman.deadline import Deadline
from dragoman.local.program import Child, Watcher
from dragoman.local.pumps import PIECE, Pumps

__all__ = ["Process"]

STILL = 1.0
"""Seconds after which a program that reads none of what waits for it is called still."""


class Process:
    """A started program and its pipes, of which it is the owner; `release` closes them.

    Attributes:
        taken: how many bytes of its input it has taken, or its pipe for it.
        exited: set once it has exited.
        settled: set once it has exited and both its outputs have ended.
    """

    _watcher: Watcher

    def __init__(self, child: Child, name: str, *, pumped: bool = sys.platform == "win32") -> None:
        self.child = child
        self.name = name
        self.taken = 0
        self.exited = Event()
        self.settled = Event()
        self._waiting = 0
        self._is_broken = False
        self._has_room = Event()
        self._has_room.set()
        self._moved = Deadline.never()
        self._open = 2
        self._is_ending = False
        self._pipes: _Polled | _Pumped = _Pumped(self) if pumped else _Polled(self)

    def watch(self, watcher: Watcher) -> None:
        """Begin to read; everything that happens is told to the watcher."""
        self._watcher = watcher
        self._pipes.begin()

    # ------------------------------------------------------------------------------------------------------ writing

    @property
    def is_still(self) -> bool:
        """Whether something waits for it to read, and it has read nothing for a second or longer."""
        return self._waiting > 0 and self._moved.waited >= STILL

    async def write(self, data: bytes, deadline: Deadline) -> int:
        """Write a message whole; return what `taken` was when its first byte was due.

        Up to a pipe's worth of bytes wait here for the program to read without anybody waiting for that.

        Raises:
            Unwritten: the deadline came first.
        """
        while not self._has_room.is_set():
            if not await self._has_room.wait(deadline):
                raise Unwritten(is_partial=False)
        start = self.taken + self._waiting
        self.write_soon(data)
        if not self._has_room.is_set() and not await self._has_room.wait(deadline):
            raise Unwritten(is_partial=self.taken > start)
        return start

    def write_soon(self, data: bytes) -> None:
        """Write a message, after all that was written before; never waits."""
        if self._is_broken:
            return
        was_idle = not self._waiting
        self._waiting += len(data)
        self._pipes.push(data)
        if self._waiting and was_idle:
            self._moved = Deadline.never()
        if self._waiting > PIECE:
            self._has_room.clear()

    def took(self, size: int) -> None:
        """Take that so many bytes more have left; -1 when no more will."""
        if size < 0:
            self._is_broken = True
            self._sign()
        else:
            self.taken += size
            self._waiting -= size
            if self._waiting:
                self._moved = Deadline.never()
        if self._is_broken or self._waiting <= PIECE:
            self._has_room.set()

    def close_stdin(self) -> None:
        """End its input, after what waits to be written if it can still be."""
        self._is_broken = True
        self._has_room.set()
        self._pipes.close_stdin()

    # ------------------------------------------------------------------------------------------------------ reading

    def output(self, data: bytes) -> None:
        """Take its standard output; empty at the end."""
        if data:
            self._watcher.output(data)
        else:
            self._open -= 1
            self._sign()

    def remark(self, data: bytes) -> None:
        """Take its standard error; empty at the end."""
        if data:
            self._watcher.remark(data)
        else:
            self._open -= 1
            self._settle()

    def exit(self) -> None:
        """Take that it has exited."""
        self.child.exit_status()
        self.exited.set()
        self._sign()

    def _sign(self) -> None:
        self._settle()
        if not self._is_ending:
            self._is_ending = True
            self._watcher.ending()

    def _settle(self) -> None:
        if self._open == 0 and self.exited.is_set():
            self.settled.set()

    def release(self) -> None:
        """Close the pipes, and leave nothing behind that watches the program."""
        self._is_broken = True
        self._has_room.set()
        self._pipes.close()
        self.child.release()


class _Polled:
    """Pipes that the loop polls: each byte goes straight from the pipe to its callback."""

    def __init__(self, process: Process) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = process
        self._child = process.child
        self._backlog: deque[memoryview] = deque()
        self._stdin = self._child.stdin.fileno()
        self._is_stdin_open = True
        self._is_closing_stdin = False
        self._batch: list[bytes] = []
        # How many messages were written since the program last said something, and whether it was several before that.
        self._pushed = 0
        self._is_crowded = False
        self._watched: set[int] = set()
        self._exit: int | None = None
        for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
            os.set_blocking(pipe.fileno(), False)

    def begin(self) -> None:
        output, remarks = self._child.stdout.fileno(), self._child.stderr.fileno()
        self._watch(output, self._read, output, self._process.output)
        self._watch(remarks, self._read, remarks, self._process.remark)
        self._exit = self._watch_exit()

    def _watch(self, descriptor: int, function: Callable[..., None], *arguments: Any) -> None:
        self._watched.add(descriptor)
        self._loop.add_reader(descriptor, function, *arguments)

    def _unwatch(self, descriptor: int) -> None:
        if descriptor in self._watched:
            self._watched.discard(descriptor)
            if not self._loop.is_closed():
                self._loop.remove_reader(descriptor)

    def _read(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        try:
            data = os.read(descriptor, PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._unwatch(descriptor)
        self._is_crowded, self._pushed = self._pushed > 1, 0
        take(data)

    def _watch_exit(self) -> int | None:
        try:
            descriptor = os.pidfd_open(self._child.pid)
        except (AttributeError, OSError):  # no Linux, or one that does not allow it
            target = _wait_and_tell
            arguments = (self._child, self._loop, self._process.exit)
            name = f"dragoman {self._process.name} exit"
            threading.Thread(target=target, args=arguments, name=name, daemon=True).start()
            return None
        self._watch(descriptor, self._exited, descriptor)
        return descriptor

    def _exited(self, descriptor: int) -> None:
        self._unwatch(descriptor)
        self._process.exit()

    def push(self, data: bytes) -> None:
        """Write a message: at once where it is the only one, together with the others of this turn where there are many."""
        self._pushed += 1
        if self._pushed == 1 and not self._is_crowded:
            self._pass_on(data)
            return
        if not self._batch:
            self._loop.call_soon(self._pass_on_batch)
        self._batch.append(data)

    def _pass_on_batch(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            self._pass_on(b"".join(batch))

    def _pass_on(self, data: bytes) -> None:
        if not self._is_stdin_open:
            return
        if self._backlog:
            self._backlog.append(memoryview(data))
            return
        rest = self._put(memoryview(data))
        if rest:
            self._backlog.append(rest)
            self._loop.add_writer(self._stdin, self._flush)

    def _put(self, data: memoryview) -> memoryview:
        """Write what the pipe takes, and return the rest."""
        try:
            size = os.write(self._stdin, data)
        except BlockingIOError:
            return data
        except OSError:
            self._close_stdin()
            self._process.took(-1)
            return data[:0]
        self._process.took(size)
        return data[size:]

    def _flush(self) -> None:
        while self._backlog:
            rest = self._put(self._backlog[0])
            if not self._backlog:
                return
            if rest:
                self._backlog[0] = rest
                return
            self._backlog.popleft()
        self._loop.remove_writer(self._stdin)
        if self._is_closing_stdin:
            self._close_stdin()

    def close_stdin(self) -> None:
        self._is_closing_stdin = True
        self._pass_on_batch()
        if not self._backlog:
            self._close_stdin()

    def _close_stdin(self) -> None:
        if self._is_stdin_open:
            self._is_stdin_open = False
            if self._backlog and not self._loop.is_closed():
                self._loop.remove_writer(self._stdin)
            self._backlog.clear()
            self._child.stdin.close()

    def close(self) -> None:
        self._close_stdin()
        for descriptor in list(self._watched):
            self._unwatch(descriptor)
        if self._exit is not None:
            os.close(self._exit)
            self._exit = None
        self._child.close_pipes()


def _wait_and_tell(child: Child, loop: asyncio.AbstractEventLoop, tell: Callable[[], None]) -> None:
    child.popen.wait()
    with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody wants to know
        loop.call_soon_threadsafe(tell)


class _Pumped:
    """Pipes that threads read and write, who call the loop: for loops that can poll no pipes."""

    def __init__(self, process: Process) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = process
        self._pumps = Pumps(process.child, self, process.name)
        self.begin = self._pumps.begin
        self.push = self._pumps.push
        self.close_stdin = self._pumps.close_stdin

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody listens
            self._loop.call_soon_threadsafe(function, *arguments)

    def output(self, data: bytes) -> None:
        self._call(self._process.output, data)

    def remark(self, data: bytes) -> None:
        self._call(self._process.remark, data)

    def took(self, size: int) -> None:
        self._call(self._process.took, size)

    def exited(self) -> None:
        self._call(self._process.exit)

    def close(self) -> None:
        self._pumps.join(0.2)
