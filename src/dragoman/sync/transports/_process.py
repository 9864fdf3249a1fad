"""A running program with threads: one reads its outputs, whoever writes writes."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable

from dragoman.deadline import Deadline, now
from dragoman.local.backlog import PIECE, WIDE, Backlog, is_long
from dragoman.local.complaints import complain
from dragoman.local.program import Child, Watcher
from dragoman.local.pumps import Pumps
from dragoman.sync._runtime import Event, slice_of
from dragoman.sync.transports.lines import Unwritten

__all__ = ["Process"]

log = logging.getLogger("dragoman.sync")

_JOINING = 5.0
"""Seconds that the reading thread may take to notice that it is no longer wanted."""

_SLICE = 0.1  # seconds between two looks at whether a write that waits has been overtaken by the end


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
    def taken(self) -> int:
        """Up to which position its input, or its pipe for it, has taken what was written."""
        return self._pipes.backlog.taken

    @property
    def is_still(self) -> bool:
        """Whether something waits for it to read, and it has read nothing for a second or longer."""
        return self._pipes.backlog.is_still

    def offer(self, data: bytes) -> int | None:  # noqa: ARG002 - a thread may wait as well as not
        """Leave it to `write`."""

    def write(self, data: bytes, deadline: Deadline) -> int:
        """Write a message whole; return its position, which `taken` passes when it begins to leave.

        Raises:
            Unwritten: the deadline came first.
        """
        return self._pipes.write(data, deadline)

    def write_soon(self, data: bytes) -> None:
        """Write a message, after all that was written before; never waits."""
        self._pipes.write_soon(data)

    def withdraw(self, position: int) -> bool:
        """Let a message leave no more; False when it has begun to."""
        return self._pipes.withdraw(position)

    def stop(self) -> None:
        """Let nothing leave any more of what waits; never waits."""
        self._pipes.stop()

    def close_stdin(self) -> None:
        """End its input, at once."""
        self._pipes.close_stdin()

    # ------------------------------------------------------------------------------------------------------ reading

    def output(self, data: bytes) -> None:
        """Take its standard output; empty at the end."""
        if data:
            self._pass_on(self._watcher.output, data)
        else:
            self._ended()
            self.sign()

    def remark(self, data: bytes) -> None:
        """Take its standard error; empty at the end."""
        if data:
            self._pass_on(self._watcher.remark, data)
        else:
            self._ended()

    def _pass_on(self, take: Callable[[bytes], None], data: bytes) -> None:
        """Let the watcher take something. If it fails, what follows would make no sense: that is as good as the end."""
        if self.failure is not None:
            return
        try:
            take(data)
        except BaseException as error:  # noqa: BLE001 - nobody is above this thread: whatever it is, it ends the line
            self.failure = error
            complain(log, "%s: what it says cannot be taken any more", self.name)
            self.sign()

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

    `_turn` is held by the one who writes, and with it the backlog. What an interrupted or impatient writer leaves there
    half written is finished before anything else is begun; what must not wait for its turn is in `_soon`.
    """

    def __init__(self, process: Process) -> None:
        child = self._child = process.child
        self.backlog = Backlog()
        self._process = process
        self._stdin = child.stdin.fileno()
        self._turn = threading.Lock()
        self._soon: deque[bytes] = deque()
        self._size = PIECE
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
        while not self._turn.acquire(timeout=min(_SLICE, slice_of(deadline))):
            if deadline.expired and not deadline.waits_on():
                raise Unwritten(is_partial=False)

    def _write(self, data: bytes, deadline: Deadline) -> int:
        position = self.backlog.end
        try:
            if not self._is_broken:
                self.backlog.add(data)
            if not self._flush(deadline):
                raise Unwritten(is_partial=self.backlog.taken > position)
        except BaseException:
            # Once begun it has to be finished by somebody; of what has not begun nothing is to leave any more.
            self.backlog.withdraw(position)
            raise
        return position

    def _flush(self, deadline: Deadline | None) -> bool:
        """Write the backlog, waiting for room until the deadline, or not at all; whether nothing is left of it."""
        while not self._is_broken and (first := self.backlog.first()) is not None:
            if not self._put(first) and (deadline is None or not self._wait_for_room(deadline)):
                return False
        return True

    def _put(self, first: memoryview) -> bool:
        """Write of the backlog's first what the pipe takes.

        Ctrl-C may strike between a write and the knowledge of it. Within `extend` it cannot, nor between that and the
        one addition that is all there is to note, so that no byte is ever written twice.
        """
        written: list[int] = []
        try:
            written.extend(map(os.write, (self._stdin,), (first,)))
        except BlockingIOError:
            return False
        except OSError:
            self._break()
        finally:
            if written:
                self.backlog.taken += written[0]
        if written and written[0] < len(first):
            self.backlog.moved = now()
        return True

    def _wait_for_room(self, deadline: Deadline) -> bool:
        room = select.poll()
        room.register(self._stdin, select.POLLOUT)
        while not self._is_broken and not room.poll(min(_SLICE, slice_of(deadline)) * 1000):
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
                    self.backlog.add(self._soon.popleft())
                self._flush(None)
            finally:
                self._turn.release()

    def withdraw(self, position: int) -> bool:
        # Whoever writes waits until all of it has left, or withdraws it while it has the turn.
        return self.backlog.taken <= position

    def _break(self) -> None:
        self._is_broken = True
        self._process.sign()

    def stop(self) -> None:
        self._is_broken = True

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
            data = os.read(descriptor, self._size)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        self._size = WIDE if is_long(data) else PIECE  # many short messages at once would hold up all else
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
        self._process = process
        self._changed = threading.Condition()
        self._is_broken = False
        self.backlog = Pumps(process.child, self, process.name)
        self.begin = self.backlog.begin
        self.write_soon = self.backlog.push
        self.output = process.output
        self.remark = process.remark
        self.exited = process.exit

    def write(self, data: bytes, deadline: Deadline) -> int:
        if not self._has_room(deadline):
            raise Unwritten(is_partial=False)
        position = self.backlog.push(data)
        try:
            if not self._has_room(deadline):
                raise Unwritten(is_partial=not self.withdraw(position))
        except BaseException:
            self.withdraw(position)
            raise
        return position

    def _has_room(self, deadline: Deadline) -> bool:
        """Wait for room until the deadline."""
        with self._changed:
            while self.backlog.size > PIECE and not self._is_broken:
                self._changed.wait(min(_SLICE, deadline.remaining))
                if self.backlog.size > PIECE and deadline.expired and not deadline.waits_on():
                    return False
            return True

    def withdraw(self, position: int) -> bool:
        is_withdrawn = self.backlog.withdraw(position)
        self.moved()
        return is_withdrawn

    def moved(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def broke(self) -> None:
        self.stop()
        self._process.sign()

    def stop(self) -> None:
        self._is_broken = True
        self.backlog.stop()
        self.moved()

    close_stdin = stop

    def close(self) -> None:
        self.backlog.join(0.5)
