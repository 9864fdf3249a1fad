"""Check values against JSON Schemas that come from servers, and trust the schemas no further than the servers.

Nothing is ever fetched, patterns run on an engine whose time is linear, and a schema that could make too much work is
refused instead of tried. Dialects from draft 4 to 2020-12 are known by `$schema`; without one it is 2020-12.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from dragoman.errors import BadSchema
from dragoman.protocol.schema_graph import SchemaGraph
from dragoman.types import JsonObject, Violation, is_array, is_object

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

__all__ = [
    "MAX_SCHEMA_SIZE",
    "MAX_VIOLATIONS",
    "Checker",
    "compile_schema",
    "elicitation_violations",
    "fill_defaults",
    "find_remote_reference",
]

MAX_VIOLATIONS = 20
"""How many violations of one value are reported."""

MAX_SCHEMA_SIZE = 1024 * 1024
"""How many bytes a schema may have as JSON."""

# Measured: trying a subschema takes some 10 ns when only the verdict is wanted, 15 us when all reasons are.
_MOST_WORK = 10_000_000
_MOST_EXPLAINED = 4_000
# An exponential growth is beyond any bound at this depth, and a linear one is not.
_TELLING_DEPTH = 32
_MOST_BACKTRACKING = 10_000
_LONGEST_MESSAGE = 300
_UNEXPLAINED = Violation("", "it does not fit the schema, which has too many branches to say where")


class Checker:
    """One schema, compiled; made by `compile_schema`."""

    __slots__ = ("_graph", "_validator", "_work", "_work_by_depth")

    def __init__(self, validator: Validator, graph: SchemaGraph) -> None:
        self._validator = validator
        self._graph = graph
        self._work = graph.work(_TELLING_DEPTH)
        self._work_by_depth: dict[int, int] = {}

    def violations(self, value: Any) -> tuple[Violation, ...]:
        """Say in what a decoded JSON value breaks the schema: the first twenty ways, none when it is right.

        Raises:
            BadSchema: to find that out for this value would take too long.
        """
        if self._work > _MOST_WORK and self._work_for(value) > _MOST_WORK:
            raise BadSchema("the schema leads back to itself along so many ways that this value would take too long")
        return () if self._validator.is_valid(value) else self._reasons(value)

    def _reasons(self, value: Any) -> tuple[Violation, ...]:
        work = self._work_for(value)
        if work > _MOST_EXPLAINED:
            return (_UNEXPLAINED,)
        if work * _size(value) > _MOST_EXPLAINED:
            return (self._first(value),)
        return tuple(map(_violation, islice(self._validator.iter_errors(value), MAX_VIOLATIONS)))

    def _work_for(self, value: Any) -> int:
        if not self._graph.is_recursive:
            return self._work
        depth = min(_depth(value), _TELLING_DEPTH)
        if depth not in self._work_by_depth:
            self._work_by_depth[depth] = self._graph.work(depth)
        return self._work_by_depth[depth]

    def _first(self, value: Any) -> Violation:
        """Find one violation; all of them would take time for each member of a large value."""
        from jsonschema_rs import ValidationError

        found = _UNEXPLAINED
        try:
            self._validator.validate(value)
        except ValidationError as error:
            found = _violation(error)
        return found


def compile_schema(schema: JsonObject | bool, *, checks_formats: bool = False, mask: str | None = None) -> Checker:
    """Make a checker of a decoded schema; `checks_formats` lets `format` decide, which is a mere note otherwise.

    Violations show the values that are wrong, or `mask` in their place.

    Raises:
        BadSchema: it is no schema of a dialect that is known, refers to something outside of itself, or is too large.
    """
    if _json_size(schema) > MAX_SCHEMA_SIZE:
        raise BadSchema(f"the schema has more than {MAX_SCHEMA_SIZE:,} bytes")
    graph = SchemaGraph(schema)
    if graph.remote:
        raise BadSchema(f"the schema refers to {graph.remote}, and nothing is fetched to check a value")
    if not graph.is_recursive and graph.work(_TELLING_DEPTH) > _MOST_WORK:
        raise BadSchema("the schema has so many branches within branches that to check a value would take too long")
    return Checker(_compiled(schema, checks_formats, mask), graph)


def find_remote_reference(schema: Any) -> str | None:
    """Return the first reference that leads out of a decoded schema, or None. Where it leads is not looked at.

    Raises:
        BadSchema: the schema is nested too deep, or has too many subschemas.
    """
    return SchemaGraph(schema).remote


def fill_defaults(requested_schema: JsonObject, content: JsonObject) -> JsonObject:
    """Give a form's content with the defaults of the fields that it leaves out; what it says, even null, stands.

    Neither argument is changed (2025-11-25, Elicitation).
    """
    properties = requested_schema.get("properties")
    fields = properties.items() if is_object(properties) else ()
    defaults = {name: field["default"] for name, field in fields if is_object(field) and "default" in field}
    return {**deepcopy({name: value for name, value in defaults.items() if value is not None}), **content}


def elicitation_violations(requested_schema: JsonObject, content: JsonObject) -> tuple[Violation, ...]:
    """Say in what a form's content breaks the schema that the server asked it to keep, formats included.

    What the user filled in, which may be a secret, is not shown.

    Raises:
        BadSchema: the server's schema cannot be used.
    """
    return compile_schema(requested_schema, checks_formats=True, mask="the value").violations(content)


def _compiled(schema: JsonObject | bool, checks_formats: bool, mask: str | None) -> Validator:
    from jsonschema_rs import FancyRegexOptions, RegexOptions, validator_for

    # Look-around and back-references need an engine that goes back, so it may do so only so often.
    engines = (RegexOptions(), FancyRegexOptions(backtrack_limit=_MOST_BACKTRACKING))
    cause: ValueError | None = None
    for engine in engines:
        try:
            return validator_for(
                schema, retriever=_refuse, pattern_options=engine, validate_formats=checks_formats, mask=mask
            )
        except ValueError as error:
            cause = error
    raise BadSchema(f"the schema cannot be used: {_brief(getattr(cause, 'message', str(cause)))}") from cause


def _refuse(uri: str) -> NoReturn:
    raise BadSchema(f"{uri} is not fetched")


def _violation(error: ValidationError) -> Violation:
    return Violation(_pointer(error.instance_path), _brief(error.message), _pointer(error.schema_path))


def _pointer(path: Iterable[str | int]) -> str:
    """Write a path as a JSON Pointer (RFC 6901)."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def _brief(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}..."


def _json_size(schema: Any) -> int:
    try:
        return len(msgspec.json.encode(schema))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadSchema(f"the schema is no JSON: {error}") from error


def _size(value: Any) -> int:
    """Count the values in a value, up to a few more than matter."""
    pending, count = [value], 0
    while pending and count <= _MOST_EXPLAINED:
        count += 1
        pending += islice(_members(pending.pop()), _MOST_EXPLAINED)
    return count


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level:
        level = [member for each in level for member in _members(each)]
        depth += 1
    return depth


def _members(value: Any) -> Iterable[Any]:
    if is_object(value):
        return value.values()
    return value if is_array(value) else ()
