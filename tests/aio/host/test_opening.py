"""Many servers, opened at once: whatever one of them does, the others are there."""

import contextlib
from functools import partial
from typing import Any

import pytest

from dragoman import AsyncHost
from dragoman.aio.hosting import member
from dragoman.aio.transports.memory import MemoryTransport
from dragoman.deadline import now
from dragoman.errors import (
    ConfigError,
    ConnectFailed,
    ConnectionClosed,
    ConnectionLost,
    InvalidParams,
    McpTimeout,
    NotOffered,
    ServerExited,
    UsageError,
)
from dragoman.host.limits import BreakerPolicy
from dragoman.protocol.recovery import RestartPolicy
from tests.aio.client.support import Background, failure, until
from tests.aio.host.support import Heard, entry, is_state, names, states
from tests.aio.transports.wire import is_running
from tests.servers.scripts.play import Puppeteer, change, default, die, kill, pause, refuse, stderr, tool, turns, wait

GATED = {"server/discover": [wait("go"), default()], "initialize": [wait("go"), default()]}
MISSING = {"command": "no-such-program-here"}


@pytest.mark.feature(23, 124, 125, 126, 127, 143, 144)
async def test_a_mapping_of_servers_is_one_catalogue(puppet: Puppeteer) -> None:
    servers = [puppet(era, tools=[tool(f"tool{n}")]) for n, era in enumerate(["legacy", "modern"] * 2 + ["legacy"])]
    mapping = {f"server{n}": entry(each, transport="stdio") for n, each in enumerate(servers)}
    async with AsyncHost.open(mapping) as host:
        tools = await host.list_tools()

        assert [(each.name, each.server) for each in tools] == [(f"tool{n}", f"server{n}") for n in range(5)]
        assert list(host.clients) == list(mapping)
        assert len({id(client) for client in host.clients.values()}) == 5
        for n, each in enumerate(servers):
            result = await host.call_tool(f"tool{n}", {"n": n})
            assert result.text == f'tool{n} {{"n": {n}}}'
            assert len(each.pids) == 1
        assert [each.called(f"tool{n}") for n, each in enumerate(servers)] == [1] * 5
    assert not any(is_running(pid) for each in servers for pid in each.pids)


@pytest.mark.feature(24, 25, 176)
@pytest.mark.edge("B106")
async def test_all_calls_meet_one_process(puppet: Puppeteer) -> None:
    server = puppet()
    async with AsyncHost.open({"a": entry(server)}) as host:
        for n in range(100):
            await host.call_tool("echo", {"n": n})

        assert len(server.pids) == 1
        assert server.called("echo") == 100


@pytest.mark.edge("B100")
async def test_one_that_cannot_be_started_costs_the_others_nothing(puppet: Puppeteer) -> None:
    async with AsyncHost.open({"gone": MISSING, "a": entry(puppet())}) as host:
        assert await names(host) == ["echo", "slow"]
        gone, a = host.status()

        assert (str(gone.state), str(a.state)) == ("failed", "ready")
        assert gone.latency is None
        assert a.latency is not None
        assert isinstance(gone.error, ConnectFailed)
        assert "no-such-program-here" in gone.target


@pytest.mark.edge("B100")
async def test_one_that_is_required_stops_the_opening(puppet: Puppeteer) -> None:
    server = puppet()
    error = await failure(AsyncHost.open, {"gone": {**MISSING, "required": True}, "a": entry(server)})

    assert isinstance(error, ConnectFailed)
    assert error.server == "gone"
    assert not any(is_running(pid) for pid in server.pids)


@pytest.mark.edge("B101")
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_one_that_never_answers_joins_when_it_does(puppet: Puppeteer, era: str) -> None:
    heard = Heard()
    silent = puppet(era, on=GATED, tools=[tool("late")])
    began = now()
    async with AsyncHost.open({"silent": entry(silent), "a": entry(puppet())}, patience=0.6, on_event=heard) as host:
        assert now() - began < 5
        assert states(host) == {"silent": "connecting", "a": "ready"}
        assert await names(host) == ["echo", "slow"]
        assert (await host.call_tool("echo")).text == "echo {}"

        silent.open_gate("go")
        event = await heard.one("tools", "silent")

        assert [each.name for each in event.changes.added] == ["late"]
        assert await names(host) == ["late", "echo", "slow"]
        assert (await host.call_tool("late")).text == "late {}"


