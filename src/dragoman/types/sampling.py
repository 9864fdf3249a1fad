"""Sampling: a server asks the client's model to write something."""

from msgspec import field

from dragoman.types.base import Wire
from dragoman.types.content import Sampled, TextContent, joined_text
from dragoman.types.meta import JsonObject, Meta, Number, Role
from dragoman.types.tasks import TaskMetadata
from dragoman.types.tools import Tool

__all__ = [
    "CreateMessageParams",
    "CreateMessageResult",
    "ModelHint",
    "ModelPreferences",
    "SamplingMessage",
    "ToolChoice",
]


class ModelHint(Wire, frozen=True):
    """A name, or part of one, of a model that would do well."""

    name: str | None = None


class ModelPreferences(Wire, frozen=True):
    """What matters in the choice of a model, each from 0 to 1; earlier hints count more."""

    hints: tuple[ModelHint, ...] | None = None
    cost_priority: Number | None = None
    speed_priority: Number | None = None
    intelligence_priority: Number | None = None


class ToolChoice(Wire, frozen=True):
    """Whether the model uses tools: `auto`, `required` or `none`."""

    mode: str | None = None


def _blocks(content: Sampled | tuple[Sampled, ...] | list[Sampled]) -> tuple[Sampled, ...]:
    return tuple(content) if isinstance(content, tuple | list) else (content,)


class SamplingMessage(Wire, frozen=True):
    """One message of the conversation; its content is one block or several."""

    __parts__ = (("content", "content"),)

    role: Role
    content: Sampled | tuple[Sampled, ...]
    meta: Meta = field(default=None, name="_meta")

    @property
    def blocks(self) -> tuple[Sampled, ...]:
        """The content as blocks, whichever way it was sent."""
        return _blocks(self.content)

    @property
    def text(self) -> str:
        """The text of all text blocks, a line break between two."""
        return joined_text(self.blocks)


class CreateMessageParams(Wire, frozen=True):
    """Params of `sampling/createMessage`.

    `include_context` is `none`, `thisServer` or `allServers`; `max_tokens` bounds the answer.
    """

    __parts__ = (("messages", "messages"), ("tools", "tools"))

    messages: tuple[SamplingMessage, ...]
    max_tokens: Number
    system_prompt: str | None = None
    model_preferences: ModelPreferences | None = None
    include_context: str | None = None
    temperature: Number | None = None
    stop_sequences: tuple[str, ...] | None = None
    metadata: JsonObject | None = None
    tools: tuple[Tool, ...] | None = None
    tool_choice: ToolChoice | None = None
    task: TaskMetadata | None = None
    meta: Meta = field(default=None, name="_meta")


class CreateMessageResult(Wire, frozen=True):
    """What the model wrote: one block or several, and the model's name.

    `stop_reason` is `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or a word of the model's own.
    """

    __parts__ = (("content", "content"),)

    content: Sampled | tuple[Sampled, ...]
    model: str
    stop_reason: str | None = None
    # A factory's value is always written, a plain default never: the wire wants the role.
    role: Role = field(default_factory=lambda: "assistant")
    meta: Meta = field(default=None, name="_meta")

    @classmethod
    def from_text(cls, text: str, model: str, stop_reason: str = "endTurn") -> "CreateMessageResult":
        """Make the answer of a model that wrote plain text."""
        return cls(TextContent(text), model, stop_reason)

    @property
    def blocks(self) -> tuple[Sampled, ...]:
        """The content as blocks."""
        return _blocks(self.content)

    @property
    def text(self) -> str:
        """The text of all text blocks, a line break between two."""
        return joined_text(self.blocks)
