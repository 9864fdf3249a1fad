"""Find what a schema's references lead to, and carry it along under `$defs` wherever it stood."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from dragoman.models.report import pointer
from dragoman.models.schema import Steps, children, rebuilt
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["References", "carried", "hoisted"]

# What gives a schema a name or a dialect: once references are pointers, nothing needs it.
_IDENTITY = frozenset({"$anchor", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "id"})
_DEFINITIONS = frozenset({"$defs", "definitions"})
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_OLD_DIALECT = re.compile(r"draft-0[3-7]")
_ANNOTATIONS = frozenset({"default", "description", "title"})


class References:
    """The places of one schema that its references can name."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._named: dict[str, str] | None = None

    def pointer(self, reference: str) -> str | None:
        """Give the JSON Pointer of what a reference names, or None if nothing in this schema is called so."""
        place, _, fragment = reference.partition("#")
        base = self._base(place)
        if base is None:
            return None
        fragment = unquote(fragment)
        if not fragment or fragment.startswith("/"):
            found = base + fragment
            return found if self.at(found) is not None else None
        return self._names().get(f"#{fragment}")

    def _base(self, place: str) -> str | None:
        if not place or place == self._root.get("$id"):
            return ""
        return self._names().get(place) or self._names().get(place.rpartition("/")[2])

    def target(self, reference: str) -> Any:
        """Give the subschema that a reference names, or None."""
        found = self.pointer(reference)
        return None if found is None else self.at(found)

    def at(self, place: str) -> Any:
        """Give what stands at a JSON Pointer, or None."""
        value: Any = self._root
        for step in place.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if is_object(value):
                value = value.get(name)
            else:
                value = value[int(name)] if is_array(value) and name.isdecimal() and int(name) < len(value) else None
        return value

    def _names(self) -> dict[str, str]:
        if self._named is None:
            self._named = dict(_names(self._root, ()))
        return self._named


def _names(schema: Any, steps: Steps) -> Iterator[tuple[str, str]]:
    if not is_object(schema):
        return
    for keyword in ("$anchor", "$dynamicAnchor"):
        if isinstance(schema.get(keyword), str):
            yield f"#{schema[keyword]}", pointer(steps)
    identifier = schema.get("$id", schema.get("id"))
    if isinstance(identifier, str) and steps:
        yield identifier, pointer(steps)
        yield identifier.rpartition("/")[2], pointer(steps)
    for more, child in children(schema):
        yield from _names(child, (*steps, *more))


def carried(root: JsonObject) -> JsonObject:
    """Give a schema with the same meaning in which every reference is `#/$defs/NAME`, and `$defs` holds just those.

    A reference may have led into `properties`, to an anchor, or to the whole. Identifiers and dialects are gone.

    Raises:
        LookupError: a reference names nothing that could be carried along.
    """
    return _Carrier(root).carry()


def hoisted(schema: Any, definitions: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Give a schema, and definitions for its root, with those that stood in its subschemas taken out to the others."""
    found: JsonObject = {}

    def lifted(each: Any, _: Steps = ()) -> Any:
        if not is_object(each):
            return each
        rest = {name: value for name, value in each.items() if name != "$defs"}
        found.update({name: lifted(value) for name, value in each.get("$defs", {}).items()})
        return rebuilt(rest, lifted)

    root = lifted(schema)
    named = {name: lifted(each) for name, each in definitions.items()}
    return root, named | found


class _Carrier:
    """One schema on its way; owns the names given to what is referred to."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._references = References(root)
        self._names: dict[str, str] = {}
        self._pending: list[str] = []
        # Before 2019-09, whatever stands beside `$ref` is ignored.
        self._ignores_siblings = bool(_OLD_DIALECT.search(str(root.get("$schema", ""))))

    def carry(self) -> JsonObject:
        result: JsonObject = self._copied(self._root, ())
        definitions: JsonObject = {}
        while self._pending:
            place = self._pending.pop(0)
            definitions[self._names[place]] = self._copied(self._references.at(place), ())
        return {**result, "$defs": definitions} if definitions else result

    def _copied(self, schema: Any, _: Steps) -> Any:
        if not is_object(schema):
            return schema
        kept = {name: value for name, value in schema.items() if name not in _IDENTITY and name not in _DEFINITIONS}
        if "$ref" in kept and self._ignores_siblings:
            kept = {name: value for name, value in kept.items() if name == "$ref" or name in _ANNOTATIONS}
        copy = rebuilt(kept, self._copied)
        for keyword in ("$ref", *_DYNAMIC):
            if keyword in copy:
                copy["$ref"] = self._renamed(str(copy.pop(keyword)))
        return copy

    def _renamed(self, reference: str) -> str:
        place = self._references.pointer(reference)
        if place is None:
            raise LookupError(reference)
        if place not in self._names:
            self._names[place] = self._free_name(place)
            self._pending.append(place)
        return f"#/$defs/{self._names[place]}"

    def _free_name(self, place: str) -> str:
        readable = re.sub(r"[^A-Za-z0-9_.-]", "_", place.rpartition("/")[2]) or "arguments"
        name, count = readable, 1
        while name in self._names.values():
            count += 1
            name = f"{readable}_{count}"
        return name
