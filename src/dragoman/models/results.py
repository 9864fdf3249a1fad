"""Turn what a tool answered into parts that every provider has a way for: text, pictures, sounds, documents.

Nothing is ever a repr, no kind of content raises, and what a provider cannot take becomes text that says what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, UnsetType

from dragoman.models.calls import ToolResponse
from dragoman.models.media import cleaned, decoded_text, plain_type, seen_type, size_of
from dragoman.types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    ResourceLink,
    TextContent,
    is_array,
    is_object,
    to_json,
)

__all__ = [
    "EMPTY",
    "READ_MORE",
    "Part",
    "ResultBudget",
    "introduced",
    "is_taken",
    "parts",
    "shortened",
    "shown",
    "text_of",
]

EMPTY = "(the tool returned nothing)"

READ_MORE = "dragoman_read_more"
"""The tool by which a model reads on in a result that was too long for its budget."""

_LONGEST_UNKNOWN = 2_000


class Part(Struct, frozen=True):
    """One part of a result.

    Attributes:
        kind: "text", "image", "audio" or "document".
        text: the text, or for other kinds what to say instead of it.
        data: base64 as every provider takes it, empty for text.
        mime_type: what its bytes show, or else as the server said, in small letters and without parameters.
        name: what a document is called.
    """

    kind: str
    text: str
    data: str = ""
    mime_type: str = ""
    name: str = ""


class ResultBudget(Struct, frozen=True):
    """How much text of one result a model gets: its head, its tail, and a handle by which the rest can be read.

    Attributes:
        characters: how many at most; None for no limit.
        tail: the share of them that the end gets, 0 to 1.
    """

    characters: int | None = None
    tail: float = 0.25


def parts(result: CallToolResult) -> list[Part]:
    """Give the parts of a result in their order; a structured result that no text repeats comes last."""
    found = [part for block in result.content if (part := _part(block)).text or part.data]
    structured = result.structured_content
    if not isinstance(structured, UnsetType) and not _is_told(found, structured):
        found.append(Part("text", _json(structured)))
    return found or [Part("text", EMPTY)]


def text_of(result: CallToolResult) -> str:
    """Give a result as text alone; what is no text is told of."""
    return "\n".join(part.text for part in parts(result))


def shortened(text: str, budget: ResultBudget, handle: str) -> str | None:
    """Give the head and the tail of a text that is beyond the budget, and how to read the rest; None if it fits."""
    if budget.characters is None or len(text) <= budget.characters:
        return None
    tail = int(budget.characters * min(max(budget.tail, 0.0), 1.0))
    head = budget.characters - tail
    left_out = len(text) - head - tail
    told = f"[{left_out:,} of {len(text):,} characters left out; to read them, call {READ_MORE} with handle {handle!r} and offset {head}]"
    return f"{text[:head]}\n{told}\n{text[len(text) - tail :]}" if tail else f"{text[:head]}\n{told}"


def is_taken(part: Part, most: Mapping[str, int]) -> bool:
    """Say whether a provider takes a part as what it is, given how many bytes of each type it takes at most."""
    return bool(part.data) and size_of(part.data) <= most.get(part.mime_type, 0)


def introduced(response: ToolResponse, part: Part) -> str:
    """Say what stands apart from its response, for providers that take no media within one."""
    return f"{part.text}, which the call {response.id or 'without an id'} of {response.name} returned:"


def _part(block: ContentBlock) -> Part:
    match block:
        case TextContent():
            return Part("text", block.text)
        case ImageContent():
            return _media("image", "image", block.data, block.mime_type)
        case AudioContent():
            return _media("audio", "sound", block.data, block.mime_type)
        case ResourceLink():
            return Part("text", _link(block))
        case EmbeddedResource():
            return _resource(block.resource)
        case _:
            return Part("text", _unknown(block.type, to_json(block)))


def _media(kind: str, word: str, data: str, mime_type: str, name: str = "") -> Part:
    called = f" {name}" if name else ""
    usable = cleaned(data)
    if not usable:
        fault = "base64 that cannot be read" if data else "0 bytes"
        return Part("text", f"[{word}{called}: {plain_type(mime_type) or 'of unknown type'}, {fault}]")
    mime_type = (seen_type(usable) if kind != "audio" else None) or plain_type(mime_type)
    kind = "image" if mime_type.startswith("image/") else "document" if mime_type == "application/pdf" else kind
    told = f"[{word}{called}: {mime_type or 'of unknown type'}, {size_of(usable):,} bytes]"
    return Part(kind, told, usable, mime_type, name)


def _link(link: ResourceLink) -> str:
    facts = [link.mime_type or "", f"{link.size:,} bytes" if link.size is not None else ""]
    about = ", ".join(fact for fact in facts if fact)
    head = f"[resource {link.title or link.name}: {link.uri}{f' ({about})' if about else ''}]"
    return f"{head} {link.description}" if link.description else head


def _resource(contents: ResourceContents) -> Part:
    mime_type = plain_type(contents.mime_type or "")
    text = contents.text if contents.text is not None else decoded_text(cleaned(contents.blob or ""), mime_type)
    if text is not None:
        return Part("text", f"[resource {contents.uri}{f' ({mime_type})' if mime_type else ''}]\n{text}")
    kind = mime_type.partition("/")[0]
    if kind in {"image", "audio"}:
        return _media(kind, kind, contents.blob or "", mime_type, contents.uri)
    return _media("document", "resource", contents.blob or "", mime_type, contents.uri)


def _unknown(kind: str, raw: Any) -> str:
    text = _json(raw)
    shown = text if len(text) <= _LONGEST_UNKNOWN else f"{text[:_LONGEST_UNKNOWN]}... ({len(text):,} characters)"
    return f"[content of type {kind or 'unknown'}] {shown}"


def _is_told(found: list[Part], structured: Any) -> bool:
    """Say whether the texts of a result, which servers send for older clients, say what the structured result says."""
    texts = [part.text for part in found if not part.data]
    if any(_says(text, structured) for text in texts):
        return True
    if not is_object(structured) or structured.keys() != {"result"}:
        return False
    # The libraries that most servers are made with wrap what is no object in one with this key, and an array's members
    # are a text each.
    inner = structured["result"]
    members = inner if is_array(inner) and inner else [inner]
    told = len(texts) == len(members) and all(map(_says, texts, members))
    return told or any(_says(text, inner) for text in texts)


def _says(text: str, value: Any) -> bool:
    if text == value:
        return True
    try:
        return bool(msgspec.json.decode(text) == value)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return False


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def shown(response: ToolResponse) -> list[Part]:
    """Give what a model gets to see of a response: the text within its budget, and all that is no text."""
    if response.budgeted is None:
        return parts(response.result)
    return [Part("text", response.budgeted), *(part for part in parts(response.result) if part.data)]
