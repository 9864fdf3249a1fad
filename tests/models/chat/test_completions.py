"""OpenAI's Chat Completions: requests written, streams read."""

from typing import Any

import pytest

from dragoman.models.chat.choices import OpenAIModel
from dragoman.models.chat.completions import CompletionsReader, written
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
from dragoman.models.chat.messages import Call, ModelMessage, said_by_user
from dragoman.models.chat.request import ModelRequest
from dragoman.models.openai import definitions
from dragoman.types import AudioContent, EmbeddedResource, ResourceContents, Tool
from tests.models.chat.making import PICTURE, heard, talk

MODEL = OpenAIModel("gpt-x", extra={"seed": 1})
TOOLS = definitions([Tool.define("git log", {"type": "object"}, description="Show.")])
(NAME,) = TOOLS.names
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def test_whole_request_is_written() -> None:
    request = ModelRequest(talk(MODEL.origin, True), "Be brief.", TOOLS, "required", 99, 0.5, ("END",))

    assert written(request, MODEL) == {
        "model": "gpt-x",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Look."}, IMAGE]},
            {
                "role": "assistant",
                "content": "Well:",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": NAME, "arguments": '{"path":"."}'},
                    }
                ],
                "reasoning_content": "Hm.",
            },
            {"role": "tool", "tool_call_id": "c1", "content": "ab12\n[image: image/png, 3 bytes]"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": f"[image: image/png, 3 bytes], which the call c1 of {NAME} returned:"},
                    IMAGE,
                ],
            },
            {"role": "assistant", "content": "Done."},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": list(TOOLS),
        "tool_choice": "required",
        "max_completion_tokens": 99,
        "temperature": 0.5,
        "stop": ["END"],
        "seed": 1,
    }


def test_what_is_not_wanted_is_not_written() -> None:
    request = ModelRequest((said_by_user("Hi.", ""), ModelMessage((Call("c", "t", "{"),))), max_tokens=9)
    sent = written(request, OpenAIModel("llama", base_url="http://localhost/v1"))

    assert sent == {
        "model": "llama",
        "messages": [
            {"role": "user", "content": "Hi."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "t", "arguments": '{"invalid_json":"{"}'}}
                ],
            },
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 9,
    }


def test_sounds_and_documents_are_sent_as_what_they_are() -> None:
    pdf = EmbeddedResource(resource=ResourceContents("file:///a/b.pdf", "application/pdf", blob="AAAA"))
    unnamed = EmbeddedResource(resource=ResourceContents("file:///a/", "application/pdf", blob="AAAA"))
    sounds = AudioContent(data="AA==", mime_type="audio/mpeg"), AudioContent(data="AA==", mime_type="audio/ogg")
    sent = written(ModelRequest((said_by_user(*sounds, pdf, unnamed),)), MODEL)

    file = {"filename": "b.pdf", "file_data": "data:application/pdf;base64,AAAA"}
    assert sent["messages"][0]["content"] == [
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}},
        {"type": "text", "text": "[sound: audio/ogg, 1 bytes]"},
        {"type": "file", "file": file},
        {"type": "file", "file": {**file, "filename": "document.pdf"}},
    ]
    assert PICTURE.mime_type == "image/png"


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta or None, "finish_reason": reason}]}


def piece(arguments: str = "", **more: Any) -> dict[str, Any]:
    name = more.pop("name", None)
    return {**more, "function": {"arguments": arguments, **({"name": name} if name else {})}}


def test_whole_stream_is_read() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}

    told = heard(
        CompletionsReader("o"),
        [
            chunk(role="assistant", content=""),
            chunk(reasoning_content="Hm."),
            chunk(content="We"),
            chunk(content="ll"),
            chunk(tool_calls=[piece(index=0, id="c1", name="t"), piece(index=1, id="c2", name="u")]),
            chunk(tool_calls=[piece('{"a"', index=0)]),
            chunk(tool_calls=[piece("{", index=1, id="c2")]),
            chunk(tool_calls=[piece(":1}", index=0, id="")]),
            chunk(tool_calls=[piece("}", index=1), {"index": 1}]),
            chunk("tool_calls"),
            {"choices": [], "usage": usage},
            {"gilded": True},
        ],
    )

    assert told == [
        ThinkingDelta("Hm."),
        ThinkingDelta("", {"o": True}),
        TextDelta("We"),
        TextDelta("ll"),
        ToolCallBegun("c1", "t"),
        ToolCallBegun("c2", "u"),
        UsageReported(Usage(9, 3, 4)),
        ToolCallMade("c1", "t", '{"a":1}'),
        ToolCallMade("c2", "u", "{}"),
        Stopped(Stop.TOOLS, "tool_calls"),
    ]


