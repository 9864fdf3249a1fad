"""Write a line for everything that was decided and called, to a file that only grows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from inspect import iscoroutinefunction
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

import msgspec

from dragoman.errors import PolicyDenied, UsageError
from dragoman.files.writing import append_line

__all__ = ["Audit", "AuditSink"]

AuditSink: TypeAlias = str | os.PathLike[str] | Callable[[dict[str, Any]], object]
"""A file to which lines are added, or a function that takes each record."""


_hosts = count(1)


class Audit:
    """The audit log of one host: JSON, a line a record, each with its time (UTC) and a number that counts up.

    Several hosts, in one process or many, may write to one file: `process`, `host` and `call` tell their calls apart.
    What cannot be recorded does not happen: `write` raises, and is called before anything is done.
    """

    def __init__(self, sink: AuditSink | None) -> None:
        if iscoroutinefunction(sink) or iscoroutinefunction(getattr(sink, "__call__", None)):  # noqa: B004
            raise UsageError("`audit` is a coroutine function", hint="give a plain one, which waits for nothing")
        self._sink = sink
        self._guard = Lock()
        self._written = 0
        self._host = next(_hosts)

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
                "host": self._host,
                "event": event,
                **{name: value for name, value in facts.items() if value is not None},
            }
            self._put(record)
            self._written += 1

    def _put(self, record: dict[str, Any]) -> None:
        sink = self._sink
        try:
            if callable(sink):
                sink(record)
            else:
                append_line(Path(os.fspath(sink or "")), _line(record))
        except OSError as error:
            raise PolicyDenied(
                f"the audit log cannot be written, so nothing is done: {error}", hint="make room, or name another file"
            ) from error
        except Exception as error:  # the application's function
            what = f"the audit log took no record, so nothing is done: {type(error).__name__}: {error}"
            raise PolicyDenied(what, hint="the function that is `audit` has to take every record") from error


def _line(record: dict[str, Any]) -> bytes:
    """Write a record; whatever JSON has no form for is recorded as far as it can be."""
    try:
        return msgspec.json.encode(record, enc_hook=str)
    except (TypeError, ValueError, RecursionError):
        # Lone surrogates, and names that are none.
        return json.dumps(record, default=str, skipkeys=True).encode("ascii")
