# generated from src/dragoman/aio/chatting/sdks.py by tools/unasync.py; do not edit
"""The models of the providers, each by its own SDK: whatever the SDK raises becomes one of this library's errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from dragoman.errors import McpError, UsageError
from dragoman.models.chat.choices import AnthropicModel, Choice, GeminiModel, OpenAIModel
from dragoman.models.chat.dialects import Reader, dialect_of
from dragoman.models.chat.events import ModelEvent, Stopped
from dragoman.models.chat.failures import ModelUnavailable, error_of, unwritten
from dragoman.models.chat.request import ModelRequest
from dragoman.sync._runtime import Home, call_foreign
from dragoman.types import JsonObject, encode

__all__ = ["Provided"]

_END = object()


class _Sdk(Struct, frozen=True):
    """How one SDK is used.

    Attributes:
        extra: the extra that brings it. key: the variable that its key is in.
        open: makes a client; called where it may take its time, since SDKs are large.
        start: begins a stream with the arguments of the request.
        close: closes a client.
    """

    extra: str
    key: str
    open: Callable[[Any], Any]
    start: Callable[[Any, Any, JsonObject], Any]
    close: Callable[[Any], None]


class Provided:
    """A model of a provider; owns the SDK's client that it made, and closes that alone."""

    def __init__(self, choice: Choice) -> None:
        self.name = choice.name
        self.format = choice.format
        self._choice = choice
        self._sdk = _SDKS[type(choice)]
        self._client: Any = None
        self._home = Home()

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Ask the model.

        Raises:
            ModelUnavailable: the provider is busy or out of order, or the line broke; the SDK had tried again before.
            ModelRejected: the provider does not take the request.
            UsageError: the SDK is not installed, or there is no key.
        """
        client = self._choice.client or self._own()
        dialect = dialect_of(self._choice)
        reader = dialect.reader(self._choice.origin)
        stream = self._begun(client, dialect.write(request, self._choice))
        try:
            while (event := self._next(stream)) is not None:
                for each in self._read(reader.read(event)):
                    yield each
        finally:
            _ended(stream)
        for each in self._rest(reader):
            yield each

    def close(self) -> None:
        """Close the SDK's client, if it was made here."""
        client, self._client = self._client, None
        if client is not None and self._home.is_here():
            self._sdk.close(client)

    def _own(self) -> Any:
        """Give the client that is made here; one of another loop, or of a process before a fork, is of no use."""
        if self._client is None or not self._home.is_here():
            self._client, self._home = self._opened(), Home()
        return self._client

    def _opened(self) -> Any:
        try:
            return call_foreign(self._sdk.open, self._choice)
        except ImportError as error:
            missing, extra = self._choice.provider, self._sdk.extra
            raise UsageError(
                f"what speaks with {missing} is not installed: {error}", hint=f"pip install 'dragoman[{extra}]'"
            ) from error
        except Exception as error:
            raise UsageError(f"{self._choice.provider}: {error}", hint=f"set {self._sdk.key}") from error

    def _begun(self, client: Any, arguments: JsonObject) -> Any:
        try:
            return self._sdk.start(client, self._choice, arguments)
        except (TypeError, ValueError) as error:
            raise unwritten(error, self._choice.provider, self._sdk.key) from error
        except Exception as error:
            raise self._error(error) from error

    def _next(self, stream: Any) -> JsonObject | None:
        """Give the next event of a stream as JSON, None at its end; what is no event is passed over."""
        try:
            while not hasattr(event := next(stream, _END), "model_dump"):
                if event is _END:
                    return None
        except Exception as error:
            raise self._error(error) from error
        # Kinds of events that the SDK does not know yet are none of the user's business.
        return event.model_dump(mode="json", by_alias=True, exclude_none=True, warnings=False)  # type: ignore[no-any-return]

    def _rest(self, reader: Reader) -> list[ModelEvent]:
        rest = self._read(reader.end())
        if not any(isinstance(event, Stopped) for event in rest):
            provider = self._choice.provider
            raise ModelUnavailable(f"{provider}: the stream ended before the reply did", provider=provider)
        return rest

    def _read(self, told: Iterator[ModelEvent]) -> list[ModelEvent]:
        """Read what is told, which among those who resemble a provider may be of any shape."""
        try:
            return list(told)
        except (AttributeError, KeyError, TypeError) as error:
            provider = self._choice.provider
            raise ModelUnavailable(f"{provider}: what it sent cannot be read ({error!r})", provider=provider) from error

    def _error(self, failure: Exception) -> McpError:
        return error_of(failure, self._choice.provider, self._sdk.key)


def _ended(stream: Any) -> None:
    """Close a stream, whichever way its SDK has for that."""
    close = getattr(stream, "close", None) or getattr(stream, "close", None)
    if close is not None:
        close()


# ----------------------------------------------------------------------------------------------------------- anthropic


def _open_anthropic(choice: Choice) -> Any:
    from anthropic import Anthropic

    return Anthropic(base_url=choice.base_url)


def _start_anthropic(client: Any, _: Choice, arguments: JsonObject) -> Any:
    return client.messages.create(**arguments)


# -------------------------------------------------------------------------------------------------------------- openai


def _open_openai(choice: Choice) -> Any:
    from openai import OpenAI, OpenAIError

    try:
        return OpenAI(base_url=choice.base_url)
    except OpenAIError:
        if choice.base_url is None:
            raise
        # Servers at home want no key, and the SDK wants one.
        return OpenAI(base_url=choice.base_url, api_key="none")


def _start_openai(client: Any, choice: Choice, arguments: JsonObject) -> Any:
    if isinstance(choice, OpenAIModel) and choice.api == "responses":
        return client.responses.create(**arguments)
    return client.chat.completions.create(**arguments)


# -------------------------------------------------------------------------------------------------------------- gemini


def _open_gemini(choice: Choice) -> Any:
    from google import genai

    options = genai.types.HttpOptions(base_url=choice.base_url) if choice.base_url else None
    return genai.Client(http_options=options)


def _start_gemini(client: Any, _: Choice, arguments: JsonObject) -> Any:
    from google.genai import types

    models = client.models
    # From JSON, since signatures and pictures are base64 there, and bytes to these types.
    contents = [types.Content.model_validate_json(encode(each)) for each in arguments["contents"]]
    config = types.GenerateContentConfig.model_validate(arguments["config"])
    return models.generate_content_stream(model=arguments["model"], contents=contents, config=config)


def _close(client: Any) -> None:
    client.close()


def _close_gemini(client: Any) -> None:
    client.close()


_SDKS: dict[type, _Sdk] = {
    AnthropicModel: _Sdk("anthropic", "ANTHROPIC_API_KEY", _open_anthropic, _start_anthropic, _close),
    OpenAIModel: _Sdk("openai", "OPENAI_API_KEY", _open_openai, _start_openai, _close),
    GeminiModel: _Sdk("gemini", "GEMINI_API_KEY", _open_gemini, _start_gemini, _close_gemini),
}
