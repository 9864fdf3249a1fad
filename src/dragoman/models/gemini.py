"""Speak with Gemini: function declarations in JSON Schema or in the older OpenAPI subset, calls, function responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import structs

from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.definition import Converted, Definition, Definitions, convert, converted
from dragoman.models.names import Alphabet
from dragoman.models.openapi import subset
from dragoman.models.plain import decoded, inner, objects, text_at
from dragoman.models.results import Part, introduced, is_taken, shown
from dragoman.models.schema import Steps, kind_of, rebuilt
from dragoman.types import JsonObject, Tool, is_object

__all__ = ["NAMES", "answered", "answered_openapi", "calls", "definitions", "openapi_definitions", "piece", "said"]

NAMES = Alphabet("a-zA-Z0-9_.-", 64, "a-zA-Z_")
PROPERTIES = Alphabet("a-zA-Z0-9_", 64, "a-zA-Z_")

_MOST = 15 * 1024 * 1024
# What may stand inside a function response, which models know from Gemini 3 on, and what may stand beside one.
_INSIDE: dict[str, int] = dict.fromkeys(("application/pdf", "image/jpeg", "image/png", "image/webp"), _MOST)
_BESIDE: dict[str, int] = _INSIDE | dict.fromkeys(
    ("audio/aac", "audio/aiff", "audio/flac", "audio/mpeg", "audio/ogg", "audio/wav"), _MOST
)


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
    arguments = structs.replace(arguments, schema=_published(arguments.schema))
    json = {"name": name, "description": tool.description or "", "parametersJsonSchema": arguments.schema}
    return Definition(tool, name, json, arguments, arguments.notes)


def _published(schema: Any, _: Steps = ()) -> Any:
    """Say with the published keywords what others say as well: nothing may stand beside `$ref`, and there is no `const`."""
    if not is_object(schema):
        return schema
    copy = rebuilt(schema, _published)
    if isinstance(copy.get("const"), str | int | float) and not isinstance(copy["const"], bool) and "enum" not in copy:
        copy["enum"] = [copy.pop("const")]
        copy.setdefault("type", kind_of(copy["enum"][0]))
    beside = {name: value for name, value in copy.items() if not name.startswith("$")}
    if "$ref" not in copy or not beside:
        return copy
    referring = {name: value for name, value in copy.items() if name.startswith("$") and name != "$defs"}
    if "anyOf" in beside:
        return {**{name: copy[name] for name in copy if name != "$ref"}, "allOf": [*beside.get("allOf", ()), referring]}
    return {"anyOf": [referring], **{name: value for name, value in copy.items() if name not in referring}}


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
    parts = objects(_content(response).get("parts"))
    made = [part["functionCall"] for part in parts if is_object(part.get("functionCall"))]
    return [ToolCall(text_at(each, "id"), text_at(each, "name"), each.get("args")) for each in made]


def _content(response: Any) -> JsonObject:
    json = decoded(response)
    if "candidates" not in json:
        return json
    candidates = objects(json["candidates"])
    return inner(candidates[0], "content") if candidates else {}


def said(response: Any) -> list[JsonObject]:
    """Give the model's turn for the history, its thought signatures included."""
    content = _content(response)
    return [{"role": "model", **content}] if content.get("parts") else []


def answered(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give the one turn that all function responses have to be in; sounds stand beside them."""
    return _answered(responses, _INSIDE)


def answered_openapi(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Do the same for models before Gemini 3, where pictures and documents stand beside the responses as well."""
    return _answered(responses, {})


def _answered(responses: Iterable[ToolResponse], inside: Mapping[str, int]) -> list[JsonObject]:
    parts: list[JsonObject] = []
    beside: list[JsonObject] = []
    for response in responses:
        seen = shown(response)
        held = [part for part in seen if is_taken(part, inside)]
        apart = [part for part in seen if part not in held and is_taken(part, _BESIDE)]
        parts.append({"functionResponse": _response(response, [part for part in seen if part not in held], held)})
        for part in apart:
            beside += [{"text": introduced(response, part)}, piece(part)]
    return [{"role": "user", "parts": [*parts, *beside]}] if parts else []


def _response(response: ToolResponse, texts: list[Part], held: list[Part]) -> JsonObject:
    json: JsonObject = {
        "name": response.name,
        "response": {"error" if response.is_error else "output": _said(response, texts or held)},
    }
    if response.id:
        json["id"] = response.id
    if held:
        json["parts"] = list(map(piece, held))
    return json


def piece(part: Part) -> JsonObject:
    """Give a part as a part of a turn; what the API does not take is told of in text."""
    if not is_taken(part, _BESIDE):
        return {"text": part.text}
    return {"inlineData": {"mimeType": part.mime_type, "data": part.data}}


def _said(response: ToolResponse, texts: list[Part]) -> Any:
    """Give the structured result as what it is where it is all that there is to say."""
    structured = response.structured
    if structured is not None and len(texts) == 1 and response.budgeted is None:
        return structured
    return "\n".join(part.text for part in texts)
