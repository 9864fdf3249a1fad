"""Conversations for tests."""

from collections.abc import Iterable
from typing import Any

from dragoman.models.calls import ToolResponse
from dragoman.models.chat.events import ModelEvent
from dragoman.models.chat.messages import Call, Message, ModelMessage, Text, Thinking, ToolMessage, said_by_user
from dragoman.types import CallToolResult, ImageContent, TextContent

__all__ = ["CALL", "PICTURE", "answered", "heard", "talk"]

CALL = Call("c1", "git log", '{"path":"."}')
PICTURE = ImageContent(data="AAAA", mime_type="image/png")


def answered(call: Call, *content: Any, is_error: bool = False) -> ToolResponse:
    blocks = tuple(TextContent(text=each) if isinstance(each, str) else each for each in content)
    return ToolResponse(call.id, call.name, CallToolResult(content=blocks, is_error=is_error), "git", "log", 0.5)


def talk(origin: str, kept: Any) -> tuple[Message, ...]:
    """A conversation with everything in it that a provider has a way for, and what only one of them takes back."""
    return (
        said_by_user("Look.", PICTURE),
        ModelMessage(
            (Thinking("Hm.", {origin: kept}), Thinking("Elsewhere.", {"other": {}}), Text("Well:"), CALL), "m"
        ),
        ToolMessage((answered(CALL, "ab12", PICTURE),)),
        ModelMessage((Thinking("Hm."),), "m"),
        ModelMessage((Text("Done."),), "m"),
    )


def heard(reader: Any, events: Iterable[Any]) -> list[ModelEvent]:
    """Read a whole stream."""
    told = [each for event in events for each in reader.read(event)]
    return [*told, *reader.end()]
