# generated from tests/aio/client/test_tools.py by tools/unasync.py; do not edit
"""Listing tools, calling them, and what is made of what comes back."""

import logging
from typing import Any

import pytest

from dragoman import Client
from dragoman.deadline import Deadline
from dragoman.errors import InvalidParams, McpError, McpTimeout, ProtocolError, SchemaViolation, ServerError, ToolFailed
from dragoman.types import (
    AudioContent,
    CallToolParams,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    UnknownContent,
    Violation,
)
from tests.servers.scripts.play import (
    Puppeteer,
    answer,
    change,
    default,
    fails,
    publish,
    refuse,
    structured,
    text,
    tool,
    turns,
    wait,
)
from tests.sync.client.support import Background, failure, until

COUNT = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
COUNTING = [tool("count", outputSchema=COUNT)]


@pytest.mark.feature(97)
def test_tools_are_listed_with_name_description_and_schema(puppet: Puppeteer, era: str) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    with Client.connect(puppet(era, tools=[tool("echo", inputSchema=schema)]).command) as client:
        (listed,) = client.list_tools()

        assert listed.name == "echo"
        assert listed.description == "Does echo."
        assert listed.input_schema == schema


@pytest.mark.feature(98)
def test_arguments_arrive_as_they_were_given(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    arguments = {"text": "größe\u2028", "list": [1, 2.5, None], "nested": {"a": True}}
    with Client.connect(server.command) as client:
        client.call_tool("echo", arguments)

    assert server.params("tools/call") == [{"name": "echo", "arguments": arguments}]


@pytest.mark.feature(98)
def test_content_of_every_kind_is_typed(puppet: Puppeteer, era: str) -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "words"},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "mem://a", "name": "a"},
        {"type": "resource", "resource": {"uri": "mem://a", "text": "alpha"}},
    ]
    server = puppet(era, on={"tools/call": [answer({"content": blocks, "structuredContent": {"a": 1}})]})
    with Client.connect(server.command) as client:
        result = client.call_tool("echo")

        kinds = [TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource]
        assert [type(block) for block in result.content] == kinds
        assert result.structured == {"a": 1}
        assert result.is_error is False


@pytest.mark.edge("B57")
def test_a_block_of_an_unknown_kind_is_kept(puppet: Puppeteer, era: str) -> None:
    blocks = [{"type": "text", "text": "words"}, {"type": "video", "href": "x"}, {"type": "text", "text": "more"}]
    with Client.connect(puppet(era, on={"tools/call": [answer({"content": blocks})]}).command) as client:
        result = client.call_tool("echo")
        unknown = result.content[1]

        assert result.text == "words\nmore"
        assert isinstance(unknown, UnknownContent)
        assert unknown.raw == {"type": "video", "href": "x"}


@pytest.mark.feature(99)
def test_a_call_can_be_a_value_made_before(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    with Client.connect(server.command) as client:
        (first, *_) = client.list_tools()
        client.call_tool("echo", {"n": 1})
        client.call_tool(first, {"n": 1})
        client.call_tool(CallToolParams("echo", {"n": 1}))

    assert server.params("tools/call") == [{"name": "echo", "arguments": {"n": 1}}] * 3


@pytest.mark.feature(92, "13.6", "13.7")
def test_a_tool_that_fails_has_a_result_that_says_so(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, on={"tools/call": [fails("ENOENT")]}).command) as client:
        result = client.call_tool("echo")

        assert result.is_error is True
        assert result.text == "ENOENT"


@pytest.mark.feature("13.7")
def test_a_tool_that_fails_can_be_made_to_raise(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, on={"tools/call": [fails("ENOENT")]}).command) as client:
        error = failure(client.call_tool, "echo", raise_on_error=True)

        assert isinstance(error, ToolFailed)
        assert error.tool == "echo"
        assert error.result.text == "ENOENT"
        assert "ENOENT" in str(error)


