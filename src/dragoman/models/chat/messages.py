"""A conversation without any provider's words: what the user said, what the model said, what came of its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeAlias

import msgspec
from msgspec import Struct, structs

from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.functions import failed
from dragoman.models.results import Part, parts
from dragoman.types import (
    CallToolResult,
    ContentBlock,
    JsonObject,
    TextContent,
    is_object,
    joined_text,
)

__all__ = [
    "OWN_ID",
    "Call",
    "Message",
    "ModelMessage",
    "Said",
    "Text",
    "Thinking",
    "ToolMessage",
    "UserMessage",
    "all_answered",
    "answering",
    "ids_of",
    "object_of",
    "parts_of",
    "said_by_user",
    "text_alone",
    "without_loose_ends",
]

OWN_ID = "dragoman_call_"
"""What the ids begin with that are given to calls whose model gave none."""


class Text(Struct, frozen=True, tag_field="type", tag="text"):
    """Text that a model wrote.

    Attributes:
        kept: what a provider wants back with it, by the model's origin.
    """

    text: str
    kept: JsonObject = {}


class Thinking(Struct, frozen=True, tag_field="type", tag="thinking"):
    """What a model thought, as far as it is told, or did with tools of its provider's own.

    Attributes:
        kept: as for `Text`, and empty where nothing is to be given back.
    """

    text: str
    kept: JsonObject = {}


class Call(Struct, frozen=True, tag_field="type", tag="call"):
    """A call that a model asks for.

    Attributes:
        id: the model's name for it. name: the tool, as the runner knows it.
        arguments: JSON, as the model wrote it.
        kept: as for `Text`.
    """

    id: str
    name: str
    arguments: str = "{}"
    kept: JsonObject = {}

    @property
    def tool_call(self) -> ToolCall:
        """The call as a runner takes it."""
        return ToolCall(self.id, self.name, self.arguments)

    @property
    def is_whole(self) -> bool:
        """Whether the arguments are one JSON object, so that nothing was cut off."""
        return _object(self.arguments) is not None


Said: TypeAlias = Text | Thinking | Call


class UserMessage(Struct, frozen=True):
    """What the user said: text, pictures, resources, as a server's prompt would have them."""

    content: tuple[ContentBlock, ...]

    @property
    def text(self) -> str:
        """The text of all text blocks."""
        return joined_text(self.content)


class ModelMessage(Struct, frozen=True):
    """What a model said.

    Attributes:
        parts: in the order in which they were said.
        model: which one it was.
    """

    parts: tuple[Said, ...]
    model: str = ""

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that it asks for."""
        return tuple(part for part in self.parts if isinstance(part, Call))


class ToolMessage(Struct, frozen=True):
    """What came of the calls of the message before it, one response for each."""

    responses: tuple[ToolResponse, ...]


Message: TypeAlias = UserMessage | ModelMessage | ToolMessage


def object_of(call: Call) -> JsonObject:
    """Give a call's arguments as an object, whatever the model wrote: providers take nothing else back."""
    found = _object(call.arguments)
    return {"invalid_json": call.arguments} if found is None else found


def _object(text: str) -> JsonObject | None:
    try:
        found = msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return found if is_object(found) else None


def parts_of(message: UserMessage) -> list[Part]:
    """Give what the user said as parts that every provider has a way for; there is at least one."""
    if not any(not isinstance(block, TextContent) or block.text for block in message.content):
        return [Part("text", "(nothing)")]
    return parts(CallToolResult(content=message.content))


def answering(calls: Iterable[Call], why: str) -> tuple[ToolResponse, ...]:
    """Answer calls that were not run, since no provider takes a history with a call that nothing came of."""
    return tuple(ToolResponse(call.id, call.name, failed(why)) for call in calls)


def all_answered(history: Sequence[Message], why: str) -> Iterator[Message]:
    """Answer the calls of a history that nothing came of."""
    for message, after in zip_longest(history, history[1:]):
        yield message
        if isinstance(message, ModelMessage) and message.calls and not isinstance(after, ToolMessage):
            yield ToolMessage(answering(message.calls, why))


def without_loose_ends(message: ModelMessage) -> ModelMessage:
    """Leave out what a provider would not take back: calls that were cut off, and thoughts that nothing follows."""
    said = [part for part in message.parts if not isinstance(part, Call) or part.is_whole]
    while said and isinstance(said[-1], Thinking):
        said.pop()
    return structs.replace(message, parts=tuple(said))


def text_alone(message: ModelMessage) -> ModelMessage:
    """Leave out all but the text, as of a reply that nobody waited for."""
    return structs.replace(message, parts=tuple(part for part in message.parts if isinstance(part, Text)))


def ids_of(history: Iterable[Message]) -> set[str]:
    """Give the ids of all calls of a history."""
    return {call.id for message in history if isinstance(message, ModelMessage) for call in message.calls}


def said_by_user(*said: str | ContentBlock) -> UserMessage:
    """Make a user's message of texts and blocks."""
    return UserMessage(tuple(TextContent(text=each) if isinstance(each, str) else each for each in said))
