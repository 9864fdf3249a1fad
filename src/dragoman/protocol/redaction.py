"""Show a message without its secrets, from its beginning alone, whether or not it is whole.

Messages are large and the log shows a thousand characters of them, so that nothing is decoded: the words of the JSON are
gone through one by one. A secret is what stands under the name of one, lists and objects included, and what looks like
one; texts that are JSON again, as most servers answer, are gone through in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from dragoman.secrecy import CONCEALED, is_secret_name, without_secrets

__all__ = ["redacted"]

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]:,]|[^\s{}\[\]:,"]+|\s+', re.DOTALL)
_BEGUN = re.compile(r'"(?:[^"\\]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
_MARGIN = 100
_PLAIN = frozenset({"true", "false", "null"})
# What a JSON Schema may say of a field that will hold a secret. Everything else in it is taken for the secret itself.
_KEYWORDS = frozenset(
    [
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "description",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "oneOf",
        "pattern",
        "properties",
        "readOnly",
        "required",
        "title",
        "type",
        "writeOnly",
    ]
)


def redacted(text: str, most: int, *, is_cut: bool = False) -> str:
    """Conceal the secrets in the text of a message, or, with `is_cut`, in its beginning.

    Of a long one not much more than the first `most` characters comes back.
    """
    if not text.lstrip().startswith(("{", "[")):
        # The end of a secret may be what tells it, as in a URL, and may be missing.
        return without_secrets(text)[: -_MARGIN if is_cut else None]
    shown: list[str] = []
    for word in _Reader(most, is_cut=is_cut).read(text):
        shown.append(word)
        most -= len(word)
        if most < 0:
            break
    return "".join(shown)


class _Level:
    """An object or array that is being read, and what that means for what stands in it."""

    __slots__ = ("declares", "hides", "is_object", "is_schema", "name", "tells")

    def __init__(
        self, *, is_object: bool, hides: bool = False, is_schema: bool = False, declares: bool = False
    ) -> None:
        self.is_object = is_object
        self.hides = hides
        self.is_schema = is_schema
        self.declares = declares
        self.name: str | None = None
        self.tells = False  # its "name" is that of a secret, so that its "value" is one

    @property
    def hides_value(self) -> bool:
        """Whether the value that comes next is a secret, or holds nothing else."""
        if self.hides or self.name is None:
            return self.hides
        if self.is_schema and not self.declares:
            return self.name not in _KEYWORDS
        return is_secret_name(self.name) or (self.tells and self.name == "value")

    def inner(self, *, is_object: bool) -> _Level:
        """Begin what stands here."""
        hides, is_named = self.hides_value, self.name is not None
        if is_object and hides and not self.hides and self.declares:
            # `{"properties": {"password": {"type": "string"}}}`: a field is described, and nothing told.
            return _Level(is_object=True, is_schema=True)
        declares = is_object and is_named and self.name == "properties" and not self.declares
        is_schema = self.is_schema and not hides
        return _Level(is_object=is_object, hides=hides, is_schema=is_schema, declares=declares and not hides)


class _Reader:
    """Goes through the words of one JSON text."""

    def __init__(self, most: int, *, is_cut: bool) -> None:
        self._most = most
        self._is_cut = is_cut
        self._levels = [_Level(is_object=False)]

    def read(self, text: str) -> Iterator[str]:
        for match in _TOKEN.finditer(text):
            yield self._word(match[0], is_last=match.end() == len(text))

    def _word(self, word: str, *, is_last: bool) -> str:
        level = self._levels[-1]
        match word[0]:
            case "{" | "[":
                self._levels.append(level.inner(is_object=word == "{"))
            case "}" | "]":
                del self._levels[max(1, len(self._levels) - 1) :]
            case ",":
                level.name = None
            case '"' if level.is_object and level.name is None:
                level.name, _ = _decoded(word)
            case '"':
                return self._text(word, level, is_cut=is_last and self._is_cut)
            case first if first != ":" and not word.isspace():
                return self._scalar(word, level)
        return word

    def _scalar(self, word: str, level: _Level) -> str:
        is_count = level.name is not None and level.name.lower().endswith("tokens")
        return f'"{CONCEALED}"' if level.hides_value and word not in _PLAIN and not is_count else word

    def _text(self, word: str, level: _Level, *, is_cut: bool) -> str:
        if level.hides_value:
            return f'"{CONCEALED}"'
        text, rest = _decoded(word)
        if level.name == "name":
            level.tells = is_secret_name(text)
        shown = redacted(text, self._most, is_cut=is_cut)
        return (
            word
            if shown == text and rest in {"", '"'}
            else json.dumps(shown, ensure_ascii=False)[: None if rest else -1]
        )


def _decoded(word: str) -> tuple[str, str]:
    """Decode a string of JSON as far as it is one; also gives what is left, a quotation mark if all is well."""
    written: str = _BEGUN.findall(word)[0]
    return str(json.loads(written + '"', strict=False)), word[len(written) :]
