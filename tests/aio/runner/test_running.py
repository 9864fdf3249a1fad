"""Calls of tools, wherever they are, by whoever asks for them."""

import json
import re
import threading
from typing import Any

import pytest

from dragoman import AsyncClient, InvalidParams, McpTimeout, ServerExited, ToolFailed, TransportError, UsageError
from dragoman.aio.runner import AsyncToolRunner
from dragoman.models.calls import ToolCall
from dragoman.models.functions import tool
from dragoman.models.results import READ_MORE, ResultBudget
from dragoman.models.scheduling import ToolLimits
from dragoman.types import Tool
from tests.aio.client.support import failure
from tests.aio.runner.support import SCRIPT, Watcher, boom, current_utc_time, failing
from tests.models.making import later
from tests.servers.scripts.play import Puppet, Puppeteer, answer, change, publish, text
from tests.servers.scripts.play import tool as listed

scripted = ToolCall.scripted


# --------------------------------------------------------------------------------------------------------- definitions


@pytest.mark.feature(145, 146)
async def test_server_is_registered_in_one_line_next_to_functions(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        tools = await AsyncToolRunner(client, current_utc_time, boom).tools()

    assert {each.name for each in tools} == {
        "echo",
        "slow",
        "fail",
        "count",
        "refuse",
        "die",
        "current_utc_time",
        "boom",
    }
    assert all(each.description for each in tools)


@pytest.mark.feature(151)
async def test_definitions_are_those_of_all_sources(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        found = await AsyncToolRunner(client, [current_utc_time]).definitions("openai")

    assert [each["function"]["name"] for each in found] == [
        "count",
        "current_utc_time",
        "die",
        "echo",
        "fail",
        "refuse",
        "slow",
    ]


class Clock:
    """A clock."""

    @tool
    def hour(self) -> int:
        """Tell the hour."""
        return 12


@pytest.mark.feature(159)
async def test_object_is_a_source_of_the_methods_that_are_tools() -> None:
    runner = AsyncToolRunner(Clock())

    assert [each.description for each in await runner.tools()] == ["Tell the hour."]
    assert (await runner.call("hour")).structured == 12


async def test_coroutine_function_is_run_or_refused_at_once() -> None:
    runs = False
    runs = True  # async-only
    if runs:
        assert (await AsyncToolRunner(later).call("later")).text == "later"
    else:
        with pytest.raises(UsageError, match="the tool later is asynchronous"):
            AsyncToolRunner(later)


async def test_definitions_are_made_once_and_belong_to_whoever_asked(puppet: Puppeteer) -> None:
    grows = [change(tools=[listed("find"), listed("store")]), text("grown")]
    server = puppet(tools=[listed("find")], on={"tools/call grow": grows})
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)
        first = await runner.definitions("anthropic")
        first[-1]["cache_control"] = {"type": "ephemeral"}
        second = await runner.definitions("anthropic")
        await client.call_tool("grow")
        third = await runner.definitions("anthropic")

    assert "cache_control" not in second[-1]
    assert [each["name"] for each in second] == ["find"]
    assert [each["name"] for each in third] == ["find", "store"]


async def test_tool_is_found_by_the_name_that_its_server_has_for_it(puppet: Puppeteer) -> None:
    script: dict[str, Any] = {"tools": [listed("files.read")], "on": {"tools/call files.read": [text("read")]}}
    one, other = puppet(**script), puppet(**script)
    async with AsyncClient.connect(one.command, name="one") as a, AsyncClient.connect(other.command, name="other") as b:
        response = await AsyncToolRunner(a).call("files.read")
        unclear = await AsyncToolRunner(a, b).call("files.read")

    assert (response.text, response.is_error) == ("read", False)
    assert unclear.text == "there is no tool 'files.read'; did you mean 'files_read'?"


async def test_later_tool_of_the_same_name_is_prefixed(puppet: Puppeteer) -> None:
    one, other = puppet(**SCRIPT), puppet(**SCRIPT)
    async with AsyncClient.connect(one.command, name="one") as a, AsyncClient.connect(other.command, name="other") as b:
        runner = AsyncToolRunner(a, b, failing)
        names = [each.name for each in await runner.tools()]
        await runner.call("other_echo", {"text": "x"})
        response = await runner.call("fail")

    assert {"echo", "other_echo", "one_fail", "other_fail", "fail"} <= set(names)
    assert (one.called("echo"), other.called("echo")) == (0, 1)
    assert (response.is_local, response.text) == (True, "LookupError: nothing here")


async def test_two_clients_of_one_name_are_two_sources(puppet: Puppeteer) -> None:
    one, other = puppet(**SCRIPT), puppet(**SCRIPT)
    async with AsyncClient.connect(one.command, name="inn") as a, AsyncClient.connect(other.command, name="inn") as b:
        names = [each.name for each in await AsyncToolRunner(a, b).tools()]

    assert len(set(names)) == 12


async def test_name_that_a_server_lists_twice_counts_once(puppet: Puppeteer, caplog: pytest.LogCaptureFixture) -> None:
    server = puppet(tools=[listed("echo"), listed("echo", description="Another.")])
    async with AsyncClient.connect(server.command) as client:
        names = [each.name for each in await AsyncToolRunner(client).tools()]

    assert names == ["echo"]


def test_what_is_no_source_is_refused() -> None:
    with pytest.raises(UsageError, match="str is no source of tools"):
        AsyncToolRunner("git")
    with pytest.raises(UsageError, match="on_protocol_error"):
        AsyncToolRunner(on_protocol_error="ignore")  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------------- running


@pytest.mark.feature(152, 154, 158)
async def test_history_ends_in_a_message_for_each_call(server: Puppet) -> None:
    history = [{"role": "user", "content": "Go."}]
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client, current_utc_time)
        run = await runner.run([scripted("current_utc_time"), scripted("echo", {"text": "hi"})], history)

    assert run.history[0] == history[0]
    assert history == [{"role": "user", "content": "Go."}]
    assert [message["role"] for message in run.history] == ["user", "assistant", "tool", "tool"]
    for message, response in zip(run.history[2:], run.responses, strict=True):
        assert message == {
            "role": "tool",
            "tool_call_id": response.id,
            "name": response.name,
            "content": response.message,
        }
        assert not response.is_error
        assert response.elapsed > 0
    assert not run.is_error


