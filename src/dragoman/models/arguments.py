"""Read the arguments that a model gives: undo what conversion did, repair what the schema wants repaired, check the rest.

Text is parsed only where the tool's own schema takes no text there, so that genuine text stays as it is. What remains
wrong is told in words that a model can act on: where, what was expected, and which name it may have meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from dragoman.errors import BadSchema, ProtocolError
from dragoman.models.modern import checker, readable
from dragoman.models.references import References
from dragoman.models.schema import ALL_KINDS, kind_of, stated_kinds
from dragoman.nearest import nearest
from dragoman.types import JsonObject, Tool, Violation, is_array, is_object

__all__ = ["ArgumentReader", "Problem", "complaint", "read_json", "restored"]

_SHORT = 200
_UNKNOWN = frozenset({"additionalProperties", "unevaluatedProperties"})


class Problem(Struct, frozen=True):
    """One thing that is wrong with a model's arguments: `path` is a JSON Pointer into them, empty for the whole."""

    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}" if self.path else self.text


def complaint(tool: str, problems: Iterable[Problem]) -> str:
    """Tell a model what is wrong with its arguments, so that the next call is right."""
    lines = "\n".join(f"- {problem}" for problem in problems)
    return f"the arguments do not fit the input schema of {tool}, so it was not run:\n{lines}\nCorrect them and call it again."


def read_json(arguments: Any) -> Any:
    """Give a call's arguments as decoded JSON: providers send an object, its text, or nothing at all.

    Raises:
        ValueError: the text is no JSON.
    """
    if arguments is None:
        return {}
    if isinstance(arguments, Mapping):
        return {str(name): value for name, value in arguments.items()}
    if isinstance(arguments, str | bytes) and not arguments.strip():
        return {}
    if not isinstance(arguments, str | bytes):
        return arguments
    try:
        return msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise ValueError(f"the arguments are not JSON ({error})") from error


def restored(value: Any, renamed: Mapping[str, str]) -> Any:
    """Give arguments with the tool's own property names in place of their aliases, at every depth."""
    if not renamed:
        return value
    if is_object(value):
        return {renamed.get(name, name): restored(each, renamed) for name, each in value.items()}
    return [restored(each, renamed) for each in value] if is_array(value) else value


