"""Read what a function takes: its schema for a model, and the types that a model's arguments become."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from typing import Any, TypeAlias, get_type_hints

import msgspec
from msgspec import Struct

from dragoman.errors import UsageError
from dragoman.models.foreign import annotated, schema_of, typed
from dragoman.types import JsonObject

__all__ = ["Function", "Signature", "documented", "named"]

Function: TypeAlias = Callable[..., Any]

_IMMUTABLE = (bool, bytes, float, int, str, tuple, frozenset, type(None))


def named(function: Function) -> str:
    """Give the name of a function, or of what stands for one."""
    return str(getattr(_beneath(function), "__name__", type(function).__name__))


def documented(function: Function) -> str:
    """Give the docstring of a function, or of what stands for one: its class's, or that of how it is called."""
    beneath = _beneath(function)
    if inspect.isroutine(beneath):
        return inspect.getdoc(beneath) or ""
    return inspect.getdoc(beneath) or inspect.getdoc(type(beneath).__call__) or ""


def _beneath(function: Function) -> Function:
    return function.func if isinstance(function, partial) else function


class Signature(Struct, frozen=True):
    """What a function takes.

    Attributes:
        schema: as a model is told.
        arguments: the type of its arguments, with a field for each parameter.
        others: the type of those that it has no parameter for, as a mapping; None where it takes none.
    """

    schema: JsonObject
    arguments: Any
    others: Any = None

    @classmethod
    def of(cls, function: Function, described: Mapping[str, str]) -> Signature:
        """Read a function's signature; `described` are the words on its parameters.

        Raises:
            UsageError: it has a type that JSON Schema cannot say, or a parameter that has no name for a caller.
        """
        hints = _hints(function)
        named_, others = _parameters(function), None
        for each in inspect.signature(function).parameters.values():
            if each.kind is each.VAR_KEYWORD:
                others = dict[str, hints.get(each.name, Any)]  # type: ignore[misc]  # made as the program runs
        try:
            fields = [_field(each, hints.get(each.name, Any), described.get(each.name)) for each in named_]
            arguments = msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=True)
            return cls(_schema(arguments, others), arguments, others)
        except TypeError as error:
            why = str(error).partition("\n")[0]
            raise UsageError(
                f"the signature of {named(function)} cannot be said in JSON Schema: {why}", hint="give `input_schema`"
            ) from error

    def typed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Give arguments as the types that the signature names.

        Raises:
            msgspec.ValidationError: they are not of those types.
        """
        names = self.arguments.__struct_fields__
        known = {name: value for name, value in arguments.items() if name in names or self.others is None}
        made = typed(known, self.arguments)
        rest = {name: value for name, value in arguments.items() if name not in known}
        return {**{name: getattr(made, name) for name in names}, **(typed(rest, self.others) if rest else {})}


def _hints(function: Function) -> dict[str, Any]:
    beneath = _beneath(function)
    return get_type_hints(beneath if inspect.isroutine(beneath) else type(beneath).__call__, include_extras=True)


def _parameters(function: Function) -> list[inspect.Parameter]:
    """Give the parameters that a model is told of; what a `partial` has given already is none of its business."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise UsageError(f"{named(function)} yields its results", hint="return them, as a list")
    given = function.keywords if isinstance(function, partial) else {}
    return [each for each in _callable_by_name(function) if each.name not in given]


def _callable_by_name(function: Function) -> Iterator[inspect.Parameter]:
    for each in inspect.signature(function).parameters.values():
        if each.kind in {each.POSITIONAL_ONLY, each.VAR_POSITIONAL}:
            raise UsageError(
                f"the parameter {each.name!r} of {named(function)} cannot be given by name, as a model does"
            )
        if each.kind is not each.VAR_KEYWORD:
            yield each


def _field(parameter: inspect.Parameter, kind: Any, words: str | None) -> Any:
    kind = annotated(kind, words)
    default = parameter.default
    if type(default).__name__ == "FieldInfo":
        # A parameter of pydantic's style, `limit: int = Field(5, description="How many.")`.
        kind = annotated(kind, default.description)
        default = parameter.empty if default.is_required() else default.get_default(call_default_factory=True)
    if default is parameter.empty:
        return (parameter.name, kind)
    if isinstance(default, _IMMUTABLE):
        return (parameter.name, kind, default)
    return (parameter.name, kind, msgspec.field(default_factory=lambda: deepcopy(default)))


def _schema(arguments: Any, others: Any) -> JsonObject:
    _, definitions = schema_of(arguments)
    root = {keyword: value for keyword, value in definitions.pop("Arguments").items() if keyword != "title"}
    if others is not None:
        more, named_ = schema_of(others)
        definitions |= named_
        root = {**root, "additionalProperties": more.get("additionalProperties", True)}
    return {**root, "$defs": definitions} if definitions else root
