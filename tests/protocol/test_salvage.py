"""The good items of a bad message are kept, and the bad ones named."""

import json
from operator import attrgetter
from typing import Any

import pytest

from dragoman.errors import ProtocolError
from dragoman.protocol.salvage import Problem, read, read_input_required, read_list, read_question, unique
from dragoman.types import (
    CallToolResult,
    CreateMessageParams,
    ElicitFormParams,
    ElicitUrlParams,
    GetPromptResult,
    InputRequest,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListRootsParams,
    ListToolsResult,
    ReadResourceResult,
    Tool,
    UnknownContent,
)

SCHEMA = {"type": "object"}


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def tools(*items: Any, **members: Any) -> tuple[ListToolsResult, tuple[Problem, ...]]:
    return read_list(encoded({"tools": items, **members}), ListToolsResult)


def tool(name: str, **members: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": SCHEMA, **members}


def test_a_good_result_has_no_problems() -> None:
    result, problems = read(b'{"content":[{"type":"text","text":"hi"}]}', CallToolResult)

    assert result.text == "hi"
    assert problems == ()


@pytest.mark.edge("B57")
def test_a_block_of_an_unknown_kind_leaves_the_others() -> None:
    content = [{"type": "text", "text": "hi"}, {"type": "video"}]
    result, problems = read(encoded({"content": content}), CallToolResult)

    assert result.text == "hi"
    assert isinstance(result.content[1], UnknownContent)
    assert problems == ()


def test_a_result_that_is_none_is_an_error_with_its_beginning() -> None:
    with pytest.raises(ProtocolError) as failure:
        read(b'"done"', CallToolResult)

    assert failure.value.excerpt == '"done"'


@pytest.mark.parametrize(
    ("kind", "expected"), [(CallToolResult, "content"), (GetPromptResult, "messages"), (ReadResourceResult, "contents")]
)
def test_a_result_without_its_heart_is_empty_and_reported(kind: Any, expected: str) -> None:
    result, problems = read(b'{"structuredContent":{}}', kind)

    assert getattr(result, expected) == ()
    assert [(each.where, each.reason) for each in problems] == [(expected, f"{expected} is missing")]


def test_a_result_with_an_empty_heart_is_good() -> None:
    assert read(b'{"content":[]}', CallToolResult) == (CallToolResult(), ())


def test_a_bad_message_of_a_prompt_costs_itself() -> None:
    messages = [{"role": "user", "content": {"type": "text", "text": "hi"}}, {"role": "user"}]
    result, problems = read(encoded({"messages": messages}), GetPromptResult)

    assert result.text == "hi"
    assert [each.where for each in problems] == ["messages[1]"]


def test_bad_contents_of_a_resource_cost_themselves() -> None:
    contents = [{"text": "no uri"}, {"uri": "a:", "text": "hi"}]
    result, problems = read(encoded({"contents": contents}), ReadResourceResult)

    assert result.text == "hi"
    assert [each.where for each in problems] == ["contents[0]"]


def test_a_question_that_cannot_be_read_is_left_out() -> None:
    requests = {"a": {"method": "roots/list"}, "b": 5}

    assert read_input_required(encoded({"inputRequests": requests})).input_requests == {"a": InputRequest("roots/list")}


@pytest.mark.parametrize(
    ("method", "params", "kind"),
    [
        ("sampling/createMessage", {"messages": [], "maxTokens": 5}, CreateMessageParams),
        ("elicitation/create", {"message": "?", "requestedSchema": {}}, ElicitFormParams),
        ("elicitation/create", {"message": "?", "requestedSchema": {}, "mode": None}, ElicitFormParams),
        ("elicitation/create", {"message": "?", "requestedSchema": {}, "mode": "form"}, ElicitFormParams),
        ("elicitation/create", {"message": "?", "url": "a:", "mode": "url"}, ElicitUrlParams),
        ("roots/list", {}, ListRootsParams),
    ],
)
def test_a_question_is_read_by_its_method_and_mode(method: str, params: Any, kind: type) -> None:
    question, problems = read_question(method, encoded(params))

    assert type(question) is kind
    assert problems == ()


def test_a_question_without_params_is_one_with_none_filled_in() -> None:
    assert read_question("roots/list", None) == (ListRootsParams(), ())


def test_a_block_of_an_unknown_kind_leaves_a_question_good() -> None:
    message = {"role": "user", "content": [{"type": "hologram"}, {"type": "text", "text": "hi"}]}
    question, problems = read_question("sampling/createMessage", encoded({"messages": [message], "maxTokens": 5}))

    assert isinstance(question, CreateMessageParams)
    assert question.messages[0].text == "hi"
    assert problems == ()


@pytest.mark.parametrize(
    ("method", "params"),
    [("tools/call", {}), ("elicitation/create", {"mode": "telepathy"}), ("elicitation/create", {"mode": []})],
)
def test_what_a_server_cannot_ask_is_an_error(method: str, params: Any) -> None:
    with pytest.raises(ProtocolError, match=method):
        read_question(method, encoded(params))


@pytest.mark.edge("B56")
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"name": "bad"}, "inputSchema: it is missing"),
        ({"name": "bad", "inputSchema": None}, "inputSchema"),
        ({"name": "bad", "inputSchema": {"properties": {}}}, "inputSchema has no type"),
        ({"name": "bad", "inputSchema": {"type": "string"}}, "inputSchema is of type 'string'"),
    ],
)
def test_a_bad_tool_is_named_and_the_good_ones_are_kept(bad: Any, reason: str) -> None:
    listing, problems = tools(tool("good"), bad)

    assert [each.name for each in listing] == ["good"]
    assert [(each.where, each.name) for each in problems] == [("tools[1]", "bad")]
    assert problems[0].reason.startswith(reason)


