"""Keep others out, in this process and in all others: locks that are files, and end with whoever holds them."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from threading import Event, Lock
from time import monotonic
from typing import Protocol

__all__ = ["FileLock", "StoreLock", "ThreadLock"]

_OFTEN = 0.02
"""Seconds between two attempts: the system's own waiting could be neither bounded nor given up."""


class StoreLock(Protocol):
    """A lock under some name, taken once and given back once."""

    def acquire(self, timeout: float) -> bool:
        """Take the lock; False when `timeout` seconds went by, or `release` was called, before it was free."""
        ...

    def release(self) -> None:
        """Give the lock back, from any thread. Called during `acquire`, it ends that, and the lock is not taken."""
        ...


class ThreadLock:
    """A lock that keeps out other threads of this process."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        self._guard = Lock()
        self._is_over = False
        self._is_held = False

    def acquire(self, timeout: float) -> bool:
        """Take the lock; see `StoreLock`."""
        ends = monotonic() + timeout
        while not self._lock.acquire(timeout=min(_OFTEN, max(0.0, ends - monotonic()))):
            if self._is_over or monotonic() >= ends:
                return False
        return self._settled()

    def _settled(self) -> bool:
        with self._guard:
            self._is_held = not self._is_over
            if self._is_over:
                self._lock.release()
            return self._is_held

    def release(self) -> None:
        """Give the lock back; see `StoreLock`."""
        with self._guard:
            self._is_over = True
            if self._is_held:
                self._is_held = False
                self._lock.release()


class FileLock:
    """A lock that keeps out all threads and processes that know its file; the system frees it when its holder dies.

    The file stays: removing it would let two in.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard = Lock()
        self._over = Event()
        self._descriptor: int | None = None

    def acquire(self, timeout: float) -> bool:
        """Take the lock; see `StoreLock`.

        Raises:
            OSError: the file cannot be made, or not be locked.
        """
        ends = monotonic() + timeout
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            while not _locked(descriptor):
                if monotonic() >= ends or self._over.wait(_OFTEN):
                    os.close(descriptor)
                    return False
        except OSError:  # some file systems have no locks
            os.close(descriptor)
            raise
        return self._settled(descriptor)

    def _settled(self, descriptor: int) -> bool:
        with self._guard:
            if self._over.is_set():
                _let_go(descriptor)
                return False
            self._descriptor = descriptor
            return True

    def release(self) -> None:
        """Give the lock back; see `StoreLock`."""
        with self._guard:
            self._over.set()
            if self._descriptor is not None:
                _let_go(self._descriptor)
                self._descriptor = None


if sys.platform == "win32":
    import msvcrt

    def _locked(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _let_go(descriptor: int) -> None:
        with contextlib.suppress(OSError):
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        os.close(descriptor)

else:
    import fcntl

    def _locked(descriptor: int) -> bool:
        try:
            # Not lockf: its locks are the whole process's, and go when any of its threads closes the file.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _let_go(descriptor: int) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)
