"""A running program on asyncio: its pipes feed callbacks of the loop, on any kind of loop and any platform."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from dragoman.aio._runtime import Event
from dragoman.aio.transports.lines import Unwritten
from dragoman.deadline import Deadline
from dragoman.local.backlog import PIECE, WIDE, Backlog, is_long
from dragoman.local.complaints import complain
from dragoman.local.program import Child, Watcher
from dragoman.local.pumps import Pumps

__all__ = ["Process"]

log = logging.getLogger("dragoman.aio")

_FEW = 8
"""How many messages of one turn of the loop are written before its end."""


class Process:
    """A started program and its pipes, of which it is the owner; `release` closes them.

    Attributes:
        exited: set once it has exited.
        settled: set once it has exited and both its outputs have ended.
        failure: what kept its outputs from being read any further.
    """

    _watcher: Watcher

    def __init__(self, child: Child, name: str, *, pumped: bool = sys.platform == "win32") -> None:
        self.child = child
        self.name = name
        self.exited = Event()
        self.settled = Event()
        self.failure: BaseException | None = None
        self._is_broken = False
        self._has_room = Event()
        self._has_room.set()
        self._open = 2
        self._is_ending = False
        self._pipes: _Polled | _Pumped = _Pumped(self) if pumped else _Polled(self)
        self.offer: Callable[[bytes], int | None] = self._pipes.offer
        """Write a message if there is room for it, and return its position; None when that has to be waited for."""

    def watch(self, watcher: Watcher) -> None:
        """Begin to read; everything that happens is told to the watcher."""
        self._watcher = watcher
        self._pipes.begin()

    # ------------------------------------------------------------------------------------------------------ writing

    @property
    def taken(self) -> int:
        """Up to which position its input, or its pipe for it, has taken what was written."""
        return self._pipes.backlog.taken

    @property
    def is_still(self) -> bool:
        """Whether something waits for it to read, and it has read nothing for a second or longer."""
        return self._pipes.backlog.is_still

    async def write(self, data: bytes, deadline: Deadline) -> int:
        """Write a message whole; return its position, which `taken` passes when it begins to leave.

        Up to a pipe's worth of bytes wait here for the program to read without anybody waiting for that.

        Raises:
            Unwritten: the deadline came first.
        """
        while not self._has_room.is_set():
            if not await self._has_room.wait(deadline):
                raise Unwritten(is_partial=False)
        position = self._pipes.push(data)
        if self._has_room.is_set():
            return position
        try:
            if await self._has_room.wait(deadline):
                return position
        except BaseException:
            self.withdraw(position)
            raise
        raise Unwritten(is_partial=not self.withdraw(position))

    def write_soon(self, data: bytes) -> None:
        """Write a message, after all that was written before; never waits."""
        self._pipes.push(data)

    def withdraw(self, position: int) -> bool:
        """Let a message leave no more; False when it has begun to."""
        is_withdrawn = self._pipes.backlog.withdraw(position)
        self.moved()
        return is_withdrawn

    def moved(self) -> None:
        """Take that more or less waits to be written than before."""
        if self._is_broken or self._pipes.backlog.size <= PIECE:
            self._has_room.set()
        else:
            self._has_room.clear()

    def broke(self) -> None:
        """Take that its input swallows no more."""
        self.stop()
        self._sign()

    def stop(self) -> None:
        """Let nothing leave any more of what waits; never waits."""
        self._is_broken = True
        self._has_room.set()
        self._pipes.stop()

    def close_stdin(self) -> None:
        """End its input, at once."""
        self.stop()
        self._pipes.close_stdin()

    # ------------------------------------------------------------------------------------------------------ reading

    def output(self, data: bytes) -> None:
        """Take its standard output; empty at the end."""
        if data:
            self._pass_on(self._watcher.output, data)
        else:
            self._open -= 1
            self._sign()

    def remark(self, data: bytes) -> None:
        """Take its standard error; empty at the end."""
        if data:
            self._pass_on(self._watcher.remark, data)
        else:
            self._open -= 1
            self._settle()

    def _pass_on(self, take: Callable[[bytes], None], data: bytes) -> None:
        """Let the watcher take something. If it fails, what follows would make no sense: that is as good as the end."""
        if self.failure is not None:
            return
        try:
            take(data)
        except Exception as error:  # noqa: BLE001 - it ends the line, whose owners are told
            self._fail(error)
        except BaseException as error:
            self._fail(error)
            raise

    def _fail(self, error: BaseException) -> None:
        self.failure = error
        complain(log, "%s: what it says cannot be taken any more", self.name)
        self._sign()

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
        self.stop()
        self._pipes.close()
        self.child.release()


class _Polled:
    """Pipes that the loop polls: each byte goes straight from the pipe to its callback."""

    def __init__(self, process: Process) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = process
        self._child = process.child
        self._stdin = self._child.stdin.fileno()
        self._is_broken = False
        self.backlog = Backlog()
        # What empties the backlog: a turn of the loop, or the pipe as soon as it has room.
        self._is_due = False
        self._is_first = False
        self._waits_for_room = False
        # How many messages were written since the program last said something, and whether it was several before that.
        self._pushed = 0
        self._is_crowded = False
        self._watched: set[int] = set()
        self._exit: int | None = None
        self._size = PIECE
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
            data = os.read(descriptor, self._size)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._unwatch(descriptor)
        # Much at once only of a long message: of short ones it would keep all else waiting.
        self._size = WIDE if is_long(data) else PIECE
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

    # ------------------------------------------------------------------------------------------------------ writing

    def offer(self, data: bytes) -> int | None:
        return self.push(data) if self.backlog.whole + len(data) <= PIECE else None

    def push(self, data: bytes) -> int:
        """Write a message: at once where it is the only one, together with the others of this turn where there are many."""
        backlog = self.backlog
        if self._is_broken:
            return backlog.end
        self._pushed += 1
        if self._pushed == 1 and not self._is_crowded and not backlog.messages:
            return self._write(data)
        position = backlog.add(data)
        if not (self._is_due or self._waits_for_room):
            self._is_due = self._is_first = True
            self._loop.call_soon(self._flush_when_due)
        elif self._is_first and len(backlog.messages) == _FEW:
            # The program has something to do, while the rest of this turn is still being made.
            self._is_first = False
            self._flush()
        if backlog.whole > PIECE:
            self._process.moved()
        return position

    def _write(self, data: bytes) -> int:
        """Write a message that nothing waits before; what the pipe does not take of it waits."""
        backlog = self.backlog
        position = backlog.end
        try:
            size = os.write(self._stdin, data)
        except BlockingIOError:
            size = 0
        except OSError:
            self._process.broke()
            return position
        if size == len(data):
            backlog.end = backlog.taken = position + size
            return position
        backlog.add(data)
        backlog.taken = position + size
        self._wait_for_room()
        self._process.moved()
        return position

    def _wait_for_room(self) -> None:
        if not self._waits_for_room:
            self._waits_for_room = True
            self._loop.add_writer(self._stdin, self._flush)

    def _flush_when_due(self) -> None:
        if self._is_due:
            self._is_due = False
            self._flush()

    def _flush(self) -> None:
        """Write of the backlog what the pipe takes."""
        backlog = self.backlog
        had_room = True
        while had_room and (front := backlog.front()):
            try:
                backlog.advance(os.writev(self._stdin, front))
            except BlockingIOError:
                had_room = False
            except OSError:
                self._process.broke()
                return
        if backlog.messages:
            self._wait_for_room()
        else:
            self._wait_no_more()
        self._process.moved()

    def _wait_no_more(self) -> None:
        if self._waits_for_room:
            self._waits_for_room = False
            if not self._loop.is_closed():
                self._loop.remove_writer(self._stdin)

    def stop(self) -> None:
        if self._is_broken:
            return
        if self._is_due and not self._waits_for_room and not self._loop.is_closed():
            # What was written in this very turn of the loop has only waited for company.
            self._flush_when_due()
        self._is_broken = True
        self.backlog.clear()
        self._wait_no_more()

    def close_stdin(self) -> None:
        self._child.stdin.close()

    def close(self) -> None:
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
        self.backlog = Pumps(process.child, self, process.name)
        self.begin = self.backlog.begin
        self.stop = self.close_stdin = self.backlog.stop

    def offer(self, data: bytes) -> int | None:
        return self.push(data) if self.backlog.whole + len(data) <= PIECE else None

    def push(self, data: bytes) -> int:
        position = self.backlog.push(data)
        self._process.moved()
        return position

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody listens
            self._loop.call_soon_threadsafe(function, *arguments)

    def output(self, data: bytes) -> None:
        self._call(self._process.output, data)

    def remark(self, data: bytes) -> None:
        self._call(self._process.remark, data)

    def moved(self) -> None:
        self._call(self._process.moved)

    def broke(self) -> None:
        self._call(self._process.broke)

    def exited(self) -> None:
        self._call(self._process.exit)

    def close(self) -> None:
        self.backlog.join(0.2)
