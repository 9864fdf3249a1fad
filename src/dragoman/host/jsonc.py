"""Read JSON as editors write it: with comments, trailing commas, and a line for each field.

The readers of JSON with comments that there are tell no lines, or take a tenth of a second for a file of 8 KB. Finding
the lines takes going through the tokens anyhow, and comments and commas are left out on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

__all__ = ["DEEPEST", "BrokenJson", "Path", "read_jsonc"]

Path: TypeAlias = tuple[str | int, ...]

DEEPEST = 8
"""How deep lines are noted: deeper than any field that something is said about."""

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|[{}\[\]:,]|[^\s{}\[\]:,"/]+|"|/', re.DOTALL)


class BrokenJson(Exception):
    """A text is no JSON: what is wrong, on which line, and what to write instead, where that is known."""

    def __init__(self, what: str, line: int, hint: str | None = None) -> None:
        super().__init__(what)
        self.line = line
        self.hint = hint


class _Token(Struct, frozen=True):
    text: str
    line: int


def read_jsonc(text: str) -> tuple[Any, dict[Path, int], tuple[Path, ...]]:
    """Give the value, the line of each field by its path, and the paths of keys that stand there twice.

    Raises:
        BrokenJson: it is no JSON, even so.
    """
    tokens = _without_trailing_commas([each for each in _tokens(text) if not each.text.startswith(("//", "/*"))])
    if not tokens:
        return {}, {}, ()
    _check(tokens)
    lines, repeated = _Lines().of(tokens)
    try:
        return msgspec.json.decode(" ".join(token.text for token in tokens)), lines, repeated
    except RecursionError:
        raise BrokenJson("it is nested too deeply", 1) from None


def _tokens(text: str) -> Iterator[_Token]:
    line, counted = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        yield _Token(match[0], line)


def _without_trailing_commas(tokens: list[_Token]) -> list[_Token]:
    kept: list[_Token] = []
    for token in tokens:
        if token.text in {"}", "]"} and len(kept) > 1 and kept[-1].text == "," and kept[-2].text not in {",", "{", "["}:
            kept.pop()
        kept.append(token)
    return kept


# ----------------------------------------------------------------------------------------------------------- grammar


def _check(tokens: list[_Token]) -> None:
    """Follow the grammar to the first token that breaks it.

    Raises:
        BrokenJson: there is one, or the text ends before the value does.
    """
    around: list[str] = []
    expected = "value"
    for token in tokens:
        following = _following(token.text, expected, around)
        if following is None:
            raise BrokenJson(f"{token.text[:8]} is out of place", token.line, _advice(token.text, expected, around))
        expected = following
    if around or expected != "comma":
        raise BrokenJson("it ends too early", tokens[-1].line)


def _advice(text: str, expected: str, around: list[str]) -> str | None:
    """Say what to write where one of the usual mistakes was made."""
    if text.startswith('"') and "\\" in text and not _is_scalar(text):
        return r'write a backslash twice, as in "C:\\Users", or a slash in its place'
    if text[0] in "'\u2018\u2019\u201c\u201d`":
        return 'texts stand between plain double quotes: "'
    if text == '"':
        return "the text that begins here has no end on its line"
    if expected == "comma" and text[0] in '"{[':
        return (
            "a comma is missing before it" if around else "it goes on after its end: a { is missing, or } is too much"
        )
    if text == ":" and not around:
        return "put { before everything, and } behind"
    return None


def _following(text: str, expected: str, around: list[str]) -> str | None:  # noqa: PLR0911 - one answer a rule
    """Give what is expected after a token, or None when it is not what was expected."""
    match text:
        case "{" | "[" if expected in {"value", "value or end"}:
            around.append(text)
            return "key or end" if text == "{" else "value or end"
        case "}" | "]" if expected in {"key or end", "value or end", "comma"} and around:
            return "comma" if around.pop() + text in {"{}", "[]"} else None
        case "," if expected == "comma" and around:
            return "key" if around[-1] == "{" else "value"
        case ":" if expected == "colon":
            return "value"
        case _ if expected in {"key", "key or end"}:
            return "colon" if text.startswith('"') and _is_scalar(text) else None
        case _ if expected in {"value", "value or end"}:
            return "comma" if _is_scalar(text) else None
    return None


def _is_scalar(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True


# ------------------------------------------------------------------------------------------------------------- lines


class _Lines:
    """Goes through the tokens of good JSON once and notes where each field begins; owns where it is."""

    def __init__(self) -> None:
        self._found: dict[Path, int] = {}
        self._repeated: list[Path] = []
        self._path: list[str | int] = []
        self._around: list[str] = []
        self._awaits_key = False

    def of(self, tokens: list[_Token]) -> tuple[dict[Path, int], tuple[Path, ...]]:
        """Give the lines, and the keys that are there twice."""
        for token in tokens:
            self._take(token)
        return self._found, tuple(self._repeated)

    def _take(self, token: _Token) -> None:
        match token.text:
            case "{" | "[":
                self._around.append(token.text)
                self._path.append("" if token.text == "{" else 0)
                self._awaits_key = token.text == "{"
                if token.text == "[":
                    self._note(token.line)
            case "}" | "]":
                self._around.pop()
                self._path.pop()
                self._awaits_key = False
            case ",":
                self._next(token.line)
            case _ if self._awaits_key:
                self._awaits_key = False
                self._key(token)

    def _next(self, line: int) -> None:
        if self._around[-1] == "{":
            self._awaits_key = True
            return
        self._path[-1] = int(self._path[-1]) + 1
        self._note(line)

    def _key(self, token: _Token) -> None:
        self._path[-1] = str(msgspec.json.decode(token.text))
        if tuple(self._path) in self._found:
            self._repeated.append(tuple(self._path))
        self._note(token.line)

    def _note(self, line: int) -> None:
        if len(self._path) <= DEEPEST:
            self._found[tuple(self._path)] = line
