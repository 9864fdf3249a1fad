"""What can be done at the demo's inn: each tool's definition beside its function, the same in both eras."""

import os
import sys
from collections.abc import Callable

from dragoman.demo.cities import CITIES, kilometres
from dragoman.demo.inn import Inn
from dragoman.demo.job import Job, Refusal, ToolFailed
from dragoman.demo.resources import NOTE
from dragoman.demo.wire import Message

__all__ = ["LEVELS", "call", "definitions"]

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

Function = Callable[[Message, Job], Message]

_OFFERED: dict[str, tuple[Message, Function]] = {}

_TYPES: dict[str, type | tuple[type, ...]] = {"boolean": bool, "integer": int, "number": (int, float), "string": str}


def definitions(inn: Inn) -> list[Message]:
    """List the tools on offer; `treasure` only once the cellar is open."""
    return [definition for name, (definition, _) in _OFFERED.items() if inn.is_cellar_open or name != "treasure"]


def call(job: Job) -> Message:
    """Run the tool that a `tools/call` names and give its result."""
    definition, function = _find(job)
    try:
        return function(_checked(job.table("arguments"), definition["inputSchema"]), job)
    except ToolFailed as failure:
        return {**_text(str(failure)), "isError": True}


def _find(job: Job) -> tuple[Message, Function]:
    name = job.text("name")
    if name not in {definition["name"] for definition in definitions(job.server.inn)}:
        raise Refusal(-32602, f"there is no tool {name!r}")
    return _OFFERED[name]


def _checked(values: Message, schema: Message) -> Message:
    for name in schema.get("required", ()):
        if name not in values:
            raise ToolFailed(f"{name!r} is missing")
    for name, value in values.items():
        expected = schema["properties"].get(name, {}).get("type")
        if expected is None:
            raise ToolFailed(f"{name!r} is not asked for")
        if not isinstance(value, _TYPES[expected]) or (isinstance(value, bool) and expected != "boolean"):
            raise ToolFailed(f"{name!r} is not of type {expected}")
    return values


def _tool(description: str, properties: Message, **more: object) -> Callable[[Function], Function]:
    def offer(function: Function) -> Function:
        schema: Message = {"type": "object", "properties": properties}
        required = [name for name, about in properties.items() if "default" not in about]
        if required:
            schema["required"] = required
        name = function.__name__.strip("_")
        _OFFERED[name] = ({"name": name, "description": description, "inputSchema": schema, **more}, function)
        return function

    return offer


def _text(text: str) -> Message:
    return {"content": [{"type": "text", "text": text}]}


@_tool("Says what you said.", {"text": {"type": "string"}}, annotations={"readOnlyHint": True})
def _echo(arguments: Message, job: Job) -> Message:
    return _text(arguments["text"])


@_tool(
    "Travels in stages and reports each one; can be called off.",
    {
        "stages": {"type": "integer", "minimum": 1, "default": 5},
        "seconds": {"type": "number", "minimum": 0, "default": 1, "description": "how long the whole journey takes"},
    },
    annotations={"readOnlyHint": True},
)
def _travel(arguments: Message, job: Job) -> Message:
    stages, seconds = arguments.get("stages", 5), arguments.get("seconds", 1)
    for stage in range(1, stages + 1):
        job.pause(seconds / stages)
        job.progress(stage, stages, f"stage {stage} of {stages}")
    return _text(f"arrived after {stages} stages")


@_tool(
    "Measures the way between two cities.",
    {"origin": {"type": "string", "enum": [*CITIES]}, "destination": {"type": "string", "enum": [*CITIES]}},
    title="Distance",
    outputSchema={
        "type": "object",
        "properties": {
            "origin": {"type": "string"},
            "destination": {"type": "string"},
            "kilometres": {"type": "integer", "minimum": 0},
        },
        "required": ["origin", "destination", "kilometres"],
    },
    annotations={"readOnlyHint": True, "idempotentHint": True},
)
def _distance(arguments: Message, job: Job) -> Message:
    origin, destination = arguments["origin"], arguments["destination"]
    for city in (origin, destination):
        if city not in CITIES:
            raise ToolFailed(f"{city!r} is on no map here; try one of {', '.join(CITIES)}")
    measured = {"origin": origin, "destination": destination, "kilometres": kilometres(origin, destination)}
    return {**_text(f"{measured['kilometres']} km"), "structuredContent": measured}


