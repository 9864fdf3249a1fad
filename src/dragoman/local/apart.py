"""Change a file while nobody else does, in whichever process."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from hashlib import sha256
from pathlib import Path

from dragoman.local.locks import FileLock

__all__ = ["alone_with"]

_PATIENCE = 5.0
"""Seconds to wait for others; they need a moment each, and it is better to go on than never to."""


@contextlib.contextmanager
def alone_with(path: Path, locks: Path) -> Generator[None]:
    """Keep others out who want to change the same file, as far as this machine has locks.

    The lock is a file in the folder `locks`: beside the other one it would be in somebody's project.
    """
    digest = sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    lock = FileLock(locks / f"{digest}.lock")
    with contextlib.suppress(OSError):
        lock.acquire(_PATIENCE)
    try:
        yield
    finally:
        lock.release()
