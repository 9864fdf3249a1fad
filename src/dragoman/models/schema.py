"""Walk JSON Schemas without changing them: every step builds a new one."""

from collections.abc import Callable, Iterator
from typing import Any

from dragoman.types import JsonObject, is_array, is_object

__all__ = ["ALL_KINDS", "Steps", "children", "kind_of", "rebuilt", "stated_kinds", "with_words"]

Steps = tuple[str | int, ...]

_ONE = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_SEVERAL = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_NAMED = frozenset({"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"})

ALL_KINDS = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
"""The types of JSON Schema; whatever is an "integer" is a "number" as well."""

_KINDS = {type(None): "null", bool: "boolean", int: "integer", str: "string", list: "array"}


def children(schema: JsonObject) -> Iterator[tuple[Steps, Any]]:
    """Find a schema's direct subschemas, true and false included, each with the steps that lead to it."""
    for keyword, value in schema.items():
        if keyword in _ONE and _is_schema(value):
            yield (keyword,), value
        elif keyword in _SEVERAL and is_array(value):
            yield from (((keyword, index), each) for index, each in enumerate(value) if _is_schema(each))
        elif keyword in _NAMED and is_object(value):
            yield from (((keyword, name), each) for name, each in value.items() if _is_schema(each))


def rebuilt(schema: JsonObject, change: Callable[[Any, Steps], Any]) -> JsonObject:
    """Give a copy of a schema in which `change(subschema, steps)` stands for each direct subschema."""
    copy: JsonObject = {
        keyword: dict(value) if is_object(value) else list(value) if is_array(value) else value
        for keyword, value in schema.items()
    }
    for steps, child in children(schema):
        if len(steps) == 1:
            copy[str(steps[0])] = change(child, steps)
        else:
            copy[str(steps[0])][steps[1]] = change(child, steps)
    return copy


def _is_schema(value: Any) -> bool:
    return is_object(value) or isinstance(value, bool)


def kind_of(value: Any) -> str:
    """Name the type of a decoded JSON value; a whole number is an "integer" however it is written."""
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return _KINDS.get(type(value), "object")


def stated_kinds(schema: JsonObject) -> frozenset[str]:
    """Tell which types a schema's own `type`, `enum` and `const` allow; its combinators are not looked at."""
    kinds = ALL_KINDS
    stated = schema.get("type")
    if isinstance(stated, str) or is_array(stated):
        names = {stated} if isinstance(stated, str) else {str(name) for name in stated}
        kinds &= names | ({"integer"} if "number" in names else set())
    if is_array(schema.get("enum")):
        kinds &= {kind_of(value) for value in schema["enum"]}
    if "const" in schema:
        kinds &= {kind_of(schema["const"])}
    return kinds


def with_words(schema: JsonObject, words: str) -> JsonObject:
    """Give a schema whose description says more: words that a keyword could not carry."""
    description = schema.get("description")
    text = f"{description.rstrip()} {words}" if isinstance(description, str) and description.strip() else words
    return {**schema, "description": text}
