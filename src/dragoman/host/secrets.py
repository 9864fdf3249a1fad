"""Conceal secrets in what is logged, shown or handed over: by the names that bear them, by their looks, and by value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dragoman.secrecy import CONCEALED, is_secret_name, without_secrets

__all__ = ["Concealer", "plain_text"]

_SHORTEST = 6
"""A known value that is shorter is not looked for: it would be found in every other word."""
_NAMING = ("name", "key", "header")
_NAMED = ("value", "val")
"""Where a name stands beside its value."""


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
        text = without_secrets(text)
        for pattern in self._patterns:
            text = pattern.sub(CONCEALED, text)
        return text

    def json(self, value: Any) -> Any:
        """Conceal secrets in any JSON, the values of telling names whole; gives a copy.

        A name may also stand beside its value, as in {"name": "Authorization", "value": "..."}, or before it in a list
        of words, as "--token" does.
        """
        match value:
            case Mapping():
                told = next((each for key in _NAMING if isinstance(each := value.get(key), str)), "")
                hidden = _NAMED if is_secret_name(told) else ()
                return {
                    self._key(key): self._named("key" if key in hidden else str(key), each)
                    for key, each in value.items()
                }
            case list() | tuple():
                return [self._named(_option(before), each) for before, each in zip(("", *value), value, strict=False)]
        return self.texts(value)

    def texts(self, value: Any) -> Any:
        """Conceal secrets in the texts of any JSON, whatever they are called; gives a copy."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self._key(key): self.texts(each) for key, each in value.items()}
            case list() | tuple():
                return [self.texts(each) for each in value]
        return value

    def _key(self, key: Any) -> Any:
        return self.text(key) if isinstance(key, str) else key

    def _named(self, name: str, value: Any) -> Any:
        if is_secret_name(name) and value not in (None, "", True, False):
            return CONCEALED
        return self.json(value)


def _option(word: Any) -> str:
    """Give the name of an option whose value is the next word; nothing for any other word."""
    return word if isinstance(word, str) and word.startswith("-") and "=" not in word else ""