@pytest.mark.feature(155, 160)
async def test_function_is_called_directly(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client, current_utc_time)
        response = await runner.call("current_utc_time")
        await runner.call("echo", {"text": "x"})

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", response.message)
    assert (response.is_local, response.server) == (True, None)
    assert len(server.heard("tools/call")) == 1


@pytest.mark.feature(162)
async def test_failing_function_is_a_failing_tool() -> None:
    response = await AsyncToolRunner(boom).call("boom", {"why": "the roof is on fire"})

    assert response.is_error
    assert response.message == "Error calling tool: ValueError: the roof is on fire"


@pytest.mark.edge("B97")
@pytest.mark.feature(135, 161, 163)
async def test_failing_tool_is_a_message_and_nothing_is_raised(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        response = await AsyncToolRunner(client).call("fail")

    assert response.is_error
    assert response.message == "Error calling tool: ENOENT: no such file"


@pytest.mark.feature(136)
async def test_failing_tool_raises_where_that_is_wanted(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client, boom, handle_tool_errors=False)
        remote, local, unknown = [await failure(runner.call, name) for name in ("fail", "boom", "nothing")]

    assert isinstance(remote, ToolFailed)
    assert (remote.tool, remote.result.text) == ("fail", "ENOENT: no such file")
    assert isinstance(local.__cause__, ValueError)
    assert isinstance(unknown, ToolFailed)


@pytest.mark.feature(164)
@pytest.mark.parametrize("handled", [True, False])
async def test_broken_line_raises(server: Puppet, handled: bool) -> None:
    async with AsyncClient.connect(server.command, restart=False) as client:
        error = await failure(AsyncToolRunner(client, handle_tool_errors=handled).call, "die")

    assert isinstance(error, ServerExited | TransportError) or type(error).__name__ == "OutcomeUnknown"


@pytest.mark.feature(164)
async def test_broken_line_raises_out_of_calls_side_by_side(server: Puppet) -> None:
    async with AsyncClient.connect(server.command, restart=False) as client:
        error = await failure(AsyncToolRunner(client).run, [scripted("die"), scripted("echo", {"text": "x"})])

    assert not isinstance(error, AssertionError)


async def test_error_of_the_protocol_raises_or_is_a_message(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        error = await failure(AsyncToolRunner(client).call, "refuse")
        response = await AsyncToolRunner(client, on_protocol_error="message").call("refuse")

    assert isinstance(error, InvalidParams)
    assert response.is_error
    assert "no such thing" in response.text


async def test_time_out_is_the_runner_s_if_it_has_one(puppet: Puppeteer) -> None:
    server = puppet(tools=[listed("slow")], on={"tools/call slow": [["wait", "never"]]})
    async with AsyncClient.connect(server.command) as client:
        error = await failure(AsyncToolRunner(client, timeout="50ms").call, "slow")

    assert isinstance(error, TimeoutError)


@pytest.mark.feature(132, 134)
async def test_model_works_across_servers_in_one_run(puppet: Puppeteer) -> None:
    one = puppet(tools=[listed("find")], on={"tools/call find": [text("found: 42")]})
    other = puppet(tools=[listed("store")], on={"tools/call store": [text("stored")]})
    first = {"content": [{"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}}]}
    second = {"content": [{"type": "tool_use", "id": "toolu_2", "name": "store", "input": {"what": 42}}]}
    async with AsyncClient.connect(one.command) as a, AsyncClient.connect(other.command) as b:
        runner = AsyncToolRunner(a, b)
        history = (await runner.run(first, [{"role": "user", "content": "Go."}], format="anthropic")).history
        run = await runner.run(second, history, format="anthropic")

    assert other.params("tools/call") == [{"name": "store", "arguments": {"what": 42}}]
    assert [message["role"] for message in run.history] == ["user", "assistant", "user", "assistant", "user"]
    assert run.history[2]["content"][0]["content"] == [{"type": "text", "text": "found: 42"}]
    assert run.history[4]["content"][0]["tool_use_id"] == "toolu_2"


async def test_response_without_calls_adds_only_what_was_said() -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}

    assert (await AsyncToolRunner().run(said, format="anthropic")).history == [said]


@pytest.mark.edge("B104")
async def test_names_of_tools_and_arguments_come_back(puppet: Puppeteer) -> None:
    schema = {"type": "object", "properties": {"filter[name]": {"type": "string"}}}
    server = puppet(tools=[listed("files.read", inputSchema=schema)], on={"tools/call files.read": [text("ok")]})
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)
        (definition,) = await runner.definitions("anthropic")
        (argument,) = definition["input_schema"]["properties"]
        call = {"content": [{"type": "tool_use", "id": "1", "name": definition["name"], "input": {argument: "x"}}]}
        run = await runner.run(call, format="anthropic")

    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", definition["name"])
    assert server.params("tools/call") == [{"name": "files.read", "arguments": {"filter[name]": "x"}}]
    assert run.responses[0].tool == "files.read"


# ----------------------------------------------------------------------------------------------------------- arguments


@pytest.mark.edge("B96")
async def test_arguments_are_repaired_by_the_tool_s_own_schema(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        await AsyncToolRunner(client).call("echo", {"text": '["a"]', "tags": '["a"]'})

    assert server.params("tools/call") == [{"name": "echo", "arguments": {"text": '["a"]', "tags": ["a"]}}]


@pytest.mark.feature(137)
async def test_wrong_arguments_are_told_to_the_model_and_nothing_is_sent(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)
        wrong = await runner.call("echo", {"txt": "x"})
        broken = await runner.run(ToolCall("1", "echo", "{"))

    assert server.heard("tools/call") == []
    assert 'did you mean "text"' in wrong.text
    assert "give one JSON object" in broken.responses[0].text


async def test_arguments_can_be_sent_as_they_are(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client, validate=False)
        await runner.call("echo", {"txt": "x"})
        response = await runner.call("echo", "[1]")

    assert server.params("tools/call") == [{"name": "echo", "arguments": {"txt": "x"}}]
    assert response.text == "the arguments are no JSON object"


async def test_function_whose_schema_was_given_may_be_of_other_types() -> None:
    @tool
    def add(a: int) -> int:
        """Add one."""
        return a + 1

    runner = AsyncToolRunner(add, validate=False)

    assert "the arguments do not fit" in (await runner.call("add", {"a": "x"})).text


async def test_nulls_of_strict_mode_reach_no_server(server: Puppet) -> None:
    call = {
        "choices": [
            {
                "message": {
                    "tool_calls": [{"id": "1", "function": {"name": "echo", "arguments": '{"text":"x","tags":null}'}}]
                }
            }
        ]
    }
    async with AsyncClient.connect(server.command) as client:
        await AsyncToolRunner(client).run(call, format="openai-strict")

    assert server.params("tools/call") == [{"name": "echo", "arguments": {"text": "x"}}]


async def test_tool_that_cannot_be_checked_is_not_called(puppet: Puppeteer) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "nonsense"}}}
    server = puppet(tools=[listed("fetch", inputSchema=schema)])
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)
        found = await runner.definitions()
        response = await runner.call("fetch")

    assert "nonsense" in str(found.omitted[0])
    assert "its input schema cannot be used" in response.text
    assert server.heard("tools/call") == []


