"""Start a program with pipes, and end it with all that it has started."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Protocol

from msgspec import Struct

from dragoman.errors import ConnectFailed, UsageError
from dragoman.local import windows
from dragoman.local.backlog import WIDE
from dragoman.local.command import advice, brief
from dragoman.local.home import begin_ending, is_ending

if sys.platform == "linux":
    import fcntl

__all__ = ["Child", "Program", "Watcher", "living_members", "start"]

_REAPING = 0.5
"""Seconds in which a process that was killed is dead, unless the system itself holds it."""

_AT_EXIT = 1.0
"""Seconds that servers get to end by themselves when the interpreter does."""


class Program(Struct, frozen=True):
    """What to start: the words of the command, the whole environment, the folder to start it in (None: ours)."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    folder: str | None = None


class Watcher(Protocol):
    """Is told what a running program does, from wherever its pipes are read: must not wait, nor raise."""

    def output(self, data: bytes) -> None:
        """Take what it wrote on its standard output."""

    def remark(self, data: bytes) -> None:
        """Take what it wrote on its standard error."""

    def ending(self) -> None:
        """Take the first sign of its end: it exited, or its output ended, or its input was closed. Told once."""


class Child:
    """A program that was started, and everything that it has started in turn.

    On POSIX that is a process group, on Windows a job. Owned by the process that reads and writes its pipes.
    """

    def __init__(self, popen: subprocess.Popen[bytes], job: windows.Job | None) -> None:
        assert popen.stdin
        assert popen.stdout
        assert popen.stderr
        self.popen = popen
        self.stdin = popen.stdin
        self.stdout = popen.stdout
        self.stderr = popen.stderr
        self._job = job
        _widen(self.stdout)

    @property
    def pid(self) -> int:
        """The number of its process, and on POSIX of its group."""
        return self.popen.pid

    def exit_status(self) -> int | None:
        """Look whether the program itself has ended: its status, the negative number of a signal, or None."""
        return self.popen.poll()

    def is_gone(self) -> bool:
        """Whether it has ended, and all that it has started too."""
        if self.exit_status() is None:
            return False
        return self._job.is_empty() if self._job else not living_members(self.pid)

    def terminate(self) -> None:
        """Ask all of them to end. Windows knows no such request to programs without windows: there they are ended."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End all of them."""
        self._signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if self._job:
            self._job.terminate()
        elif sys.platform == "win32":
            self.popen.kill()
        else:
            # A group whose last member is gone, or belongs to another user, is none that we could end.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def release(self) -> None:
        """Think of it no more: it has ended, or was killed just now. On Windows this ends what is left of it."""
        _running.discard(self)
        # Whoever leaves a dead process behind leaves its number and a warning.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(_REAPING)
        if self._job:
            self._job.close()

    def close_pipes(self) -> None:
        """Close our ends of its pipes."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()


def start(program: Program) -> Child:
    """Start a program, at the head of a group of its own, with a pipe for each of its standard streams.

    Raises:
        ConnectFailed: it cannot be started; the message says what was tried and what to do.
        UsageError: something of it has no form that a system can take.
    """
    with _starting():
        child = _started(program)
        _running.add(child)
        return child


def _started(program: Program) -> Child:
    try:
        command = windows.command_for(program.argv, program.environment) if sys.platform == "win32" else program.argv
        popen = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=program.folder,
            env=program.environment,
            start_new_session=sys.platform != "win32",
            creationflags=windows.CREATION_FLAGS,
        )
    except OSError as error:
        raise _not_started(program, error) from error
    except ValueError as error:
        # Lone surrogates and NUL characters, wherever they stand.
        raise UsageError(
            "the command, its folder or a variable of its environment holds characters that no program can be given",
            hint=str(error),
        ) from error
    return Child(popen, windows.job_with(popen) if sys.platform == "win32" else None)


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold as much as one may on Linux, where the system allows it: long messages come in fewer pieces."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # the user has as many such pipes as are allowed
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, WIDE)


def _not_started(program: Program, error: OSError) -> ConnectFailed:
    command = program.argv[0]
    what = f"cannot start `{brief(program.argv)}`"
    if program.folder is not None and not os.path.isdir(program.folder):  # noqa: PTH112 - to `Path`, "" is the current one
        return ConnectFailed(f"{what}: there is no folder {program.folder or repr('')}", was_sent=False)
    if not isinstance(error, FileNotFoundError):
        is_long = error.errno == errno.E2BIG
        hint = "give it less in arguments and `env`" if is_long else "is it a program, and may you execute it?"
        return ConnectFailed(f"{what}: {error.strerror}: {command}", was_sent=False, hint=hint)
    path = Path(program.folder or ".", command)
    if os.sep in command and path.exists():
        hint = "look at its first line, which begins with #!"
        return ConnectFailed(f"{what}: {command} is there, but not what it runs in", was_sent=False, hint=hint)
    where = f"no such file: {command}" if os.sep in command else f"{command} is not on the PATH{_searched(program)}"
    return ConnectFailed(f"{what}: {where}", was_sent=False, hint=advice(program.argv))


def _searched(program: Program) -> str:
    path = program.environment.get("PATH")
    if path is None:
        elsewhere = shutil.which(program.argv[0])
        return " (the server was given none)" + (f"; ours has it as {elsewhere}" if elsewhere else "")
    return f" ({path})"


# ------------------------------------------------------------------------------------------------------------- groups


def living_members(group: int) -> bool:
    """Whether a process group has members that still run: the dead whom nobody has reaped do not count."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):  # macOS refuses where all members are dead
        return False
    # A container without an init process never reaps the orphans in it: they would be waited for in vain.
    states = list(_states_on_linux(group))
    return not states or any(state not in "ZX" for state in states)


def _states_on_linux(group: int) -> Iterator[str]:
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_bytes().rpartition(b")")[2].split()
            if int(fields[2]) == group:
                yield fields[0].decode()


# ------------------------------------------------------------------------------------------------- when all else ends


class _Starts:
    """How many programs are just being started."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.under_way = 0


_starts = _Starts()
_running: set[Child] = set()


@contextlib.contextmanager
def _starting() -> Generator[None]:
    starts = _starts
    with starts.changed:
        if is_ending():
            raise ConnectFailed("this program is ending, and starts no servers any more", was_sent=False)
        starts.under_way += 1
    try:
        yield
    finally:
        with starts.changed:
            starts.under_way -= 1
            starts.changed.notify_all()


def _end_all() -> None:
    """End what was never closed, as the interpreter ends: first by its input, then by request, then by force."""
    end = time.monotonic() + _AT_EXIT
    with _starts.changed:
        # First: whoever sees a server die from now on is not to start it again.
        begin_ending()
        _starts.changed.wait_for(lambda: not _starts.under_way, _AT_EXIT)
    children = list(_running)
    for child in children:
        # Its outputs stay open: they are read on by threads that know nothing of this.
        with contextlib.suppress(OSError):
            child.stdin.close()
        child.terminate()
    while time.monotonic() < end and not all(child.is_gone() for child in children):
        time.sleep(0.01)
    for child in children:
        child.kill()
        child.release()


def _forget_all() -> None:
    """In a forked process, let go of the parent's servers: their input ends when the parent closes it."""
    global _starts  # noqa: PLW0603 - the parent's may be held by a thread that does not exist here
    _starts = _Starts()
    for child in _running:
        child.close_pipes()
        child.popen.returncode = 0  # not ours to wait for
    _running.clear()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
