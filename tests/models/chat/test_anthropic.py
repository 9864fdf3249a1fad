"""Anthropic's Messages: requests written, streams read."""

from typing import Any

from dragoman.models.anthropic import definitions
from dragoman.models.chat.anthropic import MessagesReader, written
from dragoman.models.chat.choices import AnthropicModel
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
from dragoman.models.chat.joining import Joiner
from dragoman.models.chat.messages import Call, Message, ModelMessage, Text, said_by_user
from dragoman.models.chat.request import ModelRequest
from dragoman.types import Tool
from tests.models.chat.making import heard, talk

MODEL = AnthropicModel("claude-x", extra={"thinking": {"type": "enabled"}})
TOOLS = definitions([Tool.define("git log", {"type": "object"}, description="Show.")])
(NAME,) = TOOLS.names
SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
SOURCE = {"type": "base64", "media_type": "image/png", "data": "AAAA"}


def test_whole_request_is_written() -> None:
    request = ModelRequest(talk("anthropic", SIGNED), "Be brief.", TOOLS, "required", 99, 0.5, ("END",))

    assert written(request, MODEL) == {
        "model": "claude-x",
        "max_tokens": 99,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image", "source": SOURCE}]},
            {
                "role": "assistant",
                "content": [
                    SIGNED,
                    {"type": "text", "text": "Well:"},
                    {"type": "tool_use", "id": "c1", "name": NAME, "input": {"path": "."}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "content": [{"type": "text", "text": "ab12"}, {"type": "image", "source": SOURCE}],
                    }
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        ],
        "stream": True,
        "tools": list(TOOLS),
        "system": "Be brief.",
        "tool_choice": {"type": "any"},
        "stop_sequences": ["END"],
        "extra_body": {"temperature": 0.5},
        "thinking": {"type": "enabled"},
    }


def test_what_is_not_wanted_is_not_written() -> None:
    request = ModelRequest((said_by_user("Hi."), ModelMessage((Text(" "), Call("c", "t", "{")))))

    assert written(request, AnthropicModel("claude-x")) == {
        "model": "claude-x",
        "max_tokens": 8192,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi."}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c", "name": "t", "input": {"invalid_json": "{"}}],
            },
        ],
        "stream": True,
    }


def test_temperature_stands_beside_what_else_goes_into_the_body() -> None:
    model = AnthropicModel("claude-x", extra={"extra_body": {"gilded": True}})

    assert written(ModelRequest((), temperature=1.0), model)["extra_body"] == {"temperature": 1.0, "gilded": True}
    assert written(ModelRequest(()), model)["extra_body"] == {"gilded": True}


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **change: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": change}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def ended(reason: str | None, **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage or None}


