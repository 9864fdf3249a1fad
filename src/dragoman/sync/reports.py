# generated from src/dragoman/aio/reports.py by tools/unasync.py; do not edit
"""Say what was wrong with what a server sent: once each, by name, and as an error where that is wished for."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import force_setattr

from dragoman.errors import ProtocolError
from dragoman.protocol.salvage import Problem
from dragoman.types import Result

__all__ = ["Reports"]

log = logging.getLogger("dragoman.sync")

R = TypeVar("R", bound=Result)

_POSITION = re.compile(r"\[\d+\]")
_MOST_REMEMBERED = 1_000


class Reports:
    """The problems of one server; owns which have been logged."""

    def __init__(self, server: str, *, is_strict: bool) -> None:
        self._server = server
        self._is_strict = is_strict
        self._said: set[tuple[str, str, str]] = set()

    def attach(self, result: R, problems: Sequence[Problem]) -> R:
        """Let a result know its problems, and say those that are new.

        Raises:
            ProtocolError: there are any, and the client is strict.
        """
        if not problems:
            return result
        if self._is_strict:
            raise ProtocolError(f"the answer is not as it should be: {problems[0]}", server=self._server)
        force_setattr(result, "_problems", tuple(problems))
        for problem in problems:
            self.say(problem)
        return result

    def advise(self, name: str, reason: str) -> None:
        """Log once what to do about something that is no fault of an answer's, by its name."""
        self.say(Problem("", name, reason))

    def say(self, problem: Problem) -> None:
        """Log a problem, unless it has been."""
        # Where in a list it stood says nothing new: the same fault moves about when the list changes.
        fault = (_POSITION.sub("", problem.where), problem.name, problem.reason)
        if fault not in self._said and len(self._said) < _MOST_REMEMBERED:
            self._said.add(fault)
            log.warning("%s: %s", self._server, problem)
