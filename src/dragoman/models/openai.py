"""Speak with OpenAI's two APIs, and the many that resemble the first: Chat Completions and Responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from dragoman.models.calls import ERROR_PREFIX, ToolCall, ToolResponse
from dragoman.models.definition import Converted, Definition, Definitions, convert, converted
from dragoman.models.names import Alphabet
from dragoman.models.plain import decoded, inner, objects, text_at
from dragoman.models.report import Note
from dragoman.models.results import Part, introduced, is_taken, shown
from dragoman.models.schema import with_words
from dragoman.models.strict import NotLossless, strictly
from dragoman.types import JsonObject, Tool

__all__ = [
    "NAMES",
    "answered",
    "answered_in_text",
    "answered_items",
    "calls",
    "definitions",
    "item",
    "item_calls",
    "item_definitions",
    "said",
    "said_items",
    "seen",
]

NAMES = Alphabet("a-zA-Z0-9_-", 64)
_LONGEST_DESCRIPTION = 1024
_MOST = 20 * 1024 * 1024
_PICTURES: dict[str, int] = dict.fromkeys(("image/gif", "image/jpeg", "image/png", "image/webp"), _MOST)
_DOCUMENTS = {"application/pdf": _MOST}


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
    """Read the calls of a completion, or of its message; those of free text are none of a server's."""
    made = objects(_message(response).get("tool_calls"))
    functions = [each for each in made if each.get("type", "function") == "function"]
    return [_call(text_at(each, "id"), inner(each, "function")) for each in functions]


def _call(name: str, stated: JsonObject) -> ToolCall:
    return ToolCall(name, text_at(stated, "name"), stated.get("arguments"))


def _message(response: Any) -> JsonObject:
    json = decoded(response)
    if "choices" not in json:
        return json
    choices = objects(json["choices"])
    return inner(choices[0], "message") if choices else {}


def said(response: Any) -> list[JsonObject]:
    """Give the model's message for the history."""
    message = _message(response)
    # Some servers that resemble the API want the content named even where there is none.
    return [{"role": "assistant", "content": None, **message}] if message else []


def answered(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give a message for each result, and one of the user's with their pictures and PDF documents.

    A tool's message holds text alone, where it names them; a sound stays a text, since few models here take one.
    """
    given = list(responses)
    apart = [item for each in given for part in shown(each) for item in _apart(each, part)]
    return [*answered_in_text(given), {"role": "user", "content": apart}] if apart else answered_in_text(given)


def answered_in_text(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give a message for each result, of text alone, for models that see no pictures; there is no flag for failures."""
    return [{"role": "tool", "tool_call_id": each.id, "content": _text(each)} for each in responses]


def _apart(response: ToolResponse, part: Part) -> list[JsonObject]:
    shape = seen(part)
    return [{"type": "text", "text": introduced(response, part)}, shape] if shape else []


def seen(part: Part) -> JsonObject | None:
    """Give a picture or a document as a part of a user's message for Chat Completions; None for what is none."""
    if is_taken(part, _PICTURES):
        return {"type": "image_url", "image_url": {"url": _address(part)}}
    if is_taken(part, _DOCUMENTS):
        return {"type": "file", "file": {"filename": _file_name(part), "file_data": _address(part)}}
    return None


def _address(part: Part) -> str:
    return f"data:{part.mime_type};base64,{part.data}"


def _file_name(part: Part) -> str:
    return part.name.rpartition("/")[2] or "document.pdf"


def _text(response: ToolResponse) -> str:
    text = "\n".join(part.text for part in shown(response))
    return f"{ERROR_PREFIX}{text}" if response.is_error else text


# -------------------------------------------------------------------------------------------------------------- responses


def item_calls(response: Any) -> list[ToolCall]:
    """Read the calls of a response's output."""
    return [
        _call(text_at(item, "call_id"), item) for item in said_items(response) if item.get("type") == "function_call"
    ]


def said_items(response: Any) -> list[JsonObject]:
    """Give the output items of a response for the next request's input."""
    return objects(decoded(response).get("output"))


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
    if is_taken(part, _PICTURES):
        return {"type": "input_image", "image_url": _address(part)}
    if is_taken(part, _DOCUMENTS):
        return {"type": "input_file", "filename": _file_name(part), "file_data": _address(part)}
    return {"type": "input_text", "text": part.text}