def test_whole_stream_is_read() -> None:
    begun = {"input_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 5, "output_tokens": 1}
    redacted = {"type": "redacted_thinking", "data": "xyz"}

    told = heard(
        MessagesReader(),
        [
            {"type": "message_start", "message": {"usage": {**begun, "service_tier": "standard"}}},
            {"type": "ping"},
            start(0, type="thinking", thinking="", signature=""),
            delta(0, type="thinking_delta", thinking="H"),
            delta(0, type="thinking_delta", thinking="m."),
            delta(0, type="signature_delta", signature="s"),
            stop(0),
            start(1, **redacted),
            stop(1),
            start(2, type="text", text="W"),
            delta(2, type="text_delta", text="ell"),
            delta(2, type="citations_delta", citation={}),
            delta(9, type="text_delta", text="nowhere"),
            stop(2),
            start(3, type="text", text=""),
            start(4, type="tool_use", id="c1", name="t", input={}),
            start(5, type="tool_use", id="c2", name="u", input={}),
            delta(4, type="input_json_delta", partial_json='{"a"'),
            delta(5, type="input_json_delta", partial_json=""),
            delta(4, type="input_json_delta", partial_json=":1}"),
            stop(4),
            stop(5),
            stop(9),
            {"type": "gilded"},
            ended(None),
            ended("tool_use", output_tokens=7),
            {"type": "message_stop"},
        ],
    )

    assert told == [
        UsageReported(Usage(12, 1, 4)),
        ThinkingDelta("H"),
        ThinkingDelta("m."),
        ThinkingDelta("", {"anthropic": SIGNED}),
        ThinkingDelta("", {"anthropic": redacted}),
        TextDelta("W"),
        TextDelta("ell"),
        ToolCallBegun("c1", "t"),
        ToolCallBegun("c2", "u"),
        ToolCallMade("c1", "t", '{"a":1}'),
        ToolCallMade("c2", "u", "{}"),
        UsageReported(Usage(12, 7, 4)),
        Stopped(Stop.TOOLS, "tool_use"),
    ]


def test_call_that_was_cut_off_is_told_at_the_end() -> None:
    told = heard(
        MessagesReader(),
        [
            start(0, type="tool_use", id="c1", name="t"),
            delta(0, type="input_json_delta", partial_json='{"a'),
            ended("max_tokens"),
        ],
    )

    assert told[1:] == [ToolCallMade("c1", "t", '{"a'), Stopped(Stop.MAX_TOKENS, "max_tokens")]


def test_thoughts_without_a_signature_are_not_kept() -> None:
    assert heard(MessagesReader(), [start(0, type="thinking", thinking=""), stop(0), ended("tired")]) == [
        Stopped(Stop.OTHER, "tired")
    ]


def test_stream_that_ends_early_has_no_reason() -> None:
    assert heard(MessagesReader(), [start(0, type="text", text="a")]) == [TextDelta("a")]


def test_block_that_is_whole_where_it_begins_is_read() -> None:
    thinking = start(0, type="thinking", thinking="Hm.", signature="s")
    call = start(1, type="tool_use", id="c1", name="t", input={"a": 1})
    reader = MessagesReader("anthropic")

    assert heard(reader, [thinking, stop(0), call, stop(1), ended("tool_use")]) == [
        ThinkingDelta("Hm."),
        ThinkingDelta("", {"anthropic": {"type": "thinking", "thinking": "Hm.", "signature": "s"}}),
        ToolCallBegun("c1", "t"),
        ToolCallMade("c1", "t", '{"a":1}'),
        Stopped(Stop.TOOLS, "tool_use"),
    ]


USE = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "inns"}}
FOUND = {
    "type": "web_search_tool_result",
    "tool_use_id": "s1",
    "content": [{"type": "web_search_result", "url": "https://a.example", "title": "A", "encrypted_content": "e"}],
}
CITED = {"type": "web_search_result_location", "url": "https://a.example", "encrypted_index": "i", "cited_text": "x"}
SEARCHING = [
    start(0, type="text", text="Let me see."),
    stop(0),
    start(1, **{**USE, "input": {}}),
    delta(1, type="input_json_delta", partial_json='{"query":'),
    delta(1, type="input_json_delta", partial_json=' "inns"}'),
    stop(1),
]
SEARCHED = [
    *SEARCHING,
    start(2, **FOUND),
    stop(2),
    start(3, type="text", text=""),
    delta(3, type="text_delta", text="There is one."),
    delta(3, type="citations_delta", citation=CITED),
    delta(3, type="citations_delta", citation={"type": "char_location", "file_id": "f"}),
    stop(3),
]
OLD = {"type": "text", "text": "Let me see."}


def said(events: list[Any], reason: str, origin: str = "anthropic") -> ModelMessage:
    joiner = Joiner("claude-x")
    for event in heard(MessagesReader(origin), [*events, ended(reason)]):
        joiner.add(event)
    return joiner.message


def contents(*history: Message) -> list[Any]:
    return [each["content"] for each in written(ModelRequest(history), MODEL)["messages"]]


def test_what_the_apis_own_tools_did_goes_back_as_it_came() -> None:
    message = said(SEARCHED, "end_turn")

    cited = {"type": "text", "text": "There is one.", "citations": [CITED]}
    assert contents(said_by_user("Inns?"), message, said_by_user("Where?"))[1] == [OLD, USE, FOUND, cited]
    assert message.text == "Let me see.There is one."


def test_turn_that_pauses_within_a_use_of_the_apis_own_tools_goes_on_with_it() -> None:
    paused, rest = said(SEARCHING, "pause_turn"), said([start(0, **FOUND), stop(0)], "pause_turn")

    assert contents(said_by_user("Inns?"), paused)[-1] == [OLD, USE]
    assert contents(said_by_user("Inns?"), paused, rest)[1:] == [[OLD, USE], [FOUND]]


def test_use_of_the_apis_own_tools_that_nothing_came_of_is_left_out_once_others_speak() -> None:
    paused = said(SEARCHING, "pause_turn")

    assert contents(said_by_user("Inns?"), paused, said_by_user("Never mind."))[1] == [OLD]


def test_use_of_the_apis_own_tools_that_was_cut_off_is_none() -> None:
    assert said(SEARCHING[:4], "max_tokens").parts == (Text("Let me see."),)


def test_what_the_apis_own_tools_did_is_nothing_for_other_models() -> None:
    message = said(SEARCHED, "end_turn", "https://other.example")

    assert contents(said_by_user("Inns?"), message)[1] == [OLD, {"type": "text", "text": "There is one."}]


def test_block_of_a_kind_that_is_not_known_is_passed_over() -> None:
    assert heard(MessagesReader(), [start(0, type="gilded"), delta(0, type="gilding"), stop(0)]) == []
