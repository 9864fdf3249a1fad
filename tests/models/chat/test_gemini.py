"""The Gemini API: requests written, streams read."""

from typing import Any

import pytest
from msgspec import structs

from dragoman.models.chat.choices import GeminiModel
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
from dragoman.models.chat.gemini import GeminiReader, written
from dragoman.models.chat.messages import Call, ModelMessage, Text, Thinking, ToolMessage, said_by_user
from dragoman.models.chat.request import ModelRequest
from dragoman.models.gemini import definitions
from dragoman.types import Tool
from tests.models.chat.making import CALL, answered, heard, talk

MODEL = GeminiModel("gemini-x", extra={"thinkingConfig": {"includeThoughts": True}})
TOOLS = definitions([Tool.define("git log", {"type": "object"}, description="Show.")])
(NAME,) = TOOLS.names
SIGNED = {"gemini": {"thoughtSignature": "s"}}


def test_whole_request_is_written() -> None:
    request = ModelRequest(talk("gemini", True)[:3], "Be brief.", TOOLS, "required", 99, 0.5, ("END",))
    inline = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}

    assert written(request, MODEL) == {
        "model": "gemini-x",
        "contents": [
            {"role": "user", "parts": [{"text": "Look."}, inline]},
            {
                "role": "model",
                "parts": [
                    {"text": "Well:"},
                    {"functionCall": {"id": "c1", "name": NAME, "args": {"path": "."}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "name": NAME,
                            "response": {"output": "ab12"},
                            "id": "c1",
                            "parts": [inline],
                        }
                    }
                ],
            },
        ],
        "config": {
            "tools": [{"functionDeclarations": list(TOOLS)}],
            "automaticFunctionCalling": {"disable": True},
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
            "maxOutputTokens": 99,
            "temperature": 0.5,
            "stopSequences": ["END"],
            "thinkingConfig": {"includeThoughts": True},
        },
    }


def test_signatures_go_back_and_made_up_ids_do_not() -> None:
    call = Call("dragoman_call_1", "t", "{}", SIGNED)
    history = (
        said_by_user("Hi."),
        ModelMessage((Thinking("Hm."), Text("", SIGNED), Text(""), call)),
        ToolMessage((structs.replace(answered(CALL, "x"), id="dragoman_call_1", name="t"),)),
        ModelMessage((Thinking("Hm."),)),
    )
    sent = written(ModelRequest(history), GeminiModel("gemini-x"))

    assert sent["contents"][1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "", "thoughtSignature": "s"},
                {"functionCall": {"name": "t", "args": {}}, "thoughtSignature": "s"},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "t", "response": {"output": "x"}}}]},
    ]
    assert sent["config"] == {"automaticFunctionCalling": {"disable": True}}


def test_older_models_get_pictures_beside_the_responses() -> None:
    sent = written(ModelRequest(talk("gemini", True)[:3]), GeminiModel("gemini-2.5-pro"))

    assert "inlineData" in sent["contents"][2]["parts"][2]


def chunk(*parts: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, **({"finishReason": reason} if reason else {})}]}


def test_whole_stream_is_read() -> None:
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 2, "cachedContentTokenCount": 4}

    told = heard(
        GeminiReader(),
        [
            chunk({"text": "Hm.", "thought": True}),
            chunk({"text": "We"}, {"text": "ll", "thoughtSignature": "s"}, {"goldenPart": {}}),
            chunk({"functionCall": {"name": "t", "args": {"a": 1}}, "thoughtSignature": "s"}),
            chunk({"functionCall": {"name": "u", "id": "c2"}}),
            {"candidates": [{"finishReason": "STOP"}], "usageMetadata": usage},
            {"promptFeedback": {}, "candidates": None},
        ],
    )

    assert told == [
        ThinkingDelta("Hm."),
        TextDelta("We"),
        TextDelta("ll", SIGNED),
        ToolCallBegun("", "t"),
        ToolCallMade("", "t", '{"a":1}', SIGNED),
        ToolCallBegun("c2", "u"),
        ToolCallMade("c2", "u", "{}"),
        UsageReported(Usage(9, 5, 4)),
        Stopped(Stop.TOOLS, "STOP"),
    ]


@pytest.mark.parametrize(
    ("events", "stopped"),
    [
        ([chunk({"text": "a"}, reason="STOP")], Stopped(Stop.END, "STOP")),
        ([chunk({"text": "a"}, reason="MAX_TOKENS")], Stopped(Stop.MAX_TOKENS, "MAX_TOKENS")),
        ([chunk(reason="SAFETY")], Stopped(Stop.REFUSAL, "SAFETY")),
        ([chunk(reason="MALFORMED_FUNCTION_CALL")], Stopped(Stop.OTHER, "MALFORMED_FUNCTION_CALL")),
        ([{"promptFeedback": {"blockReason": "OTHER"}}], Stopped(Stop.REFUSAL, "OTHER")),
    ],
)
def test_reasons_are_read(events: list[Any], stopped: Stopped) -> None:
    assert heard(GeminiReader(), events)[-1] == stopped


def test_stream_that_ends_early_has_no_reason() -> None:
    assert heard(GeminiReader(), [chunk({"text": "a"})]) == [TextDelta("a")]
