"""Say types that are not this library's in JSON Schema, and go from JSON to their values and back.

These are pydantic's models, paths, and words and bounds in `Annotated`, from whichever library they come.
"""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

import msgspec

from dragoman.models.references import hoisted
from dragoman.types import JsonObject

__all__ = ["annotated", "from_json", "json_of", "schema_of", "typed", "whole"]

_BOUNDS = ("ge", "gt", "le", "lt", "max_length", "min_length", "multiple_of", "pattern")


def schema_of(kind: Any) -> tuple[JsonObject, JsonObject]:
    """Give the JSON Schema of a type, and the definitions that its references name.

    Raises:
        TypeError: JSON Schema cannot say it.
    """
    (schema,), components = msgspec.json.schema_components(
        [kind], ref_template="#/$defs/{name}", schema_hook=_custom_schema
    )
    return hoisted(schema, dict(components))


def typed(value: Any, kind: Any) -> Any:
    """Give a decoded JSON value as a type.

    A number that is whole is an integer where one is wanted, however it was written.

    Raises:
        msgspec.ValidationError: it is not of that type.
    """
    try:
        return msgspec.convert(value, kind, dec_hook=from_json)
    except msgspec.ValidationError as error:
        try:
            return msgspec.convert(whole(value), kind, dec_hook=from_json)
        except msgspec.ValidationError:
            raise error from None


def whole(value: Any) -> Any:
    """Give a decoded JSON value whose whole numbers are integers, as JSON Schema has it."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: whole(each) for name, each in value.items()}
    return [whole(each) for each in value] if isinstance(value, list) else value


def _custom_schema(kind: Any) -> JsonObject:
    if _is_path(kind):
        return {"type": "string", "format": "path"}
    stated = getattr(kind, "model_json_schema", None)
    if callable(stated):
        schema: Any = stated(ref_template=f"#/$defs/{kind.__name__}.{{model}}")
        definitions = {f"{kind.__name__}.{name}": each for name, each in schema.pop("$defs", {}).items()}
        return {**schema, "$defs": definitions} if definitions else schema
    raise NotImplementedError


def from_json(kind: Any, value: Any) -> Any:
    """Give a value of a type that msgspec does not know, for its decoder."""
    validate = getattr(kind, "model_validate", None)
    if callable(validate):
        return validate(value)
    return kind(value) if _is_path(kind) else value


def _is_path(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "__fspath__")


def json_of(value: Any) -> Any:
    """Give what msgspec can encode for a value that it does not know, for its encoder."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if _is_path(type(value)):
        return value.__fspath__()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def annotated(kind: Any, words: str | None) -> Any:
    """Give a type with words on it, its own before those given, and with its bounds, as msgspec takes them."""
    base, *notes = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    own = [note for note in notes if isinstance(note, msgspec.Meta)]
    others = [note for note in notes if not isinstance(note, msgspec.Meta)]
    told = next(filter(None, map(_words, others)), None) or words
    bounds = {name: found for note in others for name, found in _bounds(note).items()}
    more: dict[str, Any] = {**bounds, "description": told} if told else bounds
    metas = [*own, msgspec.Meta(**more)] if more else own
    return Annotated[(base, *metas)] if metas else base


def _words(note: Any) -> str | None:
    if isinstance(note, str):
        return note
    found = getattr(note, "description", None) or getattr(note, "documentation", None)
    return found if isinstance(found, str) else None


def _bounds(note: Any) -> dict[str, Any]:
    given = [note, *getattr(note, "metadata", ())]
    found = {name: getattr(each, name, None) for each in given for name in _BOUNDS if hasattr(each, name)}
    return {name: value for name, value in found.items() if value is not None}
