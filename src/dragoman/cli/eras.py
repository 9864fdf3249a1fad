"""Remember from one run to the next which era a server speaks, so that a silent one is waited for only once."""

import contextlib
import hashlib
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator, MutableMapping
from functools import cached_property
from pathlib import Path
from typing import Any

__all__ = ["LASTING", "Eras", "cache_folder"]

log = logging.getLogger("dragoman.cli")

LASTING = 86_400
"""Seconds that an entry holds: a server that learns another version is met afresh within a day."""


def cache_folder() -> Path:
    """Give the folder for what may be lost at any time, as the platform has it."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    return (Path(named) if named else Path.home() / ".cache") / "dragoman"


class Eras(MutableMapping[str, str]):
    """Servers' eras, kept in a file; where it cannot be read or written, they are kept for this run alone.

    A server's key may hold its whole command, secrets included, so that only a digest of it is kept.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file

    @cached_property
    def _entries(self) -> dict[str, tuple[str, float]]:
        try:
            stored = json.loads(self._path.read_text("utf-8"))
            return dict(_valid_entries(stored))
        except (OSError, ValueError, RuntimeError) as error:
            log.debug("no remembered eras: %s", error)
            return {}

    @property
    def _path(self) -> Path:
        return self._file or cache_folder() / "eras.json"

    def __getitem__(self, key: str) -> str:
        return self._entries[_digest(key)][0]

    def __setitem__(self, key: str, era: str) -> None:
        # An entry that says the same is not made younger, or it would never be questioned.
        if self.get(key) != era:
            self._entries[_digest(key)] = (era, time.time())
            self._save()

    def __delitem__(self, key: str) -> None:
        del self._entries[_digest(key)]
        self._save()

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and _digest(key) in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _save(self) -> None:
        try:
            _write(self._path, json.dumps(self._entries))
        except (OSError, RuntimeError) as error:
            log.debug("eras are not remembered: %s", error)


def _valid_entries(stored: Any) -> Iterator[tuple[str, tuple[str, float]]]:
    now = time.time()
    for digest, entry in stored.items() if isinstance(stored, dict) else ():
        match entry:
            case [str(era), int() | float() as since] if 0 <= now - since < LASTING:
                yield digest, (era, since)
            case _:
                log.debug("a remembered era has expired")


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:32]


def _write(path: Path, text: str) -> None:
    """Put a whole file in place at once, so that nobody reads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
