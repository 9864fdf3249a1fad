"""Which model: a value for each provider, and how a string names one.

- `anthropic:NAME`: Anthropic's Messages
- `openai:NAME`: OpenAI's Chat Completions, and whatever resembles it
- `openai-responses:NAME`: OpenAI's Responses
- `gemini:NAME`: Gemini
- `openai:NAME@http://localhost:11434/v1`: the same at another address, as every kind may have
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from dragoman.errors import UsageError
from dragoman.nearest import nearest
from dragoman.types import JsonObject

__all__ = ["AnthropicModel", "Choice", "GeminiModel", "OpenAIModel", "read_choice"]


class AnthropicModel(Struct, frozen=True):
    """A model by Anthropic's Messages API, from the extra `anthropic`.

    Attributes:
        name: such as "claude-sonnet-4-5".
        client: an `Anthropic` or `AsyncAnthropic` of your own, which is never closed; otherwise one is made, whose key
            is in ANTHROPIC_API_KEY.
        base_url: where the API is, None for Anthropic's own.
        extra: further arguments of the request, as the SDK has them: `{"thinking": {...}}`.
    """

    name: str
    client: Any = None
    base_url: str | None = None
    extra: JsonObject = {}

    provider = "anthropic"
    format = "anthropic"

    @property
    def origin(self) -> str:
        """Whose words it keeps in a history."""
        return self.provider


class OpenAIModel(Struct, frozen=True):
    """A model by one of OpenAI's APIs, or one that resembles the first of them, from the extra `openai`.

    Attributes:
        name: such as "gpt-5".
        client: an `OpenAI` or `AsyncOpenAI` of your own, which is never closed; otherwise one is made, whose key is in
            OPENAI_API_KEY. With a `base_url`, no key is needed.
        base_url: where the API is, None for OpenAI's own.
        api: "completions" for Chat Completions, or "responses".
        strict: whether tools are defined strictly wherever that changes no meaning.
        extra: further arguments of the request, as the SDK has them: `{"reasoning_effort": "low"}`.
    """

    name: str
    client: Any = None
    base_url: str | None = None
    api: Literal["completions", "responses"] = "completions"
    strict: bool = False
    extra: JsonObject = {}

    provider = "openai"

    @property
    def format(self) -> str:
        """How its tools are defined."""
        form = "openai-responses" if self.api == "responses" else "openai"
        return f"{form}-strict" if self.strict else form

    @property
    def origin(self) -> str:
        """Whose words it keeps in a history."""
        return f"{self.api}@{self.base_url or self.provider}"


class GeminiModel(Struct, frozen=True):
    """A model by the Gemini API, from the extra `gemini`.

    Attributes:
        name: such as "gemini-2.5-pro".
        client: a `google.genai.Client` of your own, which is never closed; otherwise one is made, whose key is in
            GEMINI_API_KEY.
        base_url: where the API is, None for Google's own.
        extra: further fields of the configuration, as the SDK has them: `{"thinking_config": {...}}`.
    """

    name: str
    client: Any = None
    base_url: str | None = None
    extra: JsonObject = {}

    provider = "gemini"
    format = "gemini"

    @property
    def origin(self) -> str:
        """Whose words it keeps in a history."""
        return self.provider


Choice: TypeAlias = AnthropicModel | OpenAIModel | GeminiModel

_KINDS: dict[str, Callable[[str, str | None], Choice]] = {
    "anthropic": lambda name, url: AnthropicModel(name, base_url=url),
    "openai": lambda name, url: OpenAIModel(name, base_url=url),
    "openai-responses": lambda name, url: OpenAIModel(name, base_url=url, api="responses"),
    "gemini": lambda name, url: GeminiModel(name, base_url=url),
}
_FORM = '"anthropic:NAME", "openai:NAME", "openai-responses:NAME" or "gemini:NAME", each with @URL after it if need be'


def read_choice(text: str) -> Choice:
    """Read the string that names a model.

    Raises:
        UsageError: it names none; how it is done is told.
    """
    kind, colon, rest = text.partition(":")
    # A model's name may have colons and slashes in it, as in "llama3.2:3b"; an address begins where it says http.
    name, _, address = rest.partition("@http")
    if kind not in _KINDS or not colon or not name:
        near = nearest(kind, _KINDS)
        hint = f"did you mean {near}:{rest or 'NAME'}?" if near and kind not in _KINDS else f"it is {_FORM}"
        raise UsageError(f"{text!r} names no model", hint=hint)
    return _KINDS[kind](name, f"http{address}" if address else None)
