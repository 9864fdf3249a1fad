"""Read a tool's input schema as far as a command line needs: which names there are, and what kinds of value each takes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dragoman.types import JsonObject, is_array, is_object

__all__ = ["ANYTHING", "Schema", "kinds"]

# A schema may refer to itself, once or a thousand times: what it takes to read one is bounded by these two.
_MOST_ALTERNATIVES = 32
_DEEPEST_ITEMS = 3


@dataclass(frozen=True)
class Schema:
    """One JSON Schema, with the document that its references point into.

    Attributes:
        value: the schema itself.
        root: the document; references lead nowhere else.
        depth: how many arrays it lies within, as far as they were followed from `of`.
    """

    value: JsonObject
    root: JsonObject
    depth: int = 0

    @classmethod
    def of(cls, document: JsonObject) -> "Schema":
        """View a whole document as a schema."""
        return cls(document, document)

    def alternatives(self) -> list["Schema"]:
        """Give the kinds of value that are allowed, in the schema's order; each has one `type` or `enum`, or says neither."""
        return list(islice(self._alternatives(self.value, set()), _MOST_ALTERNATIVES))

    def _alternatives(self, stated: JsonObject, seen: set[int]) -> Iterator["Schema"]:
        value = self._resolved(stated, set())
        branches = next((value[key] for key in ("anyOf", "oneOf") if is_array(value.get(key)) and value[key]), None)
        kinds = value.get("type")
        if "const" in value:
            yield self.part({**value, "enum": [value["const"]]})
        elif is_array(value.get("enum")):
            yield self.part(value)
        elif branches is not None:
            for branch in branches:
                if id(branch) not in seen:
                    seen.add(id(branch))
                    yield from self._alternatives(branch if is_object(branch) else {}, seen)
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
        if not is_object(items) or self.depth >= _DEEPEST_ITEMS:
            return ANYTHING
        return Schema(items, self.root, self.depth + 1)

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
        # A server's regular expression is not run here, where nothing would end one that takes for ever.
        allowed = list(patterns.values()) if is_object(patterns) else []
        more = self.value.get("additionalProperties", True if is_list_empty and not allowed else None)
        if is_object(more) or more is True:
            allowed.append(more)
        return self.part({"anyOf": allowed}) if allowed else None

    def _objects(self) -> Iterator["Schema"]:
        return (each for each in self.alternatives() if each.kind == "object")

    def _resolved(self, value: JsonObject, seen: set[int]) -> JsonObject:
        """Follow a reference and take `allOf` together; what stands beside them counts more."""
        if "$ref" not in value and not is_array(value.get("allOf")):
            return value
        beside = {key: each for key, each in value.items() if key not in {"$ref", "allOf"}}
        parts = [self._target(value["$ref"])] if "$ref" in value else []
        parts += [part for part in value.get("allOf") or () if is_object(part)]
        fresh = [part for part in parts if id(part) not in seen]
        seen.update(map(id, fresh))
        return _together([*(self._resolved(part, seen) for part in fresh), beside])

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
        return Schema(value if is_object(value) else {}, self.root, self.depth)


ANYTHING = Schema.of({})
"""The schema that allows everything."""


def kinds(schema: Schema) -> str:
    """Write the kinds of value that a schema allows: `integer`, `string or null`, `red | green`."""
    written: list[str] = []
    for each in schema.alternatives():
        if each.choices is not None:
            written.append(" | ".join(one if isinstance(one, str) else json.dumps(one) for one in each.choices))
        elif each.kind == "array":
            written.append(f"array of {kinds(each.items)}")
        else:
            written.append(each.kind or "any")
    return " or ".join(dict.fromkeys(written))


def _together(parts: list[JsonObject]) -> JsonObject:
    whole: JsonObject = {}
    for part in parts:
        for key, value in part.items():
            known = whole.get(key)
            if is_object(known) and is_object(value):
                whole[key] = {**known, **value}
            elif key == "required" and is_array(known) and is_array(value):
                whole[key] = [*known, *value]
            else:
                whole[key] = value
    return whole