async def test_a_call_of_one_that_is_connecting_waits_for_it(puppet: Puppeteer) -> None:
    silent = puppet(on=GATED, tools=[tool("late")])
    async with AsyncHost.open({"silent": entry(silent)}, patience=0) as host:
        reading = Background(host.read_resource, "mem://a", server="silent", timeout=20)
        silent.open_gate("go")

        assert (await reading.wait()).contents[0].text == "alpha"


async def test_a_call_of_one_that_does_not_come_times_out(puppet: Puppeteer) -> None:
    async with AsyncHost.open({"silent": entry(puppet(on=GATED))}, patience=0) as host:
        error = await failure(host.read_resource, "mem://a", server="silent", timeout=0.1)

        assert isinstance(error, McpTimeout)
        assert (error.phase, error.was_sent, error.server) == ("connecting", False, "silent")


async def test_one_that_hangs_does_not_hold_up_closing(puppet: Puppeteer) -> None:
    silent = puppet(on=GATED)
    host = await AsyncHost.open({"silent": entry(silent), "also": entry(puppet(on=GATED))}, patience=0.3)
    await until(lambda: silent.pids)
    began = now()
    await host.close()
    await host.close()

    assert now() - began < 10
    assert not is_running(silent.pids[0])
    assert states(host) == {"silent": "closed", "also": "closed"}


@pytest.mark.parametrize("patience", [0, 5])
async def test_one_that_dies_as_it_starts_is_tried_again(puppet: Puppeteer, patience: float) -> None:
    dying = [stderr("no key\n"), die(3)]
    server = puppet(lives=[{"start": dying}, {"start": dying}, {}])
    async with AsyncHost.open({"a": entry(server)}, patience=patience) as host:
        await until(lambda: host.status()[0].error)
        error = host.status()[0].error
        assert isinstance(error, ServerExited)
        assert (error.exit_code, error.stderr.strip()) == (3, "no key")
        await until(lambda: host.status()[0].stderr)
        assert host.status()[0].stderr.startswith("no key")

        await is_state(host, "a", "ready")

        assert (await host.call_tool("echo")).text == "echo {}"
        assert len(server.pids) == 3


async def test_one_that_is_not_to_be_restarted_is_left(puppet: Puppeteer) -> None:
    server = puppet(start=[die(3)])
    async with AsyncHost.open({"a": entry(server, restart=False)}) as host:
        assert states(host) == {"a": "failed"}
        error = await failure(host.read_resource, "mem://a", server="a")

        assert isinstance(error, ConnectionLost)
        assert not error.was_sent
        assert isinstance(error.__cause__, ServerExited)


async def test_one_that_is_disabled_is_not_started(puppet: Puppeteer) -> None:
    server = puppet()
    async with AsyncHost.open({"a": entry(server, disabled=True), "b": entry(puppet())}) as host:
        assert states(host) == {"a": "disabled", "b": "ready"}
        assert server.pids == []
        assert isinstance(await failure(host.read_resource, "mem://a", server="a"), ConnectionLost)


async def test_one_that_is_required_and_disabled_is_refused(puppet: Puppeteer) -> None:
    error = await failure(AsyncHost.open, {"a": entry(puppet(), disabled=True, required=True)})

    assert isinstance(error, UsageError)


async def test_a_host_without_servers_is_one_all_the_same() -> None:
    async with AsyncHost.open({}) as host:
        assert await host.list_tools() == ()
        assert host.status() == ()
        assert repr(host).endswith("without servers>")


async def test_servers_come_go_and_are_restarted(puppet: Puppeteer) -> None:
    first, second = puppet(tools=[tool("one")]), puppet("modern", tools=[tool("two")])
    async with AsyncHost.open({"a": entry(first)}) as host:
        await host.add("b", second.command)
        await host.add("c", MISSING)
        assert await host.ready(timeout=15)
        assert await names(host) == ["one", "two"]
        assert isinstance(await failure(host.add, "b", second.command), UsageError)

        await host.restart("b")
        assert (await host.call_tool("two")).text == "two {}"
        assert len(second.pids) == 2

        await host.remove("a")
        assert await names(host) == ["two"]
        assert not is_running(first.pids[0])
        assert isinstance(await failure(host.call_tool, "one"), UsageError | NotOffered)
        assert isinstance(await failure(host.remove, "a"), UsageError)
        assert list(states(host)) == ["b", "c"]