@pytest.mark.feature(94, "13.7")
def test_an_error_of_the_server_raises(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call": [refuse(-32602, "Unknown tool: echo", {"tried": 1})]})
    with Client.connect(server.command) as client:
        error = failure(client.call_tool, "echo")

        assert isinstance(error, InvalidParams)
        assert isinstance(error, ServerError)
        assert error.code == -32602
        assert error.data == {"tried": 1}
        assert error.method == "tools/call"


@pytest.mark.feature(100)
def test_a_name_that_is_listed_twice_is_reported(puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture) -> None:
    twins = [tool("echo", description="first"), tool("other"), tool("echo", description="second")]
    with Client.connect(puppet(era, tools=twins).command) as client:
        listed = client.list_tools()

        assert [each.description for each in listed] == ["first", "Does other."]
        assert "echo" in str(listed.problems[0])
        assert "echo" in caplog.text


@pytest.mark.edge("B56")
def test_a_malformed_tool_is_reported_and_the_others_are_listed(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    tools = [
        tool("good"),
        {"name": "no-schema"},
        tool("typeless", inputSchema={}),
        tool("odd", annotations=7),
        {"x": 1},
    ]
    server = puppet(era, tools=tools)
    with Client.connect(server.command) as client:
        listed = [client.list_tools(), client.list_tools()]

        assert listed[0].tools[0].name == "good"
        assert "no-schema" not in listed[0].by_name
        assert any("no-schema" in str(problem) for problem in listed[0].problems)
        assert len([record for record in caplog.records if "no-schema" in record.getMessage()]) == 1


@pytest.mark.edge("B56")
def test_a_strict_client_refuses_a_list_with_a_malformed_tool(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=[tool("good"), {"name": "no-schema"}])
    with Client.connect(server.command, strict=True) as client:
        error = failure(client.list_tools)

        assert isinstance(error, ProtocolError)
        assert "no-schema" in str(error)


# ------------------------------------------------------------------------------------------------------ output schemas


@pytest.mark.feature(101)
@pytest.mark.edge("B91")
def test_a_result_that_breaks_its_schema_is_returned_with_its_violations(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=COUNTING, on={"tools/call": [structured({"count": "many"})]})
    with Client.connect(server.command) as client:
        client.list_tools()
        result = client.call_tool("count")

        assert result.structured == {"count": "many"}
        assert [violation.path for violation in result.violations] == ["/count"]
        assert client.state.phase == "ready"


@pytest.mark.feature(101)
def test_a_result_that_keeps_its_schema_has_no_violations(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=COUNTING, on={"tools/call": [structured({"count": 3})]})
    with Client.connect(server.command) as client:
        client.list_tools()
        result = client.call_tool("count")

        assert result.violations == ()


@pytest.mark.edge("B91")
def test_a_structured_result_that_is_missing_is_a_violation(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=COUNTING, on={"tools/call": [text("three")]})
    with Client.connect(server.command) as client:
        client.list_tools()
        result = client.call_tool("count")

        assert result.text == "three"
        assert len(result.violations) == 1


@pytest.mark.edge("B93")
def test_only_the_structured_content_is_checked(puppet: Puppeteer, era: str) -> None:
    closed = {**COUNT, "additionalProperties": False}
    server = puppet(era, tools=[tool("count", outputSchema=closed)], on={"tools/call": [structured({"count": 3})]})
    with Client.connect(server.command) as client:
        client.list_tools()
        result = client.call_tool("count")

        assert result.violations == ()


@pytest.mark.edge("B93")
def test_a_tool_that_failed_owes_no_structured_result(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, tools=COUNTING, on={"tools/call": [fails("no")]}).command) as client:
        client.list_tools()
        result = client.call_tool("count")

        assert result.is_error
        assert result.violations == ()


@pytest.mark.edge("B90")
def test_a_pattern_that_explodes_costs_no_time(puppet: Puppeteer, era: str) -> None:
    schema = {"type": "object", "properties": {"word": {"type": "string", "pattern": "^(a+)+$"}}}
    bomb = {"word": "a" * 40 + "!"}
    server = puppet(era, tools=[tool("bomb", outputSchema=schema)], on={"tools/call": [structured(bomb)]})
    with Client.connect(server.command) as client:
        client.list_tools()
        begun = Deadline.never()
        result = client.call_tool("bomb")

        assert len(result.violations) == 1
        assert begun.waited < 2


@pytest.mark.edge("B89")
def test_a_schema_that_leads_elsewhere_is_reported_and_nothing_is_fetched(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    schema = {"$ref": "http://169.254.169.254/latest"}
    server = puppet(era, tools=[tool("spy", outputSchema=schema)], on={"tools/call": [structured({"a": 1})]})
    with Client.connect(server.command) as client:
        client.list_tools()
        result = client.call_tool("spy")

        assert result.structured == {"a": 1}
        assert "spy" in caplog.text


@pytest.mark.feature(101)
def test_the_validator_can_be_exchanged(puppet: Puppeteer, era: str) -> None:
    seen: list[Any] = []

    def validator(schema: Any, value: Any) -> list[Violation]:
        seen.append((schema, value))
        return [Violation("/count", "I do not like it")]

    server = puppet(era, tools=COUNTING, on={"tools/call": [structured({"count": 3})]})
    with Client.connect(server.command, validator=validator) as client:
        client.list_tools()
        result = client.call_tool("count")

        assert seen == [(COUNT, {"count": 3})]
        assert [str(violation) for violation in result.violations] == ["/count: I do not like it"]


@pytest.mark.feature(104)
def test_without_a_validator_nothing_is_checked(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=COUNTING, on={"tools/call": [structured({"count": "many"})]})
    with Client.connect(server.command, validator=False) as client:
        client.list_tools()
        result = client.call_tool("count")

        assert result.violations == ()


@pytest.mark.feature(103)
def test_a_strict_client_raises_what_breaks_its_schema(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=COUNTING, on={"tools/call": [structured({"count": "many"})]})
    with Client.connect(server.command, strict=True) as client:
        client.list_tools()
        error = failure(client.call_tool, "count")

        assert isinstance(error, SchemaViolation)
        assert error.result.structured == {"count": "many"}
        assert "/count" in str(error)


@pytest.mark.feature(102)
def test_schemas_are_asked_for_once_and_serve_many_calls(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=COUNTING, on={"tools/call": [structured({"count": "many"})]})
    with Client.connect(server.command, fetch_schemas=True) as client:
        results = [client.call_tool("count") for _ in range(5)]

        assert [len(result.violations) for result in results] == [1] * 5
        assert len(server.heard("tools/list")) == 1


@pytest.mark.feature(102)
def test_calls_that_come_at_once_are_all_checked_and_ask_for_schemas_once(puppet: Puppeteer, era: str) -> None:
    on = {"tools/call": [structured({"count": "many"})], "tools/list": [wait("list"), default()]}
    server = puppet(era, tools=COUNTING, on=on)
    with Client.connect(server.command, fetch_schemas=True) as client:
        calls = [Background(client.call_tool, "count") for _ in range(4)]
        until(lambda: server.heard("tools/list"))
        server.open_gate("list")
        results = [each.wait() for each in calls]

        assert [len(result.violations) for result in results] == [1] * 4
        assert len(server.heard("tools/list")) == 1


@pytest.mark.feature(102)
def test_schemas_are_asked_for_again_after_that_has_failed(puppet: Puppeteer, era: str) -> None:
    on = {"tools/call": [structured({"count": "many"})], "tools/list": turns([refuse(-32000, "busy")], [default()])}
    with Client.connect(puppet(era, tools=COUNTING, on=on).command, fetch_schemas=True) as client:
        error = failure(client.call_tool, "count")
        result = client.call_tool("count")

        assert isinstance(error, ServerError)
        assert len(result.violations) == 1


def test_waiting_for_schemas_is_part_of_a_calls_time(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/list": []})
    with Client.connect(server.command, fetch_schemas=True) as client:
        first = Background(client.call_tool, "echo", timeout=3)
        until(lambda: server.heard("tools/list"))
        error = failure(client.call_tool, "echo", timeout=0.3)
        first.failure()

        assert isinstance(error, McpTimeout)
        assert error.was_sent is False
        assert error.waited < 2


@pytest.mark.feature(102)
@pytest.mark.parametrize("options", [{}, {"fetch_schemas": True}, {"strict": True}])
def test_a_schema_does_not_outlive_a_change_of_the_tools(puppet: Puppeteer, options: dict[str, Any]) -> None:
    other = {"type": "object", "required": ["size"]}
    grown = [change(tools=[tool("count", outputSchema=other)]), publish("notifications/tools/list_changed"), text("so")]
    server = puppet("legacy", tools=COUNTING, on={"tools/call grow": grown, "tools/call": [structured({"size": 1})]})
    with Client.connect(server.command, **options) as client:
        client.list_tools()
        client.call_tool("grow")

        assert client.call_tool("count").violations == ()


@pytest.mark.feature(102)
def test_a_result_that_comes_after_a_change_of_the_tools_is_not_checked_by_what_was_before(
    puppet: Puppeteer,
) -> None:
    changed = [publish("notifications/tools/list_changed"), structured({"size": 1})]
    server = puppet("legacy", tools=COUNTING, on={"tools/call": changed})
    with Client.connect(server.command, strict=True) as client:
        client.list_tools()

        assert client.call_tool("count").structured == {"size": 1}


@pytest.mark.feature(102)
def test_a_list_that_changes_while_it_is_read_is_not_believed(puppet: Puppeteer) -> None:
    on = {
        "tools/list": turns([publish("notifications/tools/list_changed"), default()], [default()]),
        "tools/call": [structured({"size": 1})],
    }
    with Client.connect(puppet("legacy", tools=COUNTING, on=on).command) as client:
        client.list_tools()
        before = client.call_tool("count")
        client.list_tools()
        after = client.call_tool("count")

        assert (len(before.violations), len(after.violations)) == (0, 1)


def test_calling_a_tool_lists_nothing_by_itself(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    with Client.connect(server.command) as client:
        client.call_tool("echo")

        assert server.heard("tools/list") == []


@pytest.mark.feature(105, 110)
def test_a_tool_that_appears_while_connected_can_be_called(puppet: Puppeteer, era: str) -> None:
    grown = [change(tools=[tool("echo"), tool("new")]), publish("notifications/tools/list_changed"), text("grown")]
    server = puppet(era, tools=[tool("echo")], on={"tools/call grow": grown})
    with Client.connect(server.command) as client:
        before = [each.name for each in client.list_tools()]
        client.call_tool("grow")
        after = [each.name for each in client.list_tools()]
        result = client.call_tool("new")

        assert before == ["echo"]
        assert after == ["echo", "new"]
        assert result.text == "new {}"


def test_calls_are_answered_in_any_order(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call slow": [wait("slow"), text("slow")]})
    with Client.connect(server.command) as client:
        slow = Background(client.call_tool, "slow")
        until(lambda: server.called("slow"))
        quick = client.call_tool("echo")
        server.open_gate("slow")

        assert quick.text == "echo {}"
        assert slow.wait().text == "slow"


MISSHAPEN: list[Any] = [
    None,
    [],
    "text",
    7,
    {"content": "text"},
    {"content": [7]},
    {"content": [{"type": "text"}]},
    {"isError": "yes"},
]


def test_a_result_of_a_wrong_shape_is_read_as_far_as_it_goes_or_refused(puppet: Puppeteer, era: str) -> None:
    on = {f"tools/call {n}": [["say", {"id": "$id", "result": result}]] for n, result in enumerate(MISSHAPEN)}
    with Client.connect(puppet(era, on=on).command, timeout=5) as client:
        for n, result in enumerate(MISSHAPEN):
            outcome = outcome_of(client, str(n))
            assert isinstance(outcome, ProtocolError) or not outcome.content or outcome.problems, result
            assert client.call_tool("echo").text == "echo {}"


def outcome_of(client: Client, name: str) -> Any:
    try:
        return client.call_tool(name)
    except McpError as error:
        return error


def test_nothing_is_logged_about_a_session_that_goes_well(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with Client.connect(puppet(era).command) as client:
        client.list_tools()
        client.call_tool("echo")

    assert [record.getMessage() for record in caplog.records if record.name.startswith("dragoman")] == []
