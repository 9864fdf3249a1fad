"""Write files so that whoever reads them finds the old contents or the new ones, and never half."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["append_line", "replace"]

_PRIVATE = 0o600


def replace(path: Path, data: bytes) -> None:
    """Give a file new contents at one stroke; when that fails, the old ones stay.

    Raises:
        OSError: it cannot be written.
    """
    # Through a link, it is the file behind it that is meant.
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            Path(draft).chmod(path.stat().st_mode & 0o777)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def append_line(path: Path, data: bytes) -> None:
    """Add a line to a private file, in one piece, so that several processes may do so at once.

    What a process left half written, as on a full disk, becomes a line by itself, and spoils none after it.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = _opened(path)
    try:
        line = (b"\n" if _is_torn(handle) else b"") + data + b"\n"
        written = os.write(handle, line)
        if written != len(line):
            raise OSError(f"only {written} of {len(line)} bytes could be written to {path}")
    finally:
        os.close(handle)


def _opened(path: Path) -> int:
    flags = os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags | os.O_RDWR, _PRIVATE)
    except PermissionError:
        return os.open(path, flags | os.O_WRONLY, _PRIVATE)


def _is_torn(handle: int) -> bool:
    """Whether the last line of a file has no end."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        return False
    try:
        return os.lseek(handle, -1, os.SEEK_END) >= 0 and os.read(handle, 1) != b"\n"
    except OSError:  # it is empty, or may not be read
        return False
