"""Read a tool's input schema as far as a command line needs: which names there are, and what kinds of value each takes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dragoman.types import JsonObject, is_array, is_object

__all__ = ["ANYTHING", "Schema"]

_DEEPEST = 24
_MOST_ALTERNATIVES = 64


@dataclass(frozen=True)
class Schema:
    """One JSON Schema, with the document that its references point into.

    Attributes:
        value: the schema itself.
        root: the document; references lead nowhere else.
    """

    value: JsonObject
    root: JsonObject

    @classmethod
    def of(cls, document: JsonObject) -> "Schema":
        """View a whole document as a schema."""
        return cls(document, document)

    def alternatives(self, depth: int = 0) -> Iterator["Schema"]:
        """Give the kinds of value that are allowed, in the schema's order; each has one `type` or `enum`, or says neither."""
        value = self._resolved(depth)
        branches = next((value[key] for key in ("anyOf", "oneOf") if is_array(value.get(key)) and value[key]), None)
        kinds = value.get("type")
        if depth > _DEEPEST:
            return
        if "const" in value:
            yield self.part({**value, "enum": [value["const"]]})
        elif is_array(value.get("enum")):
            yield self.part(value)
        elif branches is not None:
            for branch in branches[:_MOST_ALTERNATIVES]:
                yield from self.part(branch).alternatives(depth + 1)
        elif is_array(kinds):
            yield from (self.part({**value, "type": kind}) for kind in kinds)
        else:
            yield self.part(value)

    @property
    def kind(self) -> str | None:
        """The type of an alternative, said or implied; None where anything goes."""
        said = self.value.get("type")
        if isinstance(said, str):
            return said
        if "properties" in self.value:
            return "object"
        return "array" if "items" in self.value else None

    @property
    def choices(self) -> list[Any] | None:
        """The values that an alternative consists of, if it names them."""
        choices = self.value.get("enum")
        return choices if is_array(choices) else None

    @property
    def items(self) -> "Schema":
        """What an array's items look like."""
        items = self.value.get("items")
        return self.part(items)

    @property
    def properties(self) -> dict[str, "Schema"]:
        """The properties of every object among the alternatives, by name."""
        found: dict[str, Schema] = {}
        for each in self._objects():
            stated = each.value.get("properties")
            for name, schema in (stated if is_object(stated) else {}).items():
                found.setdefault(name, each.part(schema))
        return found

    @property
    def required(self) -> tuple[str, ...]:
        """The properties that an object must have; empty where there are several alternatives."""
        objects = list(self._objects())
        required = objects[0].value.get("required") if len(objects) == 1 else None
        return tuple(name for name in required if isinstance(name, str)) if is_array(required) else ()

    def property(self, name: str) -> "Schema | None":
        """Give the schema of a property, listed or covered by a rule, or None where the name is not allowed.

        JSON Schema allows what is not forbidden. To a person who types a name, one that is not among those listed is a
        slip, unless the schema lists none or says that there may be more.
        """
        listed = self.properties
        if name in listed:
            return listed[name]
        for each in self._objects():
            allowed = each.unlisted(is_list_empty=not listed)
            if allowed is not None:
                return allowed
        return None

    def unlisted(self, *, is_list_empty: bool) -> "Schema | None":
        """Give the schema of the properties that are not listed, or None where there may be none."""
        patterns = self.value.get("patternProperties")
        if is_object(patterns) and patterns:
            # A server's regular expression is not run here, where nothing would end one that takes for ever.
            return self.part({"anyOf": list(patterns.values())})
        more = self.value.get("additionalProperties", True if is_list_empty else None)
        if is_object(more):
            return self.part(more)
        return self.part({}) if more is True else None

    def _objects(self) -> Iterator["Schema"]:
        return (each for each in self.alternatives() if each.kind == "object")

    def _resolved(self, depth: int) -> JsonObject:
        """Follow a reference and take `allOf` together; what stands beside them counts more."""
        value, steps = self.value, depth
        while steps <= _DEEPEST and ("$ref" in value or is_array(value.get("allOf"))):
            beside = {key: each for key, each in value.items() if key not in {"$ref", "allOf"}}
            parts = [self._target(value["$ref"])] if "$ref" in value else []
            parts += [part for part in value.get("allOf") or () if is_object(part)]
            value, steps = _together([*parts, beside]), steps + 1
        return value

    def _target(self, reference: Any) -> JsonObject:
        found: Any = self.root
        if not isinstance(reference, str) or not reference.startswith("#"):
            return {}
        for step in reference[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if is_object(found) else None
        return found if is_object(found) else {}

    def part(self, value: Any) -> "Schema":
        """View a part of the same document; what is no object allows everything."""
        return Schema(value if is_object(value) else {}, self.root)


ANYTHING = Schema.of({})
"""The schema that allows everything."""


def _together(parts: list[JsonObject]) -> JsonObject:
    whole: JsonObject = {}
    for part in parts:
        for key, value in part.items():
            known = whole.get(key)
            if is_object(known) and is_object(value):
                whole[key] = {**known, **value}
            elif key in {"allOf", "required"} and is_array(known) and is_array(value):
                whole[key] = [*known, *value]
            else:
                whole[key] = value
    return whole
