"""The tools of many servers: their names, which of them there are, and where a call goes."""

import contextlib
from typing import Any

import pytest

from dragoman import AsyncHost, Filter, ServerInfo, from_servers, named, read_only
from dragoman.aio.runner import AsyncToolRunner
from dragoman.errors import McpTimeout, NotOffered, OutcomeUnknown, ToolFailed, UsageError
from dragoman.models.functions import tool as local_tool
from dragoman.types import Tool
from tests.aio.client.support import Background, failure, until
from tests.aio.host.support import Heard, entry, is_state, names
from tests.servers.scripts.play import Puppeteer, change, default, fails, kill, publish, text, tool, wait

LOOK = tool("look", annotations={"readOnlyHint": True})
WRITE = tool("write", annotations={"destructiveHint": True})
GROW = [change(tools=[tool("search"), tool("fresh")]), publish("notifications/tools/list_changed"), text("grown")]


def add(first: int, second: int = 1) -> int:
    """Add two numbers."""
    return first + second


# ------------------------------------------------------------------------------------------------------------- names


@pytest.mark.feature(147, 148)
@pytest.mark.edge("B102")
async def test_two_tools_of_one_name_can_both_be_called(puppet: Puppeteer) -> None:
    one, other = puppet(tools=[tool("search")]), puppet("modern", tools=[tool("search"), tool("own")])
    async with AsyncHost.open({"a": entry(one), "b": entry(other)}) as host:
        assert await names(host) == ["search", "b_search", "own"]
        await host.call_tool("search", {"n": 1})
        await host.call_tool("b_search", {"n": 2})

        assert one.params("tools/call") == [{"name": "search", "arguments": {"n": 1}}]
        assert other.params("tools/call") == [{"name": "search", "arguments": {"n": 2}}]


@pytest.mark.feature(148, 149)
@pytest.mark.parametrize(
    ("naming", "expected"),
    [
        ("collision", ["search", "bee_search"]),
        ("prefix", ["a_search", "bee_search"]),
        ("counter", ["search", "alt_1_search"]),
        (lambda server, raw: f"{raw}-at-{server}", ["search-at-a", "search-at-b"]),
    ],
)
async def test_how_names_are_made_can_be_chosen(puppet: Puppeteer, naming: Any, expected: list[str]) -> None:
    servers = {"a": entry(puppet(tools=[tool("search")])), "b": entry(puppet(tools=[tool("search")]), prefix="bee")}
    async with AsyncHost.open(servers, naming=naming) as host:
        assert await names(host) == expected


@pytest.mark.edge("B103")
async def test_whoever_comes_first_the_configuration_decides(puppet: Puppeteer) -> None:
    slow = puppet(
        on={"initialize": [wait("go"), default()], "server/discover": [wait("go"), default()]}, tools=[tool("search")]
    )
    quick = puppet(tools=[tool("search")])
    opening = Background(AsyncHost.open, {"a": entry(slow), "b": entry(quick)}, patience=20)
    await until(lambda: quick.heard("tools/list"))
    slow.open_gate("go")
    host = await opening.wait()

    assert await names(host) == ["search", "b_search"]
    await host.close()


@pytest.mark.edge("B103")
async def test_names_stay_whoever_joins_later(puppet: Puppeteer) -> None:
    server = puppet(tools=[tool("search")], on={"tools/call grow": GROW})
    late = puppet(tools=[tool("search"), tool("fresh")])
    async with AsyncHost.open({"a": entry(server)}) as host:
        assert await names(host) == ["search"]
        await host.add("z", late.command)
        assert await host.ready(timeout=15)
        assert await names(host) == ["search", "z_search", "fresh"]

        await host.clients["a"].call_tool("grow")
        await until(lambda: [each.name for each in host.tools] == ["search", "a_fresh", "z_search", "fresh"])
        await host.restart("z")
        await host.restart("a")

        assert await names(host) == ["search", "z_search", "fresh"]
        await host.remove("a")
        assert await names(host) == ["z_search", "fresh"]


