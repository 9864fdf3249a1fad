"""OpenAI's Responses: requests written, streams read."""

from typing import Any

import pytest

from dragoman.models.chat.choices import OpenAIModel
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
from dragoman.models.chat.failures import ModelRejected, ModelUnavailable
from dragoman.models.chat.messages import Call, ModelMessage, Text
from dragoman.models.chat.request import ModelRequest
from dragoman.models.chat.responses import ResponsesReader, written
from dragoman.models.openai import item_definitions
from dragoman.types import Tool
from tests.models.chat.making import heard, talk

MODEL = OpenAIModel("gpt-5.2", api="responses", extra={"reasoning": {"effort": "low"}})
TOOLS = item_definitions([Tool.define("git log", {"type": "object"}, description="Show.")])
(NAME,) = TOOLS.names
REASONING = {"type": "reasoning", "id": "rs", "encrypted_content": "x", "summary": []}
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}


def test_whole_request_is_written() -> None:
    request = ModelRequest(talk(MODEL.origin, REASONING), "Be brief.", TOOLS, "none", 99, 0.5)

    assert written(request, MODEL) == {
        "model": "gpt-5.2",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Look."}, IMAGE]},
            REASONING,
            {"role": "assistant", "content": "Well:"},
            {"type": "function_call", "call_id": "c1", "name": NAME, "arguments": '{"path":"."}'},
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": [{"type": "input_text", "text": "ab12"}, IMAGE],
            },
            {"role": "assistant", "content": "Done."},
        ],
        "stream": True,
        "store": False,
        "tools": list(TOOLS),
        "instructions": "Be brief.",
        "tool_choice": "none",
        "max_output_tokens": 99,
        "temperature": 0.5,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "low"},
    }


def test_what_is_not_wanted_is_not_written() -> None:
    request = ModelRequest((ModelMessage((Call("c", "t", "{"),)),))

    assert written(request, OpenAIModel("gpt-4.1", api="responses")) == {
        "model": "gpt-4.1",
        "input": [{"type": "function_call", "call_id": "c", "name": "t", "arguments": '{"invalid_json":"{"}'}],
        "stream": True,
        "store": False,
    }


def added(**item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.added", "item": item}


def done(**item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "item": item}


def delta(kind: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "delta": text, **more}


def ended(kind: str = "completed", **response: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": {"status": kind, **response}}


def test_whole_stream_is_read() -> None:
    call = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "t"}
    other = {"type": "function_call", "id": "f2", "call_id": "c2", "name": "u"}
    usage = {"input_tokens": 9, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 4}}

    told = heard(
        ResponsesReader("o"),
        [
            {"type": "response.created", "response": {}},
            added(type="reasoning", id="rs"),
            delta("reasoning_summary_text", "H"),
            delta("reasoning_text", "m."),
            done(type="reasoning", id="rs", encrypted_content="x"),
            done(type="reasoning", id="rs"),
            delta("output_text", "Well"),
            done(type="message"),
            added(**call, arguments=""),
            added(**other, arguments="{"),
            delta("function_call_arguments", '{"a":1}', item_id="f1"),
            delta("function_call_arguments", "}", item_id="f2"),
            delta("function_call_arguments", "}", item_id="f9"),
            done(**call, arguments='{"a":1}'),
            done(**other),
            done(type="function_call", id="f3", call_id="c3", name="v"),
            ended(usage=usage),
        ],
    )

    assert told == [
        ThinkingDelta("H"),
        ThinkingDelta("m."),
        ThinkingDelta("", {"o": REASONING}),
        TextDelta("Well"),
        ToolCallBegun("c1", "t"),
        ToolCallBegun("c2", "u"),
        ToolCallMade("c1", "t", '{"a":1}'),
        ToolCallMade("c2", "u", "{}"),
        ToolCallMade("c3", "v", "{}"),
        UsageReported(Usage(9, 3, 4)),
        Stopped(Stop.TOOLS, "completed"),
    ]


def test_call_that_was_cut_off_is_told_at_the_end() -> None:
    told = heard(
        ResponsesReader(),
        [
            added(type="function_call", id="f1", call_id="c1", name="t"),
            delta("function_call_arguments", '{"a', item_id="f1"),
            ended("incomplete", incomplete_details={"reason": "max_output_tokens"}, usage={"input_tokens": None}),
        ],
    )

    assert told[1:] == [
        UsageReported(Usage()),
        ToolCallMade("c1", "t", '{"a'),
        Stopped(Stop.MAX_TOKENS, "max_output_tokens"),
    ]


@pytest.mark.parametrize(
    ("events", "stopped"),
    [
        ([delta("output_text", "a"), ended()], Stopped(Stop.END, "completed")),
        ([delta("refusal", "no"), ended()], Stopped(Stop.REFUSAL, "completed")),
        (
            [ended("incomplete", incomplete_details={"reason": "content_filter"})],
            Stopped(Stop.REFUSAL, "content_filter"),
        ),
        ([ended("incomplete")], Stopped(Stop.OTHER, "incomplete")),
    ],
)
def test_reasons_are_read(events: list[Any], stopped: Stopped) -> None:
    assert heard(ResponsesReader(), events)[-1] == stopped


def test_stream_that_ends_early_has_no_reason() -> None:
    assert heard(ResponsesReader(), [delta("output_text", "a"), added(type="message")]) == [TextDelta("a")]


def test_failures_are_raised() -> None:
    with pytest.raises(ModelUnavailable, match="openai: busy"):
        heard(ResponsesReader(), [ended("failed", error={"code": "server_error", "message": "busy"})])
    with pytest.raises(ModelRejected, match="openai: bad_prompt"):
        heard(ResponsesReader(), [{"type": "error", "error": {"code": "bad_prompt"}}])
    with pytest.raises(ModelUnavailable, match="too much"):
        heard(ResponsesReader(), [{"type": "error", "code": "rate_limit_exceeded", "message": "too much"}])
    with pytest.raises(ModelUnavailable, match="the reply failed"):
        heard(ResponsesReader(), [ended("failed")])


WHOLE = {"type": "message", "content": [{"type": "output_text", "text": "Well."}]}
REFUSED = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}, {"type": "gold"}]}
CALLED = {"type": "function_call", "call_id": "c1", "name": "t", "arguments": "{}"}


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([done(**WHOLE), ended(output=[WHOLE])], [TextDelta("Well."), Stopped(Stop.END, "completed")]),
        ([ended(output=[WHOLE])], [TextDelta("Well."), Stopped(Stop.END, "completed")]),
        ([done(**REFUSED), ended()], [TextDelta("No."), Stopped(Stop.REFUSAL, "completed")]),
        ([ended(output=[CALLED])], [ToolCallMade("c1", "t", "{}"), Stopped(Stop.TOOLS, "completed")]),
        (
            [delta("output_text", "Well."), done(**WHOLE), done(**WHOLE), ended(output=[WHOLE, WHOLE])],
            [TextDelta("Well."), TextDelta("Well."), Stopped(Stop.END, "completed")],
        ),
        ([delta("output_text", "We"), ended(output=[WHOLE])], [TextDelta("We"), Stopped(Stop.END, "completed")]),
    ],
)
def test_what_comes_without_pieces_is_read_once(events: list[Any], told: list[Any]) -> None:
    assert [each for each in heard(ResponsesReader(), events) if not isinstance(each, UsageReported)] == told


def test_text_that_has_only_something_kept_is_not_written() -> None:
    request = ModelRequest((ModelMessage((Text("", {"gemini": {}}), Text("a")), "m"),))

    assert written(request, MODEL)["input"] == [{"role": "assistant", "content": "a"}]
