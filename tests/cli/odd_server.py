"""A server of 2025-11-25 with everything that is hard to show: escapes, pictures, forms, links, silence."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Message = dict[str, Any]

ESCAPES = "\x1b[31mred\x1b]0;title\x07 \u202egnp.exe [bold]not markup[/bold] \x9b2J\rover"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

TYPED = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number", "description": "of one to another", "default": 0.5},
        "flag": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "where": {"$ref": "#/$defs/place"},
    },
    "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}, "floor": {"type": "integer"}}}},
    "required": ["id"],
}

FORM = {
    "type": "object",
    "properties": {
        "mail": {"type": "string", "format": "email", "title": "Mail", "description": "Where to write to."},
        "password": {"type": "string", "title": "Password", "minLength": 4},
        "colour": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]},
        "sizes": {"type": "array", "items": {"enum": ["small", "large"]}, "minItems": 1},
        "ratio": {"type": "number", "maximum": 1},
        "sure": {"type": "boolean"},
        "note": {"type": "string", "pattern": "^[a-z]+$"},
    },
    "required": ["mail", "password", "colour", "sizes", "sure"],
}

TOOLS: list[Message] = [
    {"name": "typed", "description": "Gives back what it got.", "inputSchema": TYPED},
    {"name": "nothing", "inputSchema": {"type": "object"}},
    {"name": "escapes", "title": ESCAPES, "description": ESCAPES, "inputSchema": {"type": "object"}},
    {"name": "pictures", "inputSchema": {"type": "object"}},
    {"name": "links", "inputSchema": {"type": "object"}},
    {"name": "form", "inputSchema": {"type": "object"}},
    {"name": "visit", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}},
    {"name": "refuse", "inputSchema": {"type": "object"}},
    {"name": "hang", "inputSchema": {"type": "object"}},
    {"name": "stick", "inputSchema": {"type": "object"}},
    {"name": "vast", "inputSchema": {"type": "object", "properties": {"n": {"type": "number", "maximum": "<1e400>"}}}},
    {"name": "away", "inputSchema": {"type": "object"}},
    {
        "name": "untrue",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    },
]

ALBUM = [{"type": "text", "text": "Look."}, {"type": "image", "data": PIXEL, "mimeType": "image/png"}]

RESOURCES = [{"uri": "odd://pixel", "name": "pixel", "mimeType": "image/png"}, {"uri": "odd://text", "name": "text"}]


def send(message: Message) -> None:
    written = json.dumps({"jsonrpc": "2.0", **message})
    sys.stdout.write(written.replace('"<1e400>"', "1e400") + "\n")
    sys.stdout.flush()


def messages() -> Any:
    return map(json.loads, iter(sys.stdin.readline, ""))


def text(words: str, **more: Any) -> Message:
    return {"content": [{"type": "text", "text": words}], **more}


def ask(params: Message) -> Message:
    send({"id": "question", "method": "elicitation/create", "params": params})
    return next(message["result"] for message in messages() if message.get("id") == "question")


def form(_: Message) -> Message:
    answer = ask({"message": "Tell me \x1b[5meverything", "requestedSchema": FORM})
    return text(json.dumps(answer))


def visit(arguments: Message) -> Message:
    params = {"mode": "url", "message": "Please sign in.", "url": arguments["url"], "elicitationId": "e1"}
    return text(json.dumps(ask(params)))


def stick(_: Message) -> Message:
    if "JOURNAL" in os.environ:
        Path(os.environ["JOURNAL"]).write_text(str(os.getpid()), "utf-8")
    time.sleep(60)
    return text("awake")


def pictures(_: Message) -> Message:
    return {
        "content": [
            {"type": "image", "data": PIXEL, "mimeType": "image/png"},
            {"type": "audio", "data": "AAEC", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "odd://x", "blob": "AAEC"}},
            {"type": "image", "data": "not base64!", "mimeType": "image/png"},
            {"type": "hologram", "depth": 3},
        ]
    }


def links(_: Message) -> Message:
    return {
        "content": [
            {"type": "resource_link", "uri": "odd://text", "name": "text"},
            {"type": "resource", "resource": {"uri": "odd://text", "text": "embedded"}},
        ]
    }


CALLS: dict[str, Callable[[Message], Message]] = {
    "typed": lambda arguments: {"content": [], "structuredContent": arguments},
    "nothing": lambda _: {"content": []},
    "escapes": lambda _: text(ESCAPES),
    "pictures": pictures,
    "links": links,
    "form": form,
    "visit": visit,
    "stick": stick,
    "vast": lambda arguments: text("vast", structuredContent={"n": arguments.get("n"), "most": "<1e400>"}),
    "untrue": lambda _: text("text", structuredContent={"n": "many"}),
}


AWAY = {
    "code": -32042,
    "message": "sign in first",
    "data": {
        "elicitations": [
            {"mode": "url", "url": "https://login.example.com/\x1b[31min", "message": "Sign in.", "elicitationId": "e1"}
        ]
    },
}


def read(uri: str) -> Message:
    if uri == "odd://broken":
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": "not base64!"}]}
    if uri == "odd://pixel":
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": PIXEL}]}
    return {"contents": [{"uri": uri, "text": ESCAPES}]}


def answer(message: Message) -> None:
    method, params = message["method"], message.get("params") or {}
    results: dict[str, Callable[[], Message]] = {
        "initialize": lambda: {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "serverInfo": {"name": "odd \x1b[1mone", "version": "1"},
            "instructions": ESCAPES,
        },
        "ping": dict,
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: CALLS[params["name"]](params.get("arguments") or {}),
        "prompts/list": lambda: {"prompts": [{"name": "album"}]},
        "prompts/get": lambda: {"messages": [{"role": "user", "content": each} for each in ALBUM]},
        "resources/list": lambda: {"resources": RESOURCES},
        "resources/templates/list": lambda: {"resourceTemplates": []},
        "resources/read": lambda: read(params["uri"]),
    }
    if method == "tools/call" and params["name"] == "hang":
        return
    if method == "tools/call" and params["name"] == "refuse":
        send({"id": message["id"], "error": {"code": -32000, "message": "not \x1b[31mtoday", "data": {"why": "rain"}}})
    elif method == "tools/call" and params["name"] == "away":
        send({"id": message["id"], "error": AWAY})
    elif method in results:
        send({"id": message["id"], "result": results[method]()})
    else:
        send({"id": message["id"], "error": {"code": -32601, "message": f"no method {method}"}})


def main() -> None:
    journal = os.environ.get("JOURNAL")
    for message in messages():
        if "id" in message and "method" in message:
            answer(message)
        elif journal and message.get("method") == "notifications/cancelled":
            Path(journal).write_text("cancelled", "utf-8")


if __name__ == "__main__":
    main()
