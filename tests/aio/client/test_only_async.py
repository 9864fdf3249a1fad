"""What only the async client has: cancelled tasks, plain functions in threads, other loops, and tasks that are left."""

import asyncio
import contextvars
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from dragoman import AsyncClient, AsyncHost
from dragoman.errors import ConnectionClosed, McpError, McpTimeout, OutcomeUnknown, UsageError
from tests.aio.client.support import Seen, failure, is_phase, saw, until
from tests.aio.transports.wire import NASTY, is_running
from tests.servers.rude.server import Rude
from tests.servers.scripts.play import Puppeteer, ask, kill, progress, publish, say, tell, text, wait

FORM: dict[str, Any] = {
    "message": "Sure?",
    "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}},
}
HELD: dict[str, Any] = {"tools/call slow": [wait("slow"), text("done")]}


async def given_up(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.edge("B59")
@pytest.mark.feature("13.3")
async def test_a_cancelled_task_cancels_its_call(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)
    async with AsyncClient.connect(server.command) as client:
        task = asyncio.create_task(client.call_tool("slow"))
        await until(lambda: server.called("slow"))
        await given_up(task)
        await until(saw(server, "notifications/cancelled"))

        assert server.params("notifications/cancelled")[0]["requestId"] == server.heard("tools/call")[0]["id"]


@pytest.mark.parametrize("in_thread", [False, True])
async def test_closing_ends_a_call_whose_handler_does_not_return(puppet: Puppeteer, era: str, in_thread: bool) -> None:
    asked, is_free, cancelled = threading.Event(), threading.Event(), asyncio.Event()

    async def waiting(_: Any) -> None:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    def blocking(_: Any) -> None:
        asked.set()
        is_free.wait(30)

    handler = blocking if in_thread else waiting
    server = puppet(era, on={"tools/call": [ask("elicitation/create", FORM), text("done")]})
    client = await AsyncClient.connect(server.command, elicitation=handler)
    task = asyncio.create_task(client.call_tool("echo"))
    await until(asked.is_set)
    await client.close()
    error = await failure(asyncio.wait_for, task, 5)
    is_free.set()

    assert isinstance(error, ConnectionClosed)
    assert cancelled.is_set() is not in_thread


async def test_a_handler_that_closes_its_client_ends_only_its_call(puppet: Puppeteer, era: str) -> None:
    clients: list[AsyncClient] = []
    closed = asyncio.Event()

    async def handler(_: Any) -> bool:
        await clients[0].close()
        closed.set()
        return True

    server = puppet(era, on={"tools/call": [ask("elicitation/create", FORM), text("done")]})
    clients.append(await AsyncClient.connect(server.command, elicitation=handler))
    error = await failure(clients[0].call_tool, "echo")

    assert isinstance(error, ConnectionClosed)
    await until(closed.is_set)


@pytest.mark.edge("B59")
async def test_fifty_cancelled_calls_leave_nothing(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)
    async with AsyncClient.connect(server.command) as client:
        before = asyncio.all_tasks()
        tasks = [asyncio.create_task(client.call_tool("slow")) for _ in range(50)]
        await until(lambda: server.called("slow") == 50)
        for task in tasks:
            await given_up(task)
        await until(saw(server, "notifications/cancelled", 50))

        assert asyncio.all_tasks() == before
        assert (await client.call_tool("echo")).text == "echo {}"


@pytest.mark.edge("B59")
async def test_asyncios_own_time_out_cancels_the_call(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)
    async with AsyncClient.connect(server.command) as client:
        with pytest.raises(TimeoutError) as caught:
            async with asyncio.timeout(0.1):
                await client.call_tool("slow")
        await until(saw(server, "notifications/cancelled"))

        assert not isinstance(caught.value, McpError)


async def test_a_cancelled_connection_attempt_ends_its_process(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"server/discover": [], "initialize": []})

    async def connect() -> None:
        await AsyncClient.connect(server.command)

    task = asyncio.create_task(connect())
    await until(lambda: server.pids)
    await given_up(task)

    assert not is_running(server.pids[0])