class ArgumentReader:
    """Repairs and checks the arguments of one tool, against the tool's own schema.

    Raises:
        BadSchema: arguments cannot be checked with that schema.
    """

    def __init__(self, tool: Tool) -> None:
        self._schema = _readable(tool)
        self._checker = checker(self._schema)
        self._references = References(self._schema)
        self._known: dict[int, frozenset[str]] = {}

    def read(self, arguments: JsonObject, *, is_strict: bool = False) -> tuple[Any, tuple[Problem, ...]]:
        """Give the arguments to send, and what is wrong with them; those that are right stay as they are.

        Only a whole number is written as an integer where the schema wants one: Gemini sends 5.0, and servers refuse it.

        With `is_strict`, nulls that only strict mode asked for are taken out first.
        """
        try:
            return self._read(self._without_nulls(arguments, [self._schema]) if is_strict else arguments)
        except BadSchema as error:
            return arguments, (Problem("", str(error)),)
        except RecursionError:
            return arguments, (Problem("", "they are nested too deep"),)

    def _read(self, arguments: JsonObject) -> tuple[Any, tuple[Problem, ...]]:
        found = self._checker.violations(arguments)
        if not found:
            return self._repaired(arguments, [self._schema]) if _has_whole_float(arguments) else arguments, ()
        repaired = self._repaired(arguments, [self._schema])
        found = self._checker.violations(repaired)
        return repaired, tuple(self._problem(each, repaired) for each in found)

    # ----------------------------------------------------------------------------------------------------------- repair

    def _repaired(self, value: Any, schemas: list[Any]) -> Any:
        wanted = frozenset[str]().union(*(self._kinds(each) for each in schemas))
        if isinstance(value, str) and "string" not in wanted:
            parsed = _parsed(value, wanted)
            return value if parsed is value else self._repaired(parsed, schemas)
        if isinstance(value, float) and value.is_integer() and "number" not in wanted and "integer" in wanted:
            return int(value)
        if not is_object(value) and not is_array(value):
            return value
        alternatives = self._alternatives(schemas)
        if is_object(value):
            return {name: self._member(each, alternatives, name) for name, each in value.items()}
        return [self._member(each, alternatives, index) for index, each in enumerate(value)]

    def _member(self, value: Any, alternatives: list[JsonObject], step: str | int) -> Any:
        described = _described(alternatives, step)
        return self._repaired(value, described) if described else value

    def _without_nulls(self, value: Any, schemas: list[Any]) -> Any:
        if not is_object(value) and not is_array(value):
            return value
        alternatives = self._alternatives(schemas)
        if is_object(value):
            return {
                name: self._without_nulls(each, _described(alternatives, name))
                for name, each in value.items()
                if each is not None or not self._only_strict_has_null(alternatives, name)
            }
        return [self._without_nulls(each, _described(alternatives, index)) for index, each in enumerate(value)]

    def _only_strict_has_null(self, alternatives: list[JsonObject], name: str) -> bool:
        described = _described(alternatives, name)
        return bool(described) and not any("null" in self._kinds(each) for each in described)

    def _alternatives(self, schemas: Iterable[Any]) -> list[JsonObject]:
        """Find every subschema that may have a say about the same value."""
        found: dict[int, JsonObject] = {}
        pending = list(schemas)
        for schema in pending:  # which grows meanwhile
            if is_object(schema) and id(schema) not in found:
                found[id(schema)] = schema
                pending += self._beside(schema)
        return list(found.values())

    def _beside(self, schema: JsonObject) -> Iterator[Any]:
        if "$ref" in schema:
            yield self._references.target(str(schema["$ref"]))
        for keyword in ("allOf", "anyOf", "oneOf"):
            if is_array(schema.get(keyword)):
                yield from schema[keyword]
        for keyword in ("then", "else"):
            yield schema.get(keyword)

    def _kinds(self, schema: Any) -> frozenset[str]:
        """Tell which types a value may have; found once for each subschema, however many ways lead to it."""
        if not is_object(schema):
            return ALL_KINDS
        known = self._known.get(id(schema))
        if known is not None:
            return known
        # Until more is known, a schema that leads back to itself demands nothing of itself.
        self._known[id(schema)] = ALL_KINDS
        found = self._known[id(schema)] = self._narrowed(schema)
        return found

    def _narrowed(self, schema: JsonObject) -> frozenset[str]:
        kinds = stated_kinds(schema)
        if "$ref" in schema:
            kinds &= self._kinds(self._references.target(str(schema["$ref"])))
        for each in schema.get("allOf", ()):
            kinds &= self._kinds(each)
        for keyword in ("anyOf", "oneOf"):
            if is_array(schema.get(keyword)):
                kinds &= frozenset[str]().union(*map(self._kinds, schema[keyword]))
        return kinds

    # --------------------------------------------------------------------------------------------------------- problems

    def _problem(self, violation: Violation, arguments: Any) -> Problem:
        keyword = violation.schema_path.rpartition("/")[2]
        holder = self._references.at(violation.schema_path.rpartition("/")[0])
        holder = holder if is_object(holder) else {}
        value = References({"": arguments}).at(f"/{violation.path}") if violation.path else arguments
        return Problem(violation.path, violation.message + self._advice(keyword, holder, value))

    def _advice(self, keyword: str, holder: JsonObject, value: Any) -> str:
        properties = holder.get("properties")
        known = list(properties) if is_object(properties) else []
        given = list(value) if is_object(value) else []
        if keyword == "required":
            missing = [name for name in holder.get("required", ()) if name not in given]
            return _meant([each for each in given if each not in known], missing, " instead of")
        if keyword in _UNKNOWN:
            unknown = [name for name in given if name not in known]
            names = f"known are {', '.join(known)}" if known else f"nothing is taken of the name {', '.join(unknown)}"
            return _meant(unknown, known, " for") or f"; {names}"
        if keyword in {"enum", "const"} and isinstance(value, str):
            close = nearest(value, [each for each in holder.get("enum", ()) if isinstance(each, str)])
            return f"; did you mean {_json(close)}?" if close else f"; expected is one of {_listed(holder, keyword)}"
        if keyword in {"anyOf", "const", "enum", "oneOf", "not", "pattern"}:
            return f"; expected is {_listed(holder, keyword)}"
        return ""


def _has_whole_float(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    return isinstance(value, list) and any(map(_has_whole_float, value))


def _readable(tool: Tool) -> Any:
    try:
        return readable(tool.input_schema)
    except (ProtocolError, RecursionError) as error:
        raise BadSchema("the schema is nested too deep") from error


def _listed(holder: JsonObject, keyword: str) -> str:
    return _shortened(_json(holder.get(keyword)))


def _meant(given: list[str], wanted: list[str], joint: str) -> str:
    """Pair names that were given with those that were probably meant."""
    pairs = [(each, close) for each in given if (close := nearest(each, wanted))]
    return "".join(f"; did you mean {_json(close)}{joint} {_json(each)}?" for each, close in pairs)


def _described(alternatives: list[JsonObject], step: str | int) -> list[Any]:
    return [found for each in alternatives for found in _below(each, step)]


def _below(schema: JsonObject, step: str | int) -> Iterator[Any]:
    """Find what a schema says of a member of its value."""
    if isinstance(step, int):
        first = schema.get("prefixItems", schema.get("items"))
        if is_array(first) and step < len(first):
            yield first[step]
        elif is_object(schema.get("items")):
            yield schema["items"]
        return
    properties = schema.get("properties")
    if is_object(properties) and step in properties:
        yield properties[step]
    elif is_object(schema.get("additionalProperties")):
        yield schema["additionalProperties"]


def _parsed(text: str, wanted: frozenset[str]) -> Any:
    """Give what a text stands for, if that is an array, an object or a number of a type that is wanted; else the text."""
    if not wanted & {"array", "object", "number", "integer"}:
        return text
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return text
    if isinstance(value, str):
        # The text of a text: some models write it twice.
        return value if len(value) < len(text) and _parsed(value, wanted) is not value else text
    kind = kind_of(value)
    if kind in wanted - {"boolean", "null"} and (is_array(value) or is_object(value) or _is_lossless(text, value)):
        return value
    return text


def _is_lossless(text: str, value: Any) -> bool:
    """Say whether a number is just what its text says: more digits than a float holds are no number of the model's."""
    return isinstance(value, int) or Decimal(text.strip()) == Decimal(repr(value))


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _shortened(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}..."
