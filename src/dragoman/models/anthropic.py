"""Speak with Anthropic's Messages API: definitions, `tool_use` blocks, `tool_result` blocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.definition import Definition, Definitions, convert, converted
from dragoman.models.names import Alphabet
from dragoman.models.plain import decoded, objects, text_at
from dragoman.models.results import Part, is_taken, shown
from dragoman.types import JsonObject, Tool

__all__ = ["NAMES", "answered", "block", "calls", "definitions", "said"]

# What the API's own refusals name as the patterns of names.
NAMES = Alphabet("a-zA-Z0-9_-", 64)
PROPERTIES = Alphabet("a-zA-Z0-9_.-", 64)

_MEGABYTE = 1024 * 1024
_PICTURES: dict[str, int] = dict.fromkeys(("image/gif", "image/jpeg", "image/png", "image/webp"), 5 * _MEGABYTE)
_DOCUMENTS = {"application/pdf": 22 * _MEGABYTE}


def definitions(tools: Iterable[Tool]) -> Definitions:
    """Define tools for `tools=`; the API refuses combinators at the root of a schema."""
    return convert(tools, _define, NAMES)


def _define(tool: Tool, name: str) -> Definition:
    arguments = converted(tool, PROPERTIES)
    json: JsonObject = {"name": name, "input_schema": arguments.schema}
    if tool.description:
        json["description"] = tool.description
    return Definition(tool, name, json, arguments, arguments.notes)


def calls(response: Any) -> list[ToolCall]:
    """Read the calls of a message."""
    return [
        ToolCall(text_at(block, "id"), text_at(block, "name"), block.get("input"))
        for block in objects(decoded(response).get("content"))
        if block.get("type") == "tool_use"
    ]


def said(response: Any) -> list[JsonObject]:
    """Give a message of the model's for the history, its thoughts included; one that is empty is refused there."""
    content = decoded(response).get("content")
    return [{"role": "assistant", "content": content}] if content else []


def answered(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give the one message that all results have to be in."""
    blocks = [_result(each) for each in responses]
    return [{"role": "user", "content": blocks}] if blocks else []


def _result(response: ToolResponse) -> JsonObject:
    result: JsonObject = {
        "type": "tool_result",
        "tool_use_id": response.id,
        "content": list(map(block, shown(response))),
    }
    return {**result, "is_error": True} if response.is_error else result


def block(part: Part) -> JsonObject:
    """Give a part of a message as a block; what the API has no block for is told of in text."""
    source = {"type": "base64", "media_type": part.mime_type, "data": part.data}
    if is_taken(part, _PICTURES):
        return {"type": "image", "source": source}
    if is_taken(part, _DOCUMENTS):
        return {"type": "document", "source": source}
    return {"type": "text", "text": part.text}
