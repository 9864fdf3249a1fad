"""Write files so that whoever reads them finds the old contents or the new ones, and never half."""

from __future__ import annotations

import contextlib
import os
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

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), _PRIVATE)
    try:
        written = os.write(handle, data + b"\n")
        if written != len(data) + 1:
            raise OSError(f"only {written} of {len(data) + 1} bytes could be written to {path}")
    finally:
        os.close(handle)
