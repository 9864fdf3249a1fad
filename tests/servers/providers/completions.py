"""OpenAI's Chat Completions: calls side by side come in pieces that are mixed."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from dragoman.models.chat.choices import Choice, OpenAIModel
from tests.servers.providers.playing import Failing, Interface, Said, sse

__all__ = ["INTERFACE"]

STOPS = {"end": "stop", "tools": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}


def choice(url: str, client: Any = None) -> Choice:
    return OpenAIModel("gpt-played", client=client, base_url=None if client else f"{url}/v1")


def stream(said: Said) -> list[bytes]:
    return [*(sse(chunk) for chunk in chunks(said)), sse("[DONE]")]


def chunks(said: Said) -> Iterator[dict[str, Any]]:
    yield chunk({"role": "assistant", "content": ""})
    for piece in said.thinking:
        yield chunk({"reasoning_content": piece})
    for piece in said.text:
        yield chunk({"content": piece})
        if said.odd:
            yield {**chunk({"gold": 1}), "gilded": True}
            yield {**chunk({}), "choices": []}
    for index, call in enumerate(said.calls):
        function = {"name": call.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]})
    for pieces in zip_longest(*(call.pieces for call in said.calls)):
        for index, piece in enumerate(pieces):
            if piece is not None:
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, STOPS[said.reason])
    given, wrote, cached = said.usage
    usage = {"prompt_tokens": given, "completion_tokens": wrote, "total_tokens": given + wrote}
    yield {**chunk({}), "choices": [], "usage": {**usage, "prompt_tokens_details": {"cached_tokens": cached}}}


def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-played",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }


def failure(failing: Failing) -> bytes:
    error = {"message": failing.message, "type": failing.code or "server_error", "param": None, "code": None}
    return json.dumps({"error": error}).encode()


OVERLOADED = sse({"error": {"message": "Overloaded", "type": "server_error", "code": "server_is_overloaded"}})

INTERFACE = Interface(choice, stream, failure, OVERLOADED, "/v1/chat/completions")
