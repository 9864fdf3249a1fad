"""Write each call of a tool into a log: one line when it begins, one when it has ended."""

from __future__ import annotations

import logging

from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation
from dragoman.telemetry.facts import arguments_of, error_type, result_of
from dragoman.types import encode

__all__ = ["LogObserver"]

_LONGEST = 2_000


class LogObserver:
    """Logs calls: failures as warnings, everything else at `level`.

    Args:
        logger: where to; "dragoman.tools" by default.
        level: of what goes well.
        content: whether to log arguments and results.
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
        if self._logger.isEnabledFor(self._level):
            shown = _brief(encode(arguments_of(observation, self._concealer)).decode()) if self._content else ""
            self._logger.log(self._level, "> %s%s", _called(observation), f" {shown}" if shown else "")

    def stop(self, observation: Observation) -> None:
        """Log how it ended, and after how long."""
        level = max(self._level, logging.WARNING) if observation.is_error else self._level
        if self._logger.isEnabledFor(level):
            shown = _brief(encode(result_of(observation, self._concealer)).decode()) if self._content else ""
            milliseconds = observation.elapsed * 1000
            self._logger.log(
                level,
                "< %s %s in %.1f ms%s",
                _called(observation),
                _outcome(observation),
                milliseconds,
                f" {shown}" if shown else "",
            )


def _called(observation: Observation) -> str:
    server = observation.server.name if observation.server else "local"
    return f"{server} {observation.definition.name} [{observation.call.id}]"


def _outcome(observation: Observation) -> str:
    if observation.error is not None:
        return f"raised {error_type(observation.error)}"
    return "failed" if observation.is_error else "succeeded"


def _brief(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text):,} characters)"
