"""Anthropic's Messages API."""

import json
from collections.abc import Iterator
from typing import Any

from dragoman.models.chat.choices import AnthropicModel, Choice
from tests.servers.providers.playing import Failing, Interface, Said, sse

__all__ = ["INTERFACE"]

STOPS = {"end": "end_turn", "tools": "tool_use", "max_tokens": "max_tokens", "refusal": "refusal"}


def choice(url: str, client: Any = None) -> Choice:
    return AnthropicModel("claude-played", client=client, base_url=None if client else url)


def stream(said: Said) -> list[bytes]:
    return [sse(event, str(event["type"])) for event in events(said)]


def events(said: Said) -> Iterator[dict[str, Any]]:
    given, wrote, cached = said.usage
    usage = {"input_tokens": given - cached, "output_tokens": 1, "cache_read_input_tokens": cached}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-played", "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}
    yield {"type": "ping"}
    blocks = list(contents(said))
    for index, (block, deltas) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        if said.odd:
            yield {"type": "content_block_gilded", "index": index}
            yield {"type": "content_block_delta", "index": index, "delta": {"type": "gold_delta", "gold": 1}}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": STOPS[said.reason], "stop_sequence": None},
        "usage": {"output_tokens": wrote},
    }
    yield {"type": "message_stop"}


def contents(said: Said) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    if said.thinking:
        thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in said.thinking]
        yield (
            {"type": "thinking", "thinking": "", "signature": ""},
            [*thoughts, {"type": "signature_delta", "signature": "s1g"}],
        )
    if said.text:
        yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in said.text]
    for call in said.calls:
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *call.pieces)]
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, deltas


def failure(failing: Failing) -> bytes:
    error = {"type": failing.code or "api_error", "message": failing.message}
    return json.dumps({"type": "error", "error": error}).encode()


OVERLOADED = sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")

INTERFACE = Interface(choice, stream, failure, OVERLOADED, "/v1/messages")
