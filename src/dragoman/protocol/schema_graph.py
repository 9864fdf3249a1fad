"""What a JSON Schema refers to and how much work it can make, found out before anything is validated with it.

Only the schema is looked at, never a network or a file. A reference that leaves the document is found and reported; the
work is an upper bound: how many subschemas a validator may have to try for one value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urljoin

from dragoman.errors import BadSchema
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["MAX_DEPTH", "MAX_SUBSCHEMAS", "SchemaGraph"]

MAX_DEPTH = 128
"""How deep the subschemas of a schema may be nested."""

MAX_SUBSCHEMAS = 10_000
"""How many subschemas a schema may have."""

# Keywords whose subschemas are tried on the very value, those whose are on its members, and those whose are not tried.
_HERE = ("allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then")
_BELOW = (
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "items",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_APART = ("$defs", "definitions")
_BY_NAME = frozenset({"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"})
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
# To know what is not evaluated yet, a validator evaluates it once more.
_UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})

# The dialects' own schemas are part of every validator.
_BUILT_IN = ("http://json-schema.org/", "https://json-schema.org/")


class _Node:
    """One subschema: what it tries on the very value, and what on the value's members."""

    __slots__ = ("below", "here", "is_tried_twice")

    def __init__(self) -> None:
        self.here: list[_Node] = []
        self.below: list[_Node] = []
        self.is_tried_twice = False


class SchemaGraph:
    """The subschemas of one schema, and what leads from each to which.

    Attributes:
        remote: the first reference that leaves the document, or None.
        is_recursive: whether a subschema leads back to itself, so that the work grows with the depth of a value.

    Raises:
        BadSchema: it is nested too deep, or has too many subschemas.
    """

    def __init__(self, schema: Any) -> None:
        self.remote: str | None = None
        self.is_recursive = False
        self._nodes: dict[int, _Node] = {}
        self._places: dict[str, Any] = {"": schema}
        self._references: list[tuple[_Node, str]] = []
        self._root = self._node(schema, "", 0)
        self._connect()
        self._whole = self._bounded()

    def work(self, depth: int) -> int:
        """Bound how many subschemas are tried along all ways into a value that is `depth` deep."""
        return self._bounded(depth) if self.is_recursive else self._whole

    def _bounded(self, depth: int | None = None) -> int:
        try:
            return self._work(self._root, depth, {})
        except RecursionError as error:
            raise BadSchema("the schema's references lead too deep") from error

    def _work(self, node: _Node, depth: int | None, known: dict[tuple[_Node, int | None], int]) -> int:
        found = known.get((node, depth))
        if found is None:
            # What leads back to itself on the same value is not tried again; what does so further below is.
            known[node, depth] = 0
            here = sum(self._work(each, depth, known) for each in node.here)
            deeper = None if depth is None else depth - 1
            below = 0 if deeper == -1 else sum(self._work(each, deeper, known) for each in node.below)
            found = known[node, depth] = (1 + here + below) * (2 if node.is_tried_twice else 1)
        self.is_recursive = self.is_recursive or not found
        return found

    def _node(self, schema: Any, base: str, depth: int) -> _Node:
        known = self._nodes.get(id(schema))
        if known is not None:
            return known
        if depth > MAX_DEPTH:
            raise BadSchema(f"the schema is nested more than {MAX_DEPTH} deep")
        if len(self._nodes) >= MAX_SUBSCHEMAS:
            raise BadSchema(f"the schema has more than {MAX_SUBSCHEMAS:,} subschemas")
        node = self._nodes[id(schema)] = _Node()
        if is_object(schema):
            self._fill(node, schema, self._named(schema, base), depth + 1)
        return node

    def _fill(self, node: _Node, schema: JsonObject, base: str, depth: int) -> None:
        node.here = [self._node(each, base, depth) for each in _subschemas(schema, _HERE)]
        node.below = [self._node(each, base, depth) for each in _subschemas(schema, _BELOW)]
        node.is_tried_twice = not _UNEVALUATED.isdisjoint(schema)
        for each in _subschemas(schema, _APART):
            self._node(each, base, depth)
        for keyword in _REFERENCES:
            reference = schema.get(keyword)
            if isinstance(reference, str):
                self._references.append((node, _absolute(base, reference)))

    def _named(self, schema: JsonObject, base: str) -> str:
        """Note what a subschema is called, and return the base of the references below it."""
        identifier = schema.get("$id")
        if isinstance(identifier, str):
            uri, _, anchor = _absolute(base, identifier).partition("#")
            # Draft 7 and earlier write an anchor as an identifier that is a fragment.
            base = base if anchor else uri
            self._places[f"{uri}#{anchor}" if anchor else uri] = schema
        for keyword in ("$anchor", "$dynamicAnchor"):
            if keyword in schema:
                self._places[f"{base}#{schema[keyword]}"] = schema
        return base

    def _connect(self) -> None:
        """Let references lead to what they name; what they find in places that hold no schemas is added meanwhile."""
        for node, reference in self._references:
            place, _, fragment = reference.partition("#")
            if place in self._places:
                target = self._places.get(f"{place}#{fragment}") or _pointed_at(self._places[place], unquote(fragment))
                node.here.append(self._node(target, place, 0))
            elif not place.startswith(_BUILT_IN):
                self.remote = self.remote or reference


def _subschemas(schema: JsonObject, keywords: tuple[str, ...]) -> Iterator[Any]:
    for keyword in keywords:
        stated = schema.get(keyword)
        if is_array(stated):
            yield from filter(is_object, stated)
        elif is_object(stated):
            yield from filter(is_object, stated.values() if keyword in _BY_NAME else (stated,))


def _absolute(base: str, reference: str) -> str:
    if reference.startswith("#"):
        return base + reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _pointed_at(document: Any, pointer: str) -> Any:
    """Follow a JSON Pointer (RFC 6901); None where it leads nowhere, which the compilation reports."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if is_array(document):
            is_index = name.isdecimal() and len(name) < 10 and int(name) < len(document)
            document = document[int(name)] if is_index else None
        else:
            document = document.get(name) if is_object(document) else None
    return document
