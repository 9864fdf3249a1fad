"""Values are taken apart by the types of their fields, and what can be read of them is kept."""

import json
from typing import Any

import pytest
from msgspec import Raw

from dragoman.errors import ProtocolError
from dragoman.protocol.mending import Problem, Salvage, members
from dragoman.types import (
    CallToolResult,
    CompleteResult,
    EmptyResult,
    Icon,
    InitializeResult,
    InputRequiredResult,
    KnownContent,
    ListToolsResult,
    SamplingMessage,
    TextContent,
    Tool,
    ToolsCapability,
    UnknownContent,
    Wire,
)


def raw(value: Any) -> Raw:
    return Raw(json.dumps(value).encode())


def mended(value: Any, kind: type[Wire]) -> tuple[Any, list[str]]:
    """Read a value, and give what was made of it with the places of what was wrong."""
    salvage = Salvage()
    read = salvage.whole(value if isinstance(value, bytes) else raw(value), kind)
    return read, [problem.where for problem in salvage.found()]


def test_a_problem_can_be_read_by_people() -> None:
    assert str(Problem("tools[1]", "search", "inputSchema has no type", "{}")) == (
        "tools[1] 'search': inputSchema has no type: {}"
    )
    assert str(Problem("", "", "something")) == "something"


def test_what_is_right_is_read_without_a_word() -> None:
    assert mended({"content": [{"type": "text", "text": "hi"}]}, CallToolResult) == (
        CallToolResult(content=(TextContent("hi"),)),
        [],
    )


def test_an_optional_field_that_cannot_be_read_costs_itself() -> None:
    tool, places = mended({"name": "a", "inputSchema": {}, "annotations": "nice", "title": {}}, Tool)

    assert (tool.name, tool.annotations, tool.title) == ("a", None, None)
    assert places == ["title", "annotations"]


def test_a_part_of_a_part_that_cannot_be_read_costs_itself() -> None:
    annotations = {"readOnlyHint": {}, "idempotentHint": True}
    tool, places = mended({"name": "a", "inputSchema": {}, "annotations": annotations}, Tool)

    assert (tool.hints.read_only_hint, tool.hints.idempotent_hint) == (None, True)
    assert places == ["annotations.readOnlyHint"]


def test_an_item_that_cannot_be_read_costs_itself() -> None:
    tool, places = mended({"name": "a", "inputSchema": {}, "icons": [{"src": "a:"}, {}, 5, {"src": "b:"}]}, Tool)

    assert tool.icons == (Icon("a:"), Icon("b:"))
    assert places == ["icons[1]", "icons[2]"]


def test_an_entry_that_cannot_be_read_costs_itself() -> None:
    requests = {"good": {"method": "roots/list"}, "bad": {"params": {}}}
    result, places = mended({"inputRequests": requests, "resultType": "input_required"}, InputRequiredResult)

    assert list(result.input_requests) == ["good"]
    assert places == ["inputRequests.bad"]


def test_what_should_hold_entries_and_does_not_is_left_out() -> None:
    result, places = mended({"inputRequests": [1], "requestState": "s"}, InputRequiredResult)

    assert (result.input_requests, result.request_state) == (None, "s")
    assert places == ["inputRequests"]


def test_what_should_hold_items_and_does_not_is_left_out() -> None:
    tool, places = mended({"name": "a", "inputSchema": {}, "icons": {"src": "a:"}}, Tool)

    assert tool.icons is None
    assert places == ["icons"]


def test_without_what_is_needed_there_is_nothing() -> None:
    with pytest.raises(ProtocolError, match=r"this is no Tool \(name: it is missing\)") as failure:
        Salvage().whole(raw({"inputSchema": {}}), Tool)

    assert failure.value.excerpt == '{"inputSchema": {}}'


def test_what_is_needed_and_cannot_be_read_is_named() -> None:
    with pytest.raises(ProtocolError, match=r"completion: Expected `object`, got `int`"):
        Salvage().whole(raw({"completion": 5}), CompleteResult)


def test_no_object_is_no_value() -> None:
    with pytest.raises(ProtocolError, match="CallToolResult"):
        Salvage().whole(raw([1]), CallToolResult)


def test_no_json_is_no_value() -> None:
    with pytest.raises(ProtocolError, match="CallToolResult"):
        Salvage().whole(b'{"content":[', CallToolResult)


@pytest.mark.parametrize(("sent", "expected"), [("true", True), ("1", True), (1, True), ("false", False)])
def test_a_boolean_may_be_written_as_something_else(sent: Any, expected: bool) -> None:
    result, places = mended({"content": [], "isError": sent}, CallToolResult)

    assert result.is_error is expected
    assert places == ["isError"]


def test_a_number_may_be_written_as_text() -> None:
    result, places = mended({"tools": [], "ttlMs": "300"}, ListToolsResult)

    assert result.ttl_ms == 300
    assert places == ["ttlMs"]


def test_a_text_may_be_written_as_a_number() -> None:
    result, places = mended({"tools": [], "nextCursor": 25}, ListToolsResult)

    assert result.next_cursor == "25"
    assert places == ["nextCursor"]


def test_a_text_is_not_made_of_an_object() -> None:
    result, places = mended({"tools": [], "nextCursor": {}}, ListToolsResult)

    assert result.next_cursor is None
    assert places == ["nextCursor"]