@pytest.mark.edge("B56")
def test_a_bad_annotation_costs_itself_and_is_named_with_its_tool() -> None:
    listing, problems = tools(tool("search", annotations=5), tool("fetch"))

    assert [each.name for each in listing] == ["search", "fetch"]
    assert [(each.where, each.name) for each in problems] == [("tools[0].annotations", "search")]


@pytest.mark.parametrize("item", [5, None, "search", [], {}, {"name": []}])
def test_what_is_no_tool_at_all_costs_itself(item: Any) -> None:
    listing, problems = tools(item, tool("good"))

    assert [each.name for each in listing] == ["good"]
    assert [(each.where, each.name) for each in problems] == [("tools[0]", "")]


@pytest.mark.edge("B89")
@pytest.mark.parametrize("spelling", ['"$ref"', '"\\u0024ref"', '"$dynamicRef"'])
def test_a_tool_whose_schema_leads_elsewhere_is_left_out(spelling: str) -> None:
    schema = {"type": "object", "properties": {"a": {"REFERENCE": "http://169.254.169.254/x"}}}
    page = encoded({"tools": [tool("spy", inputSchema=schema), tool("good")]})
    listing, problems = read_list(page.replace(b'"REFERENCE"', spelling.encode()), ListToolsResult)

    assert [each.name for each in listing] == ["good"]
    assert [each.name for each in problems] == ["spy"]
    assert "http://169.254.169.254/x" in problems[0].reason


def test_a_tool_whose_schema_leads_within_itself_is_good() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}}
    listing, problems = tools(tool("search", inputSchema=schema), tool("fetch"))

    assert len(listing) == 2
    assert problems == ()


def test_a_tool_whose_schema_leads_too_deep_is_left_out() -> None:
    schema: dict[str, Any] = {"$ref": "#"}
    for _ in range(200):
        schema = {"not": schema}
    listing, problems = tools(tool("maze", inputSchema={"type": "object", **schema}))

    assert len(listing) == 0
    assert [(each.name, each.reason) for each in problems] == [("maze", "the schema is nested more than 128 deep")]


def test_the_rest_of_a_page_is_read_as_well() -> None:
    listing, problems = tools(
        tool("a"), nextCursor="2", ttlMs=5, cacheScope="public", resultType="complete", _meta={"k": 1}
    )

    assert (listing.next_cursor, listing.ttl_ms, listing.cache_scope) == ("2", 5, "public")
    assert (listing.result_type, listing.meta) == ("complete", {"k": 1})
    assert problems == ()