# ------------------------------------------------------------------------------------------------------ unknown and new


async def test_unknown_tool_is_told_with_the_nearest(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)
        near, far = await runner.call("ecko"), await runner.call("zzzzzz")

    assert near.text == "there is no tool 'ecko'; did you mean 'echo'?"
    assert "there are count, die, echo" in far.text
    assert (await AsyncToolRunner().call("echo")).text == "there is no tool 'echo'; there are none"


async def test_tool_that_appears_meanwhile_is_found(puppet: Puppeteer) -> None:
    grown = [listed("grow"), listed("fruit")]
    server = puppet(
        tools=[listed("grow")],
        on={
            "tools/call grow": [change(tools=grown), publish("notifications/tools/list_changed"), text("grown")],
            "tools/call fruit": [text("an apple")],
        },
    )
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)
        await runner.call("grow")
        responses = [
            (await runner.run({"id": "1", "name": "fruit"})).responses[0],
            (
                await runner.run({"content": [{"type": "tool_use", "id": "1", "name": "fruit"}]}, format="anthropic")
            ).responses[0],
        ]

    assert [response.text for response in responses] == ["an apple", "an apple"]


# ------------------------------------------------------------------------------------------------------------- limits


async def test_calls_run_side_by_side(puppet: Puppeteer) -> None:
    server = puppet(
        tools=[listed("first"), listed("second")],
        on={
            "tools/call first": [["hear", "tools/call", 2], text("first")],
            "tools/call second": [text("second")],
        },
    )
    async with AsyncClient.connect(server.command) as client:
        run = await AsyncToolRunner(client).run([scripted("first"), scripted("second")])

    assert [response.text for response in run.responses] == ["first", "second"]


