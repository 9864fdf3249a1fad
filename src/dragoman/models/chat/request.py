"""What is asked of a model."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from dragoman.models.chat.messages import Message
from dragoman.models.definition import Definitions

__all__ = ["ModelRequest", "ToolUse"]

ToolUse: TypeAlias = Literal["auto", "required", "none"]
"""Whether the model may call tools, must, or must not."""


class ModelRequest(Struct, frozen=True):
    """A request to a model, of whichever provider.

    Attributes:
        messages: the conversation.
        system: what the model is to keep to throughout, or None.
        tools: their definitions, in the model's own format.
        tool_use: whether it may call them.
        max_tokens: how many tokens it may write, None for the provider's own limit.
        temperature: how freely it chooses, None for the provider's own.
        stop_sequences: texts at which it stops.
    """

    messages: tuple[Message, ...]
    system: str | None = None
    tools: Definitions = field(default_factory=Definitions)
    tool_use: ToolUse = "auto"
    max_tokens: int | None = None
    temperature: float | None = None
    stop_sequences: tuple[str, ...] = ()
