"""Keep the lockfile."""

from __future__ import annotations

from pathlib import Path

from dragoman.errors import ConfigError
from dragoman.files.writing import replace
from dragoman.host.lockfile import Lock, read_lock, write_lock

__all__ = ["load_lock", "save_lock"]


def load_lock(file: Path) -> Lock | None:
    """Read a lockfile; None where there is none.

    Raises:
        ConfigError: it cannot be read, or was changed by hand.
    """
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}", file=str(file)) from None
    return read_lock(data, str(file))


def save_lock(file: Path, lock: Lock) -> None:
    """Write a lockfile, whole or not at all.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        replace(file, write_lock(lock))
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror or error}", file=str(file)) from None
