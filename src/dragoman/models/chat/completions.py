"""Ask a model by OpenAI's Chat Completions, or by one of the many APIs that resemble it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, field, structs

from dragoman.models import openai
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
    Call,
    Message,
    ModelMessage,
    Thinking,
    UserMessage,
    object_of,
    parts_of,
)
from dragoman.models.chat.request import ModelRequest
from dragoman.models.names import alias
from dragoman.models.results import Part
from dragoman.types import JsonObject, is_array, is_object

__all__ = ["CompletionsReader", "written"]

_STOPS = {
    "content_filter": Stop.REFUSAL,
    "function_call": Stop.TOOLS,
    "length": Stop.MAX_TOKENS,
    "stop": Stop.END,
    "tool_calls": Stop.TOOLS,
}
_SOUNDS = {"audio/mp3": "mp3", "audio/mpeg": "mp3", "audio/wav": "wav", "audio/x-wav": "wav"}


# ------------------------------------------------------------------------------------------------------------- requests


def written(request: ModelRequest, choice: Choice) -> JsonObject:
    """Write a request as the arguments of `chat.completions.create`."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    arguments: JsonObject = {
        "model": choice.name,
        "messages": [*system, *(each for message in request.messages for each in _message(message, choice.origin))],
        "stream": True,
        "stream_options": {"include_usage": True},
        **request.tools.request,
    }
    if request.tools and request.tool_use != "auto":
        arguments["tool_choice"] = request.tool_use
    if request.max_tokens is not None:
        # OpenAI's own name for it is newer than most of what resembles its API.
        arguments["max_tokens" if choice.base_url else "max_completion_tokens"] = request.max_tokens
    if request.temperature is not None:
        arguments["temperature"] = request.temperature
    if request.stop_sequences:
        arguments["stop"] = list(request.stop_sequences)
    return {**arguments, **choice.extra}


def _message(message: Message, origin: str) -> Iterator[JsonObject]:
    match message:
        case UserMessage():
            yield {"role": "user", "content": _content(parts_of(message))}
        case ModelMessage():
            if said := _said(message, origin):
                yield {"role": "assistant", **said}
        case _:
            yield from openai.answered(_aliased(each) for each in message.responses)


def _content(parts: list[Part]) -> str | list[JsonObject]:
    if all(part.kind == "text" for part in parts):
        return "\n".join(part.text for part in parts)
    return [_part(part) for part in parts]


def _part(part: Part) -> JsonObject:
    if part.kind == "audio" and part.mime_type in _SOUNDS:
        return {"type": "input_audio", "input_audio": {"data": part.data, "format": _SOUNDS[part.mime_type]}}
    return openai.seen(part) or {"type": "text", "text": part.text}


def _said(message: ModelMessage, origin: str) -> JsonObject:
    calls = [_call(call) for call in message.calls]
    if not calls:
        return {"content": message.text} if message.text else {}
    said: JsonObject = {"content": message.text or None, "tool_calls": calls}
    # Those whose thoughts are told want them back within the turn that calls tools, and nowhere else.
    thoughts = [part.text for part in message.parts if isinstance(part, Thinking) and origin in part.kept]
    return {**said, "reasoning_content": "".join(thoughts)} if thoughts else said