@_tool("Books a room; asks the guest for the details, and once more before a long stay.", {})
def _book_room(arguments: Message, job: Job) -> Message:
    guest = _filled_in(job, "guest", "Who is coming?", _GUEST)
    if guest and guest["nights"] > 7 and not _is_sure(job, guest["nights"]):
        guest = None
    if guest is None:
        return _text("no room was booked")
    breakfast = "with breakfast" if guest.get("breakfast") else "without breakfast"
    return _text(f"a {guest.get('room', 'plain')} room for {guest['name']}, {guest['nights']} nights, {breakfast}")


def _is_sure(job: Job, nights: int) -> bool:
    stay = _filled_in(job, "long stay", f"Really {nights} nights?", _CERTAINTY)
    return stay is not None and stay["sure"] is True


def _filled_in(job: Job, key: str, message: str, schema: Message) -> Message | None:
    """Have the user fill in a form; None if they would rather not."""
    answer = job.ask(key, "elicitation/create", {"mode": "form", "message": message, "requestedSchema": schema})
    if answer.get("action") != "accept":
        return None
    content = answer.get("content", {})
    return _checked(content, schema)


_GUEST: Message = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1},
        "nights": {"type": "integer", "title": "Nights", "minimum": 1, "maximum": 30, "default": 2},
        "room": {"type": "string", "title": "Room", "enum": ["plain", "courtyard", "tower"], "default": "courtyard"},
        "breakfast": {"type": "boolean", "title": "Breakfast", "default": True},
    },
    "required": ["name", "nights"],
}

_CERTAINTY: Message = {
    "type": "object",
    "properties": {"sure": {"type": "boolean", "title": "Sure", "default": False}},
    "required": ["sure"],
}


@_tool("Has the client's own model translate a text.", {"text": {"type": "string"}, "language": {"type": "string"}})
def _translate(arguments: Message, job: Job) -> Message:
    words = f"Translate into {arguments['language']}: {arguments['text']}"
    question = {"messages": [{"role": "user", "content": {"type": "text", "text": words}}], "maxTokens": 200}
    answer = job.ask("translation", "sampling/createMessage", question)["content"]
    blocks = answer if isinstance(answer, list) else [answer]
    return _text("".join(block["text"] for block in blocks if block.get("type") == "text"))


@_tool("Writes the note that demo://note shows.", {"text": {"type": "string"}}, annotations={"idempotentHint": True})
def _write_note(arguments: Message, job: Job) -> Message:
    job.server.inn.note = arguments["text"]
    job.server.updated(NOTE)
    link = {"type": "resource_link", "uri": NOTE, "name": "note"}
    return {"content": [{"type": "text", "text": "written"}, link]}


@_tool("Logs one message at every level.", {}, annotations={"readOnlyHint": True})
def _log(arguments: Message, job: Job) -> Message:
    for level in LEVELS:
        job.log(level, {"about": "the inn", "level": level})
    return _text("logged")


@_tool("Opens the cellar: a tool, a prompt and a resource come to light.", {}, annotations={"idempotentHint": True})
def _open_cellar(arguments: Message, job: Job) -> Message:
    if not job.server.inn.is_cellar_open:
        job.server.inn.is_cellar_open = True
        for kind in ("tools", "prompts", "resources"):
            job.server.changed(kind)
    return _text("the cellar is open")


@_tool("Fails, and says why in its result.", {"reason": {"type": "string", "default": "the bridge is out"}})
def _fail(arguments: Message, job: Job) -> Message:
    raise ToolFailed(arguments.get("reason", "the bridge is out"))


@_tool("Ends the server's process at once, in the middle of this call.", {}, annotations={"destructiveHint": True})
def _crash(arguments: Message, job: Job) -> Message:
    sys.stderr.write("demo: the roof has come down\n")
    sys.stderr.flush()
    os._exit(3)


@_tool("Shows what lay in the cellar.", {}, annotations={"readOnlyHint": True})
def _treasure(arguments: Message, job: Job) -> Message:
    return _text("a phrase book in nine languages")
