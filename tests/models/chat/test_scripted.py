"""Scripts in place of models."""

from typing import Any

import pytest

from dragoman.errors import UsageError
from dragoman.models.calls import ToolCall
from dragoman.models.chat.events import (
    Stop,
    Stopped,
    TextDelta,
    ThinkingDelta,
    ToolCallBegun,
    ToolCallMade,
    Usage,
    UsageReported,
)
from dragoman.models.chat.messages import said_by_user
from dragoman.models.chat.request import ModelRequest
from dragoman.models.chat.scripted import ScriptedModel, ScriptedReply

REQUEST = ModelRequest((said_by_user("Hi."),), "Brief.")
CALL = ToolCall("c1", "now", {})


def test_lines_are_said_in_their_order() -> None:
    model = ScriptedModel("Good day.", CALL, [CALL], lambda request: request.system or "")

    assert list(model.play(REQUEST)) == [
        TextDelta("Good "),
        TextDelta("day."),
        UsageReported(Usage(0, 3)),
        Stopped(Stop.END, "end"),
    ]
    called = [
        ToolCallBegun("c1", "now"),
        ToolCallMade("c1", "now", "{}"),
        UsageReported(Usage()),
        Stopped(Stop.TOOLS, "tools"),
    ]
    assert [type(event) for event in model.play(REQUEST)] == [type(event) for event in called]
    assert list(model.play(REQUEST))[:2] == called[:2]
    assert next(model.play(REQUEST)) == TextDelta("Brief.")
    assert model.requests == [REQUEST] * 4


def test_whole_reply_is_played() -> None:
    model = ScriptedModel(ScriptedReply("a", (CALL,), "hm", Stop.MAX_TOKENS, Usage(1, 2)))

    assert list(model.play(REQUEST)) == [
        ThinkingDelta("hm"),
        TextDelta("a"),
        ToolCallBegun("c1", "now"),
        ToolCallMade("c1", "now", "{}"),
        UsageReported(Usage(1, 2)),
        Stopped(Stop.MAX_TOKENS, "max_tokens"),
    ]


def test_failures_are_raised() -> None:
    with pytest.raises(OSError, match="gone"):
        list(ScriptedModel(OSError("gone")).play(REQUEST))
    with pytest.raises(UsageError, match="it has 0 replies"):
        list(ScriptedModel().play(REQUEST))


def test_script_is_read_from_json() -> None:
    model = ScriptedModel.from_json(
        [
            "Hi.",
            {"text": "a", "thinking": "b", "calls": [{"name": "t", "id": "c1"}], "stop": "refusal"},
            {"calls": [{"name": "t", "arguments": '{"a":1}'}, {"name": "t", "arguments": 7}]},
        ]
    )

    assert next(model.play(REQUEST)) == TextDelta("Hi.")
    assert list(model.play(REQUEST))[:3] == [ThinkingDelta("b"), TextDelta("a"), ToolCallBegun("c1", "t")]
    made = [event.arguments for event in model.play(REQUEST) if isinstance(event, ToolCallMade)]
    assert made == ['{"a":1}', "{}"]


@pytest.mark.parametrize(
    "broken", ["Hi.", [7], [{"calls": {}}], [{"calls": [7]}], [{"calls": [{"id": "c"}]}], [{"stop": "tired"}]]
)
def test_what_is_no_script_is_refused(broken: Any) -> None:
    with pytest.raises(UsageError):
        ScriptedModel.from_json(broken)