def made(*pieces: dict[str, Any]) -> list[ModelEvent]:
    told = heard(CompletionsReader(), [*(chunk(tool_calls=[each]) for each in pieces), chunk("stop")])
    assert told[-1] == Stopped(Stop.TOOLS, "stop")
    return [event for event in told if isinstance(event, ToolCallMade)]


def test_calls_that_are_all_numbered_0_are_told_apart() -> None:
    assert made(piece('{"a":1}', index=0, id="c1", name="t"), piece('{"a":2}', index=0, id="c2", name="t")) == [
        ToolCallMade("c1", "t", '{"a":1}'),
        ToolCallMade("c2", "t", '{"a":2}'),
    ]


def test_calls_without_numbers_are_told_apart() -> None:
    assert made(piece('{"a"', id="c1", name="t"), piece(":1}"), piece("{}", id="c2", name="t")) == [
        ToolCallMade("c1", "t", '{"a":1}'),
        ToolCallMade("c2", "t", "{}"),
    ]
    assert made({"id": "c1"}, piece("", name="t")) == [ToolCallMade("c1", "t", "{}")]


@pytest.mark.parametrize(
    ("reason", "delta", "stop"),
    [
        ("stop", {"content": "a"}, Stop.END),
        ("stop", {"refusal": "no"}, Stop.REFUSAL),
        ("length", {"content": "a"}, Stop.MAX_TOKENS),
        ("content_filter", {"content": "a"}, Stop.REFUSAL),
        ("gilded", {"content": "a"}, Stop.OTHER),
    ],
)
def test_reasons_are_read(reason: str, delta: dict[str, Any], stop: Stop) -> None:
    assert heard(CompletionsReader(), [chunk(**delta), chunk(reason)])[-1] == Stopped(stop, reason)


def test_stream_that_ends_early_has_no_reason() -> None:
    assert heard(CompletionsReader(), [chunk(content="a"), {"usage": {}}, {"usage": {"prompt_tokens": None}}]) == [
        TextDelta("a"),
        UsageReported(Usage()),
    ]


@pytest.mark.parametrize("named", [{}, {"id": ""}, {"id": "c1"}])
def test_whole_calls_that_are_all_numbered_0_and_have_no_ids_of_their_own_are_told_apart(named: dict[str, Any]) -> None:
    first, second = (piece(f'{{"a":{number}}}', index=0, name="t", **named) for number in (1, 2))

    assert [event.arguments for event in made(first, second) if isinstance(event, ToolCallMade)] == [
        '{"a":1}',
        '{"a":2}',
    ]


def test_name_that_comes_again_with_each_piece_begins_no_other_call() -> None:
    pieces = (piece(text, index=0, id="c1", name="t") for text in ('{"a"', ":1", "}", ""))

    assert made(*pieces) == [ToolCallMade("c1", "t", '{"a":1}')]


def test_arguments_that_are_no_text_are_read() -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "t", "arguments": {"a": 1}}}

    assert made(call) == [ToolCallMade("c1", "t", '{"a":1}')]


def test_text_that_is_a_list_of_parts_is_read() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    parts = [thought, {"type": "text", "text": "We"}, {"type": "text", "text": "ll"}, {"type": "gold"}, 7]

    assert heard(CompletionsReader("o"), [chunk(content=parts), chunk(content=7), chunk("stop")]) == [
        ThinkingDelta("Hm."),
        ThinkingDelta("", {"o": True}),
        TextDelta("Well"),
        Stopped(Stop.END, "stop"),
    ]


def test_first_of_several_replies_is_read() -> None:
    both = {"choices": [{"index": 1, "delta": {"content": "no"}}, {"index": 0, "delta": {"content": "yes"}}]}

    assert heard(CompletionsReader(), [both, {"choices": [{"index": 1, "delta": {"content": "no"}}]}]) == [
        TextDelta("yes")
    ]
