"""One field of a form: how it is asked for, and what becomes of the words that were typed."""

import re
from math import isinf
from typing import Any

from dragoman.cli.safe import one_line
from dragoman.types import (
    BooleanSchema,
    Choice,
    JsonObject,
    MultiSelectSchema,
    NumberSchema,
    PrimitiveSchema,
    SelectSchema,
    StringSchema,
    read_primitive_schema,
)

__all__ = ["Field"]

_YES = frozenset({"y", "yes", "true", "on", "1"})
_NO = frozenset({"n", "no", "false", "off", "0"})
_SECRET = re.compile(r"(?i)passw|passphrase|secret|token|api[-_ ]?key|private[-_ ]?key|\bpin\b|credential|\botp\b")
# Narrower than `int` and `float`, which take `1_0` for ten and digits of every script.
_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_FORMATS = {
    "email": "an e-mail address",
    "uri": "a URL",
    "date": "a date, as 2026-12-31",
    "date-time": "a date and time, as 2026-12-31T23:59:00Z",
}


class Field:
    """One field, as its schema describes it.

    Attributes:
        name: its key in the form's content.
        is_required: whether it has to be filled in.
        default: what it is when nothing is typed, or None.
    """

    def __init__(self, name: str, schema: JsonObject, *, is_required: bool) -> None:
        self.name = name
        self.is_required = is_required
        self._raw = schema
        self._schema: PrimitiveSchema = read_primitive_schema(schema)
        self.default: Any = self._schema.default

    @property
    def label(self) -> str:
        """What to call the field."""
        return one_line(str(self._schema.title or self.name))

    @property
    def description(self) -> str:
        """What the server says about the field, on one line."""
        return one_line(str(self._schema.description or ""))

    @property
    def is_secret(self) -> bool:
        """Whether what is typed must not be seen."""
        stated = self._raw.get("format") == "password" or self._raw.get("writeOnly") is True
        named = any(_SECRET.search(str(text)) for text in (self.name, self._schema.title or ""))
        return isinstance(self._schema, StringSchema) and (stated or named)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What there is to choose from; empty for a field that is typed freely."""
        return self._schema.choices if isinstance(self._schema, SelectSchema | MultiSelectSchema) else ()

    @property
    def wanted(self) -> str:
        """What may be typed, in a few words."""
        match self._schema:
            case BooleanSchema():
                return "y or n"
            case NumberSchema(type=kind, minimum=least, maximum=most):
                return ("a whole number" if kind == "integer" else "a number") + _bounds(least, most)
            case StringSchema(format=form, min_length=least, max_length=most):
                return _FORMATS.get(form or "", "text") + _bounds(least, most, " characters")
            case SelectSchema():
                return "the number of one"
            case MultiSelectSchema(min_items=least, max_items=most):
                return "numbers, with commas between" + _bounds(least, most, " of them")
            case _:
                return "text"

    def shown(self, value: Any) -> str:
        """Write a value as it is shown to the user, which a secret is not."""
        if self.is_secret:
            return "*" * 8
        labels = {choice.const: choice.label for choice in self.choices}
        if isinstance(value, bool):
            return "y" if value else "n"
        if isinstance(value, list):
            return ", ".join(str(labels.get(each, each)) for each in value)
        return str(labels.get(value, value))

    def read(self, typed: str) -> Any:
        """Make a value of what was typed.

        Raises:
            ValueError: it is none that the schema allows; the message tells the user why.
        """
        value = self._parse(typed)
        wrong = _violations(value, self._raw, mask="this" if self.is_secret else None)
        if wrong:
            raise ValueError(one_line(wrong))
        return value

    def _parse(self, typed: str) -> Any:
        match self._schema:
            case BooleanSchema():
                return _boolean(typed)
            case NumberSchema(type=kind):
                return _number(typed, kind)
            case SelectSchema():
                return _choice(typed, self.choices)
            case MultiSelectSchema():
                words = [word for word in typed.split(",") if word.strip()]
                several = [] if typed.strip().lower() == "none" else words
                return list(dict.fromkeys(_choice(word, self.choices) for word in several))
            case _:
                return typed


def _boolean(typed: str) -> bool:
    word = typed.strip().lower()
    if word not in _YES | _NO:
        raise ValueError("type y or n")
    return word in _YES


def _number(typed: str, kind: str) -> int | float:
    try:
        return _whole(typed) if kind == "integer" else _real(typed)
    except ValueError:
        raise ValueError("type a whole number" if kind == "integer" else "type a number") from None


def _whole(typed: str) -> int:
    if not _WHOLE.fullmatch(typed.strip()):
        raise ValueError(typed)
    return int(typed)


def _real(typed: str) -> int | float:
    if _WHOLE.fullmatch(typed.strip()):
        return int(typed)
    if not _REAL.fullmatch(typed.strip()):
        raise ValueError(typed)
    number = float(typed)
    if isinf(number):
        raise ValueError(typed)
    return number


def _choice(typed: str, choices: tuple[Choice, ...]) -> str:
    word = typed.strip()
    named = [choice.const for choice in choices if word in {choice.const, choice.label}]
    if named:
        return named[0]
    if word.isdecimal() and 1 <= int(word) <= len(choices):
        return choices[int(word) - 1].const
    raise ValueError(f"type a number from 1 to {len(choices)}")


def _bounds(least: float | None, most: float | None, unit: str = "") -> str:
    if least is not None and most is not None:
        return f", {least:g} to {most:g}{unit}"
    if least is not None:
        return f", at least {least:g}{unit}"
    return "" if most is None else f", at most {most:g}{unit}"


def _violations(value: Any, schema: JsonObject, *, mask: str | None) -> str:
    """Say what is wrong with a value; formats and patterns are checked too, by an engine that is linear in time.

    The words name the value, or say `mask` for one that must not be seen.
    """
    # Only forms need it, and it takes its time to load.
    import jsonschema_rs

    try:
        validator = jsonschema_rs.validator_for(
            {**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"},
            validate_formats=True,
            retriever=_nowhere,
            mask=mask,
        )
    except (ValueError, jsonschema_rs.ValidationError):
        return ""  # A schema that makes no sense forbids nothing.
    return "; ".join(error.message for error in validator.iter_errors(value))


def _nowhere(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched: a form's schema stands by itself")
