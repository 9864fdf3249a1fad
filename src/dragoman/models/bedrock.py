"""Speak with Bedrock's Converse API, whose models are many: definitions as the narrowest of them takes them."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.definition import Converted, Definition, Definitions, convert, converted
from dragoman.models.folding import REFUSED_AT_ROOT, phrase
from dragoman.models.names import Alphabet
from dragoman.models.plain import decoded, inner, objects, text_at
from dragoman.models.references import References
from dragoman.models.report import Note
from dragoman.models.results import Part, is_taken, shown
from dragoman.types import JsonObject, Tool, is_object

__all__ = ["answered", "calls", "definitions", "said"]

NAMES = Alphabet("a-zA-Z0-9_-", 64)
PROPERTIES = Alphabet("a-zA-Z0-9_.-", 64)

# Amazon's own models take these at the root, and nothing else; `$defs` is kept for schemas that lead back to themselves.
_AT_ROOT = frozenset({"$defs", "properties", "required", "type"})
_WITHOUT_WORDS = frozenset({"$comment", "default", "deprecated", "description", "examples", "title"})
_MOST_PICTURE, _MOST_DOCUMENT = 3_750_000, 4_500_000
_PICTURES = {"image/gif": "gif", "image/jpeg": "jpeg", "image/png": "png", "image/webp": "webp"}
_DOCUMENTS = {
    "application/msword": "doc",
    "application/pdf": "pdf",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
    "text/plain": "txt",
}


def definitions(tools: Iterable[Tool]) -> Definitions:
    """Define tools; `request` gives the `toolConfig` that holds them."""
    return convert(tools, _define, NAMES, lambda tools: {"toolConfig": {"tools": tools}})


def _define(tool: Tool, name: str) -> Definition:
    arguments, words = _rooted(converted(tool, PROPERTIES, REFUSED_AT_ROOT))
    specification: JsonObject = {"name": name, "inputSchema": {"json": arguments.schema}}
    description = " ".join(part for part in ((tool.description or "").strip(), words) if part)
    if description:
        specification["description"] = description
    return Definition(tool, name, {"toolSpec": specification}, arguments, arguments.notes)


def _rooted(arguments: Converted) -> tuple[Converted, str]:
    """Leave at the root what every model takes, and give the words for the rest."""
    schema, words, notes = arguments.schema, [str(arguments.schema.get("description", ""))], list(arguments.notes)
    target = References(schema).target
    for keyword in sorted(schema.keys() - _AT_ROOT - _WITHOUT_WORDS):
        if keyword == "additionalProperties" and schema[keyword] in (True, {}):
            continue
        said = "No other arguments are taken." if schema[keyword] is False else phrase(keyword, schema[keyword], target)
        words.append(said)
        notes.append(Note(f"/{keyword}", "weakened", f"{keyword} is told in words"))
    kept = {keyword: value for keyword, value in schema.items() if keyword in _AT_ROOT}
    told = " ".join(part for part in words if part)
    return Converted(kept, tuple(notes), arguments.renamed), told


def calls(response: Any) -> list[ToolCall]:
    """Read the calls of an answer, or of its message."""
    blocks = objects(_message(response).get("content"))
    made = [block["toolUse"] for block in blocks if is_object(block.get("toolUse"))]
    return [ToolCall(text_at(each, "toolUseId"), text_at(each, "name"), each.get("input")) for each in made]


def _message(response: Any) -> JsonObject:
    json = decoded(response)
    return inner(inner(json, "output"), "message") if "output" in json else json


def said(response: Any) -> list[JsonObject]:
    """Give the model's message for the history."""
    message = _message(response)
    return [{"role": "assistant", **message}] if message.get("content") else []


def answered(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give the one message that all results have to be in."""
    blocks = [{"toolResult": _result(each)} for each in responses]
    return [{"role": "user", "content": blocks}] if blocks else []


def _result(response: ToolResponse) -> JsonObject:
    structured = response.result.structured_content
    content = [_part(part, f"{response.id} {position}") for position, part in enumerate(shown(response))]
    if is_object(structured) and not response.content and response.budgeted is None:
        content = [{"json": structured}]
    status = "error" if response.is_error else "success"
    return {"toolUseId": response.id, "content": content, "status": status}


def _part(part: Part, place: str) -> JsonObject:
    if is_taken(part, dict.fromkeys(_PICTURES, _MOST_PICTURE)):
        return {"image": {"format": _PICTURES[part.mime_type], "source": {"bytes": b64decode(part.data)}}}
    if is_taken(part, dict.fromkeys(_DOCUMENTS, _MOST_DOCUMENT)):
        source = {"bytes": b64decode(part.data)}
        name = _document_name(part.name, place)
        return {"document": {"format": _DOCUMENTS[part.mime_type], "name": name, "source": source}}
    return {"text": part.text}


def _document_name(name: str, place: str) -> str:
    """Give a name of letters, digits, single blanks, dashes and brackets; no two documents of a history may share one."""
    readable = re.sub(r"[^a-zA-Z0-9()\[\]-]+", " ", name).strip()[-180:].strip() or "document"
    return f"{readable} {sha256(place.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
