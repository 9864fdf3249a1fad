"""Ask the user, on the terminal, what may happen: ready to be given as `approve`, and to a host as `trust`."""

from __future__ import annotations

import sys
from typing import Literal, TextIO, overload

from dragoman.host.entries import Approval
from dragoman.host.policy import Act
from dragoman.types import CreateMessageParams, ElicitFormParams, ElicitUrlParams
from dragoman.views import Question

__all__ = ["ask_on_terminal"]

_LONGEST = 400

_ANSWERS: dict[str, bool | Literal["session", "always"]] = {
    "y": True,
    "yes": True,
    "s": "session",
    "session": "session",
    "a": "always",
    "always": "always",
}


@overload
def ask_on_terminal(question: Question, *, source: TextIO | None = None, sink: TextIO | None = None) -> bool: ...
@overload
def ask_on_terminal(
    question: Act | Approval, *, source: TextIO | None = None, sink: TextIO | None = None
) -> bool | Literal["session", "always"]: ...
def ask_on_terminal(
    question: Question | Act | Approval, *, source: TextIO | None = None, sink: TextIO | None = None
) -> bool | Literal["session", "always"]:
    """Show what is about to happen and let the user decide; without a terminal the answer is no.

    It is about what a server asks for, a call that a host's policy is careful with, or a server that a project's file
    wants to start. `source` and `sink` stand in for standard input and standard error.
    """
    reader, writer = source or sys.stdin, sink or sys.stderr
    if not reader.isatty():
        return False
    is_act = isinstance(question, Act)
    choices = "[y]es, for this [s]ession, [a]lways, [N]o" if is_act else "[y/N]"
    writer.write(f"{_told(question)}\nAllow it? {choices} ")
    writer.flush()
    answer = _ANSWERS.get(reader.readline().strip().lower(), False)
    return answer if is_act else answer is True


def _told(question: Question | Act | Approval) -> str:
    match question:
        case Act(reason=reason):
            return _plain(str(question)) + (f"\n  {_plain(reason)}" if reason else "")
        case Approval():
            # Not shortened: leave is given to every word of it.
            return f"A project's file wants to use a server that has no leave:\n{question}"
    return f"{_plain(question.server)} {_wish(question)}"


def _wish(question: Question) -> str:
    match question.params:
        case CreateMessageParams(messages=messages):
            last = messages[-1].text if messages else ""
            return f"wants a model to answer:\n  {_plain(last)}"
        case ElicitFormParams(message=message):
            return f"asks you:\n  {_plain(message)}"
        case ElicitUrlParams(message=message, url=url):
            return f"wants you to visit {_plain(url)}:\n  {_plain(message)}"
    return f"asks by {_plain(question.method)}"


def _plain(text: str) -> str:
    """Show a server's text without anything that a terminal would obey, and not too long."""
    shown = "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."