async def test_a_closed_host_begins_nothing_again(puppet: Puppeteer) -> None:
    first, second = puppet(), puppet()
    host = await AsyncHost.open({"a": entry(first)})
    await host.close()
    verbs: list[Any] = [host.reload, host.list_tools, partial(host.call_tool, "echo")]
    verbs += [partial(host.add, "b", entry(second)), partial(host.restart, "a")]
    for verb in verbs:
        assert isinstance(await failure(verb), ConnectionClosed)
    await host.close()

    assert (len(first.pids), second.pids) == (1, [])


async def test_one_that_is_removed_while_it_is_restarted_is_gone(puppet: Puppeteer) -> None:
    server = puppet()
    async with AsyncHost.open({}) as host:
        for _ in range(5):
            await host.add("a", entry(server))
            await host.ready(timeout=15)
            changes = [Background(host.restart, "a"), Background(host.remove, "a"), Background(host.restart, "a")]
            for each in changes:
                with contextlib.suppress(ConnectionClosed, UsageError):
                    await each.wait()
        assert states(host) == {}
        await until(lambda: not any(map(is_running, server.pids)))


async def test_a_required_server_that_fails_is_not_kept_waiting_for_another(puppet: Puppeteer) -> None:
    servers = {"slow": entry(puppet(on=GATED), required=True), "gone": {**MISSING, "required": True}}
    began = now()
    error = await failure(opened, {"mcpServers": servers})

    assert isinstance(error, ConnectFailed)
    assert error.server == "gone"
    assert now() - began < 10


async def opened(sources: Any) -> AsyncHost:
    return await AsyncHost.open(sources)


async def test_one_that_does_not_list_is_waited_for_once(puppet: Puppeteer) -> None:
    stuck = puppet(on={"tools/list": turns([default()], [wait("go"), change(tools=[tool("late")]), default()])})
    async with AsyncHost.open({"a": entry(stuck), "b": entry(puppet(tools=[tool("quick")]))}, patience=0.5) as host:
        assert await names(host) == ["echo", "slow", "quick"]
        began = now()
        for _ in range(40):
            await host.list_tools()
        assert now() - began < 10

        stuck.open_gate("go")
        await until(lambda: [each.name for each in host.tools] == ["late", "quick"])
        await host.list_tools()
        assert len(stuck.heard("tools/list")) == 3


@pytest.mark.feature(88, 175)
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_server_that_says_how_long_it_takes_to_start_has_that_time(puppet: Puppeteer, era: str) -> None:
    slow = puppet(era, on={key: [pause(0.8), default()] for key in ("initialize", "server/discover")})
    async with AsyncHost.open({"a": entry(slow, timeout="400ms", startup="15s", required=True)}) as host:
        assert states(host) == {"a": "ready"}


@pytest.mark.feature(87, 175)
async def test_without_that_the_time_for_a_request_holds_for_the_first_one(puppet: Puppeteer) -> None:
    error = await failure(opened, {"a": entry(puppet(on={"initialize": []}), timeout="200ms", required=True)})

    assert isinstance(error, McpTimeout)
    assert error.waited < 10


async def test_a_bad_entry_is_not_added() -> None:
    async with AsyncHost.open({}) as host:
        assert isinstance(await failure(host.add, "a", {"args": []}), ConfigError)
        assert host.status() == ()


async def test_ready_tells_when_the_time_is_up(puppet: Puppeteer) -> None:
    async with AsyncHost.open({"silent": entry(puppet(on=GATED))}, patience=0) as host:
        assert not await host.ready(timeout=0.05)


async def test_the_status_tells_all_there_is_to_know(puppet: Puppeteer) -> None:
    server = puppet("modern", start=[stderr("hello\n")])
    async with AsyncHost.open({"a": entry(server, required=True)}) as host:
        await host.call_tool("echo")
        await until(lambda: host.status()[0].stderr)
        (status,) = host.status()

        assert (status.transport, status.era, status.protocol_version) == ("stdio", "modern", "2026-07-28")
        assert status.server is not None
        assert (status.server.name, status.stderr, status.tools, status.required) == ("puppet", "hello", 2, True)
        assert status.latency is not None
        assert 0 < status.latency < 5
        assert status.error is None
        assert "a ready" in repr(host)


async def test_every_change_of_state_is_told(puppet: Puppeteer) -> None:
    heard = Heard()
    server = puppet(tools=[tool("die")], on={"tools/call die": [kill()]})
    async with AsyncHost.open({"a": entry(server)}, on_event=heard) as host:
        await failure(host.call_tool, "die")
        await until(lambda: "restarting" in [str(each.status.state) for each in heard.of("server") if each.status])

    told = [str(each.status.state) for each in heard.of("server") if each.server == "a" and each.status]
    assert told[0] == "ready"
    assert told[-1] == "closed"
    assert "restarting" in told


