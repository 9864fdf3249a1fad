"""Speak with OpenAI's two APIs, and the many that resemble the first: Chat Completions and Responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from dragoman.models.calls import ERROR_PREFIX, ToolCall, ToolResponse
from dragoman.models.definition import Converted, Definition, Definitions, convert, converted
from dragoman.models.names import Alphabet
from dragoman.models.plain import decoded
from dragoman.models.report import Note
from dragoman.models.results import Part, shown
from dragoman.models.schema import with_words
from dragoman.models.strict import NotLossless, strictly
from dragoman.types import JsonObject, Tool, is_object

__all__ = [
    "NAMES",
    "answered",
    "answered_items",
    "calls",
    "definitions",
    "item",
    "item_calls",
    "item_definitions",
    "said",
    "said_items",
]

NAMES = Alphabet("a-zA-Z0-9_-", 64)
_LONGEST_DESCRIPTION = 1024
_PICTURES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})


# ------------------------------------------------------------------------------------------------------------ definitions


def definitions(tools: Iterable[Tool], *, strict: bool = False) -> Definitions:
    """Define tools for Chat Completions; with `strict`, strictly wherever that changes no meaning."""
    return convert(tools, partial(_define, _nested, strict), NAMES)


def item_definitions(tools: Iterable[Tool], *, strict: bool = False) -> Definitions:
    """Define tools for Responses, likewise; there each says whether it is strict, since the API would assume it."""
    return convert(tools, partial(_define, _flat, strict), NAMES)


def _nested(function: JsonObject, is_strict: bool) -> JsonObject:
    return {"type": "function", "function": {**function, "strict": True} if is_strict else function}


def _flat(function: JsonObject, is_strict: bool) -> JsonObject:
    return {"type": "function", **function, "strict": is_strict}


def _define(form: Callable[[JsonObject, bool], JsonObject], strict: bool, tool: Tool, name: str) -> Definition:
    arguments = converted(tool)
    notes = list(arguments.notes)
    if strict:
        arguments, more = _strict(arguments)
        notes += more
    function: JsonObject = {"name": name}
    schema = arguments.schema
    if tool.description:
        function["description"] = tool.description[:_LONGEST_DESCRIPTION]
        if len(tool.description) > _LONGEST_DESCRIPTION:
            schema = with_words(schema, f"(continued) {tool.description[_LONGEST_DESCRIPTION:]}")
            notes.append(Note("", "shortened", "the end of the description stands at the schema"))
    function["parameters"] = schema
    return Definition(tool, name, form(function, arguments.is_strict), arguments, tuple(notes))


def _strict(arguments: Converted) -> tuple[Converted, list[Note]]:
    if any(note.kind != "renamed" for note in arguments.notes):
        return arguments, [Note("", "weakened", "not strict: what its root demands is told in words")]
    try:
        schema, notes = strictly(arguments.schema)
    except NotLossless as error:
        return arguments, [Note("", "weakened", f"not strict: {error}")]
    return Converted(schema, arguments.notes, arguments.renamed, is_strict=True), notes


# ------------------------------------------------------------------------------------------------------- chat completions


def calls(response: Any) -> list[ToolCall]:
    """Read the calls of a completion, or of its message."""
    made = _message(response).get("tool_calls") or []
    return [_call(str(each.get("id", "")), each.get("function", {})) for each in made]


def _call(name: str, stated: JsonObject) -> ToolCall:
    return ToolCall(name, str(stated.get("name", "")), stated.get("arguments"))


def _message(response: Any) -> JsonObject:
    json = decoded(response)
    if "choices" in json:
        first = (json["choices"] or [{}])[0]
        json = first.get("message", {})
    return json


def said(response: Any) -> list[JsonObject]:
    """Give the model's message for the history."""
    return [{"role": "assistant", **_message(response)}]


def answered(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give a message for each result; this API takes text alone there, and has no flag for failures."""
    return [{"role": "tool", "tool_call_id": each.id, "content": _text(each)} for each in responses]


def _text(response: ToolResponse) -> str:
    text = "\n".join(part.text for part in shown(response))
    return f"{ERROR_PREFIX}{text}" if response.is_error else text


# -------------------------------------------------------------------------------------------------------------- responses


def item_calls(response: Any) -> list[ToolCall]:
    """Read the calls of a response's output."""
    return [
        _call(str(item.get("call_id", "")), item)
        for item in said_items(response)
        if item.get("type") == "function_call"
    ]


def said_items(response: Any) -> list[JsonObject]:
    """Give the output items of a response for the next request's input."""
    output = decoded(response).get("output")
    return [item for item in output if is_object(item)] if isinstance(output, list) else []


def answered_items(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give an item for each result, pictures and PDF documents as what they are."""
    return [{"type": "function_call_output", "call_id": each.id, "output": _output(each)} for each in responses]


def _output(response: ToolResponse) -> str | list[JsonObject]:
    items = [item(part) for part in shown(response)]
    if all(each["type"] == "input_text" for each in items):
        return _text(response)
    return [{"type": "input_text", "text": ERROR_PREFIX.strip()}, *items] if response.is_error else items


def item(part: Part) -> JsonObject:
    """Give a part as an item of a message's content for Responses; what it has no item for is told of in text."""
    address = f"data:{part.mime_type};base64,{part.data}"
    if part.kind == "image" and part.mime_type in _PICTURES:
        return {"type": "input_image", "image_url": address}
    if part.kind == "document" and part.mime_type == "application/pdf":
        name = part.name.rpartition("/")[2] or "document.pdf"
        return {"type": "input_file", "filename": name, "file_data": address}
    return {"type": "input_text", "text": part.text}