def test_characters_that_are_not_unicode_are_replaced() -> None:
    result, places = mended(b'{"content":[{"type":"text","text":"caf\xe9"}],"isError":true}', CallToolResult)

    assert result == CallToolResult(content=(TextContent("caf\ufffd"),), is_error=True)
    assert places == [""]


@pytest.mark.edge("B57")
def test_a_block_of_an_unknown_kind_is_kept_as_it_is() -> None:
    video = {"type": "video", "url": "a:"}
    result, places = mended({"content": [{"type": "text", "text": "hi"}, video]}, CallToolResult)

    assert result.content == (TextContent("hi"), UnknownContent(video))
    assert places == []


@pytest.mark.parametrize("block", [{"type": "image"}, {"text": "hi"}, {"type": 5}, 5, None, ["text"]])
def test_a_block_that_is_not_as_it_should_be_is_kept_as_it_is(block: Any) -> None:
    result, places = mended({"content": [block, {"type": "text", "text": "hi"}]}, CallToolResult)

    assert [each.raw for each in result.content] == [block, {"type": "text", "text": "hi"}]
    assert isinstance(result.content[0], UnknownContent)
    assert places == ["content[0]"]


def test_a_block_with_a_bad_annotation_is_that_block() -> None:
    block = {"type": "text", "text": "hi", "annotations": {"priority": [1], "audience": ["user", 5]}}
    result, places = mended({"content": [block]}, CallToolResult)

    assert result.text == "hi"
    assert result.content[0].annotations.audience == ("user", "5")
    assert places == ["content[0].annotations.audience[1]", "content[0].annotations.priority"]


def test_a_string_may_stand_for_a_text_block() -> None:
    result, places = mended({"content": ["hi"]}, CallToolResult)

    assert result.content == (TextContent("hi"),)
    assert places == ["content[0]"]


@pytest.mark.parametrize("block", [{"type": "text", "text": "hi"}, "hi"])
def test_one_block_may_stand_for_a_list_of_one(block: Any) -> None:
    result, places = mended({"content": block}, CallToolResult)

    assert result.content == (TextContent("hi"),)
    assert places[0] == "content"


@pytest.mark.parametrize("content", [None, 5, True])
def test_what_cannot_be_blocks_is_left_out(content: Any) -> None:
    result, places = mended({"content": content, "structuredContent": {"a": 1}}, CallToolResult)

    assert (result.content, result.structured) == ((), {"a": 1})
    assert places == ["content"]


@pytest.mark.parametrize(
    "content", [{"type": "text", "text": "hi"}, [{"type": "text", "text": "hi"}, {"type": "hologram"}]]
)
def test_a_sampling_message_has_one_block_or_several(content: Any) -> None:
    message, places = mended({"role": 7, "content": content}, SamplingMessage)

    assert message.text == "hi"
    assert places == ["role"]


def test_capabilities_are_read_each_by_itself() -> None:
    said = {"protocolVersion": "2025-11-25", "capabilities": {"tools": True, "logging": {}, "prompts": 5}}
    result, places = mended(said, InitializeResult)

    assert (result.capabilities.tools, result.capabilities.logging) == (ToolsCapability(), {})
    assert result.capabilities.prompts is None
    assert places == ["capabilities"]


@pytest.mark.parametrize("result", [None, True, [], "ok", {"_meta": 5}])
def test_an_answer_that_only_acknowledges_may_be_anything(result: Any) -> None:
    assert mended(result, EmptyResult) == (EmptyResult(), [""])


def test_what_is_nested_too_deep_is_no_value() -> None:
    deep = b'{"content":[],"structuredContent":' + b"[" * 100_000 + b"]" * 100_000 + b"}"

    with pytest.raises(ProtocolError, match="CallToolResult"):
        Salvage().whole(deep, CallToolResult)


def test_a_block_that_is_nested_too_deep_is_kept_as_it_is() -> None:
    salvage = Salvage()
    deep = Raw(b"[" * 100_000 + b"]" * 100_000)

    assert isinstance(salvage.value(deep, KnownContent, "content[0]"), UnknownContent)
    assert [each.where for each in salvage.found()] == ["content[0]"]


def test_a_part_remembers_where_it_came_from() -> None:
    tool, _ = mended({"name": "a", "inputSchema": {}, "icons": [{}, {"src": "b:", "glow": 1}]}, Tool)

    assert tool.icons[0].raw == {"src": "b:", "glow": 1}
    assert tool.raw == {"name": "a", "inputSchema": {}, "icons": [{}, {"src": "b:", "glow": 1}]}


def test_a_problem_names_the_item_that_is_read() -> None:
    salvage = Salvage()
    salvage.name = "search"
    salvage.kept(raw({"name": "search", "inputSchema": {}, "title": {}}), Tool, "tools[0]")

    assert salvage.found() == (Problem("tools[0].title", "search", "Expected `str | null`, got `object`", "{}"),)


def test_only_so_many_problems_are_put_down() -> None:
    salvage = Salvage()
    for place in range(1000):
        salvage.report(f"[{place}]", "no good")

    assert len(salvage.found()) == 100


def test_the_members_of_an_object_are_read_no_further() -> None:
    found = members(b'{"a":{"b":1}}')

    assert found is not None
    assert bytes(found["a"]) == b'{"b":1}'


@pytest.mark.parametrize("data", [b"[1]", b"5", b"{", b""])
def test_what_is_no_object_has_no_members(data: bytes) -> None:
    assert members(data) is None