async def test_a_server_in_this_process_can_stand_beside_others(puppet: Puppeteer) -> None:
    def server(message: Any) -> Any:
        """Answer like a small server of the legacy era."""
        results = {
            "initialize": {
                "protocolVersion": "2025-11-25",
                "serverInfo": {"name": "small", "version": "1"},
                "capabilities": {"tools": {}},
            },
            "tools/list": {"tools": [tool("inside")]},
            "tools/call": {"content": [{"type": "text", "text": "from within"}]},
        }
        if "id" not in message:
            return None
        if message["method"] not in results:
            error = {"code": -32601, "message": "no such method"}
            return {"jsonrpc": "2.0", "id": message["id"], "error": error}
        return {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}

    async with AsyncHost.open({"small": server, "a": puppet().command, "t": MemoryTransport(server)}) as host:
        assert await names(host) == ["inside", "echo", "slow", "t_inside"]
        assert (await host.call_tool("inside")).text == "from within"
        assert [each.transport for each in host.status()] == ["memory", "stdio", "memory"]


async def test_a_transport_that_raises_anything_is_a_failed_server(puppet: Puppeteer) -> None:
    class Broken(MemoryTransport):
        async def open(self, hear: Any, lost: Any, deadline: Any) -> None:
            raise RuntimeError("it is broken")

    async with AsyncHost.open({"broken": Broken(print), "a": puppet().command}, patience=1) as host:
        (broken, _) = host.status()
        assert isinstance(broken.error, ConnectFailed)
        assert "RuntimeError: it is broken" in str(broken.error)
        assert await names(host) == ["echo", "slow"]


async def test_an_unknown_option_is_refused() -> None:
    error = await failure(AsyncHost.open, {}, polcy="careful")

    assert isinstance(error, UsageError)
    assert "did you mean `policy`" in str(error)
    assert "see `HostOptions`" in str(await failure(AsyncHost.open, {}, zzzzzz=1))
    assert isinstance(await failure(AsyncHost.open, {}, on_drift="weep"), ConfigError)


async def test_a_host_can_be_closed_by_another_task(puppet: Puppeteer) -> None:
    host = await AsyncHost.open({"a": entry(puppet())})
    closing = Background(host.close)
    await closing.wait()

    assert states(host) == {"a": "closed"}
    error = await failure(host.call_tool, "echo")
    assert isinstance(error, ConnectionClosed)


async def test_one_that_fails_again_and_again_is_left_alone_for_a_while(puppet: Puppeteer) -> None:
    server = puppet(on={"tools/call slow": [wait("never")]})
    async with AsyncHost.open({"a": entry(server)}, breaker=BreakerPolicy(failures=2, seconds=60)) as host:
        for _ in range(2):
            assert isinstance(await failure(host.call_tool, "slow", timeout=0.1), McpTimeout)
        error = await failure(host.call_tool, "echo")

        assert isinstance(error, ConnectionLost)
        assert not error.was_sent
        assert "left alone" in str(error)
        assert host.status()[0].is_paused

        await host.restart("a")
        assert (await host.call_tool("echo")).text == "echo {}"


@pytest.mark.edge("B108")
async def test_an_error_that_the_server_answers_reconnects_nothing(puppet: Puppeteer) -> None:
    server = puppet(on={"tools/call echo": [refuse(-32602, "no such argument")]})
    async with AsyncHost.open({"a": entry(server)}, breaker=BreakerPolicy(failures=1, seconds=60)) as host:
        for _ in range(3):
            assert isinstance(await failure(host.call_tool, "echo"), InvalidParams)

        assert server.called("echo") == 3
        assert len(server.pids) == 1
        assert not host.status()[0].is_paused


async def test_a_server_that_died_too_often_comes_back_by_itself(puppet: Puppeteer, monkeypatch: Any) -> None:
    monkeypatch.setattr(member, "_REVIVAL", 0.05)
    server = puppet(
        tools=[tool("echo"), tool("die")], on={"tools/call die": [kill()]}, lives=[{}, {"start": [die()]}, {}]
    )
    async with AsyncHost.open({}) as host:
        await host.add("a", server.command, restart=RestartPolicy(limit=1, base=0.01, longest=0.02, window=0.5))
        assert await host.ready(timeout=15)
        await failure(host.call_tool, "die")
        await until(lambda: len(server.pids) >= 3, 30)
        await is_state(host, "a", "ready")

        assert (await host.call_tool("echo")).text == "echo {}"
