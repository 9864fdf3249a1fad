"""Speak with Bedrock's Converse API, whose models are many: definitions as the narrowest of them takes them."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterable
from typing import Any

from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.definition import Converted, Definition, Definitions, convert, converted
from dragoman.models.folding import REFUSED_AT_ROOT, phrase
from dragoman.models.names import Alphabet
from dragoman.models.plain import decoded
from dragoman.models.references import References
from dragoman.models.report import Note
from dragoman.models.results import Part, shown
from dragoman.types import JsonObject, Tool, is_object

__all__ = ["answered", "calls", "definitions", "said"]

NAMES = Alphabet("a-zA-Z0-9_-", 64)
PROPERTIES = Alphabet("a-zA-Z0-9_.-", 64)

# Amazon's own models take these at the root, and nothing else; `$defs` is kept for schemas that lead back to themselves.
_AT_ROOT = frozenset({"$defs", "properties", "required", "type"})
_WITHOUT_WORDS = frozenset({"$comment", "default", "deprecated", "description", "examples", "title"})
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
    blocks = _message(response).get("content", ())
    made = [block["toolUse"] for block in blocks if is_object(block.get("toolUse"))]
    return [ToolCall(str(each.get("toolUseId", "")), str(each.get("name", "")), each.get("input")) for each in made]


def _message(response: Any) -> JsonObject:
    json = decoded(response)
    message = json["output"].get("message", {}) if is_object(json.get("output")) else json
    return message if is_object(message) else {}


def said(response: Any) -> list[JsonObject]:
    """Give the model's message for the history."""
    return [{"role": "assistant", **_message(response)}]


def answered(responses: Iterable[ToolResponse]) -> list[JsonObject]:
    """Give the one message that all results have to be in."""
    blocks = [{"toolResult": _result(each)} for each in responses]
    return [{"role": "user", "content": blocks}] if blocks else []


def _result(response: ToolResponse) -> JsonObject:
    structured = response.result.structured_content
    content = [_part(part) for part in shown(response)]
    if is_object(structured) and not response.content and response.budgeted is None:
        content = [{"json": structured}]
    status = "error" if response.is_error else "success"
    return {"toolUseId": response.id, "content": content, "status": status}


def _part(part: Part) -> JsonObject:
    kinds = _PICTURES if part.kind == "image" else _DOCUMENTS if part.kind == "document" else {}
    form = kinds.get(part.mime_type)
    source = _bytes(part.data) if form else None
    if source is None:
        return {"text": part.text}
    media: JsonObject = {"format": form, "source": {"bytes": source}}
    return {"image": media} if part.kind == "image" else {"document": {**media, "name": _document_name(part.name)}}


def _bytes(data: str) -> bytes | None:
    try:
        return b64decode("".join(data.split()), validate=True)
    except (Error, ValueError):
        return None


def _document_name(name: str) -> str:
    """Documents may be called by letters, digits, single blanks, dashes and brackets."""
    return re.sub(r"[^a-zA-Z0-9()\[\]-]+", " ", name).strip()[-200:].strip() or "document"
