"""Make a tool of a function of this program: its schema from the signature, its words from the docstring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, update_wrapper
from types import MethodType
from typing import Any, cast, overload

import msgspec

from dragoman.models.docstrings import read_docstring
from dragoman.models.foreign import json_of
from dragoman.models.signatures import Function, Signature, documented, named
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

_BLOCKS = (TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource, UnknownContent)


class LocalTool:
    """A function as a tool; calling it calls the function. In a class, it is a tool of each of its objects.

    Attributes:
        tool: what models are told of it.
        function: the function.
        is_exclusive: whether it may run only once at a time.
    """

    __name__: str

    def __init__(
        self,
        function: Function,
        definition: Tool,
        signature: Signature | None,
        remake: Callable[[Function], LocalTool],
        *,
        is_exclusive: bool = False,
    ) -> None:
        update_wrapper(self, function)
        self.function = function
        self.tool = definition
        self.is_exclusive = is_exclusive
        self._signature = signature
        self._remake = remake

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)

    def __get__(self, instance: Any, owner: Any = None) -> LocalTool:
        return self if instance is None else self._remake(MethodType(self.function, instance))

    def __repr__(self) -> str:
        return f"<tool {self.tool.name!r}>"

    def bound(self, arguments: Mapping[str, Any]) -> partial[Any]:
        """Give the function with a model's arguments, as the types that its signature names.

        Raises:
            msgspec.ValidationError: they are not of those types.
        """
        if self._signature is None:
            return partial(self.function, **arguments)
        return partial(self.function, **self._signature.typed(arguments))


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
        text, parameters = read_docstring(documented(function))
        signature = None if input_schema is not None else Signature.of(function, parameters)
        definition = Tool.define(
            name or named(function),
            input_schema if signature is None else signature.schema,
            description=description if description is not None else text or None,
            annotations=annotations,
        )
        return LocalTool(function, definition, signature, make, is_exclusive=is_exclusive)

    return make if function is None else make(function)


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
    if isinstance(value, list | tuple) and any(isinstance(each, _BLOCKS) for each in value):
        return CallToolResult(content=tuple(map(_block, cast("list[Any]", value))))
    text = msgspec.json.encode(value, enc_hook=json_of)
    return CallToolResult(content=(TextContent(text=text.decode()),), structured_content=msgspec.json.decode(text))


def _block(value: Any) -> Any:
    """Give a member of a list of blocks as one."""
    if isinstance(value, _BLOCKS):
        return value
    return TextContent(text=value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=json_of).decode())


def failed(text: str) -> CallToolResult:
    """Give a result that says why there is none."""
    return CallToolResult(content=(TextContent(text=text),), is_error=True)
