"""What every value can do, and what it remembers."""

import copy
import json
import pickle
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from dragoman import types
from dragoman.types import (
    CallToolResult,
    EmbeddedResource,
    GetPromptResult,
    ListToolsResult,
    TextContent,
    Tool,
    ToolResultContent,
    UnknownContent,
    Verbatim,
    decode,
    decode_each,
    dump,
    encode,
    remember,
    remember_whole,
    to_json,
)

ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def result_bytes(**members: Any) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": "hi", "new": 1}], **members}).encode()


def test_raw_holds_fields_that_no_type_has() -> None:
    result = decode(result_bytes(later=[1]), CallToolResult)

    assert result.raw["later"] == [1]


def test_raw_is_a_fresh_copy_each_time() -> None:
    result = decode(result_bytes(), CallToolResult)
    result.raw.clear()

    assert "content" in result.raw


def test_raw_bytes_and_plain_bytes_are_decoded_alike() -> None:
    assert decode(Raw(result_bytes()), CallToolResult) == decode(result_bytes(), CallToolResult)


def test_a_part_of_a_value_has_its_own_raw() -> None:
    result = decode(result_bytes(), CallToolResult)

    assert result.content[0].raw == {"type": "text", "text": "hi", "new": 1}
    assert isinstance(result.content[0], TextContent)
    assert json.loads(dump(result.content[0])) == {"type": "text", "text": "hi", "new": 1}


def test_a_part_of_a_part_has_its_own_raw() -> None:
    contents = {"uri": "a:b", "text": "t", "new": 2}
    block = {"type": "resource", "resource": contents, "new": 1}
    result = decode(json.dumps({"messages": [{"role": "user", "content": block}]}).encode(), GetPromptResult)

    content = result.messages[0].content

    assert isinstance(content, EmbeddedResource)
    assert content.raw == block
    assert content.resource.raw == contents


def messages(count: int) -> bytes:
    """Write a prompt of messages whose blocks have parts as well."""
    blocks = [{"type": "resource", "resource": {"uri": f"a:{n}", "text": "t" * 100}, "new": n} for n in range(count)]
    return json.dumps({"messages": [{"role": "user", "content": block, "new": 1} for block in blocks]}).encode()


@pytest.mark.parametrize("count", [1, 7, 8, 100])
def test_each_of_many_parts_has_its_own_raw(count: int) -> None:
    result = decode(messages(count), GetPromptResult)
    expected = json.loads(messages(count))["messages"]

    assert [each.raw for each in result.messages] == expected
    assert [to_json(each.content) for each in result.messages] == [each["content"] for each in expected]
    assert result.raw == json.loads(dump(result)) == {"messages": expected}
    assert json.loads(dump(GetPromptResult(result.messages[1:]))) == {"messages": expected[1:]}


def test_to_look_at_all_of_very_many_parts_takes_time_in_proportion() -> None:
    result = decode(messages(10_000), GetPromptResult)
    begun = time.process_time()
    for each in result.messages:
        assert each.raw

    assert time.process_time() - begun < 2


def test_many_parts_of_what_had_to_be_mended_have_their_raw() -> None:
    blocks = tuple(TextContent(str(n)) for n in range(8))
    data = b'{"content":[%b]}' % b",".join(b'{"type":"text","text":"%d","n":NaN}' % n for n in range(8))

    mended = remember(CallToolResult(blocks), data)

    assert mended.content[7].raw == {"type": "text", "text": "7", "n": None}


COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("count", [1, 100])
def test_a_copy_remembers_what_its_original_does(copied: Callable[[Any], Any], count: int) -> None:
    original = decode(messages(count), GetPromptResult)

    assert original.messages[0].raw
    same = copied(original)

    assert same == original
    assert same.raw == original.raw
    assert [each.raw for each in same.messages] == [each.raw for each in original.messages]


@pytest.mark.parametrize("copied", COPIES)
def test_what_is_kept_verbatim_can_be_copied(copied: Callable[[Any], Any]) -> None:
    assert copied(UnknownContent(b'{"type":"hologram"}')).json == b'{"type":"hologram"}'


def test_a_part_that_remembers_its_own_bytes_keeps_them() -> None:
    page = b'{"tools":[{"name":"broken"},{"name":"good","inputSchema":{"type":"object"},"new":1}]}'
    good = decode(json.dumps(json.loads(page)["tools"][1]).encode(), Tool)

    kept = remember(ListToolsResult((good,)), page)

    assert kept.raw == json.loads(page)
    assert kept.tools[0].raw["name"] == "good"


def test_parts_that_have_parts_keep_their_own_bytes_and_verbatim_ones_have_them() -> None:
    block = b'{"type":"resource","resource":{"uri":"a:b","text":"t"},"new":1}'
    data = b'{"content":[{"type":"hologram"},%b]}' % block
    known = decode(block, EmbeddedResource)

    kept = remember(CallToolResult(content=(UnknownContent({"type": "hologram"}), known)), data)

    assert kept.raw == json.loads(data)
    assert [each.raw for each in kept.content] == json.loads(data)["content"]


def test_values_with_bytes_of_their_own_are_decoded_together() -> None:
    parts = [Raw(b'{"name":"a","inputSchema":{"type":"object"},"new":1}'), Raw(b'{"name":"b","inputSchema":{}}')]

    assert [each.raw for each in decode_each(parts, Tool)] == [json.loads(bytes(each)) for each in parts]
    with pytest.raises(msgspec.ValidationError):
        decode_each([*parts, Raw(b'{"name":"c"}')], Tool)


