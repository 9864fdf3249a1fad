"""Write a schema in the subset that OpenAI's strict mode takes, or say why that would change its meaning.

Strict mode wants every object closed and every property required. A property that may be left out becomes one that may
be null, and the null is taken out again when a call comes back; where null already means something, there is no way.
"""

from __future__ import annotations

from typing import Any

import msgspec

from dragoman.models.references import References
from dragoman.models.report import Note, pointer
from dragoman.models.schema import Steps, children, rebuilt, stated_kinds, with_words
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["NotLossless", "strictly"]

_ANNOTATIONS = frozenset({"$comment", "default", "deprecated", "examples", "readOnly", "title", "writeOnly"})
_TAKEN = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "multipleOf",
        "pattern",
        "properties",
        "required",
        "type",
    }
)
_FORMATS = frozenset({"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"})
_DEEPEST, _MOST_PROPERTIES, _MOST_VALUES, _MOST_TEXT = 10, 5_000, 1_000, 120_000


class NotLossless(Exception):
    """A schema would mean something else in strict mode; the message says where and why."""

    def __init__(self, steps: Steps, why: str) -> None:
        super().__init__(f"{pointer(steps) or 'the schema'}: {why}")


def strictly(schema: JsonObject) -> tuple[JsonObject, list[Note]]:
    """Give the strict form of a schema whose root is a plain object and whose references lead into `$defs`.

    Objects that name their properties and do not say whether there may be others are closed, and reported as narrowed.

    Raises:
        NotLossless: the schema says what strict mode cannot, or too much of it.
    """
    if not schema.get("properties"):
        raise NotLossless((), "it names no properties, and closing it would allow nothing")
    writer = _Writer(References(schema))
    strict: JsonObject = writer.written(schema, ())
    _within_limits(strict)
    return strict, writer.notes


class _Writer:
    """Writes one schema; owns the notes about it."""

    def __init__(self, references: References) -> None:
        self.notes: list[Note] = []
        self._references = references
        self._nullable: dict[int, bool] = {}

    def written(self, schema: Any, steps: Steps) -> Any:
        if not is_object(schema):
            raise NotLossless(steps, "strict mode has no schema that takes nothing")
        schema = _simplified(schema, steps)
        unknown = sorted(schema.keys() - _TAKEN - _ANNOTATIONS)
        if unknown:
            raise NotLossless(steps, f"strict mode has no {', '.join(unknown)}")
        if not schema.keys() & {"type", "enum", "anyOf", "$ref"}:
            raise NotLossless(steps, "it may be anything")
        if "$ref" in schema:
            return {"$ref": schema["$ref"]} if len(schema) == 1 else self._referring(schema, steps)
        if schema.get("format", "date") not in _FORMATS:
            raise NotLossless(steps, f"strict mode has no format {schema['format']!r}")
        if "anyOf" in schema and not schema.keys() <= _ANNOTATIONS | {"$defs", "anyOf", "description"}:
            raise NotLossless(steps, "strict mode takes nothing beside anyOf")
        return self._plain(_without_annotations(schema), steps)

    def _referring(self, schema: JsonObject, steps: Steps) -> JsonObject:
        if not schema.keys() <= _ANNOTATIONS | {"$ref", "$defs", "description"}:
            raise NotLossless(steps, "strict mode takes nothing beside a reference")
        rest = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        return _without_annotations({"anyOf": [{"$ref": schema["$ref"]}], **rest})

    def _plain(self, schema: JsonObject, steps: Steps) -> JsonObject:
        kinds = stated_kinds(schema) if "type" in schema else frozenset[str]()
        if "object" in kinds:
            schema = self._closed(schema, steps)
        elif "properties" in schema:
            raise NotLossless(steps, "it has properties and is not said to be an object")
        if "array" in kinds and not is_object(schema.get("items")):
            raise NotLossless(steps, "its items may be anything")
        written = rebuilt(schema, lambda child, more: self._child(child, (*steps, *more)))
        if "object" in kinds:
            written = self._all_required(written, schema, steps)
        return written

    def _all_required(self, written: JsonObject, schema: JsonObject, steps: Steps) -> JsonObject:
        """Require every property; one that could be left out may be null instead."""
        required = set(schema.get("required", ()))
        properties = {
            name: each
            if name in required
            else self._optional(each, schema["properties"][name], (*steps, "properties", name))
            for name, each in written["properties"].items()
        }
        return {**written, "properties": properties, "required": list(properties)}

    def _optional(self, written: JsonObject, schema: JsonObject, steps: Steps) -> JsonObject:
        if not self._may_be_null(schema):
            return _nullable(written)
        if schema.get("default", ...) is not None:
            raise NotLossless(steps, "to leave it out and to give null are two things")
        return written

    def _child(self, schema: Any, steps: Steps) -> Any:
        return False if steps[-1] == "additionalProperties" else self.written(schema, steps)

    def _closed(self, schema: JsonObject, steps: Steps) -> JsonObject:
        others = schema.get("additionalProperties")
        if others is None and schema.get("properties"):
            self.notes.append(
                Note(pointer(steps), "narrowed", "arguments that the schema does not name cannot be given")
            )
        elif others is not False:
            raise NotLossless(steps, "it is a map with any keys, and strict mode would close it")
        if set(schema.get("required", ())) - schema.get("properties", {}).keys():
            raise NotLossless(steps, "it requires a property that it does not describe")
        return {**schema, "properties": schema.get("properties", {}), "additionalProperties": False}

    def _may_be_null(self, schema: JsonObject) -> bool:
        """Say whether null may fit; a schema that leads back to itself is taken to allow it."""
        known = self._nullable.get(id(schema))
        if known is None:
            self._nullable[id(schema)] = True
            known = self._nullable[id(schema)] = self._finds_null(schema)
        return known

    def _finds_null(self, schema: JsonObject) -> bool:
        if "$ref" in schema:
            return self._may_be_null(self._references.target(schema["$ref"]))
        for keyword in ("allOf", "anyOf", "oneOf"):
            if keyword in schema:
                return any(self._may_be_null(each) for each in schema[keyword])
        return "null" in stated_kinds(schema)


