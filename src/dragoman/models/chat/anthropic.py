"""Ask a model by Anthropic's Messages API: the arguments of `messages.create`, and what its stream tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field, structs

from dragoman.models import anthropic
from dragoman.models.calls import ToolResponse
from dragoman.models.chat.choices import Choice
from dragoman.models.chat.events import (
    ModelEvent,
    Stop,
    Stopped,
    TextDelta,
    ThinkingDelta,
    ToolCallBegun,
    ToolCallMade,
    Usage,
    UsageReported,
)
from dragoman.models.chat.messages import (
    Message,
    ModelMessage,
    Said,
    Text,
    Thinking,
    UserMessage,
    object_of,
    parts_of,
)
from dragoman.models.chat.request import ModelRequest
from dragoman.models.names import alias
from dragoman.types import JsonObject

__all__ = ["MessagesReader", "written"]

_MAX_TOKENS = 8_192
"""What the API wants to be told; every model that is still served takes this many."""

_STOPS = {
    "end_turn": Stop.END,
    "max_tokens": Stop.MAX_TOKENS,
    "model_context_window_exceeded": Stop.MAX_TOKENS,
    "pause_turn": Stop.PAUSED,
    "refusal": Stop.REFUSAL,
    "stop_sequence": Stop.STOP_SEQUENCE,
    "tool_use": Stop.TOOLS,
}
_USE = "_tool_use"
_OWN_TOOLS = (_USE, "_tool_result", "container_upload")
"""How the types of blocks end in which a model uses the API's own tools: they go back as they came."""

_CITED = "web_search_result_location"
"""The citations that have to go back; of others the API takes less than it gives."""

_CHOICES = {"auto": "auto", "required": "any", "none": "none"}


# ------------------------------------------------------------------------------------------------------------- requests


def written(request: ModelRequest, choice: Choice) -> JsonObject:
    """Write a request as the arguments of `messages.create`."""
    loose = _loose(request.messages, choice.origin)
    arguments: JsonObject = {
        "model": choice.name,
        "max_tokens": request.max_tokens or _MAX_TOKENS,
        "messages": [each for message in request.messages for each in _message(message, choice.origin, loose)],
        "stream": True,
        **request.tools.request,
    }
    if request.system:
        arguments["system"] = request.system
    if request.tools and request.tool_use != "auto":
        arguments["tool_choice"] = {"type": _CHOICES[request.tool_use]}
    if request.stop_sequences:
        arguments["stop_sequences"] = list(request.stop_sequences)
    arguments |= choice.extra
    if request.temperature is not None:
        # Not all releases of the SDK have an argument for it, as not all models take it.
        arguments["extra_body"] = {"temperature": request.temperature, **(arguments.get("extra_body") or {})}
    return arguments


def _loose(messages: Sequence[Message], origin: str) -> set[str]:
    """Find the calls of the API's own tools that nothing came of: only in a message to be gone on with are they taken."""
    used: set[str] = set()
    for message in messages[:-1]:
        used |= {str(block.get("id")) for block in _own(message, origin) if str(block.get("type")).endswith(_USE)}
    return used - {str(block.get("tool_use_id")) for message in messages for block in _own(message, origin)}


def _own(message: Message, origin: str) -> list[JsonObject]:
    """Give the blocks of a message that go back as they came."""
    if not isinstance(message, ModelMessage):
        return []
    return [part.kept[origin] for part in message.parts if isinstance(part, Thinking) and origin in part.kept]


def _message(message: Message, origin: str, loose: set[str]) -> Iterator[JsonObject]:
    match message:
        case UserMessage():
            yield {"role": "user", "content": [anthropic.block(part) for part in parts_of(message)]}
        case ModelMessage(parts=parts):
            if content := [block for part in parts for block in _said(part, origin, loose)]:
                yield {"role": "assistant", "content": content}
        case _:
            yield from anthropic.answered(_aliased(each) for each in message.responses)


def _said(part: Said, origin: str, loose: set[str]) -> Iterator[JsonObject]:
    match part:
        case Text(text=text, kept=kept):
            # The API refuses text of nothing but white space.
            if text.strip():
                yield {"type": "text", "text": text, **kept.get(origin, {})}
        case Thinking(kept=kept):
            # Thoughts are signed, and only those of its own are taken back.
            if origin in kept and kept[origin].get("id") not in loose:
                yield kept[origin]
        case _:
            yield {
                "type": "tool_use",
                "id": part.id,
                "name": alias(part.name, anthropic.NAMES),
                "input": object_of(part),
            }


