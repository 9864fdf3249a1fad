"""What a model says, piece by piece, and why it stopped: one set of words for all providers."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from dragoman.models.chat.messages import ModelMessage
from dragoman.types import JsonObject

__all__ = [
    "ModelEvent",
    "ModelReply",
    "Stop",
    "Stopped",
    "TextDelta",
    "ThinkingDelta",
    "ToolCallBegun",
    "ToolCallMade",
    "Usage",
    "UsageReported",
]


class Stop(StrEnum):
    """Why a model stopped.

    `limit` is a limit of the chat's own, `cancelled` the user's wish; the others are the provider's.
    """

    END = "end"
    TOOLS = "tools"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    REFUSAL = "refusal"
    PAUSED = "paused"
    LIMIT = "limit"
    CANCELLED = "cancelled"
    OTHER = "other"


class Usage(Struct, frozen=True):
    """How many tokens were used.

    Attributes:
        input: those that the model read, cached ones included.
        output: those that it wrote, thoughts included.
        cached: those of the input that came from the provider's cache.
    """

    input: int = 0
    output: int = 0
    cached: int = 0

    @property
    def total(self) -> int:
        """Input and output together."""
        return self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input + other.input, self.output + other.output, self.cached + other.cached)


class TextDelta(Struct, frozen=True):
    """More text.

    Attributes:
        kept: what the provider wants back with the text so far, by the model's origin; it ends this piece of text.
    """

    text: str
    kept: JsonObject = {}


class ThinkingDelta(Struct, frozen=True):
    """More of what the model thinks; `kept` as for `TextDelta`."""

    text: str
    kept: JsonObject = {}


class ToolCallBegun(Struct, frozen=True):
    """The model has begun to write a call; its arguments follow, joined, in a `ToolCallMade`."""

    id: str
    name: str


class ToolCallMade(Struct, frozen=True):
    """A call, with all of its arguments as JSON; those of a reply that was cut off may be cut off as well."""

    id: str
    name: str
    arguments: str = "{}"
    kept: JsonObject = {}


class UsageReported(Struct, frozen=True):
    """What this reply has used up to now; the last one counts."""

    usage: Usage


class Stopped(Struct, frozen=True):
    """The end of a reply.

    Attributes:
        stop: why.
        said: the provider's own word for it.
    """

    stop: Stop
    said: str = ""


ModelEvent: TypeAlias = TextDelta | ThinkingDelta | ToolCallBegun | ToolCallMade | UsageReported | Stopped


class ModelReply(Struct, frozen=True):
    """One whole reply of a model.

    Attributes:
        message: what it said.
        stop: why it stopped. said: the provider's own word for it.
        usage: the tokens.
    """

    message: ModelMessage
    stop: Stop = Stop.END
    said: str = ""
    usage: Usage = Usage()
