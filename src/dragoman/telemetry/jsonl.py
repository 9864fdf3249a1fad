"""Write each call of a tool, or each request of a client, as one JSON object on a line of its own, for programs to read."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Self

from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation
from dragoman.models.watching import RequestObservation, SessionObservation
from dragoman.telemetry.facts import arguments_of, error_type, params_of, reply_of, result_of
from dragoman.types import encode

__all__ = ["JsonlObserver"]


class JsonlObserver:
    """Appends a line for every call, request and session when it has ended, from any thread.

    Given to a runner it sees calls of tools, given to a client requests and sessions. The line of a call has `time` (UTC, when it began), `trace_id`, `call_id`, `tool`, `name`, `server` (null for a function of this
    program), `elapsed` (seconds), `is_error`, `error_type`, and with `content` also `arguments` and `result`. That of a
    request has `method`, `request_id` and `is_theirs` (whether the server asks it) in place of the trace and the call, `tool` where it calls one, and with
    `content` its `params`; that of a session has nothing but `time`, `session`, `server`, `elapsed` and `error_type`.

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
        self._write(self._record(observation))

    def start_request(self, request: RequestObservation) -> None:
        """Wait for its end."""

    def stop_request(self, request: RequestObservation) -> None:
        """Write a line."""
        record: dict[str, Any] = {
            "time": _began(request.elapsed),
            "method": request.request.method,
            "request_id": request.request_id,
            "is_theirs": request.is_theirs,
            "tool": request.tool,
            "server": request.server.name,
            "elapsed": round(request.elapsed, 6),
            "is_error": request.is_error,
            "error_type": error_type(request.error) if request.error else None,
        }
        if self._content:
            record["params"] = params_of(request, self._concealer)
            record["result"] = reply_of(request, self._concealer)
        self._write(record)

    def start_session(self, session: SessionObservation) -> None:
        """Wait for its end."""

    def stop_session(self, session: SessionObservation) -> None:
        """Write a line."""
        self._write(
            {
                "time": _began(session.elapsed),
                "session": session.id,
                "server": session.server.name,
                "elapsed": round(session.elapsed, 6),
                "error_type": error_type(session.error) if session.error else None,
            }
        )

    def _write(self, record: dict[str, Any]) -> None:
        line = encode(record) + b"\n"
        with self._lock:
            self._file.write(line)
            self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._owns:
            self._file.close()

    def _record(self, observation: Observation) -> dict[str, Any]:
        record: dict[str, Any] = {
            "time": _began(observation.elapsed),
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


def _began(elapsed: float) -> str:
    """Give the time at which something began that has just ended."""
    return (datetime.now(UTC) - timedelta(seconds=elapsed)).isoformat(timespec="milliseconds")
