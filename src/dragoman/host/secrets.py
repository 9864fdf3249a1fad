"""Conceal secrets in what is logged, shown or handed over: by the names that bear them, by their looks, and by value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dragoman.secrecy import CONCEALED, is_secret_name

__all__ = ["Concealer", "plain_text"]

_LOOKS = re.compile(
    r"""(?x)
    -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | \b(?:gh[opsur]|github_pat|glpat|xox[abeoprs]|sk|pk|rk|hf|npm|pypi|dop_v1|shpat|ya29)[-_][\w-]{16,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \bAIza[\w-]{35}
    | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*
    | (?<=://)[^/@\s:]+:[^/@\s]+(?=@)
    """,
    re.DOTALL,
)
_BEARER = re.compile(r"(?i)\b(Bearer|Basic)[ ]+[\w.~+/-]{8,}=*")
_SHORTEST = 6
"""A known value that is shorter is not looked for: it would be found in every other word."""


def plain_text(text: str) -> str:
    """Show a text of somebody else's without anything that a terminal would obey, or that nobody would see."""
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\u{{{ord(char):x}}}" for char in text)


class Concealer:
    """Conceals secrets in texts and in JSON.

    Args:
        values: secrets that are known; they are concealed wherever they stand.
        patterns: regular expressions of further ones.
    """

    def __init__(self, values: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        # Longest first, so that one secret within another leaves no rest of it.
        self._values = sorted({each for each in values if len(each) >= _SHORTEST}, key=len, reverse=True)
        self._patterns = tuple(re.compile(each) for each in patterns)

    def text(self, text: str) -> str:
        """Conceal what looks like a secret, or is known to be one, in a text."""
        for value in self._values:
            text = text.replace(value, CONCEALED)
        text = _BEARER.sub(rf"\1 {CONCEALED}", _LOOKS.sub(CONCEALED, text))
        for pattern in self._patterns:
            text = pattern.sub(CONCEALED, text)
        return text

    def json(self, value: Any) -> Any:
        """Conceal secrets in any JSON, the values of telling names whole; gives a copy."""
        return self._walk(value, self._named)

    def texts(self, value: Any) -> Any:
        """Conceal secrets in the texts of any JSON, whatever they are called; gives a copy."""
        return self._walk(value, lambda _, each: self.texts(each))

    def _walk(self, value: Any, named: Callable[[str, Any], Any]) -> Any:
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {key: named(str(key), each) for key, each in value.items()}
            case list() | tuple():
                return [self._walk(each, named) for each in value]
        return value

    def _named(self, name: str, value: Any) -> Any:
        if is_secret_name(name) and value not in (None, "", True, False):
            return CONCEALED
        return self.json(value)
