"""Write a schema in the OpenAPI subset of Gemini's `parameters`: no references, no combinators but `anyOf`, one type each.

What the subset lacks goes into words, and an object or a value that it cannot describe is asked for as JSON text, which
the repair of arguments turns back.
"""

from __future__ import annotations

from typing import Any

import msgspec

from dragoman.models.folding import phrase
from dragoman.models.references import References
from dragoman.models.report import Note, pointer
from dragoman.models.schema import Steps, stated_kinds, with_words
from dragoman.models.shape import shape
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["subset"]

_SAME = frozenset(
    {
        "description",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "pattern",
        "title",
    }
)
_HANDLED = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "enum",
        "format",
        "items",
        "nullable",
        "oneOf",
        "prefixItems",
        "properties",
        "required",
        "type",
    }
)
_SILENT = frozenset({"$comment", "deprecated", "examples", "readOnly", "writeOnly"})
_FORMATS = {
    "string": {"date-time"},
    "integer": {"int32", "int64"},
    "number": {"double", "float"},
}
# Written out, references that meet again and again grow without end.
_MOST = 2_000
_ORDER = ("object", "array", "string", "number", "integer", "boolean")


def subset(schema: JsonObject) -> tuple[JsonObject, list[Note]]:
    """Give what a schema says in the subset, and what was lost; its references lead into `$defs`."""
    writer = _Writer(schema)
    written = writer.written(schema, (), ())
    return written, writer.notes


