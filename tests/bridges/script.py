"""The server that the tests of the frameworks share: what each of its tools answers."""

from typing import Any

from tests.servers.scripts.play import answer, fails, structured, text, wait
from tests.servers.scripts.play import tool as listed

__all__ = ["PICTURE", "SCRIPT"]

PICTURE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}

_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_CLOSED = {**_TEXT, "additionalProperties": False}

SCRIPT: dict[str, Any] = {
    "instructions": "Knock before you enter.",
    "tools": [
        listed("echo", inputSchema=_CLOSED, description="Say it again."),
        listed("open", inputSchema={**_TEXT, "additionalProperties": {"type": "string"}}),
        listed("draw"),
        listed("fail"),
        listed("die"),
        listed("slow"),
        listed("count", outputSchema={"type": "object", "properties": {"rooms": {"type": "integer"}}}),
        listed("burn", annotations={"destructiveHint": True}),
        listed("rooms/list"),
        listed("odd", inputSchema={"type": "object", "properties": {"a": {"type": "nonsense"}}}),
    ],
    "on": {
        "tools/call echo": [text("json:$arguments")],
        "tools/call draw": [answer({"content": [{"type": "text", "text": "Behold:"}, PICTURE]})],
        "tools/call fail": [fails("ENOENT: no such file")],
        "tools/call die": [["die", 3]],
        "tools/call slow": [wait("open"), text("at last")],
        "tools/call count": [structured({"rooms": 3})],
        "tools/call burn": [text("burnt")],
        "tools/call rooms/list": [text("two rooms")],
        "prompts/get": [answer({"messages": [{"role": "user", "content": {"type": "text", "text": "Hello, Ada."}}]})],
    },
}
