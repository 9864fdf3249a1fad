"""Make a tool of a function of this program: its schema from the signature, its words from the docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial, update_wrapper
from typing import Annotated, Any, cast, get_type_hints, overload

import msgspec

from dragoman.errors import UsageError
from dragoman.models.docstrings import read_docstring
from dragoman.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    JsonObject,
    ResourceLink,
    TextContent,
    Tool,
    ToolAnnotations,
    UnknownContent,
)

__all__ = ["LocalTool", "as_result", "failed", "tool"]

Function = Callable[..., Any]

_BLOCKS = (TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource, UnknownContent)
_IMMUTABLE = (bool, bytes, float, int, str, tuple, frozenset, type(None))


class LocalTool:
    """A function as a tool; calling it calls the function.

    Attributes:
        tool: what models are told of it.
        function: the function.
        is_exclusive: whether it may run only once at a time.
    """

    __name__: str

    def __init__(self, function: Function, definition: Tool, arguments: Any, *, is_exclusive: bool = False) -> None:
        update_wrapper(self, function)
        self.function = function
        self.tool = definition
        self.is_exclusive = is_exclusive
        self._arguments = arguments

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)

    def __repr__(self) -> str:
        return f"<tool {self.tool.name!r}>"

    def bound(self, arguments: Mapping[str, Any]) -> partial[Any]:
        """Give the function with a model's arguments, as the types that its signature names.

        Raises:
            msgspec.ValidationError: they are not of those types.
        """
        if self._arguments is None:
            return partial(self.function, **arguments)
        typed = msgspec.convert(dict(arguments), self._arguments)
        names = self._arguments.__struct_fields__
        others = {name: value for name, value in arguments.items() if name not in names}
        return partial(self.function, **{name: getattr(typed, name) for name in names}, **others)


@overload
def tool(
    function: Function,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: JsonObject | None = None,
    annotations: ToolAnnotations | None = None,
    is_exclusive: bool = False,
) -> LocalTool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: JsonObject | None = None,
    annotations: ToolAnnotations | None = None,
    is_exclusive: bool = False,
) -> Callable[[Function], LocalTool]: ...
def tool(
    function: Function | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: JsonObject | None = None,
    annotations: ToolAnnotations | None = None,
    is_exclusive: bool = False,
) -> LocalTool | Callable[[Function], LocalTool]:
    """Make a tool of a function, as a decorator with or without arguments.

    Names, types and defaults come from the signature, descriptions from the docstring (Google's, NumPy's or Sphinx's
    way). With `input_schema`, arguments are checked by that alone, and passed on as they are.

    Raises:
        UsageError: the signature has a type that JSON Schema cannot say, or a parameter that has no name for a caller.
    """

    def make(function: Function) -> LocalTool:
        text, parameters = read_docstring(inspect.getdoc(function) or "")
        schema, arguments = (input_schema, None) if input_schema is not None else _signature(function, parameters)
        definition = Tool.define(
            name or str(getattr(function, "__name__", type(function).__name__)),
            schema,
            description=description if description is not None else text or None,
            annotations=annotations,
        )
        return LocalTool(function, definition, arguments, is_exclusive=is_exclusive)

    return make if function is None else make(function)


def _signature(function: Function, described: Mapping[str, str]) -> tuple[JsonObject, Any]:
    """Give the schema of a function's parameters, and a type that arguments are converted to."""
    hints = get_type_hints(function if inspect.isroutine(function) else type(function).__call__, include_extras=True)
    parameters = inspect.signature(function).parameters.values()
    is_open = any(each.kind is each.VAR_KEYWORD for each in parameters)
    named = [each for each in parameters if each.kind is not each.VAR_KEYWORD]
    for each in named:
        if each.kind in {each.POSITIONAL_ONLY, each.VAR_POSITIONAL}:
            raise UsageError(f"the parameter {each.name!r} of {function!r} cannot be given by name, as a model does")
    try:
        fields = [_field(each, hints.get(each.name, Any), described.get(each.name)) for each in named]
        arguments = msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=not is_open)
        return _schema(arguments), arguments
    except TypeError as error:
        raise UsageError(
            f"the signature of {function!r} cannot be said in JSON Schema: {error}", hint="give `input_schema`"
        ) from error


def _field(parameter: inspect.Parameter, kind: Any, words: str | None) -> Any:
    if words:
        kind = Annotated[kind, msgspec.Meta(description=words)]
    if parameter.default is parameter.empty:
        return (parameter.name, kind)
    default = parameter.default
    if isinstance(default, _IMMUTABLE):
        return (parameter.name, kind, default)
    return (parameter.name, kind, msgspec.field(default_factory=lambda: deepcopy(default)))


def _schema(arguments: Any) -> JsonObject:
    _, components = msgspec.json.schema_components([arguments], ref_template="#/$defs/{name}")
    definitions = dict(components)
    root = {keyword: value for keyword, value in definitions.pop("Arguments").items() if keyword != "title"}
    return {**root, "$defs": definitions} if definitions else root


def as_result(value: Any) -> CallToolResult:
    """Give what a function returned as a result: text as it is, blocks as they are, all else as structured JSON.

    Raises:
        TypeError: it has no JSON form.
    """
    if isinstance(value, CallToolResult):
        return value
    if value is None:
        return CallToolResult()
    if isinstance(value, str):
        return CallToolResult(content=(TextContent(text=value),))
    if isinstance(value, _BLOCKS):
        return CallToolResult(content=(value,))
    if isinstance(value, list | tuple) and value and all(isinstance(each, _BLOCKS) for each in value):
        return CallToolResult(content=tuple(cast("list[Any]", value)))
    text = msgspec.json.encode(value)
    return CallToolResult(content=(TextContent(text=text.decode()),), structured_content=msgspec.json.decode(text))


def failed(text: str) -> CallToolResult:
    """Give a result that says why there is none."""
    return CallToolResult(content=(TextContent(text=text),), is_error=True)
