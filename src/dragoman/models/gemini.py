"""Speak with Gemini: function declarations in JSON Schema or in the older OpenAPI subset, calls, function responses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.definition import Converted, Definition, Definitions, convert, converted
from dragoman.models.names import Alphabet
from dragoman.models.openapi import subset
from dragoman.models.plain import decoded
from dragoman.models.results import Part, shown
from dragoman.types import JsonObject, Tool, is_object

__all__ = ["NAMES", "answered", "calls", "definitions", "openapi_definitions", "said"]

NAMES = Alphabet("a-zA-Z0-9_.-", 64, "a-zA-Z_")
PROPERTIES = Alphabet("a-zA-Z0-9_", 64, "a-zA-Z_")

_MEDIA = frozenset({"application/pdf", "image/jpeg", "image/png", "image/webp"})


def definitions(tools: Iterable[Tool]) -> Definitions:
    """Declare functions by JSON Schema (`parametersJsonSchema`), which loses least."""
    return convert(tools, _define, NAMES, _wrapped)


def openapi_definitions(tools: Iterable[Tool]) -> Definitions:
    """Declare functions by `parameters`, for models and services that know only the OpenAPI subset."""
    return convert(tools, _define_openapi, NAMES, _wrapped)


def _wrapped(declarations: list[JsonObject]) -> JsonObject:
    return {"tools": [{"functionDeclarations": declarations}]}


def _define(tool: Tool, name: str) -> Definition:
    arguments = converted(tool, PROPERTIES)
    json = {"name": name, "description": tool.description or "", "parametersJsonSchema": arguments.schema}
    return Definition(tool, name, json, arguments, arguments.notes)


def _define_openapi(tool: Tool, name: str) -> Definition:
    arguments = converted(tool, PROPERTIES)
    json: JsonObject = {"name": name, "description": tool.description or ""}
    if not arguments.schema["properties"]:
        # An object without properties is refused: a function that takes nothing has no parameters at all.
        return Definition(tool, name, json, arguments, arguments.notes)
    parameters, notes = subset(arguments.schema)
    written = Converted(parameters, (*arguments.notes, *notes), arguments.renamed)
    return Definition(tool, name, {**json, "parameters": parameters}, written, written.notes)


def calls(response: Any) -> list[ToolCall]:
    """Read the calls of a response's first candidate; one without an id is answered without one."""
    made = [part["functionCall"] for part in _parts(response) if is_object(part.get("functionCall"))]
    return [ToolCall(str(each.get("id", "")), str(each.get("name", "")), each.get("args")) for each in made]


def _parts(response: Any) -> list[JsonObject]:
    return [part for part in _content(response).get("parts", ()) if is_object(part)]


def _content(response: Any) -> JsonObject:
    json = decoded(response)
    if "candidates" in json:
        first = (json["candidates"] or [{}])[0]
        content = first.get("content", {})
        return content if is_object(content) else {}
    return json


def said(response: Any) -> list[JsonObject]:
    """Give the model's turn for the history, its thought signatures included."""
    return [{"role": "model", **_content(response)}]


def answered(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give the one turn that all function responses have to be in."""
    parts = [{"functionResponse": _response(each)} for each in responses]
    return [{"role": "user", "parts": parts}] if parts else []


def _response(response: ToolResponse) -> JsonObject:
    seen = shown(response)
    media = [part for part in seen if part.data and part.mime_type in _MEDIA]
    texts = [part for part in seen if part not in media]
    json: JsonObject = {
        "name": response.name,
        "response": {"error" if response.is_error else "output": _said(response, texts)},
    }
    if response.id:
        json["id"] = response.id
    if media:
        json["parts"] = [{"inlineData": {"mimeType": part.mime_type, "data": part.data}} for part in media]
    return json


def _said(response: ToolResponse, texts: list[Part]) -> Any:
    """Give the structured result as what it is where it is all that there is to say."""
    structured = response.structured
    if structured is not None and len(texts) == 1 and response.budgeted is None:
        return structured
    return "\n".join(part.text for part in texts)
