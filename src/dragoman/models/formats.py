"""Find a provider's way of speaking by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from dragoman.errors import UsageError
from dragoman.models import anthropic, bedrock, gemini, openai, plain
from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.definition import Definitions
from dragoman.nearest import nearest
from dragoman.types import JsonObject, Tool

__all__ = ["FORMATS", "Format", "Provider", "find_format"]

Provider: TypeAlias = Literal[
    "anthropic",
    "bedrock",
    "gemini",
    "gemini-openapi",
    "openai",
    "openai-responses",
    "openai-responses-strict",
    "openai-strict",
    "openai-text",
    "plain",
]
"""The names of all formats."""


class Format(Struct, frozen=True):
    """How one provider is spoken with.

    Attributes:
        name: as in `FORMATS`.
        definitions: gives the definitions of tools.
        calls: reads the calls of a response.
        said: gives what the model said, for the history.
        answered: gives the messages that carry responses to calls.
    """

    name: str
    definitions: Callable[[Iterable[Tool]], Definitions]
    calls: Callable[[Any], list[ToolCall]]
    said: Callable[[Any], list[JsonObject]]
    answered: Callable[[Iterable[ToolResponse]], list[JsonObject]]


_CHAT = (openai.calls, openai.said, openai.answered)
_ITEMS = (openai.item_calls, openai.said_items, openai.answered_items)
_GEMINI = (gemini.calls, gemini.said)

FORMATS = {
    each.name: each
    for each in (
        Format("anthropic", anthropic.definitions, anthropic.calls, anthropic.said, anthropic.answered),
        Format("bedrock", bedrock.definitions, bedrock.calls, bedrock.said, bedrock.answered),
        Format("gemini", gemini.definitions, *_GEMINI, gemini.answered),
        Format("gemini-openapi", gemini.openapi_definitions, *_GEMINI, gemini.answered_openapi),
        Format("openai", openai.definitions, *_CHAT),
        Format("openai-responses", openai.item_definitions, *_ITEMS),
        Format("openai-responses-strict", partial(openai.item_definitions, strict=True), *_ITEMS),
        Format("openai-strict", partial(openai.definitions, strict=True), *_CHAT),
        Format("openai-text", openai.definitions, openai.calls, openai.said, openai.answered_in_text),
        Format("plain", plain.definitions, plain.calls, plain.said, plain.answered),
    )
}
"""Every way of speaking, by name."""


def find_format(name: str) -> Format:
    """Give the format of this name.

    Raises:
        UsageError: there is none; what there is is told.
    """
    found = FORMATS.get(name)
    if found is None:
        near = nearest(name, FORMATS)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(FORMATS)}"
        raise UsageError(f"no provider's format is called {name!r}", hint=hint)
    return found
