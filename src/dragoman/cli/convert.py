"""Turn `key=value` words into the JSON that a tool's input schema asks for.

    key=value      the value as the schema's type: `id=0123` stays text where text is asked for, `o={"a":1}` is an object
    key:=JSON      JSON as it stands, whatever the schema says
    key=a key=b    an array, item by item
    key.part=value a property of an object

Where the schema allows several types, the first that the value can be wins; a value that is written as a JSON object or
array is one, if that is among them.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from math import isinf
from typing import Any, NamedTuple

from dragoman.cli.nearest import suggestion
from dragoman.cli.safe import one_line
from dragoman.cli.schemas import ANYTHING, Schema
from dragoman.errors import UsageError
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["Word", "arguments", "check_required", "convert", "read_json", "read_words"]

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_WORDS = {
    "array": "an array (JSON, or the key again for each item)",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object (JSON)",
    "string": "text",
}


class Word(NamedTuple):
    """One `key=value` of the command line; `is_json` where it was written `key:=value`."""

    key: str
    text: str
    is_json: bool = False


def read_words(words: Iterable[str]) -> list[Word]:
    """Take `key=value` words apart.

    Raises:
        UsageError: a word has no `=`, or nothing before it.
    """
    return [_read_word(word) for word in words]


def _read_word(word: str) -> Word:
    key, equals, text = word.partition("=")
    is_json = key.endswith(":")
    key = key.removesuffix(":")
    if not equals or not key:
        raise UsageError(f"{word!r} is no argument", hint="write key=value, or key:=JSON")
    return Word(key, text, is_json)


def arguments(words: Sequence[Word], document: JsonObject) -> JsonObject:
    """Convert all words by a tool's input schema; gives the tool's arguments.

    Raises:
        UsageError: a key is not one of the tool's, or a value cannot be what the schema wants.
    """
    schema, given = Schema.of(document), dict[tuple[str, ...], list[Word]]()
    for word in words:
        given.setdefault(_path(word.key, schema), []).append(word)
    found: JsonObject = {}
    for path, same in sorted(given.items(), key=lambda each: len(each[0])):
        _put(found, path, _value(same, _schema_at(path, schema)))
    return found


def check_required(given: JsonObject, document: JsonObject) -> None:
    """Check that nothing is missing which the schema requires.

    Raises:
        UsageError: something is; the message names it.
    """
    schema = Schema.of(document)
    missing = [one_line(name) for name in schema.required if name not in given]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        form = " ".join(f"{name}=..." for name in missing)
        raise UsageError(f"{', '.join(missing)} {verb} missing", hint=f"add {form}")


def read_json(text: str, what: str) -> Any:
    """Read JSON that a user wrote.

    Raises:
        UsageError: it is none; `what` names it in the message.
    """
    try:
        return _decoded(text)
    except ValueError as error:
        raise UsageError(f"{what} is not JSON: {error}") from error


def convert(text: str, schema: Schema) -> Any:
    """Make a value of a text, of the first kind that the schema allows and the text can be.

    Raises:
        ValueError: it can be none of them; the message says what is wanted.
    """
    alternatives = schema.alternatives()
    structure = {"{": "object", "[": "array"}.get(text.lstrip()[:1])
    alternatives.sort(key=lambda each: each.kind != structure or structure is None)
    for each in alternatives:
        try:
            return _as_one(text, each)
        except ValueError:
            continue
    raise ValueError(_wanted(alternatives))


def _as_one(text: str, schema: Schema) -> Any:
    if schema.choices is not None:
        return _chosen(text, schema.choices)
    if schema.kind == "array":
        return _array(text, schema)
    return _READERS.get(schema.kind or "", _untyped)(text)


def _chosen(text: str, choices: list[Any]) -> Any:
    if text in choices:
        return text
    for choice in choices:
        if not isinstance(choice, str) and json.dumps(choice) == text:
            return choice
    raise ValueError(text)


def _boolean(text: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise ValueError(text)
    return _BOOLEANS[text.lower()]


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text.strip()):
        raise ValueError(text)
    return int(text)


def _number(text: str) -> int | float:
    """Read a number as JSON writes it, so that neither `nan` nor `0123` is one; whole ones stay exact."""
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError(text)
    number: int | float = _decoded(text)
    return number


def _null(text: str) -> None:
    if text != "null":
        raise ValueError(text)


def _object(text: str) -> JsonObject:
    value = _decoded(text)
    if not is_object(value):
        raise ValueError(text)
    return value


def _array(text: str, schema: Schema) -> list[Any]:
    """Read a JSON array, or else one item."""
    try:
        value = _decoded(text)
    except ValueError:
        value = None
    return value if is_array(value) else [convert(text, schema.items)]


def _untyped(text: str) -> Any:
    """Take what can only be meant as JSON for JSON, and all else for text."""
    try:
        return _decoded(text)
    except ValueError:
        return text


_READERS: dict[str, Callable[[str], Any]] = {
    "boolean": _boolean,
    "integer": _integer,
    "null": _null,
    "number": _number,
    "object": _object,
    "string": str,
}


def _decoded(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text} is out of range")
    return number


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _path(key: str, schema: Schema, within: str = "") -> tuple[str, ...]:
    """Find what a key names: a property, or with dots a property within a property; `within` leads to the schema."""
    if schema.property(key) is not None and key in schema.properties:
        return (key,)
    head, dot, rest = key.partition(".")
    inner = schema.properties.get(head) if dot and rest else None
    if inner is not None and any(each.kind == "object" for each in inner.alternatives()):
        return (head, *_path(rest, inner, f"{within}{head}."))
    if schema.property(key) is None:
        names = [within + name for name in schema.properties]
        hint = one_line(suggestion(within + key, names, "arguments") or "it takes none") + " "
        raise UsageError(f"there is no argument {within + key!r}", hint=f"{hint}(--args sends any JSON as it stands)")
    return (key,)


def _schema_at(path: tuple[str, ...], schema: Schema) -> Schema:
    for name in path:
        schema = schema.property(name) or ANYTHING
    return schema


def _value(words: list[Word], schema: Schema) -> Any:
    if len(words) > 1:
        return _repeated(words, schema)
    (word,) = words
    return _one_value(word, schema)


def _repeated(words: list[Word], schema: Schema) -> list[Any]:
    array = next((each for each in schema.alternatives() if each.kind in {"array", None} and not each.choices), None)
    if array is None:
        raise UsageError(f"{words[0].key!r} is given {len(words)} times, but takes one value")
    return [_one_value(word, array.items) for word in words]


def _one_value(word: Word, schema: Schema) -> Any:
    if word.is_json:
        return read_json(word.text, f"the value of {word.key!r}")
    try:
        return convert(word.text, schema)
    except ValueError as error:
        raise UsageError(f"{word.key!r} cannot be {_shortened(word.text)}", hint=f"it takes {error}") from error


def _put(found: JsonObject, path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        inner = found.setdefault(name, {})
        if not is_object(inner):
            raise UsageError(f"{'.'.join(path)!r} is given, but {name!r} is no object")
        found = inner
    found[path[-1]] = value


def _wanted(alternatives: list[Schema]) -> str:
    wanted: list[str] = []
    for each in alternatives:
        if each.choices is not None:
            wanted += [one_line(choice if isinstance(choice, str) else json.dumps(choice)) for choice in each.choices]
        elif each.kind == "array":
            wanted.append(f"an array of {_wanted(each.items.alternatives())}")
        else:
            wanted.append(_WORDS.get(each.kind or "", "a value"))
    return " or ".join(dict.fromkeys(wanted)) or "nothing that can be typed"


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}...")
