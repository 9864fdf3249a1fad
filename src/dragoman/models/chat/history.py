"""Write a conversation as JSON, and read it again to go on with it, with the same model or another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct, UnsetType, ValidationError, structs

from dragoman.errors import UsageError
from dragoman.models.calls import ToolResponse
from dragoman.models.chat.events import Usage
from dragoman.models.chat.messages import Message, ModelMessage, Said, ToolMessage, UserMessage, all_answered
from dragoman.types import CallToolResult, ContentBlock, JsonObject, is_array, read_content, to_json

__all__ = ["history_from_json", "history_to_json", "usage_from_json"]

_UNKNOWN = "nothing is known of what came of this call"


def history_to_json(history: Iterable[Message]) -> list[JsonObject]:
    """Give a history as JSON, each message as an object with its role: "user", "model" or "tool"."""
    return [_written(message) for message in history]


def _written(message: Message) -> JsonObject:
    match message:
        case UserMessage(content=content):
            return {"role": "user", "content": [to_json(block) for block in content]}
        case ModelMessage(parts=said, model=model):
            return {"role": "model", "model": model, "parts": msgspec.to_builtins(said)}
        case _:
            return {"role": "tool", "responses": [_written_response(each) for each in message.responses]}


def _written_response(response: ToolResponse) -> JsonObject:
    facts = {name: value for name, value in structs.asdict(response).items() if name != "result"}
    result: JsonObject = {"content": [to_json(block) for block in response.content], "isError": response.is_error}
    if not isinstance(response.result.structured_content, UnsetType):
        result["structuredContent"] = response.structured
    return {**facts, "result": result}


def history_from_json(json: Any) -> tuple[Message, ...]:
    """Read a history that `history_to_json` gave; calls that nothing came of are answered with that.

    Raises:
        UsageError: it is none; what is wrong is told.
    """
    try:
        return tuple(all_answered([_read(each) for each in _list(json)], _UNKNOWN))
    except (ValidationError, KeyError, TypeError) as error:
        raise UsageError(f"this is no history of a chat: {error}", hint="give what `to_json` gave") from error


def usage_from_json(json: Any) -> Usage:
    """Read what a chat had used by then; nothing, where that is not told.

    Raises:
        UsageError: it is something else.
    """
    try:
        return msgspec.convert(json or {}, Usage)
    except ValidationError as error:
        raise UsageError(f"this is no usage of a chat: {error}", hint="give what `to_json` gave") from error


def _read(json: Any) -> Message:
    match json["role"]:
        case "user":
            return UserMessage(_blocks(json["content"]))
        case "model":
            return ModelMessage(msgspec.convert(json["parts"], tuple[Said, ...]), str(json.get("model", "")))
        case "tool":
            return ToolMessage(tuple(_read_response(each) for each in _list(json["responses"])))
        case role:
            raise TypeError(f"nobody is called {role!r}")


class _Facts(Struct, frozen=True):
    """What is known of a response beside its result."""

    id: str
    name: str
    server: str | None = None
    tool: str = ""
    elapsed: float = 0.0
    is_local: bool = False
    budgeted: str | None = None
    is_unfit: bool = False


def _read_response(json: Any) -> ToolResponse:
    stated = json["result"]
    result = CallToolResult(
        content=_blocks(stated["content"]),
        structured_content=stated.get("structuredContent", msgspec.UNSET),
        is_error=bool(stated.get("isError")),
    )
    return ToolResponse(result=result, **structs.asdict(msgspec.convert(json, _Facts)))


def _blocks(json: Any) -> tuple[ContentBlock, ...]:
    return tuple(read_content(msgspec.json.encode(block)) for block in _list(json))


def _list(json: Any) -> list[Any]:
    if not is_array(json):
        raise TypeError("a list is missing")
    return json