def _simplified(schema: JsonObject, steps: Steps) -> JsonObject:
    """Say with the keywords that strict mode has what others say as well."""
    copy = dict(schema)
    if "const" in copy:
        copy["enum"] = [copy.pop("const")]
    if "enum" in copy and not all(isinstance(each, str | int | float | None) for each in copy["enum"]):
        raise NotLossless(steps, "strict mode has no fixed arrays and objects")
    if "enum" in copy and "type" not in copy:
        # The API wants a type even where the values show it.
        kinds = sorted(stated_kinds(copy))
        copy["type"] = kinds[0] if len(kinds) == 1 else kinds
    if is_array(copy.get("allOf")) and len(copy["allOf"]) == 1 and is_object(copy["allOf"][0]):
        (member,) = copy.pop("allOf")
        if set(copy) - _ANNOTATIONS - {"description"} or copy.keys() & member.keys() - {"description", "title"}:
            raise NotLossless(steps, "strict mode has no allOf")
        copy = {**member, **copy}
    if is_array(copy.get("oneOf")) and "anyOf" not in copy:
        if not _exclude_each_other(copy["oneOf"]):
            raise NotLossless(steps, "strict mode has no oneOf, and several of these could fit at once")
        copy["anyOf"] = copy.pop("oneOf")
    return copy


def _exclude_each_other(members: list[Any]) -> bool:
    """Say whether no value can fit two members: they differ in type, or in the value of a property that all need."""
    if not all(is_object(each) and each.keys() & {"type", "const"} for each in members):
        return False
    kinds = [stated_kinds(each) for each in members]
    if len(frozenset[str]().union(*kinds)) == sum(map(len, kinds)):
        return True
    needed = set(members[0].get("required", ())).intersection(*(each.get("required", ()) for each in members))
    return any(_differ([each.get("properties", {}).get(name) for each in members]) for name in needed)


def _differ(schemas: list[Any]) -> bool:
    values = [value for schema in schemas for value in _values(schema)]
    return all(map(_values, schemas)) and len({_json(value) for value in values}) == len(values)


def _values(schema: Any) -> list[Any]:
    if not is_object(schema):
        return []
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return values if is_array(values) else []


def _without_annotations(schema: JsonObject) -> JsonObject:
    kept = {keyword: value for keyword, value in schema.items() if keyword not in _ANNOTATIONS}
    default = schema.get("default")
    return kept if default is None else with_words(kept, f"Default: {_json(default)}.")


def _nullable(written: JsonObject) -> JsonObject:
    if "$ref" in written:
        return {"anyOf": [written, {"type": "null"}]}
    copy = dict(written)
    if "anyOf" in copy:
        copy["anyOf"] = [*copy["anyOf"], {"type": "null"}]
    if "enum" in copy:
        copy["enum"] = [*copy["enum"], None]
    if "type" in copy:
        kinds = copy["type"] if is_array(copy["type"]) else [copy["type"]]
        copy["type"] = [*kinds, "null"]
    return copy


def _within_limits(schema: JsonObject) -> None:
    count = _Count()
    count.add(schema, 1)
    told = {
        f"objects within objects more than {_DEEPEST} deep": count.depth > _DEEPEST,
        f"more than {_MOST_PROPERTIES:,} properties": count.properties > _MOST_PROPERTIES,
        f"more than {_MOST_VALUES:,} fixed values": count.values > _MOST_VALUES,
        f"more than {_MOST_TEXT:,} characters of names and values": count.text > _MOST_TEXT,
    }
    beyond = [what for what, is_beyond in told.items() if is_beyond]
    if beyond:
        raise NotLossless((), f"strict mode takes no {' and no '.join(beyond)}")


class _Count:
    """How much a schema says."""

    def __init__(self) -> None:
        self.depth = self.properties = self.values = self.text = 0

    def add(self, schema: JsonObject, depth: int) -> None:
        properties = schema.get("properties", {})
        self.depth = max(self.depth, depth)
        self.properties += len(properties)
        self.values += len(schema.get("enum", ()))
        self.text += sum(map(len, properties)) + sum(
            len(each) for each in schema.get("enum", ()) if isinstance(each, str)
        )
        for steps, child in children(schema):
            if is_object(child):
                self.add(child, depth + (steps[0] in {"properties", "items"}))


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
