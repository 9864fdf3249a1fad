"""Write each call of a tool, or each request of a client, into a log: a line when it begins, one when it has ended."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation
from dragoman.models.watching import RequestObservation, SessionObservation
from dragoman.telemetry.facts import arguments_of, error_type, params_of, reply_of, result_of
from dragoman.types import encode

__all__ = ["LogObserver"]

_LONGEST = 2_000


class LogObserver:
    """Logs calls, requests and sessions: failures as warnings, everything else at `level`.

    Given to a runner it sees calls of tools, given to a client requests and sessions.

    Args:
        logger: where to; "dragoman.tools" by default.
        level: of what goes well.
        content: whether to log arguments, params and results.
        concealer: what takes secrets out of them.
    """

    def __init__(
        self,
        logger: logging.Logger | None = None,
        level: int = logging.INFO,
        *,
        content: bool = False,
        concealer: Concealer | None = None,
    ) -> None:
        self._logger = logger or logging.getLogger("dragoman.tools")
        self._level = level
        self._content = content
        self._concealer = concealer or Concealer()

    def start(self, observation: Observation) -> None:
        """Log that a call begins."""
        self._begins(_called(observation), lambda: arguments_of(observation, self._concealer))

    def stop(self, observation: Observation) -> None:
        """Log how it ended, and after how long."""
        self._ends(_called(observation), observation, lambda: result_of(observation, self._concealer))

    def start_request(self, request: RequestObservation) -> None:
        """Log that a request is sent."""
        self._begins(_asked(request), lambda: params_of(request, self._concealer))

    def stop_request(self, request: RequestObservation) -> None:
        """Log how it ended, and after how long."""
        self._ends(_asked(request), request, lambda: reply_of(request, self._concealer))

    def start_session(self, session: SessionObservation) -> None:
        """Log that a server has been reached."""
        version = session.server.protocol_version
        self._logger.log(self._level, "%s reached, by version %s", session.server.name, version)

    def stop_session(self, session: SessionObservation) -> None:
        """Log that it has been left, or lost."""
        if session.error is None:
            self._logger.log(self._level, "%s left after %.1f s", session.server.name, session.elapsed)
        else:
            level = max(self._level, logging.WARNING)
            lost = error_type(session.error)
            self._logger.log(level, "%s lost after %.1f s: %s", session.server.name, session.elapsed, lost)

    def _begins(self, what: str, content: Callable[[], Any]) -> None:
        if self._logger.isEnabledFor(self._level):
            self._logger.log(self._level, "> %s%s", what, self._shown(content))

    def _ends(self, what: str, seen: Observation | RequestObservation, content: Callable[[], Any]) -> None:
        level = max(self._level, logging.WARNING) if seen.is_error else self._level
        if self._logger.isEnabledFor(level):
            milliseconds = seen.elapsed * 1000
            self._logger.log(level, "< %s %s in %.1f ms%s", what, _outcome(seen), milliseconds, self._shown(content))

    def _shown(self, content: Callable[[], Any]) -> str:
        return f" {_brief(encode(content()).decode())}" if self._content else ""


def _called(observation: Observation) -> str:
    server = observation.server.name if observation.server else "local"
    return f"{server} {observation.definition.name} [{observation.call.id}]"


def _asked(request: RequestObservation) -> str:
    about = request.tool or request.prompt
    number = "" if request.request_id is None else f" [{request.request_id}]"
    asks = " asks" if request.is_theirs else ""
    return f"{request.server.name}{asks} {request.request.method}{f' {about}' if about else ''}{number}"


def _outcome(seen: Observation | RequestObservation) -> str:
    if seen.error is not None:
        return f"raised {error_type(seen.error)}"
    return "failed" if seen.is_error else "succeeded"


def _brief(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text):,} characters)"
