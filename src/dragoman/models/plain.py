"""Speak with no provider at all: for scripted calls, tests, and programs that have a form of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dragoman.errors import UsageError
from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.definition import Converted, Definition, Definitions, convert, prepared
from dragoman.models.names import Alphabet
from dragoman.types import JsonObject, Tool, is_object

__all__ = ["answered", "calls", "decoded", "definitions", "inner", "objects", "said", "text_at"]

_ANY = Alphabet(r"\s\S", 100_000)


def definitions(tools: Iterable[Tool]) -> Definitions:
    """Define tools as they are: name, description, and the schema with nothing converted."""
    return convert(tools, _define, _ANY)


def _define(tool: Tool, name: str) -> Definition:
    prepared(tool)
    schema = tool.input_schema
    json = {"name": name, "description": tool.description or "", "input_schema": schema}
    return Definition(tool, name, json, Converted(schema))


def calls(response: Any) -> list[ToolCall]:
    """Read calls: one or several `ToolCall`s, or objects with `name`, `arguments` and `id`."""
    if isinstance(response, ToolCall):
        return [response]
    if isinstance(response, Mapping):
        return _read(response.get("tool_calls", [response]))
    return _read(response)


def _read(items: Any) -> list[ToolCall]:
    if not isinstance(items, Sequence) or isinstance(items, str | bytes):
        raise UsageError(f"{type(items).__name__} holds no calls", hint="give ToolCalls, or a response and its format")
    return [item if isinstance(item, ToolCall) else _call(decoded(item)) for item in items]


def _call(item: JsonObject) -> ToolCall:
    stated = item.get("function", item)
    if not is_object(stated) or not isinstance(stated.get("name"), str):
        raise UsageError("a call has no name", hint="give ToolCalls, or a response and its format")
    made = ToolCall.scripted(stated["name"], stated.get("arguments"))
    return ToolCall(str(item.get("id") or made.id), made.name, made.arguments)


def said(response: Any) -> list[JsonObject]:
    """Give what the model said as a message of a history: its calls."""
    made = [
        {"id": call.id, "type": call.type, "function": {"name": call.name, "arguments": call.json}}
        for call in calls(response)
    ]
    return [{"role": "assistant", "tool_calls": made}] if made else []


def answered(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give a message for each response: its id, its name, and one text."""
    return [{"role": "tool", "tool_call_id": each.id, "name": each.name, "content": each.message} for each in responses]


def decoded(response: Any) -> JsonObject:
    """Give a provider's response, or a part of one, as JSON: it is that already, or an object of the provider's library.

    Raises:
        UsageError: it is neither.
    """
    dump = getattr(response, "model_dump", None)
    if callable(dump):
        response = dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(response, Mapping):
        return {str(name): value for name, value in response.items()}
    raise UsageError(
        f"{type(response).__name__} is no response of a model", hint="give its JSON, or its library's object"
    )


def objects(value: Any) -> list[JsonObject]:
    """Give the objects that a list holds; of anything else that a provider may send in its place, nothing."""
    return [each for each in value if is_object(each)] if isinstance(value, list | tuple) else []


def inner(json: JsonObject, name: str) -> JsonObject:
    """Give the object under a name, an empty one where there is none."""
    value = json.get(name)
    return value if is_object(value) else {}


def text_at(json: JsonObject, name: str) -> str:
    """Give the text under a name, an empty one where there is none."""
    value = json.get(name)
    return "" if value is None else str(value)
