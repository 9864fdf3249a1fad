"""Play a script in place of a model: for tests, demonstrations, and programs that have no key."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from dragoman.errors import UsageError
from dragoman.models.calls import ToolCall
from dragoman.models.catalogue import estimate_tokens
from dragoman.models.chat.events import (
    ModelEvent,
    Stop,
    Stopped,
    TextDelta,
    ThinkingDelta,
    ToolCallBegun,
    ToolCallMade,
    Usage,
    UsageReported,
)
from dragoman.models.chat.request import ModelRequest
from dragoman.types import is_array, is_object

__all__ = ["Line", "ScriptedModel", "ScriptedReply"]

_WORD = re.compile(r"\s*\S+\s*|\s+")


class ScriptedReply(Struct, frozen=True):
    """What a scripted model says at once.

    Attributes:
        text: its text. thinking: what it thinks before.
        calls: the calls that it asks for.
        stop: why it stops, None for what fits.
        usage: the tokens, None for an estimate of the text.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    stop: Stop | None = None
    usage: Usage | None = None


Line: TypeAlias = str | ToolCall | Iterable[ToolCall] | ScriptedReply | Exception
"""One line of a script: text, calls, both, or what is raised in place of a reply."""


class ScriptedModel:
    """A model that says what it was told to; owns its place in the script. It never asks anything of the network.

    A line may be a function of the request, for replies that depend on what came of calls.

    Attributes:
        requests: what was asked of it, in its order.
    """

    provider = "scripted"
    format = "plain"
    origin = "scripted"

    def __init__(self, *lines: Line | Callable[[ModelRequest], Line], name: str = "scripted") -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self._lines = deque(lines)

    def play(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Play the next line.

        Raises:
            UsageError: there is none. Whatever the script says.
        """
        self.requests.append(request)
        if not self._lines:
            raise UsageError(f"the script is at its end: it has {len(self.requests) - 1} replies")
        line = self._lines.popleft()
        reply = _reply(line(request) if callable(line) else line)
        if reply.thinking:
            yield ThinkingDelta(reply.thinking)
        for word in _WORD.findall(reply.text):
            yield TextDelta(word)
        for call in reply.calls:
            yield ToolCallBegun(call.id, call.name)
            yield ToolCallMade(call.id, call.name, call.json)
        yield UsageReported(reply.usage or Usage(0, estimate_tokens(reply.text)))
        stop = reply.stop or (Stop.TOOLS if reply.calls else Stop.END)
        yield Stopped(stop, str(stop))

    @classmethod
    def from_json(cls, json: Any, *, name: str = "scripted") -> ScriptedModel:
        """Read a script: a list of texts, and of objects with `text`, `thinking`, `calls` and `stop`.

        Each call has a `name` and `arguments`, an object.

        Raises:
            UsageError: it is none.
        """
        if not is_array(json):
            raise UsageError("a script is a list of replies", hint='write ["Hello.", {"calls": [{"name": ...}]}]')
        return cls(*(each if isinstance(each, str) else _read(each) for each in json), name=name)


def _reply(line: Line) -> ScriptedReply:
    match line:
        case Exception():
            raise line
        case str():
            return ScriptedReply(line)
        case ToolCall():
            return ScriptedReply(calls=(line,))
        case ScriptedReply():
            return line
    return ScriptedReply(calls=tuple(line))


def _read(json: Any) -> ScriptedReply:
    if not is_object(json) or not is_array(json.get("calls", [])):
        raise UsageError(f"{json!r} is no reply of a script", hint="give text, or an object with `text` and `calls`")
    try:
        stop = Stop(json["stop"]) if "stop" in json else None
    except ValueError as error:
        raise UsageError(f"nothing stops for {json['stop']!r}", hint=f"it is one of {', '.join(Stop)}") from error
    calls = tuple(_call(call) for call in json.get("calls", []))
    return ScriptedReply(str(json.get("text", "")), calls, str(json.get("thinking", "")), stop)


def _call(json: Any) -> ToolCall:
    if not is_object(json) or not isinstance(json.get("name"), str):
        raise UsageError(f"{json!r} is no call of a script", hint="give an object with `name` and `arguments`")
    arguments: Any = json.get("arguments", {})
    made = ToolCall.scripted(json["name"], arguments if isinstance(arguments, Mapping | str) else {})
    return ToolCall(str(json.get("id") or made.id), made.name, made.arguments)