def test_a_whole_can_be_remembered_without_a_look_at_its_parts() -> None:
    page = b'{"tools": [], "new": 1}'
    whole = remember_whole(ListToolsResult((Tool.define("a"),)), page)

    assert whole.raw == {"tools": [], "new": 1}
    assert whole.tools[0].raw["name"] == "a"


def test_a_result_has_no_problems_until_some_are_attached() -> None:
    assert ListToolsResult().problems == ()


def test_a_value_made_of_remembered_parts_writes_them_as_they_came() -> None:
    block = decode(result_bytes(), CallToolResult).content[0]
    assert isinstance(block, TextContent)

    assert to_json(ToolResultContent("u1", (block,)))["content"][0]["new"] == 1
    assert json.loads(dump(CallToolResult((block,))))["content"][0]["new"] == 1


def test_parts_that_are_absent_stay_absent() -> None:
    assert types.CreateMessageParams((), 5).raw == {"messages": [], "maxTokens": 5}


def test_a_changed_copy_forgets_the_bytes_it_no_longer_matches() -> None:
    result = msgspec.structs.replace(decode(result_bytes(later=1), CallToolResult), is_error=True)

    assert result.raw == {"content": [{"type": "text", "text": "hi", "new": 1}], "isError": True}


def test_lists_given_by_hand_are_written_as_tuples_are() -> None:
    blocks: Any = [TextContent("a"), UnknownContent({"type": "video", "fps": 3})]

    assert CallToolResult(blocks).raw == {
        "content": [{"type": "text", "text": "a"}, {"type": "video", "fps": 3}],
    }


def test_a_part_that_is_neither_value_nor_list_is_written_as_json() -> None:
    odd: Any = {"type": "text", "text": "by hand"}

    assert types.PromptMessage("user", odd).raw == {"role": "user", "content": odd}


def test_defaults_are_left_out_and_what_the_wire_wants_is_written() -> None:
    assert encode(types.ToolResultContent("u1")) == b'{"type":"tool_result","toolUseId":"u1","content":[]}'
    assert encode(types.Implementation("a")) == b'{"name":"a","version":""}'
    assert encode(types.ListParams()) == b"{}"


def test_metadata_may_be_encoded_ahead() -> None:
    params = types.CallToolParams("weigh", Raw(b'{"grams": 5}'), meta=Raw(b'{"progressToken":1}'))

    assert encode(params) == b'{"name":"weigh","arguments":{"grams": 5},"_meta":{"progressToken":1}}'


def test_what_has_no_json_form_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="object has no JSON form"):
        encode({"a": object()})


def test_wrong_json_is_told_by_its_path() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.content\[0\]\.text"):
        decode(b'{"content":[{"type":"text","text":5}]}', CallToolResult)
    with pytest.raises(msgspec.DecodeError):
        decode(b"{", CallToolResult)


def test_a_long_value_is_shortened_where_it_is_shown() -> None:
    assert repr(TextContent("x" * 5000)).endswith("… (5002 characters))")
    assert repr(Tool.define("weigh")) == 'Tool(name=\'weigh\', input_schema_raw={"type":"object"})'
    assert repr(types.RootsCapability()) == "RootsCapability()"


def test_verbatim_json_is_kept_and_written_as_it_came() -> None:
    piece = Verbatim(b'{"b": 1,  "a": 2}')

    assert encode([piece]) == b'[{"b": 1,  "a": 2}]'
    assert dump(piece) == b'{"b": 1,  "a": 2}'
    assert to_json(piece) == piece.raw == {"a": 2, "b": 1}


def test_verbatim_json_is_equal_to_the_same_json() -> None:
    assert Verbatim(b'{"b": 1, "a": 2}') == Verbatim({"a": 2, "b": 1}) == Verbatim(Raw(b'{"a":2,"b":1}'))
    assert Verbatim(b"1") != Verbatim(b"2")
    assert UnknownContent(b"1") != TextContent("1")
    assert len({Verbatim(b'{"b": 1, "a": 2}'), Verbatim(b'{"a": 2, "b": 1}')}) == 1


def test_verbatim_json_is_frozen_and_shown() -> None:
    piece = Verbatim(b'{"a":1}')

    with pytest.raises(AttributeError, match="Verbatim is frozen: 'raw' cannot be set"):
        piece.raw = 5  # type: ignore[misc]
    assert repr(piece) == "Verbatim({'a': 1})"


@given(structured=ANY_JSON, meta=st.dictionaries(st.text(), ANY_JSON, max_size=3), text=st.text())
def test_any_json_goes_through_unchanged(structured: Any, meta: dict[str, Any], text: str) -> None:
    made = CallToolResult((TextContent(text),), structured, meta=meta)

    read = decode(dump(made), CallToolResult)

    assert read == made
    assert read.structured == structured
    assert read.raw == made.raw == to_json(read)


@given(extra=st.dictionaries(st.text(min_size=1), ANY_JSON, max_size=4))
def test_unknown_fields_always_survive(extra: dict[str, Any]) -> None:
    sent = {"x" + name: value for name, value in extra.items()} | {"uri": "a:b", "name": "n"}

    assert to_json(decode(msgspec.json.encode(sent), types.Resource)) == sent
