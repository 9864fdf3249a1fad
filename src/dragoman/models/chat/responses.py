"""Ask a model by OpenAI's Responses API, with nothing kept on the provider's side."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct, structs

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
from dragoman.models.chat.failures import model_error
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

__all__ = ["ResponsesReader", "written"]

_THINKS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)")
_STOPS = {"max_output_tokens": Stop.MAX_TOKENS, "content_filter": Stop.REFUSAL}


# ------------------------------------------------------------------------------------------------------------- requests


def written(request: ModelRequest, choice: Choice) -> JsonObject:
    """Write a request as the arguments of `responses.create`."""
    arguments: JsonObject = {
        "model": choice.name,
        "input": [each for message in request.messages for each in _items(message, choice.origin)],
        "stream": True,
        "store": False,
        **request.tools.request,
    }
    if request.system:
        arguments["instructions"] = request.system
    if request.tools and request.tool_use != "auto":
        arguments["tool_choice"] = request.tool_use
    if request.max_tokens is not None:
        arguments["max_output_tokens"] = request.max_tokens
    if request.temperature is not None:
        arguments["temperature"] = request.temperature
    if _THINKS.match(choice.name):
        # Where nothing is stored, thoughts come back to the model only if they were sent to us.
        arguments["include"] = ["reasoning.encrypted_content"]
    return {**arguments, **choice.extra}


def _items(message: Message, origin: str) -> Iterator[JsonObject]:
    match message:
        case UserMessage():
            yield {"role": "user", "content": [openai.item(part) for part in parts_of(message)]}
        case ModelMessage(parts=parts):
            for part in parts:
                yield from _said(part, origin)
        case _:
            yield from openai.answered_items(_aliased(each) for each in message.responses)


def _said(part: Said, origin: str) -> Iterator[JsonObject]:
    match part:
        case Text(text=text):
            if text:
                yield {"role": "assistant", "content": text}
        case Thinking(kept=kept):
            if origin in kept:
                yield kept[origin]
        case _:
            yield {
                "type": "function_call",
                "call_id": part.id,
                "name": alias(part.name, openai.NAMES),
                "arguments": part.arguments if part.is_whole else msgspec.json.encode(object_of(part)).decode(),
            }


def _aliased(response: ToolResponse) -> ToolResponse:
    return structs.replace(response, name=alias(response.name, openai.NAMES))


# -------------------------------------------------------------------------------------------------------------- streams


class _Open(Struct):
    """A call that is being written."""

    id: str
    name: str
    written: list[str]


class ResponsesReader:
    """Reads one stream of the Responses API, event by event; owns the calls that are being written."""

    def __init__(self, origin: str = "openai") -> None:
        self._origin = origin
        self._calls: dict[str, _Open] = {}
        self._has_called = False
        self._is_refused = False
        self._has_said = False
        self._is_told = False
        self._stopped: Stopped | None = None

    def read(self, event: JsonObject) -> Iterator[ModelEvent]:
        """Read one event; kinds that are not known are passed over.

        Raises:
            ModelError: it tells of a failure.
        """
        match event.get("type"):
            case "response.output_text.delta":
                self._has_said = True
                yield TextDelta(event["delta"])
            case "response.refusal.delta":
                self._is_refused = self._has_said = True
                yield TextDelta(event["delta"])
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield ThinkingDelta(event["delta"])
            case "response.output_item.added":
                yield from self._begun(event["item"])
            case "response.function_call_arguments.delta":
                self._more(event)
            case "response.output_item.done":
                yield from self._done(event["item"])
            case "response.completed" | "response.incomplete":
                yield from self._untold(event["response"])
                yield from self._ended(event["response"])
            case "response.failed":
                raise _failure(event["response"].get("error") or {})
            case "error":
                raise _failure(event.get("error") or event)

    def end(self) -> Iterator[ModelEvent]:
        """Give what is left at the end of the stream: calls that were cut off, and the reason to stop, if it came."""
        for call in self._calls.values():
            yield ToolCallMade(call.id, call.name, "".join(call.written))
        if self._stopped is not None:
            yield self._stopped

    def _begun(self, item: JsonObject) -> Iterator[ModelEvent]:
        if item.get("type") == "function_call":
            self._has_called = True
            call = _Open(str(item.get("call_id")), str(item.get("name")), [item.get("arguments") or ""])
            self._calls[str(item.get("id"))] = call
            yield ToolCallBegun(call.id, call.name)

    def _more(self, event: JsonObject) -> None:
        call = self._calls.get(str(event.get("item_id")))
        if call is not None:
            call.written.append(event["delta"])

    def _untold(self, response: JsonObject) -> Iterator[ModelEvent]:
        """Give what some send only with the end."""
        for item in () if self._is_told or self._has_said else response.get("output") or ():
            yield from self._done(item)

    def _done(self, item: JsonObject) -> Iterator[ModelEvent]:
        self._is_told = True
        match item.get("type"):
            case "message" if not self._has_said:
                yield from self._said_whole(item)
            case "message":
                self._has_said = False  # that was this one's text; the next one may come without pieces
            case "function_call":
                self._has_called = True
                begun = self._calls.pop(str(item.get("id")), None)
                arguments = item.get("arguments") or (begun and "".join(begun.written)) or "{}"
                yield ToolCallMade(str(item.get("call_id")), str(item.get("name")), arguments)
            case "reasoning" if item.get("encrypted_content"):
                yield ThinkingDelta("", {self._origin: {**item, "summary": item.get("summary") or []}})

    def _said_whole(self, item: JsonObject) -> Iterator[ModelEvent]:
        for part in item.get("content") or ():
            self._is_refused = self._is_refused or part.get("type") == "refusal"
            if said := part.get("text") or part.get("refusal"):
                yield TextDelta(said)

    def _ended(self, response: JsonObject) -> Iterator[ModelEvent]:
        if usage := response.get("usage"):
            yield UsageReported(_usage(usage))
        if response.get("status") == "incomplete":
            reason = (response.get("incomplete_details") or {}).get("reason") or "incomplete"
            self._stopped = Stopped(_STOPS.get(reason, Stop.OTHER), reason)
        elif self._has_called:
            self._stopped = Stopped(Stop.TOOLS, "completed")
        else:
            self._stopped = Stopped(Stop.REFUSAL if self._is_refused else Stop.END, "completed")


def _usage(usage: JsonObject) -> Usage:
    details = usage.get("input_tokens_details") or {}
    return Usage(usage.get("input_tokens") or 0, usage.get("output_tokens") or 0, details.get("cached_tokens") or 0)


def _failure(error: JsonObject) -> Exception:
    code = str(error.get("code") or error.get("type") or "")
    return model_error("openai", str(error.get("message") or code or "the reply failed"), code=code)
