"""A running program with threads: one reads its outputs, whoever writes writes."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable

from dragoman.deadline import Deadline
from dragoman.local.program import Child, Watcher
from dragoman.local.pumps import PIECE, Pumps
from dragoman.sync._runtime import Event
from dragoman.sync.transports.channel import Unwritten

__all__ = ["Process"]

STILL = 1.0
"""Seconds after which a program that reads none of what waits for it is called still."""

_JOINING = 5.0
"""Seconds that the reading thread may take to notice that it is no longer wanted."""

_SLICE = 0.1
"""Seconds between two looks at whether a write that waits has been overtaken by the end."""


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
        self._guard = threading.Lock()
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
        return self._pipes.is_full and self._pipes.moved.waited >= STILL

    def write(self, data: bytes, deadline: Deadline) -> int:
        """Write a message whole; return what `taken` was when its first byte was due.

        Raises:
            Unwritten: the deadline came first.
        """
        return self._pipes.write(data, deadline)

    def write_soon(self, data: bytes) -> None:
        """Write a message, after all that was written before; never waits."""
        self._pipes.write_soon(data)

    def close_stdin(self) -> None:
        """End its input, after what waits to be written if it can still be."""
        self._pipes.close_stdin()

    # ------------------------------------------------------------------------------------------------------ reading

    def output(self, data: bytes) -> None:
        """Take its standard output; empty at the end."""
        if data:
            self._watcher.output(data)
        else:
            self._ended()
            self.sign()

    def remark(self, data: bytes) -> None:
        """Take its standard error; empty at the end."""
        if data:
            self._watcher.remark(data)
        else:
            self._ended()

    def exit(self) -> None:
        """Take that it has exited."""
        self.child.exit_status()
        self.exited.set()
        self._settle()
        self.sign()

    def _ended(self) -> None:
        with self._guard:
            self._open -= 1
        self._settle()

    def _settle(self) -> None:
        if self._open == 0 and self.exited.is_set():
            self.settled.set()

    def sign(self) -> None:
        """Tell of the first sign of its end, once."""
        with self._guard:
            is_first, self._is_ending = not self._is_ending, True
        if is_first:
            self._watcher.ending()

    def release(self) -> None:
        """Close the pipes, and leave nothing behind that watches the program."""
        self._pipes.close()
        self.child.release()


class _Polled:
    """Pipes that are polled: the outputs by one thread, the input by whoever writes, one after the other.

    `_turn` is held by the one who writes. What an interrupted or unwilling writer leaves is in `_backlog`, to be
    written before anything else; what must not wait for its turn is in `_soon`.
    """

    def __init__(self, process: Process) -> None:
        child = process.child
        self.is_full = False
        self.moved = Deadline.never()
        self._child = child
        self._process = process
        self._stdin = child.stdin.fileno()
        self._turn = threading.Lock()
        self._backlog: deque[memoryview] = deque()
        self._soon: deque[bytes] = deque()
        self._is_broken = False
        self._readers: dict[int, Callable[[int], bool]] = {
            child.stdout.fileno(): lambda descriptor: self._read(descriptor, process.output),
            child.stderr.fileno(): lambda descriptor: self._read(descriptor, process.remark),
        }
        for descriptor in (self._stdin, *self._readers):
            os.set_blocking(descriptor, False)
        self._wake_reader, self._wake_writer = os.pipe()
        self._exit: int | None = None
        self._thread = threading.Thread(target=self._pump, name=f"dragoman {process.name} reader", daemon=True)

    def begin(self) -> None:
        self._exit = self._watch_exit()
        self._thread.start()

    # ------------------------------------------------------------------------------------------------------ writing

    def write(self, data: bytes, deadline: Deadline) -> int:
        self._take_turn(deadline)
        try:
            if not self._flush(deadline):
                raise Unwritten(is_partial=False)
            return self._write(data, deadline)
        finally:
            self._turn.release()
            if self._soon:
                self._write_what_is_due()

    def _take_turn(self, deadline: Deadline) -> None:
        if self._turn.acquire(blocking=False):
            return
        while not self._turn.acquire(timeout=min(_SLICE, deadline.remaining)):
            if deadline.expired and not deadline.waits_on():
                raise Unwritten(is_partial=False)

    def _write(self, data: bytes, deadline: Deadline) -> int:
        start = self._process.taken
        self._backlog.append(memoryview(data))
        try:
            if not self._flush(deadline):
                raise Unwritten(is_partial=self._process.taken > start)
        except BaseException:
            # Once begun it has to be finished by somebody; of what has not begun nothing is to leave any more.
            if self._process.taken == start:
                self._backlog.clear()
            raise
        return start

    def _flush(self, deadline: Deadline | None) -> bool:
        """Write the backlog, waiting for room until the deadline, or not at all; whether nothing is left of it."""
        while self._backlog and not self._is_broken:
            if not self._put() and (deadline is None or not self._wait_for_room(deadline)):
                return False
        return True

    def _put(self) -> bool:
        """Write of the backlog's first what the pipe takes.

        Ctrl-C may strike between a write and the knowledge of it. Within `extend` it cannot, so that no byte is
        ever written twice.
        """
        first = self._backlog[0]
        written: list[int] = []
        try:
            written.extend(map(os.write, (self._stdin,), (first,)))
        except BlockingIOError:
            self._fill()
        except OSError:
            self._break()
        finally:
            if written:
                self._account(first, written[0])
        return bool(written)

    def _account(self, first: memoryview, size: int) -> None:
        self._process.taken += size
        self.is_full = False
        if size < len(first):
            self._backlog[0] = first[size:]
        else:
            self._backlog.popleft()

    def _fill(self) -> None:
        if not self.is_full:
            self.is_full = True
            self.moved = Deadline.never()

    def _wait_for_room(self, deadline: Deadline) -> bool:
        room = select.poll()
        room.register(self._stdin, select.POLLOUT)
        while not self._is_broken and not room.poll(min(_SLICE, deadline.remaining) * 1000):
            if deadline.expired and not deadline.waits_on():
                return False
        return True

    def write_soon(self, data: bytes) -> None:
        if not self._is_broken:
            self._soon.append(data)
            self._write_what_is_due()

    def _write_what_is_due(self) -> None:
        while self._soon and self._turn.acquire(blocking=False):
            try:
                while self._soon:
                    self._backlog.append(memoryview(self._soon.popleft()))
                self._flush(None)
            finally:
                self._turn.release()

    def _break(self) -> None:
        self._is_broken = True
        self._process.sign()

    def close_stdin(self) -> None:
        self._is_broken = True
        # Whoever writes looks up every 0.1 s. One who does not is held by the system itself, and keeps the pipe.
        if self._turn.acquire(timeout=1.0):
            try:
                self._child.stdin.close()
            finally:
                self._turn.release()

    # ------------------------------------------------------------------------------------------------------ reading

    def _watch_exit(self) -> int | None:
        try:
            descriptor = os.pidfd_open(self._child.pid)
        except (AttributeError, OSError):  # no Linux, or one that does not allow it: a thread waits instead
            threading.Thread(target=self._wait, name=f"dragoman {self._process.name} exit", daemon=True).start()
            return None
        self._readers[descriptor] = self._exited
        return descriptor

    def _wait(self) -> None:
        self._child.popen.wait()
        self._process.exit()

    def _exited(self, descriptor: int) -> bool:
        self._process.exit()
        return False

    def _read(self, descriptor: int, take: Callable[[bytes], None]) -> bool:
        try:
            data = os.read(descriptor, PIECE)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        take(data)
        return bool(data)

    def _pump(self) -> None:
        """Read until the outputs have ended and the program has, or until `close` wakes it."""
        poll = select.poll()
        for descriptor in (*self._readers, self._wake_reader):
            poll.register(descriptor, select.POLLIN)
        left = len(self._readers)
        while left:
            for descriptor, _ in poll.poll():
                if descriptor == self._wake_reader:
                    return
                if not self._readers[descriptor](descriptor):
                    poll.unregister(descriptor)
                    left -= 1

    def close(self) -> None:
        os.write(self._wake_writer, b"!")
        if self._thread is not threading.current_thread():
            self._thread.join(_JOINING)
        for descriptor in (self._wake_reader, self._wake_writer, self._exit):
            if descriptor is not None:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._child.close_pipes()


class _Pumped:
    """Pipes that threads read and write, where they cannot be polled. The waits for room are the writers'."""

    def __init__(self, process: Process) -> None:
        self.moved = Deadline.never()
        self._process = process
        self._changed = threading.Condition()
        self._waiting = 0
        self._is_broken = False
        self._pumps = Pumps(process.child, self, process.name)
        self.begin = self._pumps.begin
        self.output = process.output
        self.remark = process.remark
        self.exited = process.exit

    @property
    def is_full(self) -> bool:
        return self._waiting > 0

    def write(self, data: bytes, deadline: Deadline) -> int:
        with self._changed:
            if not self._wait_for_room(deadline):
                raise Unwritten(is_partial=False)
            start = self._process.taken + self._waiting
            self._push(data)
            if not self._wait_for_room(deadline):
                raise Unwritten(is_partial=self._process.taken > start)
            return start

    def _wait_for_room(self, deadline: Deadline) -> bool:
        while self._waiting > PIECE and not self._is_broken:
            self._changed.wait(min(_SLICE, deadline.remaining))
            if self._waiting > PIECE and deadline.expired and not deadline.waits_on():
                return False
        return True

    def write_soon(self, data: bytes) -> None:
        with self._changed:
            self._push(data)

    def _push(self, data: bytes) -> None:
        if not self._is_broken:
            if not self._waiting:
                self.moved = Deadline.never()
            self._waiting += len(data)
            self._pumps.push(data)

    def took(self, size: int) -> None:
        with self._changed:
            if size < 0:
                self._is_broken = True
            else:
                self._process.taken += size
                self._waiting -= size
                self.moved = Deadline.never()
            self._changed.notify_all()
        if size < 0:
            self._process.sign()

    def close_stdin(self) -> None:
        with self._changed:
            self._is_broken = True
            self._changed.notify_all()
        self._pumps.close_stdin()

    def close(self) -> None:
        self._pumps.join(0.5)
