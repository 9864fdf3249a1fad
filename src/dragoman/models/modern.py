"""Write schemas of older drafts, and those of no particular one, the way JSON Schema 2020-12 has it."""

from typing import Any

from dragoman.errors import BadSchema
from dragoman.models.schema import Steps, rebuilt
from dragoman.protocol.schemas import Checker, compile_schema
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["checker", "modernized", "readable"]

_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_BOUNDS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


# Their values are data, where null is a value like any other.
_DATA = frozenset({"const", "default", "enum", "example", "examples"})
_COMBINED = frozenset({"$ref", "allOf", "anyOf", "oneOf"})


def readable(schema: Any, _: Steps = ()) -> Any:
    """Give a schema as it is meant where JSON Schema has no word for it, or would refuse all of it for one.

    `nullable`, as OpenAPI 3.0 has it, becomes a type. Keywords that are null say nothing, as servers in languages without
    absent fields write them; `required: true` of a property, and the type "any", are those of draft 3.
    """
    if not is_object(schema):
        return schema
    known = {keyword: value for keyword, value in schema.items() if value is not None or keyword in _DATA}
    copy = rebuilt(_with_required(known), readable)
    if copy.get("type") == "any":
        del copy["type"]
    return _with_null(copy) if isinstance(copy.get("nullable"), bool) else copy


def _with_required(schema: JsonObject) -> JsonObject:
    properties = schema.get("properties")
    if not is_object(properties):
        return schema
    marked = {name: each["required"] for name, each in properties.items() if _is_marked(each)}
    if not marked:
        return schema
    rest = {name: _without(each, "required") if name in marked else each for name, each in properties.items()}
    stated = schema.get("required")
    needed = [*(stated if is_array(stated) else ()), *(name for name, is_needed in marked.items() if is_needed)]
    return {**_without(schema, "required"), "properties": rest, **({"required": needed} if needed else {})}


def _is_marked(schema: Any) -> bool:
    return is_object(schema) and isinstance(schema.get("required"), bool)


def _without(schema: JsonObject, keyword: str) -> JsonObject:
    return {name: value for name, value in schema.items() if name != keyword}


def _with_null(schema: JsonObject) -> JsonObject:
    rest = _without(schema, "nullable")
    if not schema["nullable"]:
        return rest
    if rest.keys() & _COMBINED:
        words: JsonObject = {name: rest[name] for name in ("description", "title", "default") if name in rest}
        return {"anyOf": [{name: rest[name] for name in rest if name not in words}, {"type": "null"}], **words}
    if is_array(rest.get("enum")) and None not in rest["enum"]:
        rest["enum"] = [*rest["enum"], None]
    kinds = rest.get("type")
    if kinds is not None:
        rest["type"] = list(dict.fromkeys([*(kinds if is_array(kinds) else [kinds]), "null"]))
    return rest


def checker(schema: JsonObject) -> Checker:
    """Compile a tool's schema; one that names no dialect and is none of 2020-12 is tried as the widespread draft 7.

    Raises:
        BadSchema: values cannot be checked with it.
    """
    try:
        return compile_schema(schema)
    except BadSchema:
        if "$schema" in schema:
            raise
        try:
            return compile_schema({"$schema": _DRAFT_7, **schema})
        except BadSchema:
            pass
        raise


def modernized(schema: Any, _: Steps = ()) -> Any:
    """Give the same schema in the words of 2020-12; true and false become objects, which every provider takes."""
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    if not is_object(schema):
        return schema
    copy = rebuilt(_with_lists(_with_dependencies(_with_bounds(schema))), _member)
    if is_array(copy.get("type")) and len(copy["type"]) == 1:
        copy["type"] = copy["type"][0]
    return copy


def _member(schema: Any, steps: Steps) -> Any:
    # `additionalProperties: false` is how every provider wants a closed object written.
    is_plain = steps[0] in {"additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems"}
    return schema if isinstance(schema, bool) and is_plain and not schema else modernized(schema)


def _with_bounds(schema: JsonObject) -> JsonObject:
    """Draft 4 says whether a bound is exclusive; later ones say which is."""
    copy = dict(schema)
    for bound, exclusive in _BOUNDS:
        if isinstance(copy.get(exclusive), bool) and copy.pop(exclusive) and bound in copy:
            copy[exclusive] = copy.pop(bound)
    return copy


def _with_dependencies(schema: JsonObject) -> JsonObject:
    if not is_object(schema.get("dependencies")):
        return schema
    copy = {keyword: value for keyword, value in schema.items() if keyword != "dependencies"}
    for name, needed in schema["dependencies"].items():
        keyword = "dependentRequired" if is_array(needed) else "dependentSchemas"
        copy[keyword] = {**copy.get(keyword, {}), name: needed}
    return copy


def _with_lists(schema: JsonObject) -> JsonObject:
    copy = {keyword: value for keyword, value in schema.items() if keyword != "additionalItems"}
    if is_array(copy.get("items")):
        copy["prefixItems"] = copy.pop("items")
        if "additionalItems" in schema:
            copy["items"] = schema["additionalItems"]
    return copy