@pytest.mark.edge("B104")
async def test_names_fit_every_provider_and_lead_back(puppet: Puppeteer) -> None:
    raw = ["a.b/c d", "é", "x" * 72, "9"]
    server = puppet(tools=[tool(each) for each in raw])
    async with AsyncHost.open({"a": entry(server)}) as host:
        tools = await host.list_tools()
        assert [each.name for each in tools][:2] == ["a_b_c_d", "e"]
        assert all(len(each.name) <= 64 and each.name.replace("_", "").replace("-", "").isalnum() for each in tools)
        for each in tools:
            await host.call_tool(each.name)

        assert [params["name"] for params in server.params("tools/call")] == raw
        assert [each.tool.name for each in tools] == raw


@pytest.mark.feature(150)
async def test_a_tool_is_found_by_its_server_and_its_own_name(puppet: Puppeteer) -> None:
    servers = {"a": entry(puppet(tools=[tool("search")])), "b": entry(puppet(tools=[tool("search")]))}
    async with AsyncHost.open(servers) as host:
        found = await host.tool("b", "search")

        assert (found.name, found.server, found.tool.name) == ("b_search", "b", "search")
        assert (await host.call_tool(found)).text == "search {}"
        assert isinstance(await failure(host.tool, "b", "none"), NotOffered)
        assert isinstance(await failure(host.tool, "x", "search"), UsageError)


async def test_a_tool_that_was_not_listed_yet_is_found_all_the_same(puppet: Puppeteer) -> None:
    quiet = {"capabilities": {"tools": {}}, "tools": [tool("one")]}
    server = puppet(**quiet, on={"tools/call one": [change(tools=[tool("one"), tool("two")]), text("done")]})
    async with AsyncHost.open({"a": entry(server)}) as host:
        await host.call_tool("one")

        assert (await host.tool("a", "two")).name == "two"


async def test_what_nothing_is_called_is_told_with_what_is(puppet: Puppeteer) -> None:
    gated = puppet(on={"initialize": [wait("go")], "server/discover": [wait("go")]})
    async with AsyncHost.open({"a": entry(puppet()), "late": entry(gated)}, patience=0.5) as host:
        await host.ready(timeout=1)
        error = await failure(host.call_tool, "ehco")

        assert isinstance(error, UsageError)
        assert "did you mean 'echo'" in str(error)
        assert "still connecting: late" in str(error)
        assert "`list_tools` tells" in str(await failure(host.call_tool, "zzzz"))


async def test_what_is_gone_is_said_to_be_gone(puppet: Puppeteer) -> None:
    server = puppet(tools=[tool("search"), tool("old")], on={"tools/call search": GROW})
    async with AsyncHost.open({"a": entry(server)}) as host:
        await host.call_tool("search")
        await until(lambda: [each.name for each in host.tools] == ["search", "fresh"])
        error = await failure(host.call_tool, "old")

        assert isinstance(error, NotOffered)
        assert server.called("old") == 0


# ------------------------------------------------------------------------------------------------------ which there are


@pytest.mark.feature(139, 171, 172)
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (read_only, ["look", "b_look"]),
        (~read_only, ["write", "b_write"]),
        (named("look") & from_servers("b"), ["look"]),
        (named("b/*") | named("look"), ["look", "b_look", "write"]),
        (lambda server, tool: server.server.name == "puppet" and tool.name == "write", ["write", "b_write"]),
    ],
)
async def test_a_filter_chooses_the_tools(puppet: Puppeteer, wanted: Filter, expected: list[str]) -> None:
    servers = {"a": entry(puppet(tools=[LOOK, WRITE])), "b": entry(puppet("modern", tools=[LOOK, WRITE]))}
    async with AsyncHost.open(servers, filter=wanted) as host:
        assert await names(host) == expected


