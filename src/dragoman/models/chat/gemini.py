"""Ask a model by the Gemini API: what `generate_content_stream` takes, and what its chunks tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import structs

from dragoman.models import gemini
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
    OWN_ID,
    Call,
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

__all__ = ["GeminiReader", "written"]

_STOPS = {
    "MAX_TOKENS": Stop.MAX_TOKENS,
    "STOP": Stop.END,
    **dict.fromkeys(
        ("BLOCKLIST", "IMAGE_SAFETY", "MODEL_ARMOR", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"), Stop.REFUSAL
    ),
}
# They take no pictures inside of responses.
_OLDER = re.compile(r"(?:models/)?gemini-[12]\b")
_MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}


# ------------------------------------------------------------------------------------------------------------- requests


def written(request: ModelRequest, choice: Choice) -> JsonObject:
    """Write a request as the JSON of the arguments of `generate_content_stream`."""
    configuration: JsonObject = {**request.tools.request, "automaticFunctionCalling": {"disable": True}}
    if request.system:
        configuration["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools and request.tool_use != "auto":
        configuration["toolConfig"] = {"functionCallingConfig": {"mode": _MODES[request.tool_use]}}
    if request.max_tokens is not None:
        configuration["maxOutputTokens"] = request.max_tokens
    if request.temperature is not None:
        configuration["temperature"] = request.temperature
    if request.stop_sequences:
        configuration["stopSequences"] = list(request.stop_sequences)
    contents = [each for message in request.messages for each in _content(message, choice)]
    return {"model": choice.name, "contents": contents, "config": {**configuration, **choice.extra}}


def _content(message: Message, choice: Choice) -> Iterator[JsonObject]:
    match message:
        case UserMessage():
            yield {"role": "user", "parts": [gemini.piece(part) for part in parts_of(message)]}
        case ModelMessage(parts=parts):
            if said := [each for part in parts for each in _said(part, choice.origin)]:
                yield {"role": "model", "parts": said}
        case _:
            answered = gemini.answered_openapi if _OLDER.match(choice.name) else gemini.answered
            yield from answered(_aliased(each) for each in message.responses)


def _said(part: Said, origin: str) -> Iterator[JsonObject]:
    kept = part.kept.get(origin) or {}
    match part:
        case Text(text=text):
            if text or kept:
                yield {"text": text, **kept}
        case Thinking():
            # Thoughts go back by the signatures at what follows them.
            return
        case _:
            yield {"functionCall": _call(part), **kept}


def _call(call: Call) -> JsonObject:
    function = {"name": alias(call.name, gemini.NAMES), "args": object_of(call)}
    return function if call.id.startswith(OWN_ID) else {"id": call.id, **function}


def _aliased(response: ToolResponse) -> ToolResponse:
    given = "" if response.id.startswith(OWN_ID) else response.id
    return structs.replace(response, name=alias(response.name, gemini.NAMES), id=given)


# -------------------------------------------------------------------------------------------------------------- streams


class GeminiReader:
    """Reads one stream of chunks, whose calls are always whole; owns what has come of the end."""

    def __init__(self, origin: str = "gemini") -> None:
        self._origin = origin
        self._reason = ""
        self._has_called = False
        self._is_blocked = False

    def read(self, chunk: JsonObject) -> Iterator[ModelEvent]:
        """Read one chunk; parts that are not known are passed over."""
        blocked = (chunk.get("promptFeedback") or {}).get("blockReason")
        if blocked:
            self._is_blocked, self._reason = True, str(blocked)
        for candidate in (chunk.get("candidates") or ())[:1]:
            for part in (candidate.get("content") or {}).get("parts") or ():
                yield from self._more(part)
            self._reason = candidate.get("finishReason") or self._reason
        if usage := chunk.get("usageMetadata"):
            yield UsageReported(_usage(usage))

    def end(self) -> Iterator[ModelEvent]:
        """Give the reason to stop, if it came."""
        if self._reason:
            yield Stopped(self._stop(), self._reason)

    def _stop(self) -> Stop:
        if self._is_blocked:
            return Stop.REFUSAL
        stop = _STOPS.get(self._reason, Stop.OTHER)
        return Stop.TOOLS if self._has_called and stop is Stop.END else stop

    def _more(self, part: JsonObject) -> Iterator[ModelEvent]:
        signature = part.get("thoughtSignature")
        kept: JsonObject = {self._origin: {"thoughtSignature": signature}} if signature else {}
        call: Any = part.get("functionCall")
        if call:
            self._has_called = True
            named, name = str(call.get("id") or ""), str(call.get("name") or "")
            yield ToolCallBegun(named, name)
            yield ToolCallMade(named, name, msgspec.json.encode(call.get("args") or {}).decode(), kept)
        elif part.get("thought"):
            yield ThinkingDelta(part.get("text") or "")
        elif part.get("text") or kept:
            yield TextDelta(part.get("text") or "", kept)


def _usage(usage: JsonObject) -> Usage:
    wrote = (usage.get("candidatesTokenCount") or 0) + (usage.get("thoughtsTokenCount") or 0)
    read = (usage.get("promptTokenCount") or 0) + (usage.get("toolUsePromptTokenCount") or 0)
    return Usage(read, wrote, usage.get("cachedContentTokenCount") or 0)