async def test_calls_run_one_after_the_other_where_that_is_wanted(server: Puppet) -> None:
    order: list[str] = []

    @tool
    def note(what: str) -> None:
        """Note something."""
        order.extend([what, what])

    runner = AsyncToolRunner(note, limits=ToolLimits(at_once=1))
    await runner.run([scripted("note", {"what": each}) for each in "abcd"])

    assert order == list("aabbccdd")


async def test_exclusive_function_runs_once_at_a_time() -> None:
    running: list[int] = []
    most: list[int] = []

    @tool(is_exclusive=True)
    def work(number: int) -> None:
        """Work."""
        running.append(number)
        most.append(len(running))
        running.remove(number)

    await AsyncToolRunner(work).run([scripted("work", {"number": each}) for each in range(5)])

    assert most == [1] * 5


async def test_time_out_holds_for_functions() -> None:
    ends = threading.Event()

    @tool
    def stuck() -> None:
        ends.wait(20)

    @tool
    def quick() -> str:
        return "done"

    @tool
    def asking() -> None:
        raise McpTimeout("no answer", method="tools/call", waited=1)

    runner = AsyncToolRunner(stuck, quick, asking, boom, timeout="200ms")
    error = await failure(runner.call, "stuck")
    ends.set()

    assert isinstance(error, McpTimeout)
    assert (error.method, round(error.waited, 1)) == ("stuck", 0.2)
    assert (await runner.call("quick")).text == "done"
    assert (await runner.call("boom")).is_error
    assert isinstance(inner := await failure(runner.call, "asking"), McpTimeout)
    assert inner.waited == 1


async def test_call_beyond_a_limit_is_observed_too() -> None:
    watcher = Watcher()
    runner = AsyncToolRunner(current_utc_time, observers=[watcher], limits=ToolLimits(calls=1))
    await runner.run([scripted("current_utc_time"), scripted("current_utc_time")])

    assert len(watcher.started) == 2
    assert sorted(each.is_error for each in watcher.stopped) == [False, True]


async def test_no_call_slips_past_a_limit_beside_others() -> None:
    calls: list[int] = []

    @tool
    def note(number: int) -> None:
        calls.append(number)

    runner = AsyncToolRunner(note, limits=ToolLimits(at_once=16, calls=20))
    await runner.run([scripted("note", {"number": number}) for number in range(64)])

    assert len(calls) == 20


