"""Turn what a tool answered into parts that every provider has a way for: text, pictures, sounds, documents.

Nothing is ever a repr, no kind of content raises, and what a provider cannot take becomes text that says what it was.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, UnsetType

from dragoman.models.calls import ToolResponse
from dragoman.types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    ResourceLink,
    TextContent,
    to_json,
)

__all__ = ["EMPTY", "READ_MORE", "Part", "ResultBudget", "parts", "shortened", "shown", "size_of", "text_of"]

EMPTY = "(the tool returned nothing)"

READ_MORE = "dragoman_read_more"
"""The tool by which a model reads on in a result that was too long for its budget."""

_LONGEST_UNKNOWN = 2_000


class Part(Struct, frozen=True):
    """One part of a result.

    Attributes:
        kind: "text", "image", "audio" or "document".
        text: the text, or for other kinds what to say instead of it.
        data: base64 as on the wire, empty for text.
        mime_type: as the server said, in small letters and without parameters.
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
    if not isinstance(structured, UnsetType) and not any(_repeats(part, structured) for part in found):
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


def size_of(data: str) -> int:
    """Tell how many bytes base64 stands for, without decoding it."""
    return len(data) * 3 // 4 - data[-2:].count("=")


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
    mime_type = mime_type.partition(";")[0].strip().lower()
    called = f" {name}" if name else ""
    told = f"[{word}{called}: {mime_type or 'of unknown type'}, {size_of(data):,} bytes]"
    return Part(kind, told, data, mime_type, name)


def _link(link: ResourceLink) -> str:
    facts = [link.mime_type or "", f"{link.size:,} bytes" if link.size is not None else ""]
    about = ", ".join(fact for fact in facts if fact)
    head = f"[resource {link.title or link.name}: {link.uri}{f' ({about})' if about else ''}]"
    return f"{head} {link.description}" if link.description else head


def _resource(contents: ResourceContents) -> Part:
    mime_type = contents.mime_type or ""
    if contents.text is not None:
        return Part("text", f"[resource {contents.uri}{f' ({mime_type})' if mime_type else ''}]\n{contents.text}")
    kind = mime_type.partition("/")[0].lower()
    if kind in {"image", "audio"}:
        return _media(kind, kind, contents.blob or "", mime_type, contents.uri)
    return _media("document", "resource", contents.blob or "", mime_type, contents.uri)


def _unknown(kind: str, raw: Any) -> str:
    text = _json(raw)
    shown = text if len(text) <= _LONGEST_UNKNOWN else f"{text[:_LONGEST_UNKNOWN]}... ({len(text):,} characters)"
    return f"[content of type {kind or 'unknown'}] {shown}"


def _repeats(part: Part, structured: Any) -> bool:
    """Say whether a text is the JSON of the structured result, which servers send for older clients."""
    if part.kind != "text" or part.data:
        return False
    try:
        return bool(msgspec.json.decode(part.text) == structured)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return False


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def shown(response: ToolResponse) -> list[Part]:
    """Give what a model gets to see of a response: the text within its budget, and all that is no text."""
    if response.budgeted is None:
        return parts(response.result)
    return [Part("text", response.budgeted), *(part for part in parts(response.result) if part.data)]
