"""Play a conversation by hand: note each step that it asks for, and answer with what the test has ready."""

import json
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from msgspec import Raw, Struct

from dragoman.protocol.eras import Era, Identity
from dragoman.protocol.eras.legacy import Legacy
from dragoman.protocol.eras.modern import Modern
from dragoman.protocol.steps import Call, Conversation, Hedge, Pause, Reply, Step, Tell
from dragoman.types import ClientCapabilities, Implementation

__all__ = ["IDENTITY", "LEGACY", "MODERN", "Played", "Second", "identity", "methods", "play", "raw", "wire"]

T = TypeVar("T")


def identity(**capabilities: Any) -> Identity:
    return Identity(Implementation("tester", version="1"), ClientCapabilities(**capabilities))


IDENTITY = identity()
LEGACY = Legacy("2025-11-25", IDENTITY)
MODERN = Modern("2026-07-28", IDENTITY)


class Second(Struct, frozen=True):
    """The result that the second request of a `Hedge` is answered by, before the first is."""

    result: Any


class Played(Generic[T]):
    """What a conversation asked for, and what it came to."""

    def __init__(self, steps: list[Step], result: T) -> None:
        self.steps = steps
        self.result = result

    @property
    def requests(self) -> list[str]:
        """The methods of the requests that were certainly sent."""
        return methods(self.steps)


def methods(steps: list[Step]) -> list[str]:
    calls = [step.first if isinstance(step, Hedge) else step for step in steps]
    return [call.request.method for call in calls if isinstance(call, Call)]


def play(
    conversation: Conversation[T],
    *answers: Any,
    era: Era = MODERN,
    steps: list[Step] | None = None,
    to_the_last: bool = True,
) -> Played[T]:
    """Answer each step in turn; each has an answer, and `to_the_last` each answer is wanted.

    A request is answered by the JSON of its result, a question by what the application says; an exception is thrown.
    `steps` is where a test finds the steps of a conversation that it expects to raise.
    """
    asked: list[Step] = [] if steps is None else steps
    ready = iter(answers)
    try:
        step = conversation.send(None)
        while True:
            asked.append(step)
            answer = _answer(step, ready, era)
            step = conversation.throw(answer) if isinstance(answer, BaseException) else conversation.send(answer)
    except StopIteration as end:
        assert not (to_the_last and list(ready)), "there are answers that were wanted by nobody"
        return Played(asked, end.value)


def _answer(step: Step, ready: Iterator[Any], era: Era) -> Any:
    if isinstance(step, Tell | Pause):
        return None
    answer = next(ready, AssertionError(f"no answer is left for {step}"))
    if isinstance(answer, BaseException | Reply) or not isinstance(step, Call | Hedge):
        return answer
    is_second = isinstance(answer, Second)
    call = step if isinstance(step, Call) else step.second if is_second else step.first
    return Reply(raw(answer.result if is_second else answer), call.era or era)


def raw(value: Any) -> Raw:
    """Write JSON as it comes from a server; bytes are taken for JSON."""
    return Raw(value if isinstance(value, bytes) else json.dumps(value).encode())


def wire(call: Step, era: Era = MODERN, request_id: int = 7) -> dict[str, Any]:
    """Give the message that a call sends."""
    assert isinstance(call, Call)
    message: dict[str, Any] = json.loads((call.era or era).outgoing(call.request, request_id).data)
    return message