async def test_number_of_calls_is_limited() -> None:
    runner = AsyncToolRunner(current_utc_time, boom, limits=ToolLimits(calls=2))
    run = await runner.run([scripted("current_utc_time"), scripted("boom"), scripted("current_utc_time")])

    assert [response.is_error for response in run.responses] == [False, True, True]
    assert run.responses[2].text == "the limit of 2 tool calls is reached"


# ------------------------------------------------------------------------------------------------------------- budgets


@pytest.mark.edge("B99")
async def test_long_result_has_head_tail_and_a_handle_that_works(puppet: Puppeteer) -> None:
    whole = "".join(f"line {number}\n" for number in range(1000))
    server = puppet(
        tools=[listed("dump")], on={"tools/call dump": [answer({"content": [{"type": "text", "text": whole}]})]}
    )
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client, budget=ResultBudget(200))
        run = await runner.run(scripted("dump"), format="plain")
        names = [each["name"] for each in await runner.definitions()]
        more = await runner.call(READ_MORE, {"handle": "result-1", "offset": 150, "length": 100})
        lost = await runner.call(READ_MORE, {"handle": "result-9"})

    assert READ_MORE in names
    assert run.responses[0].text == whole
    assert len(run.responses[0].message) < 400
    assert "call dragoman_read_more with handle 'result-1' and offset 150" in run.responses[0].message
    assert more.text.startswith(whole[150:250])
    assert lost.is_error


@pytest.mark.edge("B99")
async def test_long_result_is_whole_without_a_budget(puppet: Puppeteer) -> None:
    whole = "x" * 300_000
    server = puppet(
        tools=[listed("dump")], on={"tools/call dump": [answer({"content": [{"type": "text", "text": whole}]})]}
    )
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)
        response = await runner.call("dump")
        names = [each["name"] for each in await runner.definitions()]

    assert json.loads(response.message)[0]["text"] == whole
    assert names == ["dump"]


async def test_short_result_is_whole_within_a_budget() -> None:
    assert (await AsyncToolRunner(current_utc_time, budget=ResultBudget(200)).call("current_utc_time")).budgeted is None


# ------------------------------------------------------------------------------------------------------- too many tools


@pytest.mark.feature(139)
async def test_tools_that_would_cost_too_much_are_searched_for(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client, current_utc_time)
        before = [each["name"] for each in await runner.definitions(tokens=10, keep=["echo"])]
        found = await runner.call("dragoman_search_tools", {"query": "what time is it"})
        after = [each["name"] for each in await runner.definitions(tokens=10, keep=["echo"])]
        nothing = await runner.call("dragoman_search_tools", {"query": "zzz"})
        everything = [each["name"] for each in await runner.definitions(tokens=10_000)]

    assert before == ["echo", "dragoman_search_tools"]
    assert found.text == "- current_utc_time: Tell the time, in UTC."
    assert after == [*before, "current_utc_time"]
    assert nothing.text == "No tool fits. Try other words."
    assert len(everything) == 7


@pytest.mark.feature(139)
async def test_costs_are_told_by_tool_and_server(server: Puppet) -> None:
    async with AsyncClient.connect(server.command, name="inn") as client:
        costs = await AsyncToolRunner(client, current_utc_time).costs("openai", count=len)

    assert costs.by_server.keys() == {"inn", ""}
    assert costs.total == sum(costs.by_tool.values()) == sum(costs.by_server.values())
    assert len(costs.by_tool) == 7


async def test_source_may_be_anything_that_lists_and_calls() -> None:
    class Other:
        async def list_tools(self) -> list[Tool]:
            return [Tool.define("find", {"type": "object"})]

        async def call_tool(self, name: str, arguments: Any = None, /) -> Any:
            from dragoman.models.functions import as_result

            return as_result({"name": name, "arguments": arguments})

    response = await AsyncToolRunner(Other()).call("find", {"a": 1})

    assert (response.structured, response.server) == ({"name": "find", "arguments": {"a": 1}}, "Other")


async def test_calls_that_run_one_at_a_time_run_in_their_order_where_they_are_asked_for() -> None:
    threads: list[tuple[int, int]] = []

    @tool
    async def note(number: int) -> int:
        """Note where this runs."""
        threads.append((number, threading.get_ident()))
        return number

    runner = AsyncToolRunner(note, limits=ToolLimits(at_once=1))
    await runner.run([scripted("note", {"number": number}) for number in range(3)])

    assert threads == [(number, threading.get_ident()) for number in range(3)]