async def test_a_cancelled_close_can_be_done_again(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    client = await AsyncClient.connect(server.command)
    task = asyncio.create_task(client.close())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await client.close()

    assert not is_running(server.pids[0])


@pytest.mark.edge("B65")
async def test_a_task_group_gets_the_error_itself(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call die": [kill()], **HELD})
    async with AsyncClient.connect(server.command, restart=False) as client:
        with pytest.raises(ExceptionGroup) as caught:
            async with asyncio.TaskGroup() as group:
                group.create_task(client.call_tool("die"))

        assert [type(error) for error in caught.value.exceptions] == [OutcomeUnknown]


@pytest.mark.edge("B63")
async def test_a_client_is_opened_in_one_task_and_closed_in_another_while_a_third_waits(
    puppet: Puppeteer, era: str
) -> None:
    server = puppet(era, on=HELD)

    async def connect() -> AsyncClient:
        return await AsyncClient.connect(server.command)

    client = await asyncio.create_task(connect())
    call = asyncio.create_task(client.call_tool("slow"))
    await until(lambda: server.called("slow"))
    await asyncio.create_task(client.close())

    assert isinstance(await failure(lambda: call), ConnectionClosed)


@pytest.mark.edge("B63")
async def test_a_clients_scope_does_not_leak_into_the_task_that_opened_it(puppet: Puppeteer, era: str) -> None:
    """Clients may be closed in any order, and a task that closes one can still be cancelled and time out."""
    clients = [await AsyncClient.connect(puppet(era).command) for _ in range(3)]
    for client in clients:
        await client.close()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()


async def test_thirty_connections_leave_no_task(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    before = asyncio.all_tasks()
    for _ in range(30):
        async with AsyncClient.connect(server.command, on_tools_changed=Seen(), on_log=Seen()) as client:
            await client.subscribe_resource("mem://a")

    assert asyncio.all_tasks() == before


async def test_a_call_under_way_needs_no_task(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)
    async with AsyncClient.connect(server.command) as client:
        calls = [asyncio.create_task(client.call_tool("slow")) for _ in range(5)]
        await until(lambda: server.called("slow") == 5)

        assert len(asyncio.all_tasks()) == 1 + len(calls)
        server.open_gate("slow")
        await asyncio.gather(*calls)


# ----------------------------------------------------------------------------------------------------- plain functions


@pytest.mark.feature(30)
async def test_a_plain_handler_runs_in_a_thread_and_holds_up_nobody(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call book": [ask("elicitation/create", FORM), text("json:$answer")]})
    released = threading.Event()
    threads: list[threading.Thread] = []

    def elicitation(_: Any) -> dict[str, bool]:
        threads.append(threading.current_thread())
        released.wait(10)
        return {"sure": True}

    async with AsyncClient.connect(server.command, elicitation=elicitation) as client:
        booking = asyncio.create_task(client.call_tool("book"))
        await until(lambda: threads)
        quick = await client.call_tool("echo")
        released.set()
        result = await booking

        assert quick.text == "echo {}"
        assert '"sure": true' in result.text
        assert threads[0] is not threading.main_thread()


@pytest.mark.feature(30)
async def test_a_coroutine_handler_runs_on_the_loop(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call book": [ask("elicitation/create", FORM), text("json:$answer")]})
    loops: list[asyncio.AbstractEventLoop] = []

    async def elicitation(_: Any) -> bool:
        loops.append(asyncio.get_running_loop())
        return False

    async with AsyncClient.connect(server.command, elicitation=elicitation) as client:
        await client.call_tool("book")

        assert loops == [asyncio.get_running_loop()]


@pytest.mark.feature(30)
async def test_a_plain_consumer_of_each_kind_is_called(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call": [progress(1), publish("notifications/tools/list_changed"), text("so")]})
    seen: list[str] = []
    async with AsyncClient.connect(
        server.command,
        on_progress=lambda _: seen.append("progress"),
        on_tools_changed=lambda _: seen.append("tools"),
        on_state=lambda state: seen.append(state.phase),
    ) as client:
        await client.call_tool("echo")
        await until(lambda: {"progress", "tools", "ready"} <= set(seen))


async def test_a_handler_sees_the_context_variables_of_its_call(puppet: Puppeteer) -> None:
    tenant: contextvars.ContextVar[str] = contextvars.ContextVar("tenant", default="nobody")
    server = puppet("modern", on={"tools/call": [ask("elicitation/create", FORM), text("so")]})
    seen: list[str] = []

    def plain(_: Any) -> bool:
        seen.append(tenant.get())
        return True

    async def coroutine(_: Any) -> bool:
        seen.append(tenant.get())
        return True

    for handler in (plain, coroutine):
        async with AsyncClient.connect(server.command, elicitation=handler) as client:
            tenant.set("mine")
            await client.call_tool("echo")

    assert seen == ["mine", "mine"]


async def test_closing_does_not_wait_for_a_plain_handler_that_stands_still(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call": [ask("elicitation/create", FORM), text("so")]})
    released, asked = threading.Event(), threading.Event()

    def elicitation(_: Any) -> bool:
        asked.set()
        released.wait(30)
        return True

    client = await AsyncClient.connect(server.command, elicitation=elicitation)
    call = asyncio.create_task(client.call_tool("echo"))
    await until(asked.is_set)
    begun = time.monotonic()
    await client.close()
    error = await failure(lambda: call)
    released.set()

    assert isinstance(error, ConnectionClosed)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("ending", [SystemExit("enough"), asyncio.CancelledError(), GeneratorExit()], ids=repr)
@pytest.mark.parametrize("is_plain", [False, True], ids=["coroutine", "plain"])
async def test_a_callback_that_wants_to_end_more_than_itself_ends_no_other(
    puppet: Puppeteer, is_plain: bool, ending: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    told = tell("notifications/message", {"level": "warning", "data": "said"})
    server = puppet("legacy", on={"tools/call log": [told, text("so")]})
    seen: list[Any] = []

    def plain(message: Any) -> None:
        seen.append(message.data)
        if len(seen) == 1:
            raise ending

    async def coroutine(message: Any) -> None:
        plain(message)

    async with AsyncClient.connect(server.command, on_log=plain if is_plain else coroutine) as client:
        for _ in range(3):
            await client.call_tool("log")
        await until(lambda: len(seen) == 3)

    assert type(ending).__name__ in caplog.text


# ------------------------------------------------------------------------------------------------------- loops and forks


def in_a_loop_of_its_own(
    work: Callable[[], Coroutine[Any, Any, Any]], factory: Callable[[], asyncio.AbstractEventLoop]
) -> Any:
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work())


@pytest.mark.parametrize("factory", [uvloop.new_event_loop, asyncio.new_event_loop], ids=["uvloop", "asyncio"])
def test_a_session_runs_on_any_loop(
    puppet: Puppeteer, era: str, factory: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    server = puppet(era, on={"tools/call die": [kill()], "tools/call ask": [ask("roots/list"), text("json:$answer")]})

    async def session() -> list[str]:
        async with AsyncClient.connect(server.command, roots=["file:///a"], on_tools_changed=Seen()) as client:
            results = [(await client.call_tool(name)).text for name in ("echo", "ask")]
            await failure(client.call_tool, "die")
            await is_phase(client, "ready")
            return [*results, (await client.call_tool("echo")).text]

    results = in_a_loop_of_its_own(session, factory)

    assert results[0] == results[2] == "echo {}"
    assert "file:///a" in results[1]
    assert not [pid for pid in server.pids if is_running(pid)]


def test_loops_one_after_the_other_leave_nothing_behind(puppet: Puppeteer) -> None:
    server = puppet("legacy")

    async def session() -> None:
        async with AsyncClient.connect(server.command) as client:
            await client.call_tool("echo")

    in_a_loop_of_its_own(session, asyncio.new_event_loop)
    gc.collect()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        in_a_loop_of_its_own(session, asyncio.new_event_loop)
    gc.collect()

    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.fixture
def first_loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    if not loop.is_closed():
        loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


async def connected(command: Any) -> AsyncClient:
    return await AsyncClient.connect(command)


@pytest.mark.parametrize("is_closed", [False, True], ids=["idle", "closed"])
def test_a_client_is_refused_on_another_loop_and_can_be_closed_there(
    puppet: Puppeteer, era: str, first_loop: asyncio.AbstractEventLoop, is_closed: bool
) -> None:
    server = puppet(era)
    client = first_loop.run_until_complete(connected(server.command))
    verbs = {**VERBS, "wait": lambda client: client.wait_for_elicitation("1")}

    async def elsewhere() -> dict[str, str]:
        return {name: str(await failure(verb, client)) for name, verb in verbs.items()}

    if is_closed:
        first_loop.close()
    refused = asyncio.run(elsewhere())
    for _ in range(2):
        asyncio.run(client.close())

    assert {name for name, said in refused.items() if "in another event loop" not in said} == set()
    assert client.state.phase == "closed"
    assert not is_running(server.pids[0])


VERBS: dict[str, Callable[[AsyncClient], Coroutine[Any, Any, Any]]] = {
    "call": lambda client: client.call_tool("echo"),
    "list": lambda client: client.list_tools(),
    "read": lambda client: client.read_resource("mem://a"),
    "subscribe": lambda client: client.subscribe_resource("mem://a"),
    "ping": lambda client: client.ping(),
    "roots": lambda client: client.send_roots_changed(),
}


def test_a_client_of_http_is_refused_on_another_loop_and_can_be_closed_there(
    first_loop: asyncio.AbstractEventLoop,
) -> None:
    with Rude() as server:
        client = first_loop.run_until_complete(connected(server.url))

        async def elsewhere() -> Any:
            return await failure(client.call_tool, "echo")

        error = asyncio.run(elsewhere())
        asyncio.run(client.close())

        assert isinstance(error, UsageError)
        assert client.state.phase == "closed"


@pytest.mark.parametrize("is_closed", [False, True], ids=["idle", "closed"])
def test_a_host_can_be_closed_on_another_loop(
    puppet: Puppeteer, first_loop: asyncio.AbstractEventLoop, is_closed: bool
) -> None:
    servers = [puppet("legacy"), puppet("modern")]

    async def opened() -> AsyncHost:
        return await AsyncHost.open({f"server{n}": each.command for n, each in enumerate(servers)})

    host = first_loop.run_until_complete(opened())
    if is_closed:
        first_loop.close()
    for _ in range(2):
        asyncio.run(host.close())

    assert [pid for each in servers for pid in each.pids if is_running(pid)] == []


@pytest.mark.parametrize("debug", [False, True], ids=["usual", "debug"])
async def test_a_client_is_closed_from_another_threads_loop(puppet: Puppeteer, era: str, debug: bool) -> None:
    server = puppet(era, on=HELD)
    client = await AsyncClient.connect(server.command)
    call = asyncio.create_task(client.call_tool("slow"))
    await until(lambda: server.called("slow"))
    asyncio.get_running_loop().set_debug(debug)
    await asyncio.wait_for(asyncio.to_thread(asyncio.run, client.close(), debug=debug), 10)

    assert isinstance(await failure(lambda: call), ConnectionClosed)
    assert client.state.phase == "closed"
    assert not is_running(server.pids[0])


def test_closing_from_another_loop_outlives_the_end_of_the_clients_own(
    puppet: Puppeteer, first_loop: asyncio.AbstractEventLoop
) -> None:
    """Its loop takes on to close it, and stops before that is done."""
    server = puppet("legacy")
    client = first_loop.run_until_complete(connected(server.command))
    closing = threading.Thread(target=asyncio.run, args=(client.close(),))

    async def stop_soon() -> None:
        closing.start()
        await until(lambda: client.state.phase == "closed")

    first_loop.run_until_complete(stop_soon())
    closing.join(10)

    assert not closing.is_alive()
    assert not is_running(server.pids[0])
    first_loop.run_until_complete(asyncio.sleep(0.3))
    for task in asyncio.all_tasks(first_loop):
        task.cancel()
    first_loop.run_until_complete(asyncio.sleep(0.1))


@pytest.mark.parametrize("is_closed", [False, True], ids=["idle", "closed"])
def test_a_client_that_is_dropped_after_its_loop_takes_its_process_along(
    puppet: Puppeteer, era: str, first_loop: asyncio.AbstractEventLoop, is_closed: bool
) -> None:
    server = puppet(era)
    before = len(list(Path("/proc/self/fd").iterdir()))
    clients = [first_loop.run_until_complete(connected(server.command))]
    if is_closed:
        first_loop.close()
    with pytest.warns(ResourceWarning, match="unclosed <AsyncClient .* ready>"):
        clients.clear()

    assert not is_running(server.pids[0])
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


async def test_a_cancelled_connection_attempt_waits_for_no_server(tmp_path: Path) -> None:
    heard: list[str] = []

    async def connect() -> None:
        await AsyncClient.connect([sys.executable, NASTY, "hang"], on_stderr=heard.append)

    task = asyncio.create_task(connect())
    await until(lambda: heard)
    begun = time.monotonic()
    await given_up(task)

    assert time.monotonic() - begun < 1


FORGETFUL = """
import asyncio, atexit, sys, threading, time
starts = []
sys.addaudithook(lambda event, _: starts.append(1) if event == "subprocess.Popen" else None)
atexit.register(lambda: print(len(starts), flush=True))  # the first to register is the last to run
from dragoman import AsyncClient

async def connect():
    return [await AsyncClient.connect({command!r}) for _ in range(4)]

def live_on():
    loop.run_until_complete(connect_and_stay())

async def connect_and_stay():
    global clients
    clients = await connect()
    await asyncio.sleep(60)
"""
FORGOTTEN = {
    "after its loop": "clients = asyncio.run(connect())",
    "while its loop runs": (
        "clients = None; loop = asyncio.new_event_loop(); threading.Thread(target=live_on, daemon=True).start()\n"
        "while clients is None: time.sleep(0.01)"
    ),
}


@pytest.mark.parametrize("how", FORGOTTEN)
def test_a_program_that_forgets_to_close_ends_its_servers_and_starts_none_anew(
    puppet: Puppeteer, era: str, how: str
) -> None:
    server = puppet(era)
    program = f"{FORGETFUL.format(command=server.command)}\n{FORGOTTEN[how]}"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=30)

    assert (said.stdout, said.stderr) == ("4\n", "")
    assert not any(is_running(pid) for pid in server.pids)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
async def test_a_forked_child_is_refused_and_the_parent_goes_on(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command) as client:
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.write(writer, outcome_in_child(client).encode())
            os._exit(0)
        os.close(writer)
        _, status = await asyncio.to_thread(os.waitpid, pid, 0)
        said = os.read(reader, 10_000).decode()
        os.close(reader)

        assert status == 0
        assert said == "UsageError, closed"
        assert (await client.call_tool("echo")).text == "echo {}"


def outcome_in_child(client: AsyncClient) -> str:
    """Step a call by hand: the loop is the parent's."""
    return f"{stepped(client.call_tool('echo'))}, {stepped(client.close())}"


def stepped(call: Coroutine[Any, Any, Any]) -> str:
    try:
        call.send(None)
    except StopIteration:
        return "closed"
    except UsageError as error:
        return type(error).__name__
    except BaseException as error:  # noqa: BLE001 - the child tells whatever it was
        return repr(error)
    return "it waits"


# ----------------------------------------------------------------------------------------- handlers that are cancelled


class Endless:
    """A function of the application's that never returns of its own accord."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def __call__(self, _: Any) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


async def test_a_handler_whose_question_is_taken_back_is_cancelled(puppet: Puppeteer) -> None:
    asked = say({"id": "q", "method": "elicitation/create", "params": FORM})
    back = tell("notifications/cancelled", {"requestId": "q"})
    server = puppet("legacy", on={"tools/call book": [asked, wait("asked"), back, text("gave up")]})
    endless = Endless()
    async with AsyncClient.connect(server.command, elicitation=endless) as client:
        booking = asyncio.create_task(client.call_tool("book"))
        await endless.begun.wait()
        server.open_gate("asked")
        await asyncio.wait_for(endless.cancelled.wait(), 10)

        assert (await booking).text == "gave up"
        assert (await client.call_tool("echo")).text == "echo {}"
    assert [message for message in server.heard() if "method" not in message] == []


async def test_a_question_that_is_taken_back_at_once_leaves_nothing(puppet: Puppeteer) -> None:
    pairs = [
        move
        for number in range(40)
        for move in (
            say({"id": number, "method": "elicitation/create", "params": FORM}),
            tell("notifications/cancelled", {"requestId": number}),
        )
    ]
    asking = [ask("elicitation/create", FORM), text("json:$answer")]
    server = puppet("legacy", on={"tools/call flood": [*pairs, text("done")], "tools/call book": asking})

    async def elicitation(_: Any) -> bool:
        await asyncio.sleep(0.05)
        return False

    async with AsyncClient.connect(server.command, elicitation=elicitation) as client:
        for _ in range(3):
            await client.call_tool("flood")
        assert "decline" in (await client.call_tool("book")).text


async def test_a_handler_whose_dialogue_is_cancelled_has_cancelled_the_question(puppet: Puppeteer, era: str) -> None:
    async def elicitation(_: Any) -> None:
        dialogue = asyncio.ensure_future(asyncio.Event().wait())
        asyncio.get_running_loop().call_later(0.05, dialogue.cancel)
        await dialogue

    server = puppet(era, on={"tools/call book": [ask("elicitation/create", FORM), text("json:$answer")]})
    async with AsyncClient.connect(server.command, elicitation=elicitation) as client:
        assert (await client.call_tool("book")).text == '{"action": "cancel"}'


async def test_a_consumer_of_progress_that_never_returns_ends_with_its_call(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call slow": [progress(1), text("done")]})
    endless = Endless()
    async with AsyncClient.connect(server.command) as client:
        error = await failure(client.call_tool, "slow", timeout=0.3, on_progress=endless)

        assert isinstance(error, McpTimeout)
        assert "on_progress" in str(error)
        assert 0.3 <= error.waited < 5
        assert endless.cancelled.is_set()
        assert (await client.call_tool("echo")).text == "echo {}"


async def test_a_consumer_of_progress_may_take_as_long_as_its_call_is_held(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call slow": [progress(1), ask("elicitation/create", FORM), text("done")]})
    asked, told = asyncio.Event(), asyncio.Event()

    async def on_progress(_: Any) -> None:
        await asked.wait()
        await asyncio.sleep(0.6)
        told.set()

    async def elicitation(_: Any) -> bool:
        asked.set()
        await told.wait()
        return True

    async with AsyncClient.connect(server.command, elicitation=elicitation) as client:
        assert (await client.call_tool("slow", timeout=0.4, on_progress=on_progress)).text == "done"
