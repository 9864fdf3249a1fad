# generated from tests/aio/chat/support.py by tools/unasync.py; do not edit
"""What the tests of chats share: functions as tools, and a model that can be held in the middle of a reply."""

from collections.abc import Iterator
from typing import Any

from dragoman import ToolCall, tool
from dragoman.deadline import Deadline
from dragoman.models.chat.events import ModelEvent, Stop, Stopped, TextDelta, UsageReported
from dragoman.models.chat.events import Usage as Tokens
from dragoman.models.chat.request import ModelRequest
from dragoman.sync._runtime import Event

__all__ = ["Halting", "add", "fail", "greet", "kinds", "scripted"]

scripted = ToolCall.scripted


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Ἀσπάζομαί σε, {name}"


@tool
def fail(why: str = "no reason") -> str:
    """Fail."""
    raise ValueError(why)


class Halting:
    """A model of the application's own, which halts in the middle of its reply until it is let go on.

    Attributes:
        is_closed: whether its stream was closed, or read to the end.
    """

    name = "halting"
    format = "plain"

    def __init__(self) -> None:
        self.begun = Event()
        self.may_go_on = Event()
        self.is_closed = False

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        try:
            yield TextDelta("Well, ")
            yield UsageReported(Tokens(5, 2))
            self.begun.set()
            self.may_go_on.wait(Deadline(20))
            yield TextDelta("yes.")
            yield UsageReported(Tokens(5, 4))
            yield Stopped(Stop.END)
        finally:
            self.is_closed = True


def kinds(history: Any) -> list[str]:
    return [type(message).__name__ for message in history]
