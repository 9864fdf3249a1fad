"""Tools, calls and what came of them."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from dragoman.types import (
    CallToolResult,
    ImageContent,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
    ToolsPage,
    Violation,
    decode,
    encode,
    problems,
    with_violations,
)


def tool_with(**members: Any) -> Tool:
    return decode(json.dumps({"name": "weigh", "inputSchema": {"type": "object"}, **members}).encode(), Tool)


def test_a_tool_is_defined_from_plain_schemas() -> None:
    tool = Tool.define("weigh", {"type": "object", "properties": {}}, output_schema={"type": "number"}, title="Weigh")

    assert tool.input_schema == {"type": "object", "properties": {}}
    assert tool.output_schema == {"type": "number"}
    assert tool.title == "Weigh"


def test_a_tool_defined_without_schema_takes_no_arguments() -> None:
    assert encode(Tool.define("weigh")) == b'{"name":"weigh","inputSchema":{"type":"object"}}'


def test_changing_a_schema_changes_nothing_else() -> None:
    tool = tool_with()
    tool.input_schema["type"] = "array"

    assert tool.input_schema == {"type": "object"}


def test_tools_are_equal_whatever_the_blanks_and_order_in_their_schemas() -> None:
    one = Tool("weigh", Raw(b'{"type": "object", "title": "x"}'))
    other = Tool("weigh", Raw(b'{"title":"x","type":"object"}'))

    assert one == other
    assert not one != other  # noqa: SIM202 - two operators, two methods
    assert hash(one) == hash(other)
    assert one != Tool("weigh", Raw(b'{"title":"y","type":"object"}'))
    assert one != "weigh"


@pytest.mark.parametrize("sent", [None, [], "object", True])
def test_an_output_schema_that_is_no_object_counts_as_none(sent: Any) -> None:
    assert tool_with(outputSchema=sent).output_schema is None
    assert tool_with().output_schema is None


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "object"}, None),
        ({"properties": {}, "type": "object"}, None),
        ({}, "inputSchema has no type"),
        ({"type": "array"}, "inputSchema is of type 'array', not \"object\""),
        ({"type": ["object", "null"]}, "inputSchema is of type ['object', 'null'], not \"object\""),
        ({"type": None}, 'inputSchema is of type None, not "object"'),
        (None, "inputSchema is not an object"),
        ("object", "inputSchema is not an object"),
        ([], "inputSchema is not an object"),
    ],
)
def test_a_tool_without_a_usable_schema_says_why(schema: Any, problem: str | None) -> None:
    assert problems(tool_with(inputSchema=schema)) == problem


def test_a_tool_without_a_schema_is_no_tool() -> None:
    with pytest.raises(msgspec.ValidationError, match="inputSchema"):
        decode(b'{"name":"weigh"}', Tool)


def test_hints_that_are_not_given_have_the_defaults_of_the_specification() -> None:
    hints = tool_with().hints

    assert (hints.is_read_only, hints.is_destructive, hints.is_idempotent, hints.is_open_world) == (
        False,
        True,
        False,
        True,
    )


def test_hints_that_are_given_hold() -> None:
    hints = ToolAnnotations(destructive_hint=False, idempotent_hint=True, open_world_hint=False)

    assert (hints.is_destructive, hints.is_idempotent, hints.is_open_world) == (False, True, False)
    assert ToolAnnotations(read_only_hint=True).is_read_only


def test_a_tool_that_only_reads_destroys_nothing() -> None:
    assert not ToolAnnotations(read_only_hint=True).is_destructive


def test_a_tool_is_shown_under_its_best_title() -> None:
    assert tool_with().display_name == "weigh"
    assert tool_with(annotations={"title": "Scales"}).display_name == "Scales"
    assert tool_with(annotations={"title": "Scales"}, title="Weigh").display_name == "Weigh"


def test_a_list_of_tools_is_iterable_counted_indexed_and_searched() -> None:
    first, second = Tool.define("a"), Tool.define("b")
    tools = ListToolsResult((first, second), next_cursor="2")

    assert list(tools) == [first, second] == [*tools.items]
    assert len(tools) == 2
    assert tools[1] is second
    assert tools[:1] == (first,)
    assert tools.get("b") is second
    assert tools.get("c") is None
    assert tools.by_name == {"a": first, "b": second}


def test_of_two_tools_with_one_name_the_first_is_found() -> None:
    first = Tool.define("a", title="first")
    tools = ListToolsResult((first, Tool.define("a")))

    assert tools.get("a") is first
    assert tools.by_name["a"] is first


def test_cache_hints_of_any_kind_are_kept() -> None:
    tools = decode(b'{"tools":[],"ttlMs":1.5,"cacheScope":"galaxy"}', ListToolsResult)

    assert (tools.ttl_ms, tools.cache_scope, tools.result_type) == (1.5, "galaxy", None)


def test_a_page_leaves_its_items_for_later() -> None:
    page = decode(b'{"tools":[{"name":1},{"name":"a","inputSchema":{}}],"nextCursor":"2"}', ToolsPage)

    assert [bytes(item) for item in page.tools] == [b'{"name":1}', b'{"name":"a","inputSchema":{}}']
    assert page.next_cursor == "2"


def test_the_text_of_a_result_is_that_of_its_text_blocks() -> None:
    result = CallToolResult((TextContent("one"), ImageContent("AAEC", "image/gif"), TextContent("two")))

    assert result.text == "one\ntwo"
    assert CallToolResult().text == ""


@pytest.mark.parametrize(
    ("data", "structured", "present"),
    [
        (b'{"content":[]}', None, False),
        (b'{"content":[],"structuredContent":null}', None, True),
        (b'{"content":[],"structuredContent":{"a":1}}', {"a": 1}, True),
        (b'{"content":[],"structuredContent":[1]}', [1], True),
        (b'{"structuredContent":0}', 0, True),
    ],
)
def test_a_structured_result_tells_null_from_absent(data: bytes, structured: Any, present: bool) -> None:
    result = decode(data, CallToolResult)

    assert result.structured == structured
    assert result.has_structured is present
    assert json.loads(encode(result)).get("structuredContent", "absent") == (structured if present else "absent")


@pytest.mark.parametrize(("data", "error"), [(b"{}", False), (b'{"isError":null}', False), (b'{"isError":true}', True)])
def test_an_error_is_true_or_false(data: bytes, error: bool) -> None:
    assert decode(data, CallToolResult).is_error is error


def test_violations_stand_beside_a_result_and_not_on_the_wire() -> None:
    result = decode(b'{"structuredContent":{"a":"x"},"later":1}', CallToolResult)
    violation = Violation("/a", "'x' is not a number", "/properties/a/type")

    checked = with_violations(result, (violation,))

    assert checked.violations == (violation,)
    assert result.violations == ()
    assert checked == result
    assert checked.raw == result.raw == {"structuredContent": {"a": "x"}, "later": 1}


def test_a_violation_reads_as_a_sentence() -> None:
    assert str(Violation("/a", "is not a number")) == "/a: is not a number"
    assert str(Violation("", "is not an object")) == "the result: is not an object"
