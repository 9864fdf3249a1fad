"""Write each call of a tool as one JSON object on a line of its own, for programs to read."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation
from dragoman.telemetry.facts import arguments_of, error_type, result_of
from dragoman.types import encode

__all__ = ["JsonlObserver"]


class JsonlObserver:
    """Appends a line for every call when it has ended, from any thread.

    A line has `time` (UTC, when it began), `trace_id`, `call_id`, `tool`, `name`, `server` (null for a function of this
    program), `elapsed` (seconds), `is_error`, `error_type`, and with `content` also `arguments` and `result`.

    Args:
        file: a path, which is opened for appending and closed by `close`, or a binary file, which stays its owner's.
        content: whether to write arguments and results.
        concealer: what takes secrets out of them.
    """

    def __init__(
        self, file: str | PathLike[str] | BinaryIO, *, content: bool = False, concealer: Concealer | None = None
    ) -> None:
        self._owns = isinstance(file, str | PathLike)
        self._file: Any = Path(file).open("ab") if isinstance(file, str | PathLike) else file  # noqa: SIM115 - see `close`
        self._content = content
        self._concealer = concealer or Concealer()
        self._lock = threading.Lock()

    def start(self, observation: Observation) -> None:
        """Wait for its end."""

    def stop(self, observation: Observation) -> None:
        """Write a line."""
        line = encode(self._record(observation)) + b"\n"
        with self._lock:
            self._file.write(line)
            self._file.flush()

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._owns:
            self._file.close()

    def _record(self, observation: Observation) -> dict[str, Any]:
        record: dict[str, Any] = {
            "time": (datetime.now(UTC) - timedelta(seconds=observation.elapsed)).isoformat(timespec="milliseconds"),
            "trace_id": observation.trace_id,
            "call_id": observation.call.id,
            "name": observation.call.name,
            "tool": observation.definition.name,
            "server": observation.server.name if observation.server else None,
            "elapsed": round(observation.elapsed, 6),
            "is_error": observation.is_error,
            "error_type": error_type(observation.error) if observation.error else None,
        }
        if self._content:
            record["arguments"] = arguments_of(observation, self._concealer)
            record["result"] = result_of(observation, self._concealer)
        return record