@pytest.mark.feature(139)
async def test_a_configuration_chooses_the_tools_of_a_server(puppet: Puppeteer) -> None:
    servers = {
        "a": entry(puppet(tools=[LOOK, WRITE]), tools={"include": ["*"], "exclude": ["wr*"]}),
        "b": entry(puppet(tools=[LOOK, WRITE]), tools={"read_only": True}),
    }
    async with AsyncHost.open(servers) as host:
        assert await names(host) == ["look", "b_look"]
        assert isinstance(await failure(host.call_tool, "write"), UsageError)
        assert isinstance(await failure(host.tool, "a", "write"), NotOffered)


async def test_a_filter_that_raises_leaves_the_tool_out(puppet: Puppeteer, caplog: pytest.LogCaptureFixture) -> None:
    def odd(server: ServerInfo, each: Tool) -> bool:
        return each.name == "look" or 1 / 0 > 0

    async with AsyncHost.open({"a": entry(puppet(tools=[LOOK, WRITE]))}, filter=odd) as host:
        assert await names(host) == ["look"]
        assert "the filter raised for write" in caplog.text


# ----------------------------------------------------------------------------------------------------------- listing


@pytest.mark.edge("B112")
async def test_a_change_is_told_with_what_is_different(puppet: Puppeteer) -> None:
    heard = Heard()
    server = puppet(tools=[tool("search", description="Before."), tool("old")], on={"tools/call search": GROW})
    async with AsyncHost.open({"a": entry(server)}, on_event=heard) as host:
        await host.call_tool("search")
        event = await heard.one("tools")

        assert event.server == "a"
        assert [each.name for each in event.changes.added] == ["fresh"]
        assert [each.name for each in event.changes.removed] == ["old"]
        ((before, after),) = event.changes.changed
        assert (before.description, after.description) == ("Before.", "Does search.")
        assert event.message == "1 added, 1 removed, 1 changed"


async def test_a_server_that_cannot_tell_is_asked_at_each_listing(puppet: Puppeteer) -> None:
    server = puppet(
        capabilities={"tools": {}},
        tools=[tool("search")],
        on={"tools/call search": [change(tools=[tool("new")]), text("x")]},
    )
    async with AsyncHost.open({"a": entry(server)}) as host:
        await host.call_tool("search")

        assert await names(host) == ["new"]


@pytest.mark.edge("B112")
async def test_a_listing_that_fails_or_hangs_keeps_the_old_list(puppet: Puppeteer) -> None:
    hung = {"tools/list": [["turns", [[default()], [wait("never")]]]]}
    dead = {"tools/list": [["turns", [[default()], [["refuse", -32603, "out of order", None]]]]]}
    servers = {"hangs": entry(puppet(on=hung)), "fails": entry(puppet(on=dead)), "works": entry(puppet())}
    async with AsyncHost.open(servers, patience=1) as host:
        assert len(await host.list_tools()) == 6
        assert len(await host.list_tools()) == 6
        assert "out of order" in str(host.status()[1].error)


async def test_tools_of_a_server_that_is_gone_are_gone_and_come_back(puppet: Puppeteer) -> None:
    heard = Heard()
    server = puppet(tools=[tool("die"), tool("echo")], on={"tools/call die": [kill()]})
    async with AsyncHost.open({"a": entry(server)}, on_event=heard) as host:
        error = await failure(host.call_tool, "die")
        assert isinstance(error, OutcomeUnknown)
        await until(lambda: len(server.pids) == 2)
        await is_state(host, "a", "ready")

        assert await names(host) == ["die", "echo"]
        assert (await host.call_tool("echo")).text == "echo {}"
        assert server.called("die") == 1


# ---------------------------------------------------------------------------------------------------- calling, others


async def test_a_failure_of_a_tool_can_be_made_to_raise(puppet: Puppeteer) -> None:
    server = puppet(on={"tools/call echo": [fails("it broke")]})
    async with AsyncHost.open({"a": entry(server)}) as host:
        assert (await host.call_tool("echo")).is_error
        error = await failure(host.call_tool, "echo", raise_on_error=True)

        assert isinstance(error, ToolFailed)
        assert (error.tool, error.server, str(error)) == ("echo", "a", "a: it broke")


