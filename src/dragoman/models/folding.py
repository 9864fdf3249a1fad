"""Make the root of a schema a plain object, as providers demand: what its combinators meant goes into words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from dragoman.models.references import References
from dragoman.models.report import Note
from dragoman.models.schema import with_words
from dragoman.models.shape import PLAIN, Shape, shape
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["REFUSED_AT_ROOT", "folded", "phrase"]

REFUSED_AT_ROOT = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "not", "oneOf"})
"""What no provider takes at the root of a tool's schema."""

_LONGEST_PHRASE = 600
_LONGEST_LIST = 2_000
_NO_WORDS = frozenset({"$ref", "allOf"})
_SHAPING = PLAIN | {"patternProperties"}


def folded(schema: JsonObject, refused: frozenset[str] = REFUSED_AT_ROOT) -> tuple[JsonObject, list[Note]]:
    """Give a schema whose root has none of the refused keywords, and what was lost by it.

    What the original takes, the folded one takes too, but for what a note calls narrowed. `$defs` stays.
    """
    present = [keyword for keyword in schema if keyword in refused]
    if not present:
        return schema, []
    target = References(schema).target
    # Whatever else there is at the root stays there, so it is no loss.
    found = shape({keyword: schema[keyword] for keyword in schema if keyword in _SHAPING | refused}, target)
    kept = {keyword: value for keyword, value in schema.items() if keyword not in refused}
    result = {**_described(kept, schema, target), "properties": found.properties}
    result["required"] = list(found.required)
    if not found.required:
        del result["required"]
    if found.others is not True:
        result["additionalProperties"] = found.others
    return _told(result, schema, [each for each in present if each not in _NO_WORDS or not found.is_exact], found)


def _described(kept: JsonObject, schema: JsonObject, target: Callable[[str], Any]) -> JsonObject:
    """Let the root have the description of what it refers to, where it has none of its own."""
    pointed = target(str(schema["$ref"])) if "$ref" in schema else None
    if is_object(pointed):
        return {**{name: pointed[name] for name in ("title", "description") if name in pointed}, **kept}
    return kept


def _told(result: JsonObject, schema: JsonObject, lost: list[str], found: Shape) -> tuple[JsonObject, list[Note]]:
    notes = [
        Note(f"/properties/{name}", "narrowed", "what it may be where no alternative speaks of it is not told")
        for name in found.narrowed
    ]
    target = References(schema).target
    for keyword in lost:
        words = phrase(keyword, schema[keyword], target)
        if not words and not found.is_exact:
            words = _as_json({keyword: schema[keyword]} if keyword != "$ref" else target(str(schema[keyword])))
        if words:
            result = with_words(result, words)
            notes.append(Note(f"/{keyword}", "weakened", words))
    return result, notes


def phrase(keyword: str, value: Any, target: Callable[[str], Any]) -> str:
    """Say in words for a model what a keyword demands; empty where it demands nothing that was not said already."""
    if keyword in {"anyOf", "oneOf"} and is_array(value):
        sets = [_members_of(each, target) for each in value]
        if len(sets) < 2:
            return ""
        return f"{'Exactly one' if keyword == 'oneOf' else 'At least one'} of these has to be given: {_brief(sets)}."
    if keyword == "allOf" and is_array(value):
        leftover = [each for each in value if is_object(each) and not each.keys() <= PLAIN]
        return _as_json({"allOf": leftover}) if leftover else ""
    return "" if keyword == "$ref" else _as_json({keyword: value})


def _brief(sets: list[str]) -> str:
    """List what may be given, as far as a description can be that long."""
    length, shown = 0, list[str]()
    for each in sets:
        length += len(each)
        if length > _LONGEST_LIST and shown:
            return f"{'; '.join(shown)}; or one of {len(sets) - len(shown):,} others"
        shown.append(each)
    return "; ".join(shown)


def _members_of(schema: Any, target: Callable[[str], Any]) -> str:
    """Name what an alternative needs, its fixed values included."""
    found = shape(schema, target)
    fixed = {name: _fixed(found.properties.get(name)) for name in found.properties}
    names = [name for name in (*found.required, *fixed) if name in found.required or fixed[name]]
    told = [f"`{name}`{fixed.get(name, '')}" for name in dict.fromkeys(names)]
    if told:
        return " with ".join(told[:2]) + "".join(f" and {each}" for each in told[2:])
    others = ", ".join(f"`{name}`" for name in found.properties)
    return f"any of {others}" if others else _brief_json(schema)


def _fixed(schema: Any) -> str:
    if is_object(schema) and "const" in schema:
        return f" = {_json(schema['const'])}"
    values = schema.get("enum") if is_object(schema) else None
    return f" = {_json(values[0])}" if is_array(values) and len(values) == 1 else ""


def _as_json(schema: JsonObject) -> str:
    return f"The whole has to fit this JSON Schema as well: {_brief_json(schema)}."


def _brief_json(schema: Any) -> str:
    text = _json(schema)
    return text if len(text) <= _LONGEST_PHRASE else f"{text[:_LONGEST_PHRASE]}..."


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
