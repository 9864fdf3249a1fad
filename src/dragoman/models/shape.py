"""What an object schema with combinators comes down to: which properties there are, and which of them are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from dragoman.types import JsonObject, is_array, is_object

__all__ = ["PLAIN", "Shape", "shape"]

PLAIN = frozenset(
    {
        "$comment",
        "additionalProperties",
        "default",
        "deprecated",
        "description",
        "examples",
        "properties",
        "required",
        "title",
        "type",
    }
)
"""Keywords of an object schema that a shape holds all of, and annotations."""

_COMBINATORS = frozenset({"$ref", "allOf", "anyOf", "oneOf"})


class Shape(Struct, frozen=True):
    """An object schema without combinators.

    Attributes:
        properties: by name, in the order in which they were met.
        required: the names that are needed whatever else is given.
        others: what values of other names have to fit; true where they may be anything, false where there are none.
        is_exact: whether this says all that the schema said. Where it does not, it allows more.
        narrowed: the properties of alternatives that not every alternative speaks of.
    """

    properties: dict[str, Any] = {}
    required: tuple[str, ...] = ()
    others: Any = True
    is_exact: bool = True
    narrowed: tuple[str, ...] = ()

    @property
    def is_closed(self) -> bool:
        """Whether other names are refused."""
        return self.others is False


def shape(schema: Any, target: Callable[[str], Any]) -> Shape:
    """Find the shape of an object schema; `target` gives what a reference leads to."""
    return _Shapes(target).of(schema)


class _Shapes:
    """The shapes of one schema's subschemas, each found once however many ways lead to it."""

    def __init__(self, target: Callable[[str], Any]) -> None:
        self._target = target
        self._known: dict[int, Shape] = {}

    def of(self, schema: Any) -> Shape:
        if not is_object(schema):
            return Shape(is_exact=schema is True)
        known = self._known.get(id(schema))
        if known is not None:
            return known
        # Until more is known, a schema that leads back to itself adds nothing to itself.
        self._known[id(schema)] = Shape(is_exact=False)
        found = self._known[id(schema)] = _all(list(self._parts(schema)))
        return found

    def _parts(self, schema: JsonObject) -> Iterator[Shape]:
        yield _own(schema)
        if "$ref" in schema:
            yield self.of(self._target(str(schema["$ref"])))
        for each in _members(schema, "allOf"):
            yield self.of(each)
        for keyword in ("anyOf", "oneOf"):
            members = _members(schema, keyword)
            if members:
                yield _either([self.of(each) for each in members])


def _own(schema: JsonObject) -> Shape:
    properties = schema.get("properties")
    required = schema.get("required")
    others = schema.get("additionalProperties", True)
    return Shape(
        dict(properties) if is_object(properties) else {},
        tuple(map(str, required)) if is_array(required) else (),
        # Patterns say which names are no others, and a shape has none.
        True if others == {} or "patternProperties" in schema else others,
        schema.keys() <= PLAIN | _COMBINATORS,
    )


def _members(schema: JsonObject, keyword: str) -> list[Any]:
    members = schema.get(keyword)
    return members if is_array(members) else []


def _all(parts: list[Shape]) -> Shape:
    """What fits all of the parts: a name that only some speak of has to fit what the rest say of others."""
    found = {name: _joined("allOf", _stated(parts, name)) for name in _names(parts)}
    others = _distinct(part.others for part in parts if part.others is not True)
    return Shape(
        {name: schema for name, schema in found.items() if schema is not False},
        tuple(dict.fromkeys(name for part in parts for name in part.required)),
        _joined("allOf", others) if others else True,
        all(part.is_exact for part in parts),
        tuple(dict.fromkeys(name for part in parts for name in part.narrowed)),
    )


def _either(parts: list[Shape]) -> Shape:
    """What fits one of the parts: never exact, because which goes with which is lost, unless there is just one."""
    if len(parts) == 1:
        return parts[0]
    names = _names(parts)
    needed = [name for name in parts[0].required if all(name in part.required for part in parts)]
    partly = [name for name in names if any(name not in part.properties and part.others is True for part in parts)]
    return Shape(
        {name: _joined("anyOf", [each for each in _stated(parts, name) if each is not False]) for name in names},
        tuple(needed),
        not all(part.is_closed for part in parts),
        is_exact=False,
        narrowed=tuple(dict.fromkeys((*partly, *(name for part in parts for name in part.narrowed)))),
    )


def _names(parts: Iterable[Shape]) -> list[str]:
    return list(dict.fromkeys(name for part in parts for name in part.properties))


def _stated(parts: Iterable[Shape], name: str) -> list[Any]:
    """Find what each of the parts says of a name; one that takes any other says nothing of it."""
    found = (part.properties.get(name, part.others) for part in parts)
    return _distinct(each for each in found if each is not True) or [{}]


def _distinct(schemas: Iterable[Any]) -> list[Any]:
    # Compared as JSON: to Python, 1 and true are one.
    return list({msgspec.json.encode(schema): schema for schema in schemas}.values())


def _joined(keyword: str, schemas: list[Any]) -> Any:
    if keyword == "allOf":
        if False in schemas:
            return False
        schemas = [schema for schema in schemas if schema != {}] or schemas
    return schemas[0] if len(schemas) == 1 else {keyword: schemas}
