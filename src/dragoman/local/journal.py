"""What a server writes on its standard error: always read, told line by line, its end kept for whoever asks why."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping

from dragoman.secrecy import CONCEALED, is_secret_name

__all__ = ["Journal"]

_LINES = 200
_BYTES = 65536
_LONGEST = 8192
"""A line that goes on for longer is told in pieces: it may never end."""

# Colours, cursor movements and window titles are for a terminal that the server does not have.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CREDENTIALS = re.compile(r"://([^/@\s]+)@")
_SHORTEST = 3
_TELLING = 8
_SWITCHES = frozenset({"false", "none", "null", "off", "true", "yes"})
_LINE_END = re.compile(rb"\r\n|\n|\r")


class Journal:
    """The last lines of a server's standard error, at most 200 and 64 KiB; owned by the server's transport.

    Each line goes to `on_line`, without terminal escapes and without the values of variables whose names say that they
    are secret.
    """

    def __init__(self, environment: Mapping[str, str], on_line: Callable[[str], None] | None = None) -> None:
        self._on_line = on_line
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._size = 0
        self._unfinished = b""
        self._secrets = _pattern(environment)

    def feed(self, data: bytes) -> None:
        """Take the next bytes, which may end anywhere."""
        *lines, rest = _LINE_END.split(self._unfinished + data)
        while len(rest) > _LONGEST:
            lines.append(rest[:_LONGEST])
            rest = rest[_LONGEST:]
        self._unfinished = rest
        for line in lines:
            self._take(line)

    def finish(self) -> None:
        """Take what there is of a line that has not ended: nothing more will come."""
        rest, self._unfinished = self._unfinished, b""
        self._take(rest)

    def tail(self, lines: int = 20) -> str:
        """Return the last lines, that of which the end has not come included."""
        kept = [*self._lines, *([self._cleaned(self._unfinished)] if self._unfinished else [])]
        return "\n".join(kept[-lines:])

    def _take(self, raw: bytes) -> None:
        line = self._cleaned(raw)
        if not line:
            return
        self._keep(line)
        if self._on_line is not None:
            self._on_line(line)

    def _keep(self, line: str) -> None:
        if len(self._lines) == _LINES:
            self._size -= len(self._lines.popleft())
        self._lines.append(line)
        self._size += len(line)
        while self._size > _BYTES:
            self._size -= len(self._lines.popleft())

    def _cleaned(self, raw: bytes) -> str:
        text = _ESCAPES.sub("", raw.decode("utf-8", "replace")).rstrip()
        if self._secrets is not None:
            text = self._secrets.sub(CONCEALED, text)
        if text.isprintable():
            return text
        return "".join(char if char.isprintable() or char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _pattern(environment: Mapping[str, str]) -> re.Pattern[str] | None:
    """Make what finds the environment's secrets: values of telling names, and what stands before the @ of a URL."""
    named = {value for name, value in environment.items() if is_secret_name(name) and value.lower() not in _SWITCHES}
    within = {secret for value in environment.values() for secret in _CREDENTIALS.findall(value)}
    # Longest first, so that one secret within another leaves no rest of it.
    secrets = sorted((each for each in named | within if len(each) >= _SHORTEST), key=len, reverse=True)
    return re.compile("|".join(map(_whole, secrets))) if secrets else None


def _whole(secret: str) -> str:
    """Have a short secret found where it stands by itself alone, since it may be a part of many words."""
    return re.escape(secret) if len(secret) >= _TELLING else rf"(?<!\w){re.escape(secret)}(?!\w)"
