"""What a chat wants of a model, and how one is found: by a string, a value, a script, or an object of the application's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol, TypeAlias

from dragoman.errors import UsageError
from dragoman.local.shapes import fits
from dragoman.models.chat.choices import AnthropicModel, Choice, GeminiModel, OpenAIModel, read_choice
from dragoman.models.chat.events import ModelEvent
from dragoman.models.chat.request import ModelRequest
from dragoman.models.chat.scripted import ScriptedModel

__all__ = ["AsyncChatModel", "ModelLike", "Scripted", "find_model", "is_model", "let_go"]


class AsyncChatModel(Protocol):
    """A model that a chat can be had with. One that has something to close has a method `close` as well.

    Attributes:
        name: what it is called, for histories and for servers that ask for it.
        format: how its tools are defined, as in `ToolRunner.definitions`.
    """

    name: str
    format: str

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask the model, and give what it says piece by piece; a `Stopped` is the last of it.

        Raises:
            ModelError: there is no whole reply.
        """
        ...


ModelLike: TypeAlias = str | Choice | ScriptedModel | AsyncChatModel
"""What stands for a model: a string such as "anthropic:NAME", a value such as `AnthropicModel`, or a model itself."""


class Scripted:
    """A script as a model."""

    def __init__(self, script: ScriptedModel) -> None:
        self.name = script.name
        self.format = script.format
        self._script = script

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play the next line of the script."""
        for event in self._script.play(request):
            yield event


def is_model(given: Any) -> bool:
    """Say whether something stands for a model."""
    named = isinstance(given, str | AnthropicModel | OpenAIModel | GeminiModel | ScriptedModel)
    return named or fits(given, AsyncChatModel)


def find_model(given: Any) -> AsyncChatModel:
    """Give the model that is meant. An SDK is looked for only when the model is first asked.

    Raises:
        UsageError: nothing is.
    """
    if isinstance(given, str):
        given = read_choice(given)
    if isinstance(given, ScriptedModel):
        return Scripted(given)
    if isinstance(given, AnthropicModel | OpenAIModel | GeminiModel):
        from dragoman.aio.chatting.sdks import Provided

        return Provided(given)
    if fits(given, AsyncChatModel):
        return given
    raise UsageError(f"{given!r} is no model", hint='give "anthropic:NAME", an `AnthropicModel` or the like')


async def let_go(model: AsyncChatModel) -> None:
    """Close what a model has opened, if it can be closed."""
    close = getattr(model, "close", None)
    if close is not None:
        await close()