def _aliased(response: ToolResponse) -> ToolResponse:
    return structs.replace(response, name=alias(response.name, anthropic.NAMES))


# -------------------------------------------------------------------------------------------------------------- streams


class _Open(Struct):
    """A block that is not at its end: how it begun, and what has been written since."""

    begun: JsonObject
    written: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    citations: list[JsonObject] = field(default_factory=list)


class MessagesReader:
    """Reads one stream of the Messages API, event by event; owns the blocks that are not at their end."""

    def __init__(self, origin: str = "anthropic") -> None:
        self._origin = origin
        self._blocks: dict[int, _Open] = {}
        self._usage: JsonObject = {}
        self._stopped: Stopped | None = None

    def read(self, event: JsonObject) -> Iterator[ModelEvent]:
        """Read one event; kinds that are not known are passed over, as the API's versioning policy asks."""
        match event.get("type"):
            case "message_start":
                yield from self._used(event["message"].get("usage"))
            case "content_block_start":
                yield from self._begun(event["index"], event["content_block"])
            case "content_block_delta":
                yield from self._more(self._blocks.get(event["index"]), event["delta"])
            case "content_block_stop":
                yield from self._ended(self._blocks.pop(event["index"], None))
            case "message_delta":
                yield from self._used(event.get("usage"))
                reason = event["delta"].get("stop_reason")
                if reason:
                    self._stopped = Stopped(_STOPS.get(reason, Stop.OTHER), reason)

    def end(self) -> Iterator[ModelEvent]:
        """Give what is left at the end of the stream: calls that were cut off, and the reason to stop, if it came."""
        for block in self._blocks.values():
            yield from self._ended(block)
        if self._stopped is not None:
            yield self._stopped

    def _begun(self, index: int, block: JsonObject) -> Iterator[ModelEvent]:
        self._blocks[index] = _Open(block, citations=list(block.get("citations") or ()))
        match block.get("type"):
            case "text" if block.get("text"):
                yield TextDelta(block["text"])
            case "thinking" if block.get("thinking"):
                yield ThinkingDelta(block["thinking"])
            case "tool_use":
                yield ToolCallBegun(str(block["id"]), str(block["name"]))
            case "redacted_thinking":
                yield ThinkingDelta("", {self._origin: dict(block)})

    def _more(self, block: _Open | None, delta: JsonObject) -> Iterator[ModelEvent]:
        if block is None:
            return
        match delta.get("type"):
            case "text_delta":
                yield TextDelta(delta["text"])
            case "thinking_delta":
                block.written.append(delta["thinking"])
                yield ThinkingDelta(delta["thinking"])
            case "signature_delta":
                block.signature.append(delta["signature"])
            case "input_json_delta":
                block.written.append(delta["partial_json"])
            case "citations_delta":
                block.citations.append(delta["citation"])

    def _ended(self, block: _Open | None) -> Iterator[ModelEvent]:
        if block is None:
            return
        begun, written = block.begun, "".join(block.written)
        match begun.get("type"):
            case "text":
                if cited := [each for each in block.citations if each.get("type") == _CITED]:
                    yield TextDelta("", {self._origin: {"citations": cited}})
            case "tool_use":
                # Some give the arguments whole, where the block begins.
                given = msgspec.json.encode(begun.get("input") or {}).decode()
                yield ToolCallMade(str(begun["id"]), str(begun["name"]), written or given)
            case "thinking" if signature := "".join(block.signature) or begun.get("signature"):
                thinking = (begun.get("thinking") or "") + written
                yield ThinkingDelta("", {self._origin: {**begun, "thinking": thinking, "signature": signature}})
            case str() as kind if kind.endswith(_OWN_TOOLS):
                yield from self._used_by_itself(begun, written)

    def _used_by_itself(self, begun: JsonObject, written: str) -> Iterator[ModelEvent]:
        """Keep a use of the API's own tools, or what came of one; one that was cut off is none."""
        try:
            given = {"input": msgspec.json.decode(written)} if written else {}
        except msgspec.DecodeError:
            return
        yield ThinkingDelta("", {self._origin: {**begun, **given}})

    def _used(self, usage: Any) -> Iterator[ModelEvent]:
        """Add what is told of the usage, whose counts are those of the whole reply."""
        if not usage:
            return
        self._usage |= {name: value for name, value in usage.items() if isinstance(value, int)}
        cached = self._usage.get("cache_read_input_tokens", 0)
        given = self._usage.get("input_tokens", 0) + cached + self._usage.get("cache_creation_input_tokens", 0)
        yield UsageReported(Usage(given, self._usage.get("output_tokens", 0), cached))
