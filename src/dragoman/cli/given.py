"""Read what the user hands over beside words: a file that is named, or the input."""

import sys
from pathlib import Path

from dragoman.errors import UsageError

__all__ = ["text_of_file", "text_of_input"]


def text_of_file(name: str) -> str:
    """Read a file as UTF-8, without the mark that some editors put in front.

    Raises:
        UsageError: it cannot be read, or no name is given.
    """
    if not name:
        raise UsageError("no file is named", hint="write its name, as in @FILE")
    try:
        return Path(name).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name} cannot be read: {_reason(error)}") from error


def text_of_input() -> str:
    """Read standard input to its end in the same way; nothing where it is closed.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the input cannot be read: {_reason(error)}") from error


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return str(error) if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
