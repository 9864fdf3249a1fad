"""The Gemini API, whose calls are never in pieces."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from dragoman.models.chat.choices import Choice, GeminiModel
from tests.servers.providers.playing import Failing, Interface, Said, sse

__all__ = ["INTERFACE", "SIGNATURE"]

SIGNATURE = b"\xfb\xff\xfe\x00s"
"""Bytes whose base64 has both characters that its alphabets differ by."""

STOPS = {"end": "STOP", "tools": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}


def choice(url: str, client: Any = None) -> Choice:
    return GeminiModel("gemini-played", client=client, base_url=None if client else url)


def stream(said: Said) -> list[bytes]:
    return [sse(chunk) for chunk in chunks(said)]


def chunks(said: Said) -> Iterator[dict[str, Any]]:
    for piece in said.thinking:
        yield chunk([{"text": piece, "thought": True}])
    for piece in said.text:
        yield chunk([{"text": piece}])
    for number, call in enumerate(said.calls if said.reason == "tools" else ()):
        function = {"name": call.name, "args": json.loads(call.arguments), **({"id": call.id} if call.id else {})}
        yield chunk(
            [
                {
                    "functionCall": function,
                    **({"thoughtSignature": base64.b64encode(SIGNATURE).decode()} if number == 0 else {}),
                }
            ]
        )
    if said.odd:
        yield {**chunk([{"goldenPart": {"karat": 24}}]), "gilded": True}
    given, wrote, cached = said.usage
    usage = {"promptTokenCount": given, "candidatesTokenCount": wrote, "totalTokenCount": given + wrote}
    candidate = {"content": {"role": "model", "parts": []}, "finishReason": STOPS[said.reason], "index": 0}
    yield {"candidates": [candidate], "usageMetadata": {**usage, "cachedContentTokenCount": cached}}


def chunk(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], "modelVersion": "gemini-played"}


def failure(failing: Failing) -> bytes:
    error = {"code": failing.status, "message": failing.message, "status": failing.code or "INTERNAL"}
    return json.dumps({"error": error}).encode()


OVERLOADED = sse({"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}})

INTERFACE = Interface(choice, stream, failure, OVERLOADED, ":streamGenerateContent")