class _Writer:
    """Writes one schema; owns the notes about it."""

    def __init__(self, root: JsonObject) -> None:
        self.notes: list[Note] = []
        self._target = References(root).target
        self._left = _MOST

    def written(self, schema: Any, steps: Steps, within: tuple[str, ...]) -> JsonObject:
        """Write a subschema; `within` are the references that led here."""
        if not is_object(schema):
            return self._anything({}, steps)
        self._left -= 1
        if self._left < 0:
            return self._as_text(schema, steps, "a JSON value that is too much to describe")
        if "$ref" in schema:
            return self._referred(schema, steps, within)
        if "allOf" in schema:
            return self.written(self._merged(schema, steps), steps, within)
        for keyword in ("anyOf", "oneOf"):
            if is_array(schema.get(keyword)):
                return self._either(schema, keyword, steps, within)
        return self._typed(schema, steps, within)

    def _referred(self, schema: JsonObject, steps: Steps, within: tuple[str, ...]) -> JsonObject:
        reference = str(schema["$ref"])
        rest = {keyword: value for keyword, value in schema.items() if keyword not in {"$ref", "$defs"}}
        if reference in within:
            name = reference.rpartition("/")[2]
            return self._as_text(rest, steps, f"a further {name}, of the same kind as the one that it is part of")
        target = self._target(reference)
        whole = (
            {**target, **rest}
            if is_object(target) and not rest.keys() & target.keys() - {"description", "title"}
            else None
        )
        return self.written(whole or {"allOf": [target, rest]}, steps, (*within, reference))

    def _merged(self, schema: JsonObject, steps: Steps) -> JsonObject:
        """Make one schema of all that have to fit: objects by their properties, others keyword by keyword."""
        rest = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
        found = shape(schema, self._target)
        merged: JsonObject = {}
        for each in (*schema["allOf"], rest):
            flat = self._flat(each)
            lost = {keyword for keyword in merged.keys() & flat.keys() if merged[keyword] != flat[keyword]}
            for keyword in sorted(lost - {"description", "title", "properties", "required", "additionalProperties"}):
                self.notes.append(Note(pointer(steps), "weakened", f"of two demands for {keyword} one is told"))
            merged |= flat
        if found.properties:
            merged |= {"properties": found.properties, "required": list(found.required)}
        return merged

    def _flat(self, schema: Any) -> JsonObject:
        """Give a member of `allOf` without references and `allOf` of its own."""
        flat: JsonObject = {}
        pending, seen = [schema], list[int]()
        while pending:
            each = pending.pop()
            if is_object(each) and id(each) not in seen:
                seen.append(id(each))
                flat |= {keyword: value for keyword, value in each.items() if keyword not in {"$ref", "allOf"}}
                pending += [self._target(each["$ref"])] if "$ref" in each else []
                pending += each.get("allOf", [])
        return flat

    def _either(self, schema: JsonObject, keyword: str, steps: Steps, within: tuple[str, ...]) -> JsonObject:
        rest = {name: value for name, value in schema.items() if name not in {keyword, "$defs"}}
        members = [each for each in schema[keyword] if not _is_null(each)]
        if not members:
            return self._nothing(rest, steps)
        nullable = len(members) < len(schema[keyword])
        if not rest.keys() - {"description", "title", "default", *_SILENT}:
            options = [self.written(each, (*steps, keyword), within) for each in members]
        else:
            options = [self.written({"allOf": [each, rest]}, (*steps, keyword), within) for each in members]
        described = self._with_default(_told(rest), rest)
        options = [each for index, each in enumerate(options) if each not in options[:index]]
        written = {**options[0], **described} if len(options) == 1 else {"anyOf": options, **described}
        return {**written, "nullable": True} if nullable else written

    def _typed(self, schema: JsonObject, steps: Steps, within: tuple[str, ...]) -> JsonObject:
        kinds = stated_kinds(schema)
        nullable = "null" in kinds and "type" in schema
        named = [kind for kind in _ORDER if kind in kinds and not (kind == "integer" and "number" in kinds)]
        if _is_null(schema):
            return self._nothing(schema, steps)
        if not schema.keys() & {"type", "enum", "const"} and "properties" in schema:
            named = ["object"]
        if not named or len(named) == len(_ORDER) - 1:
            return self._anything(schema, steps)
        written = [self._of_kind(kind, schema, steps, within) for kind in named]
        result = written[0] if len(written) == 1 else _either(written, schema)
        return {**result, "nullable": True} if nullable else result

    def _of_kind(self, kind: str, schema: JsonObject, steps: Steps, within: tuple[str, ...]) -> JsonObject:
        if kind == "object" and not schema.get("properties"):
            return self._as_text(schema, steps, "a JSON object")
        result: JsonObject = {"type": kind.upper()}
        result |= {keyword: schema[keyword] for keyword in schema if keyword in _SAME}
        if kind == "object":
            result |= self._object(schema, steps, within)
        elif kind == "array":
            result["items"] = self._items(schema, steps, within)
        return self._with_rest(self._with_values(result, kind, schema, steps), kind, schema, steps)

    def _object(self, schema: JsonObject, steps: Steps, within: tuple[str, ...]) -> JsonObject:
        others = schema.get("additionalProperties")
        # What is required has to be described as well.
        needed = [name for name in schema.get("required", ()) if name in schema["properties"] or others is not False]
        described = {**schema["properties"], **{name: others for name in needed if name not in schema["properties"]}}
        properties = {
            name: self.written(each, (*steps, "properties", name), within) for name, each in described.items()
        }
        if is_object(others):
            self.notes.append(Note(pointer(steps), "narrowed", "properties that it does not name cannot be given"))
        return {"properties": properties, "required": needed} if needed else {"properties": properties}

    def _items(self, schema: JsonObject, steps: Steps, within: tuple[str, ...]) -> JsonObject:
        first = schema.get("prefixItems")
        if not is_array(first) or not first:
            return self.written(schema.get("items", {}), (*steps, "items"), within)
        self.notes.append(Note(pointer(steps), "weakened", "which of its items is which is told in words"))
        rest = [schema["items"]] if is_object(schema.get("items")) else []
        either: JsonObject = {"anyOf": [*first, *rest]}
        return with_words(self.written(either, (*steps, "items"), within), f"In this order: {_json(first)}.")

    def _anything(self, schema: JsonObject, steps: Steps) -> JsonObject:
        self.notes.append(Note(pointer(steps), "narrowed", "only text, numbers and booleans can be given"))
        kept = self._with_default(_told(schema), schema)
        return {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}, {"type": "BOOLEAN"}], **kept}

    def _nothing(self, schema: JsonObject, steps: Steps) -> JsonObject:
        """Write what can only be null, which is no type here."""
        self.notes.append(Note(pointer(steps), "weakened", "that it is null is told in words"))
        return {**with_words({"type": "STRING", **_told(schema)}, "Give null."), "nullable": True}

    def _as_text(self, schema: JsonObject, steps: Steps, what: str) -> JsonObject:
        self.notes.append(Note(pointer(steps), "weakened", f"{what} is asked for as JSON text"))
        kept = {"type": "STRING", **_told(schema)}
        members = schema.get("additionalProperties")
        values = f" whose values fit {_json(members)}" if is_object(members) and members else ""
        return self._with_default(with_words(kept, f"Give {what}{values}, written as JSON text."), schema)

    def _with_values(self, result: JsonObject, kind: str, schema: JsonObject, steps: Steps) -> JsonObject:
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if not is_array(values):
            return result
        if kind == "string" and all(isinstance(each, str) and each for each in values if each is not None):
            return {**result, "format": "enum", "enum": [each for each in values if each is not None]}
        self.notes.append(Note(pointer(steps), "weakened", f"that it is one of {_json(values)} is told in words"))
        return with_words(result, f"One of {_json(values)}.")

    def _with_rest(self, result: JsonObject, kind: str, schema: JsonObject, steps: Steps) -> JsonObject:
        """Say in words what the subset has no keyword for."""
        result = self._with_default(result, schema)
        stated = schema.get("format")
        if isinstance(stated, str) and stated in _FORMATS.get(kind, ()):
            result = {"format": stated, **result}
        elif isinstance(stated, str):
            result = with_words(result, f"Format: {stated}.")
            self.notes.append(Note(pointer(steps), "weakened", f"the format {stated} is told in words"))
        for keyword in sorted(schema.keys() - _SAME - _HANDLED - _SILENT - {"default"}):
            result = with_words(result, phrase(keyword, schema[keyword], self._target))
            self.notes.append(Note(pointer((*steps, keyword)), "weakened", f"{keyword} is told in words"))
        return result

    def _with_default(self, result: JsonObject, schema: JsonObject) -> JsonObject:
        default = schema.get("default")
        return result if default is None else with_words(result, f"Default: {_json(default)}.")


def _either(written: list[JsonObject], schema: JsonObject) -> JsonObject:
    """Join the forms of a value that may be of several types; what is said of all is said once."""
    shared = _told(schema)
    options = [
        {name: value for name, value in each.items() if name not in shared or value != shared[name]} for each in written
    ]
    return {"anyOf": options, **shared}


def _told(schema: JsonObject) -> JsonObject:
    return {name: schema[name] for name in ("description", "title") if name in schema}


def _is_null(schema: Any) -> bool:
    return (
        is_object(schema)
        and bool(schema.keys() & {"type", "enum", "const"})
        and stated_kinds(schema) == frozenset({"null"})
    )


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