@pytest.mark.edge("B47")
def test_a_page_may_leave_out_its_hints_or_have_bad_ones() -> None:
    listing, problems = tools(tool("a"), ttlMs={}, cacheScope=5)

    assert (len(listing), listing.ttl_ms, listing.cache_scope) == (1, None, "5")
    assert [each.where for each in problems] == ["ttlMs", "cacheScope"]


@pytest.mark.parametrize("page", [b"{}", b'{"tools":null}'])
def test_a_page_without_its_list_is_empty_and_reported(page: bytes) -> None:
    listing, problems = read_list(page, ListToolsResult)

    assert len(listing) == 0
    assert [each.where for each in problems] == ["tools"]


@pytest.mark.parametrize("page", [b"[]", b"5", b'{"tools":{}}', b'{"tools":"none"}'])
def test_what_is_no_page_is_an_error(page: bytes) -> None:
    with pytest.raises(ProtocolError, match="ToolsPage"):
        read_list(page, ListToolsResult)


@pytest.mark.parametrize(
    ("kind", "wire", "good", "bad", "name"),
    [
        (ListPromptsResult, "prompts", {"name": "a"}, {"name": "b", "arguments": "none"}, "b"),
        (ListResourcesResult, "resources", {"uri": "a:", "name": "a"}, {"uri": "b:", "name": {}}, "b:"),
        (
            ListResourceTemplatesResult,
            "resourceTemplates",
            {"uriTemplate": "a:{x}", "name": "a"},
            {"uriTemplate": "b:{x}"},
            "b:{x}",
        ),
    ],
)
def test_every_list_is_read_item_by_item(kind: Any, wire: str, good: Any, bad: Any, name: str) -> None:
    listing, problems = read_list(encoded({wire: [bad, good]}), kind)

    assert listing[-1].name == "a"
    assert [each.name for each in problems] == [name]
    assert problems[0].where.startswith(f"{wire}[0]")


def test_items_remember_what_they_were_read_from() -> None:
    listing, _ = tools({"name": "bad"}, tool("good", glow=1))

    assert listing[0].raw == tool("good", glow=1)
    assert listing.raw == {"tools": [{"name": "bad"}, tool("good", glow=1)]}


def test_items_that_are_all_called_differently_are_all_kept() -> None:
    items = (Tool.define("a"), Tool.define("b"))

    assert unique(items, attrgetter("name")) == (items, ())


def test_the_first_of_two_with_one_name_is_kept() -> None:
    first, second, other = Tool.define("a", title="first"), Tool.define("a", title="second"), Tool.define("b")
    kept, problems = unique([first, second, other], attrgetter("name"))

    assert [each.title for each in kept] == ["first", None]
    assert [(each.where, each.name) for each in problems] == [("[1]", "a")]


def test_a_number_out_of_range_is_the_greatest_that_there_is() -> None:
    content = b'{"content":[],"structuredContent":{"a":[1e400,2]},"_meta":{"b":-1e999,"c":"d"}}'
    result, problems = read(content, CallToolResult)

    assert result.structured == {"a": [1.7976931348623157e308, 2]}
    assert result.meta == {"b": -1.7976931348623157e308, "c": "d"}
    assert {each.where for each in problems} == {"structuredContent", "_meta.b"}


def test_a_tool_whose_schema_is_nearly_json_is_listed() -> None:
    schema = b'{"type":"object","$defs":{"caf\xe9":{"maximum":1e400}},"$ref":"#/$defs/caf\xe9"}'
    listing, problems = read_list(b'{"tools":[{"name":"a","inputSchema":' + schema + b"}]}", ListToolsResult)

    assert problems == ()
    assert listing[0].input_schema["$defs"] == {"caf\ufffd": {"maximum": 1.7976931348623157e308}}


def test_equal_items_count_as_two() -> None:
    twins = [Tool.define("a"), Tool.define("a")]

    assert len(unique(twins, attrgetter("name"))[1]) == 1
