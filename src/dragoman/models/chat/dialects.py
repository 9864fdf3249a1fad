"""Find how a provider's interface is spoken: its requests written, its streams read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from msgspec import Struct

from dragoman.models.chat import anthropic, completions, gemini, responses
from dragoman.models.chat.choices import AnthropicModel, Choice, OpenAIModel
from dragoman.models.chat.events import ModelEvent
from dragoman.models.chat.request import ModelRequest
from dragoman.types import JsonObject

__all__ = ["Dialect", "Reader", "dialect_of"]


class Reader(Protocol):
    """Reads one stream of a provider."""

    def read(self, event: JsonObject, /) -> Iterator[ModelEvent]:
        """Read one piece of it."""
        ...

    def end(self) -> Iterator[ModelEvent]:
        """Give what is left at its end; without a `Stopped` among it, the stream was cut off."""
        ...


class Dialect(Struct, frozen=True):
    """How one interface is spoken.

    Attributes:
        write: gives the arguments of the SDK's method.
        reader: begins to read a stream, whose kept words are marked by the origin.
    """

    write: Callable[[ModelRequest, Choice], JsonObject]
    reader: Callable[[str], Reader]


_MESSAGES = Dialect(anthropic.written, anthropic.MessagesReader)
_COMPLETIONS = Dialect(completions.written, completions.CompletionsReader)
_RESPONSES = Dialect(responses.written, responses.ResponsesReader)
_GEMINI = Dialect(gemini.written, gemini.GeminiReader)


def dialect_of(choice: Choice) -> Dialect:
    """Give the dialect of a model."""
    match choice:
        case AnthropicModel():
            return _MESSAGES
        case OpenAIModel(api=api):
            return _RESPONSES if api == "responses" else _COMPLETIONS
        case _:
            return _GEMINI
