"""Write schemas of older drafts, and those of no particular one, the way JSON Schema 2020-12 has it."""

from typing import Any

from dragoman.errors import BadSchema
from dragoman.models.schema import Steps, rebuilt
from dragoman.protocol.schemas import Checker, compile_schema
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["checker", "modernized"]

_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_BOUNDS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


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