@pytest.mark.feature(144, 145, 146)
async def test_functions_stand_beside_the_tools_of_servers(puppet: Puppeteer) -> None:
    server = puppet(tools=[tool("add", description="Adds, far away."), LOOK])
    async with AsyncHost.open({"a": entry(server)}, local=[add]) as host:
        listed = await host.list_tools()
        assert [(each.name, each.server, each.description) for each in listed] == [
            ("add", "this program", "Add two numbers."),
            ("a_add", "a", "Adds, far away."),
            ("look", "a", "Does look."),
        ]
        assert (await host.call_tool("add", {"first": 2, "second": 3})).text == "5"
        assert (await host.tool("local", "add")).name == "add"

        added = host.add_tool(local_tool(lambda: 1 / 0, name="look"))
        assert added.name == "local_look"
        assert (await host.call_tool("local_look")).text == "ZeroDivisionError: division by zero"
        assert isinstance(await failure(host.tool, "local", "none"), NotOffered)
        with pytest.raises(UsageError, match="already"):
            host.add_tool(add)


async def test_a_server_may_be_called_local(puppet: Puppeteer) -> None:
    server = puppet(tools=[tool("add"), LOOK])
    async with AsyncHost.open({"local": entry(server)}, local=[add]) as host:
        assert await names(host) == ["add", "local_add", "look"]
        assert (await host.call_tool("add", {"first": 2})).text == "3"
        assert (await host.call_tool("local_add")).text == "add {}"
        assert (await host.tool("local", "add")).name == "local_add"
        assert (await AsyncToolRunner(host).call("local_add")).text == "add {}"


async def test_a_host_gives_tools_to_a_runner_and_to_providers(puppet: Puppeteer) -> None:
    servers = {"a": entry(puppet(tools=[tool("search")])), "b": entry(puppet(tools=[tool("search")]))}
    async with AsyncHost.open(servers) as host:
        runner = AsyncToolRunner(host)
        assert [each.name for each in await runner.tools()] == ["search", "b_search"]
        assert {each["name"] for each in await host.tools_for("anthropic")} == {"search", "b_search"}
        assert isinstance(await failure(host.tools_for, "nobody"), UsageError)


async def test_calls_are_made_so_many_at_a_time(puppet: Puppeteer) -> None:
    server = puppet(on={"tools/call slow": [wait("go"), text("done")]})
    async with AsyncHost.open({"a": entry(server, at_once=2)}) as host:
        calls = [Background(host.call_tool, "slow") for _ in range(5)]
        await until(lambda: server.called("slow") == 2)
        error = await failure(host.call_tool, "echo", timeout=0.1)
        assert "no turn came" in str(error)
        assert server.called("slow") == 2

        server.open_gate("go")
        for each in calls:
            assert (await each.wait()).text == "done"
        assert server.called("slow") == 5


async def test_calls_are_made_so_often(puppet: Puppeteer) -> None:
    server = puppet()
    async with AsyncHost.open({"a": entry(server, rate="2/300ms")}) as host:
        for _ in range(4):
            await host.call_tool("echo", timeout=5)
        error = await failure(host.call_tool, "echo", timeout=0.05)

        assert "no turn came" in str(error)
        assert server.called("echo") == 4


async def test_calls_that_could_not_wait_for_their_turn_cost_later_ones_nothing(puppet: Puppeteer) -> None:
    async with AsyncHost.open({"a": entry(puppet(), rate="1/500ms")}) as host:
        hurried = [Background(host.call_tool, "echo", timeout=0.1) for _ in range(50)]
        for each in hurried:
            with contextlib.suppress(McpTimeout):
                await each.wait()

        assert (await host.call_tool("echo", timeout=10)).text == "echo {}"
