"""Make tools of this program's own functions, for them to stand beside those of servers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import msgspec
from msgspec import UNSET, Struct

from dragoman.errors import UsageError
from dragoman.types import CallToolResult, TextContent, Tool, ToolAnnotations, encode

__all__ = ["LOCAL", "LocalTool", "failed", "local_tool", "result_of"]

LOCAL = "local"
"""What the tools of this program have for a server."""


class LocalTool(Struct, frozen=True):
    """A tool of this program: what it is, the function that does it, and the types of its parameters."""

    tool: Tool
    function: Callable[..., Any]
    types: Mapping[str, Any] = {}

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Turn the JSON of arguments into what the function takes.

        Raises:
            UsageError: one is missing, unknown, or of another type.
        """
        unknown = [name for name in given if name not in self.types] if self.types else []
        missing = [name for name in self.tool.input_schema.get("required", ()) if name not in given]
        if unknown or missing:
            what = f"there is no argument {unknown[0]!r}" if unknown else f"the argument {missing[0]!r} is missing"
            raise UsageError(what)
        return {name: self._argument(name, value) for name, value in given.items()}

    def _argument(self, name: str, value: Any) -> Any:
        try:
            return msgspec.convert(value, self.types.get(name, Any))
        except msgspec.ValidationError as error:
            raise UsageError(f"{name}: {error}") from None


def local_tool(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    annotations: ToolAnnotations | None = None,
) -> LocalTool:
    """Make a tool of a function: its name, its docstring, and the schema of its annotated parameters.

    Raises:
        UsageError: a parameter is of a type that JSON cannot bring, or the function takes what has no name.
    """
    called: str = name or getattr(function, "__name__", "tool")
    types, required = _parameters(function, called)
    try:
        (schemas, components) = msgspec.json.schema_components(list(types.values()), ref_template="#/$defs/{name}")
    except TypeError as error:
        raise UsageError(f"{called} takes what JSON cannot bring: {error}") from None
    schema: dict[str, Any] = {"type": "object", "properties": dict(zip(types, schemas, strict=True))}
    schema |= {"required": required} if required else {}
    schema |= {"$defs": components} if components else {}
    about = description or inspect.getdoc(function)
    return LocalTool(Tool.define(called, schema, description=about, annotations=annotations), function, types)


def _parameters(function: Callable[..., Any], called: str) -> tuple[dict[str, Any], list[str]]:
    signature = inspect.signature(function)
    hints = get_type_hints(function if inspect.isroutine(function) else type(function).__call__)
    types: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise UsageError(f"{called} takes {parameter}, which has no name", hint="give each parameter a name")
        types[parameter.name] = hints.get(parameter.name, Any)
    required = [name for name, each in signature.parameters.items() if each.default is each.empty]
    return types, required


def result_of(value: Any) -> CallToolResult:
    """Make the result of a call of what a function returned: text as it is, and other values as JSON."""
    match value:
        case CallToolResult():
            return value
        case None:
            return CallToolResult(content=())
        case str():
            return CallToolResult(content=(TextContent(text=value),))
    plain = msgspec.to_builtins(value)
    return CallToolResult(
        content=(TextContent(text=encode(plain).decode()),),
        structured_content=plain if isinstance(plain, dict) else UNSET,
    )


def failed(error: Exception) -> CallToolResult:
    """Make the result of a call whose function raised."""
    return CallToolResult(content=(TextContent(text=f"{type(error).__name__}: {error}"),), is_error=True)