def _call(call: Call) -> JsonObject:
    arguments = msgspec.json.encode(object_of(call)).decode() if not call.is_whole else call.arguments or "{}"
    function = {"name": alias(call.name, openai.NAMES), "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _aliased(response: ToolResponse) -> ToolResponse:
    return structs.replace(response, name=alias(response.name, openai.NAMES))


# -------------------------------------------------------------------------------------------------------------- streams


class _Open(Struct):
    """A call that is being written."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    is_told: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether its arguments have come to an end."""
        written = "".join(self.arguments)
        return written.strip() != "" and Call(self.id, self.name, written).is_whole


class CompletionsReader:
    """Reads one stream of chunks; owns the calls that are being written, several of them at once if need be."""

    def __init__(self, origin: str = "openai") -> None:
        self._origin = origin
        self._calls: list[_Open] = []
        self._by_index: dict[int, _Open] = {}
        self._is_refused = False
        self._has_thought = False
        self._reason = ""

    def read(self, chunk: JsonObject) -> Iterator[ModelEvent]:
        """Read one chunk; fields that are not known are passed over."""
        if usage := chunk.get("usage"):
            yield UsageReported(_usage(usage))
        # Of several replies, which somebody's `extra` may ask for, the first.
        for choice in [each for each in chunk.get("choices") or () if not each.get("index")]:
            yield from self._more(choice.get("delta") or {})
            self._reason = choice.get("finish_reason") or self._reason

    def end(self) -> Iterator[ModelEvent]:
        """Give what is left at the end of the stream: the calls, and the reason to stop, if it came."""
        for call in self._calls:
            yield ToolCallMade(call.id, call.name, "".join(call.arguments) or "{}")
        if self._reason:
            yield Stopped(self._stop(), self._reason)

    def _stop(self) -> Stop:
        stop = _STOPS.get(self._reason, Stop.OTHER)
        if stop is not Stop.END:
            return stop
        # Some say "stop" of a reply that calls tools.
        return Stop.TOOLS if self._calls else Stop.REFUSAL if self._is_refused else stop

    def _more(self, delta: JsonObject) -> Iterator[ModelEvent]:
        thought = delta.get("reasoning_content") or delta.get("reasoning") or _thought(delta.get("content"))
        if isinstance(thought, str) and thought:
            self._has_thought = True
            yield ThinkingDelta(thought)
        said = _text(delta.get("content")) or delta.get("refusal") or ""
        made = delta.get("tool_calls") or ()
        if self._has_thought and (said or made):
            self._has_thought = False
            yield ThinkingDelta("", {self._origin: True})
        self._is_refused = self._is_refused or bool(delta.get("refusal"))
        if said:
            yield TextDelta(said)
        for piece in made:
            yield from self._called(piece)

    def _called(self, piece: JsonObject) -> Iterator[ModelEvent]:
        function = piece.get("function") or {}
        name, arguments = function.get("name") or "", function.get("arguments") or ""
        call = self._open(piece.get("index"), piece.get("id") or "", begins=bool(name and str(arguments).strip()))
        call.id = call.id or piece.get("id") or ""
        call.name = call.name or name
        call.arguments.append(arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode())
        if call.name and not call.is_told:
            call.is_told = True
            yield ToolCallBegun(call.id, call.name)

    def _open(self, index: Any, named: str, *, begins: bool) -> _Open:
        """Find the call that a piece belongs to; some number all of their calls 0, and some number none.

        Of those some give no ids: what looks like a beginning is one where the call before it is whole.
        """
        index = index if isinstance(index, int) else len(self._calls) - (0 if named else 1)
        known = self._by_index.get(index)
        is_other = known is not None and bool(named and known.id and named != known.id)
        if known is None or is_other or (begins and known.is_whole):
            known = self._by_index[index] = _Open()
            self._calls.append(known)
        return known


def _text(content: Any) -> str:
    """Give the text of a piece, which some write as a list of parts."""
    if is_array(content):
        return "".join(str(part["text"]) for part in content if is_object(part) and part.get("type") == "text")
    return content if isinstance(content, str) else ""


def _thought(content: Any) -> str:
    """Give the thoughts of a piece that is a list of parts."""
    parts = [part for part in content if is_object(part) and "thinking" in part] if is_array(content) else []
    return "".join(_text(part["thinking"]) for part in parts)


def _usage(usage: JsonObject) -> Usage:
    details = usage.get("prompt_tokens_details") or {}
    return Usage(
        usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0, details.get("cached_tokens") or 0
    )
