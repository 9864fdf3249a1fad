"""Write a line for everything that was decided and called, to a file that only grows."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

import msgspec

from dragoman.errors import PolicyDenied
from dragoman.files.writing import append_line

__all__ = ["Audit", "AuditSink"]

AuditSink: TypeAlias = str | os.PathLike[str] | Callable[[dict[str, Any]], object]
"""A file to which lines are added, or a function that takes each record."""


class Audit:
    """The audit log of one host: JSON, a line a record, each with its time (UTC) and a number that counts up.

    What cannot be recorded does not happen: `write` raises, and is called before anything is done.
    """

    def __init__(self, sink: AuditSink | None) -> None:
        self._sink = sink
        self._guard = Lock()
        self._written = 0

    @property
    def is_kept(self) -> bool:
        """Whether anybody reads it."""
        return self._sink is not None

    def write(self, event: str, **facts: Any) -> None:
        """Add a record; facts that are None are left out.

        Raises:
            PolicyDenied: it cannot be written.
        """
        if self._sink is None:
            return
        with self._guard:
            record = {
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "number": self._written + 1,
                "process": os.getpid(),
                "event": event,
                **{name: value for name, value in facts.items() if value is not None},
            }
            self._put(record)
            self._written += 1

    def _put(self, record: dict[str, Any]) -> None:
        if callable(self._sink):
            self._sink(record)
            return
        try:
            append_line(Path(os.fspath(self._sink or "")), msgspec.json.encode(record, enc_hook=str))
        except OSError as error:
            raise PolicyDenied(
                f"the audit log cannot be written, so nothing is done: {error}", hint="make room, or name another file"
            ) from error
