"""Convert a tool for one provider: its schema in that provider's words, its names in its alphabet, and what was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct, structs

from dragoman.errors import ProtocolError
from dragoman.models.folding import REFUSED_AT_ROOT, folded
from dragoman.models.modern import checker, modernized, readable
from dragoman.models.names import Alphabet, alias
from dragoman.models.references import carried
from dragoman.models.report import Note, Omitted
from dragoman.models.schema import Steps, rebuilt
from dragoman.types import JsonObject, Tool, is_array, is_object

__all__ = ["Converted", "Definition", "Definitions", "Unfit", "Wrap", "convert", "converted", "prepared"]


Wrap: TypeAlias = Callable[[list[JsonObject]], JsonObject]
"""Gives the arguments of a request that carry definitions."""


def _as_tools(definitions: list[JsonObject]) -> JsonObject:
    return {"tools": definitions}


class Unfit(Exception):
    """A tool cannot be expressed; the message is the reason."""


class Converted(Struct, frozen=True):
    """A tool's arguments for one provider.

    Attributes:
        schema: the schema to send.
        notes: what it says otherwise than the tool's own.
        renamed: the tool's own name of each property whose name the provider does not take, by its alias.
        is_strict: whether properties that may be left out come back as null.
    """

    schema: JsonObject
    notes: tuple[Note, ...] = ()
    renamed: dict[str, str] = {}
    is_strict: bool = False


class Definition(Struct, frozen=True):
    """A tool as one provider is told of it.

    Attributes:
        tool: the tool itself.
        name: what the model calls it.
        json: what to send.
        converted: its arguments.
        notes: everything that is said otherwise than the tool says it.
    """

    tool: Tool
    name: str
    json: JsonObject
    converted: Converted
    notes: tuple[Note, ...] = ()


class Definitions(list[JsonObject]):
    """The definitions of many tools, ready to be sent, in an order that holds as long as the tools do.

    Attributes:
        request: the arguments of a request that carry them; empty when there are none, as providers want it.
        omitted: the tools that are left out, each with its reason.
        notes: what is said otherwise than the tools say it, by the tool's own name; tools without notes are not in it.
    """

    def __init__(
        self,
        found: Iterable[Definition] = (),
        omitted: Iterable[Omitted] = (),
        wrap: Wrap = _as_tools,
    ) -> None:
        self._by_name = {each.name: each for each in found}
        self._wrap = wrap
        super().__init__(each.json for each in self._by_name.values())
        self.omitted = tuple(omitted)
        self.request: JsonObject = wrap(list(self)) if self else {}
        self.notes: dict[str, tuple[Note, ...]] = {
            each.tool.name: each.notes for each in self._by_name.values() if each.notes
        }

    def only(self, names: Iterable[str]) -> Definitions:
        """Give the definitions of the tools with these names of their own, in this order, to do with as one likes."""
        known = {each.tool.name: each for each in self._by_name.values()}
        chosen = (known[name] for name in names if name in known)
        copies = (structs.replace(each, json=msgspec.json.decode(msgspec.json.encode(each.json))) for each in chosen)
        return Definitions(copies, self.omitted, self._wrap)

    def each(self) -> Iterator[Definition]:
        """Give the definitions one by one, with all that is known of them."""
        yield from self._by_name.values()

    def find(self, name: str) -> Definition | None:
        """Give the definition that the model knows by this name, or None."""
        return self._by_name.get(name)

    @property
    def names(self) -> dict[str, str]:
        """Each tool's own name, by the one that the model knows."""
        return {name: each.tool.name for name, each in self._by_name.items()}


def convert(
    tools: Iterable[Tool],
    define: Callable[[Tool, str], Definition],
    alphabet: Alphabet,
    wrap: Wrap = _as_tools,
) -> Definitions:
    """Define every tool that can be; the others are left out with their reasons, and cost the rest nothing.

    Of two tools with one name the first is kept, and so is one that a provider takes as it is before one renamed.
    """
    found: dict[str, Definition] = {}
    omitted: list[Omitted] = []
    for tool in sorted(tools, key=lambda each: not alphabet.allows(each.name)):
        name = alias(tool.name, alphabet)
        try:
            if name in found:
                raise Unfit(f"another tool is called {name} already")
            found[name] = define(tool, name)
        except Unfit as error:
            omitted.append(Omitted(tool.name, str(error)))
    return Definitions(sorted(found.values(), key=lambda each: each.name), omitted, wrap)


def prepared(tool: Tool) -> JsonObject:
    """Give a tool's input schema as a 2020-12 object schema whose references all lead into its own `$defs`.

    Raises:
        Unfit: it is no schema of an object, or leads out of itself.
    """
    try:
        schema: Any = readable(tool.input_schema)
        if not is_object(schema) or not _is_of_objects(schema):
            raise Unfit("its input schema is not that of an object")
        checker(schema)
        root: JsonObject = carried(modernized(schema))
    except ProtocolError as error:
        raise Unfit(f"its input schema cannot be used: {error}") from error
    except LookupError as error:
        raise Unfit(f"its input schema refers to {error.args[0]}, which cannot be carried along") from error
    except RecursionError as error:
        raise Unfit("its input schema is nested too deep") from error
    return {**root, "type": "object"}


def _is_of_objects(schema: JsonObject) -> bool:
    kind = schema.get("type", "object")
    return "object" in kind if is_array(kind) else kind == "object"


def converted(tool: Tool, properties: Alphabet | None = None, refused: frozenset[str] = REFUSED_AT_ROOT) -> Converted:
    """Convert a tool's arguments as all providers need it: a plain root, stated properties and items, allowed names.

    Raises:
        Unfit: they cannot be expressed.
    """
    schema, notes = folded(prepared(tool), refused)
    renamed: dict[str, str] = {}
    if properties is not None:
        schema = _with_names(schema, properties, renamed)
    notes += [Note("", "renamed", f"`{name}` is called `{other}`") for other, name in renamed.items()]
    return Converted(_complete(schema), tuple(notes), renamed)


def _complete(schema: Any, _: Steps = ()) -> Any:
    """State the properties of every object and the items of every array, even where there is nothing to say of them."""
    if not is_object(schema):
        return schema
    copy = rebuilt(schema, _complete)
    kinds = copy.get("type")
    kinds = kinds if is_array(kinds) else [kinds]
    if "object" in kinds:
        copy.setdefault("properties", {})
    if "array" in kinds:
        copy.setdefault("items", {})
    return copy


def _with_names(schema: Any, alphabet: Alphabet, renamed: dict[str, str], _: Steps = ()) -> Any:
    """Rename the properties that need it, at every depth, wherever a schema speaks of them."""
    if not is_object(schema):
        return schema
    copy = rebuilt(schema, lambda child, steps: _with_names(child, alphabet, renamed, steps))

    def name(own: str) -> str:
        other = alias(own, alphabet)
        if other != own:
            renamed[other] = own
        return other

    if is_object(copy.get("properties")):
        copy["properties"] = {name(own): each for own, each in copy["properties"].items()}
    if is_array(copy.get("required")):
        copy["required"] = [name(own) for own in copy["required"]]
    for keyword in ("dependentRequired", "dependentSchemas"):
        if is_object(copy.get(keyword)):
            copy[keyword] = {name(own): _names_in(each, name) for own, each in copy[keyword].items()}
    return copy


def _names_in(value: Any, name: Callable[[str], str]) -> Any:
    return [name(own) for own in value] if is_array(value) else value
