"""What the demo's inn says for you to a model: three prompts, a fourth from the cellar, and how to complete them."""

from itertools import chain

from dragoman.demo.cities import CITIES
from dragoman.demo.inn import Inn
from dragoman.demo.job import Job, Refusal
from dragoman.demo.resources import GUIDE, PHRASES
from dragoman.demo.wire import Message

__all__ = ["complete", "definitions", "get"]

_TEXTS = {
    "greeting": "Greet {name} at the door of the inn, in {language}.",
    "day_plan": "Plan a day in {city} for somebody who loves {interest}.",
    "house_rules": "Explain the house rules to a guest.",
    "riddle": "Tell a riddle whose answer is: a phrase book.",
}

_ARGUMENTS: dict[str, list[Message]] = {
    "greeting": [{"name": "name", "required": True}, {"name": "language", "description": "English if left out"}],
    "day_plan": [{"name": "city", "required": True}, {"name": "interest", "required": True}],
}

_INTERESTS = {"Cairo": ["pyramids", "river"], "Isfahan": ["bridges", "tiles"], "Venice": ["boats", "glass", "masks"]}


def definitions(inn: Inn) -> list[Message]:
    """List the prompts there are; the riddle only once the cellar is open."""
    names = [name for name in _TEXTS if inn.is_cellar_open or name != "riddle"]
    return [
        {"name": name, "description": _TEXTS[name], "arguments": _ARGUMENTS[name]}
        if name in _ARGUMENTS
        else {"name": name, "description": _TEXTS[name]}
        for name in names
    ]


def get(job: Job) -> Message:
    """Fill in the prompt that a `prompts/get` names."""
    name, given = job.text("name"), job.table("arguments")
    if name not in {definition["name"] for definition in definitions(job.server.inn)}:
        raise Refusal(-32602, f"there is no prompt {name!r}")
    for argument in _ARGUMENTS.get(name, ()):
        if argument.get("required") and argument["name"] not in given:
            raise Refusal(-32602, f"the prompt {name!r} needs the argument {argument['name']!r}")
    text = _TEXTS[name].format_map({"language": "English", **given})
    messages: list[Message] = [{"role": "user", "content": {"type": "text", "text": text}}]
    if name == "house_rules":
        guide = {"uri": "demo://guide", "mimeType": "text/markdown", "text": GUIDE}
        messages.append({"role": "user", "content": {"type": "resource", "resource": guide}})
    return {"description": _TEXTS[name], "messages": messages}


def complete(job: Job) -> Message:
    """Suggest values for an argument of a prompt or a variable of a template."""
    argument, context = job.table("argument"), job.table("context")
    beginning = str(argument.get("value", "")).lower()
    choices = _choices(argument.get("name"), context.get("arguments") or {})
    values = [choice for choice in choices if choice.lower().startswith(beginning)]
    return {"completion": {"values": values, "total": len(values), "hasMore": False}}


def _choices(name: str | None, known: Message) -> list[str]:
    if name in ("city", "origin", "destination"):
        return [city for city in CITIES if city != known.get("origin")]
    if name == "interest":
        return _INTERESTS.get(known.get("city", ""), sorted(chain.from_iterable(_INTERESTS.values())))
    return [*PHRASES] if name == "language" else []
