"""Ask the user, on the terminal, whether a server may have what it asks for: ready to be given as `approve`."""

from __future__ import annotations

import sys
from typing import TextIO

from dragoman.types import CreateMessageParams, ElicitFormParams, ElicitUrlParams
from dragoman.views import Question

__all__ = ["ask_on_terminal"]

_LONGEST = 400


def ask_on_terminal(question: Question, *, source: TextIO | None = None, sink: TextIO | None = None) -> bool:
    """Show what a server asks for and let the user decide; without a terminal the answer is no.

    `source` and `sink` stand in for standard input and standard error.
    """
    reader, writer = source or sys.stdin, sink or sys.stderr
    if not reader.isatty():
        return False
    writer.write(f"{_plain(question.server)} {_wish(question)}\nAllow it? [y/N] ")
    writer.flush()
    return reader.readline().strip().lower() in {"y", "yes"}


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
