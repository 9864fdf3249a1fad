"""OpenAI's Responses."""

from collections.abc import Iterator
from typing import Any

from dragoman.models.chat.choices import Choice, OpenAIModel
from tests.servers.providers.completions import failure
from tests.servers.providers.playing import Interface, Said, sse

__all__ = ["INTERFACE"]


def choice(url: str, client: Any = None) -> Choice:
    return OpenAIModel("gpt-9-played", client=client, base_url=None if client else f"{url}/v1", api="responses")


def stream(said: Said) -> list[bytes]:
    numbered = ({**event, "sequence_number": number} for number, event in enumerate(events(said)))
    return [sse(event, str(event["type"])) for event in numbered]


def events(said: Said) -> Iterator[dict[str, Any]]:
    response: dict[str, Any] = {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": response}
    if said.thinking:
        yield from thoughts(said)
    if said.text:
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
        yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        kind = "refusal" if said.reason == "refusal" else "output_text"
        for piece in said.text:
            yield {
                "type": f"response.{kind}.delta",
                "item_id": "msg_1",
                "output_index": 0,
                "content_index": 0,
                "delta": piece,
            }
        yield {"type": "response.output_item.done", "output_index": 0, "item": {**item, "status": "completed"}}
    if said.odd:
        yield {"type": "response.gilded", "gold": 1}
    for index, call in enumerate(said.calls):
        item = {"id": f"fc_{index}", "type": "function_call", "call_id": call.id, "name": call.name, "arguments": ""}
        yield {"type": "response.output_item.added", "output_index": 1 + index, "item": item}
        for piece in call.pieces:
            yield {
                "type": "response.function_call_arguments.delta",
                "item_id": f"fc_{index}",
                "output_index": 1 + index,
                "delta": piece,
            }
        if said.reason != "max_tokens":
            done = {**item, "arguments": call.arguments, "status": "completed"}
            yield {"type": "response.output_item.done", "output_index": 1 + index, "item": done}
    yield ending(said, response)


def thoughts(said: Said) -> Iterator[dict[str, Any]]:
    item: dict[str, Any] = {"id": "rs_1", "type": "reasoning", "summary": []}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    for piece in said.thinking:
        yield {
            "type": "response.reasoning_summary_text.delta",
            "item_id": "rs_1",
            "output_index": 0,
            "summary_index": 0,
            "delta": piece,
        }
    summary = [{"type": "summary_text", "text": "".join(said.thinking)}]
    done = {**item, "summary": summary, "encrypted_content": "s1g"}
    yield {"type": "response.output_item.done", "output_index": 0, "item": done}


def ending(said: Said, response: dict[str, Any]) -> dict[str, Any]:
    given, wrote, cached = said.usage
    usage = {
        "input_tokens": given,
        "output_tokens": wrote,
        "total_tokens": given + wrote,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    if said.reason == "max_tokens":
        details = {"reason": "max_output_tokens"}
        return {
            "type": "response.incomplete",
            "response": {**response, "status": "incomplete", "incomplete_details": details, "usage": usage},
        }
    return {"type": "response.completed", "response": {**response, "status": "completed", "usage": usage}}


OVERLOADED = sse(
    {
        "type": "response.failed",
        "sequence_number": 99,
        "response": {
            "id": "resp_1",
            "object": "response",
            "status": "failed",
            "output": [],
            "error": {"code": "server_is_overloaded", "message": "Overloaded"},
        },
    },
    "response.failed",
)

INTERFACE = Interface(choice, stream, failure, OVERLOADED, "/v1/responses")
