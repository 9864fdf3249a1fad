"""What only the sync client has: threads that share it, loops that run around it, Ctrl-C, and forks."""

import asyncio
import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest

from dragoman import Client
from dragoman.errors import ConnectionClosed, McpError, McpTimeout, OutcomeUnknown, UsageError
from dragoman.protocol.recovery import RestartPolicy
from tests.servers.scripts.play import (
    Puppet,
    Puppeteer,
    ask,
    change,
    kill,
    pause,
    progress,
    publish,
    stderr,
    tell,
    text,
    tool,
    wait,
)
from tests.sync.client.support import Seen, failure, is_phase, saw, until
from tests.sync.transports.wire import NASTY, is_running

FORM: dict[str, Any] = {
    "message": "Sure?",
    "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}},
}
HELD: dict[str, Any] = {"tools/call slow": [wait("slow"), text("done")]}
BOOKING: dict[str, Any] = {"tools/call book": [ask("elicitation/create", FORM), text("json:$answer")]}


# --------------------------------------------------------------------------------------------------------------- threads


def test_thirty_two_threads_share_a_client(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call busy": [progress(1), pause(0.002), text("json:$arguments")]})
    together = threading.Barrier(32)

    def work(number: int) -> list[str]:
        together.wait(20)
        return [client.call_tool("busy", {"n": number, "turn": turn}).text for turn in range(10)]

    with Client.connect(server.command) as client, ThreadPoolExecutor(32) as pool:
        results = list(pool.map(work, range(32)))

    assert results == [[f'{{"n": {number}, "turn": {turn}}}' for turn in range(10)] for number in range(32)]


def test_threads_use_every_verb_at_once(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call where": [ask("roots/list"), text("json:$answer")]})
    verbs: list[Callable[[Client], Any]] = [
        lambda client: client.list_tools(),
        lambda client: client.call_tool("where"),
        lambda client: client.read_resource("mem://a"),
        lambda client: client.subscribe_resource("mem://a"),
        lambda client: client.unsubscribe_resource("mem://a"),
        lambda client: client.get_prompt("greet"),
        lambda client: client.set_log_level("info"),
        lambda client: client.ping(),
    ]
    with Client.connect(server.command, roots=["file:///a"], on_tools_changed=Seen()) as client:
        with ThreadPoolExecutor(32) as pool:
            done = [pool.submit(verbs[n % len(verbs)], client) for n in range(320)]
        for each in done:
            each.result()

        assert client.state.phase == "ready"


def test_threads_that_share_a_client_outlive_its_server(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=[tool("look", annotations={"readOnlyHint": True})], on={"tools/call die": [kill()]})

    def work(number: int) -> str:
        return client.call_tool("look", {"n": number}, timeout=30).text

    with Client.connect(server.command, restart=RestartPolicy(base=0.01, longest=0.01)) as client:
        client.list_tools()
        with ThreadPoolExecutor(16) as pool:
            calls = [pool.submit(work, number) for number in range(100)]
            assert isinstance(failure(client.call_tool, "die"), OutcomeUnknown)
            results = [each.result() for each in calls]

    assert results == [f'look {{"n": {number}}}' for number in range(100)]


def test_a_client_is_closed_by_one_thread_while_others_call(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)
    client = Client.connect(server.command)
    with ThreadPoolExecutor(16) as pool:
        calls = [pool.submit(failure, client.call_tool, "slow") for _ in range(16)]
        until(lambda: server.called("slow") == 16)
        client.close()
        errors = [each.result() for each in calls]

    assert {type(error) for error in errors} == {ConnectionClosed}
    assert not is_running(server.pids[0])


def test_many_threads_find_one_dead_server_and_start_one_anew(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call die": [kill()]})
    with Client.connect(server.command, restart=RestartPolicy(limit=0, window=0.3)) as client:
        failure(client.call_tool, "die")
        is_phase(client, "failed")
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda _: answered_at_last(client), range(16)))

        assert answers == ["echo {}"] * 16
        assert len(server.pids) == 2


def answered_at_last(client: Client) -> str:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        try:
            return client.call_tool("echo").text
        except McpError:
            time.sleep(0.02)
    raise AssertionError("it never came back")


def test_only_the_threads_that_watch_something_exist(puppet: Puppeteer, era: str) -> None:
    before = threading.active_count()
    with Client.connect(puppet(era).command) as client:
        for _ in range(20):
            client.call_tool("echo")
        names = [thread.name for thread in threading.enumerate()]
        daemons = [thread for thread in threading.enumerate() if thread.name.startswith("dragoman")]

        assert len(names) - before <= 4
        assert all(thread.daemon for thread in daemons)
        assert len(names) - before == len(daemons)

    assert threading.active_count() == before


# ------------------------------------------------------------------------------------------------------------- handlers


@pytest.mark.feature(30, 33)
def test_handlers_are_plain_functions_and_run_while_the_caller_is_blocked(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, on=BOOKING).command, elicitation=lambda _: {"sure": True}) as client:
        assert '"sure": true' in client.call_tool("book").text


@pytest.mark.feature(30)
def test_a_coroutine_handler_is_refused_and_said_to_be_one(puppet: Puppeteer, era: str) -> None:
    async def elicitation(_: Any) -> bool:
        return True

    server = puppet(era, on=BOOKING)
    options: Any = {"elicitation": elicitation}
    with Client.connect(server.command, **options) as client:
        outcome: Any = None
        try:
            outcome = client.call_tool("book").text
        except UsageError as error:
            outcome = str(error)

        assert "asynchronous" in outcome or "-32603" in outcome
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.feature(33)
def test_a_handler_that_calls_the_client_in_each_round_comes_to_an_end(puppet: Puppeteer, era: str) -> None:
    def elicitation(_: Any) -> dict[str, bool]:
        client.list_tools()
        client.call_tool("echo")
        client.read_resource("mem://a")
        return {"sure": True}

    with Client.connect(puppet(era, on=BOOKING).command, elicitation=elicitation) as client:
        for _ in range(5):
            assert '"sure": true' in client.call_tool("book", timeout=10).text


def test_a_handler_may_start_threads_that_call_the_client(puppet: Puppeteer, era: str) -> None:
    def elicitation(_: Any) -> dict[str, bool]:
        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(lambda n: client.call_tool("echo", {"n": n}).text, range(8)))
        return {"sure": len(set(texts)) == 8}

    with Client.connect(puppet(era, on=BOOKING).command, elicitation=elicitation) as client:
        assert '"sure": true' in client.call_tool("book", timeout=10).text


def test_consumers_are_called_one_at_a_time(puppet: Puppeteer, era: str) -> None:
    spans: list[tuple[float, float]] = []

    def on_log(_: Any) -> None:
        begun = time.monotonic()
        time.sleep(0.01)
        spans.append((begun, time.monotonic()))

    told = [["flood", 10, [["tell", "notifications/message", {"level": "info", "data": 1}]]], text("told")]
    with Client.connect(puppet(era, on={"tools/call log": told}).command, on_log=on_log) as client:
        client.call_tool("log")
        until(lambda: len(spans) == 10)

    assert all(first[1] <= second[0] for first, second in pairwise(spans))


# ------------------------------------------------------------------------------------------------------- a loop around it


@pytest.mark.edge("B66")
def test_a_client_works_inside_a_running_loop(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=BOOKING)

    async def program() -> str:
        with Client.connect(server.command, elicitation=lambda _: {"sure": True}) as client:
            client.list_tools()
            return client.call_tool("book").text

    assert '"sure": true' in asyncio.run(program())


@pytest.mark.edge("B66")
def test_a_call_inside_a_running_loop_that_is_not_answered_ends(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)

    async def program() -> Any:
        with Client.connect(server.command) as client:
            return failure(client.call_tool, "slow", timeout=0.2)

    assert isinstance(asyncio.run(program()), McpTimeout)


@pytest.mark.edge("B66")
def test_a_client_is_used_from_the_threads_of_a_loop(puppet: Puppeteer, era: str) -> None:
    async def program() -> list[str]:
        with Client.connect(puppet(era).command) as client:
            calls = [asyncio.to_thread(client.call_tool, "echo", {"n": n}) for n in range(20)]
            return [result.text for result in await asyncio.gather(*calls)]

    assert asyncio.run(program()) == [f'echo {{"n": {n}}}' for n in range(20)]


def test_a_sync_program_loads_no_asyncio(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    program = (
        "import sys; from dragoman import Client\n"
        f"with Client.connect({server.command!r}) as client: print(client.call_tool('echo').text)\n"
        "print('asyncio' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)

    assert said.stdout.split("\n")[:2] == ["echo {}", "False"]


# ------------------------------------------------------------------------------------------------------------- callbacks


class Calling(logging.Handler):
    """Uses the client for what it does with what the server logs, as one that ships logs by a tool would."""

    def __init__(self) -> None:
        super().__init__()
        self.client: Client | None = None
        self.called: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if self.client is not None:
            self.called.append(f"{record.getMessage()} {self.client.ping(timeout=5) > 0}")


def test_a_log_handler_may_call_the_client(puppet: Puppeteer, era: str) -> None:
    warns = tell("notifications/message", {"level": "warning", "data": "said"})
    server = puppet(era, on={"tools/call log": [warns, stderr("loud\n"), text("so")]})
    logger, handler = logging.getLogger("dragoman.server.calling"), Calling()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with Client.connect(server.command, name="calling") as client:
            client.set_log_level("info")
            handler.client = client
            assert client.call_tool("log", timeout=5).text == "so"
            until(lambda: len(handler.called) == 2)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)

    assert sorted(handler.called) == ["loud True", "said True"]


ENDINGS = [SystemExit("enough"), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit()]


@pytest.mark.parametrize("ending", ENDINGS, ids=repr)
def test_a_callback_that_wants_to_end_more_than_itself_ends_no_other(
    puppet: Puppeteer, era: str, ending: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    told = tell("notifications/message", {"level": "warning", "data": "said"})
    server = puppet(era, on={"tools/call log": [told, text("so")]})
    seen: list[Any] = []

    def on_log(message: Any) -> None:
        seen.append(message.data)
        if len(seen) == 1:
            raise ending

    with Client.connect(server.command, on_log=on_log) as client:
        for _ in range(3):
            client.call_tool("log")
        until(lambda: len(seen) == 3)

    assert type(ending).__name__ in caplog.text


# ---------------------------------------------------------------------------------------------------------------- Ctrl-C


def pressed(when: Callable[[], Any]) -> list[float]:
    """Press Ctrl-C once something is so; gives a list that then holds the moment."""
    moments: list[float] = []

    def press() -> None:
        until(when)
        moments.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    return moments


@pytest.mark.edge("B59")
def test_ctrl_c_ends_a_call_at_once_and_leaves_a_usable_client(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)
    with Client.connect(server.command) as client:
        moments = pressed(lambda: server.called("slow"))
        with pytest.raises(KeyboardInterrupt):
            client.call_tool("slow")
        took = time.monotonic() - moments[0]
        until(saw(server, "notifications/cancelled"))

        assert took < 1
        assert client.call_tool("echo").text == "echo {}"


INTERRUPTED: dict[str, tuple[dict[str, Any], Callable[[Client], Any], str]] = {
    "list": ({"tools/list": []}, lambda client: client.list_tools(), "tools/list"),
    "read": ({"resources/read": []}, lambda client: client.read_resource("mem://a"), "resources/read"),
    "subscribe": (
        {"resources/subscribe": [], "subscriptions/listen": []},
        lambda client: client.subscribe_resource("mem://a"),
        "",
    ),
    "progress": (
        {"tools/call": [["flood", 2000, [pause(0.01), progress("$n")]]]},
        lambda client: client.call_tool("echo"),
        "tools/call",
    ),
}


@pytest.mark.parametrize("verb", INTERRUPTED)
def test_ctrl_c_ends_every_wait(puppet: Puppeteer, era: str, verb: str) -> None:
    on, call, method = INTERRUPTED[verb]
    method = method or {"legacy": "resources/subscribe", "modern": "subscriptions/listen"}[era]
    server = puppet(era, on=on)
    with Client.connect(server.command) as client:
        moments = pressed(saw(server, method))
        with pytest.raises(KeyboardInterrupt):
            call(client)

        assert time.monotonic() - moments[0] < 1
        assert client.ping() > 0


def test_ctrl_c_while_connecting_ends_the_process(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"server/discover": [], "initialize": []})
    moments = pressed(saw(server, "initialize"))
    with pytest.raises(KeyboardInterrupt):
        Client.connect(server.command)

    assert time.monotonic() - moments[0] < 2
    assert not is_running(server.pids[0])


def test_ctrl_c_while_connecting_waits_for_no_server() -> None:
    heard: list[str] = []
    moments = pressed(lambda: heard)
    with pytest.raises(KeyboardInterrupt):
        Client.connect([sys.executable, NASTY, "hang"], on_stderr=heard.append)

    assert time.monotonic() - moments[0] < 1


def test_ctrl_c_while_waiting_for_a_server_to_come_back(puppet: Puppeteer, era: str) -> None:
    stuck: dict[str, Any] = {"initialize": [], "server/discover": []}
    server = puppet(era, lives=[{"on": {"tools/call die": [kill()]}}, {"on": stuck}])
    with Client.connect(server.command) as client:
        failure(client.call_tool, "die")
        moments = pressed(lambda: len(server.pids) == 2)
        with pytest.raises(KeyboardInterrupt):
            client.call_tool("echo")

        assert time.monotonic() - moments[0] < 1
    assert not [pid for pid in server.pids if is_running(pid)]


def test_ctrl_c_does_not_reach_the_server(puppet: Puppeteer, era: str) -> None:
    """A terminal sends it to the whole foreground group: the server is in one of its own."""
    server = puppet(era)
    with Client.connect(server.command):
        until(lambda: server.pids)

        assert os.getpgid(server.pids[0]) != os.getpgid(0)


# ------------------------------------------------------------------------------------------------------------- forking


def in_a_fork(work: Callable[[], str]) -> str:
    """Run something in a forked child and return what it says, within ten seconds."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(10)
        try:
            os.write(writer, work().encode())
        except BaseException as error:  # noqa: BLE001 - the child tells whatever it was
            os.write(writer, repr(error).encode())
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(pid, 0)
    said = os.read(reader, 10_000).decode()
    os.close(reader)
    assert status == 0, f"the child was ended by {status}, and said {said!r}"
    return said


forking = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@forking
def test_a_client_is_refused_in_a_forked_child_and_goes_on_in_the_parent(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era).command, on_tools_changed=Seen()) as client:
        said = in_a_fork(lambda: ", ".join(type(failure(verb)).__name__ for verb in verbs_of(client)))

        assert said == ", ".join(["UsageError"] * 5)
        assert client.call_tool("echo").text == "echo {}"


def verbs_of(client: Client) -> list[Callable[[], Any]]:
    return [
        lambda: client.call_tool("echo"),
        client.list_tools,
        lambda: client.subscribe_resource("mem://a"),
        client.send_roots_changed,
        client.ping,
    ]


@forking
def test_a_forked_child_may_leave_a_clients_block_as_it_likes(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    with Client.connect(server.command) as client:
        pid = os.fork()
        if pid == 0:
            signal.alarm(10)
            os._exit(code_of_leaving(client))

        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
        assert client.call_tool("echo").text == "echo {}"
        assert is_running(server.pids[0])


def code_of_leaving(client: Client) -> int:
    try:
        with client:
            client.close()
            sys.exit(5)
    except SystemExit as error:
        return int(str(error))
    except BaseException:  # noqa: BLE001 - a forked test must not go on as its parent
        return 100


@forking
def test_a_forked_child_may_connect_anew(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    with Client.connect(server.command) as client:
        said = in_a_fork(lambda: anew(server))

        assert said == "echo {}"
        assert client.call_tool("echo").text == "echo {}"
        assert is_running(server.pids[0])


def anew(server: Puppet) -> str:
    with Client.connect(server.command) as client:
        return client.call_tool("echo").text


@forking
def test_a_fork_while_calls_are_under_way_is_no_deadlock(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    with Client.connect(server.command) as client, ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(client.call_tool, "echo", {"n": n}) for n in range(200)]
        said = [in_a_fork(lambda: type(failure(client.call_tool, "echo")).__name__) for _ in range(5)]
        results = [each.result().text for each in calls]

    assert said == ["UsageError"] * 5
    assert len(results) == 200


# ------------------------------------------------------------------------------------------------------------ forgetting


def test_dropped_clients_leave_no_thread(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    before = threading.active_count()
    for _ in range(5):
        with pytest.warns(ResourceWarning, match="unclosed"):
            Client.connect(server.command).ping()
            gc.collect()
    until(lambda: not any(is_running(pid) for pid in server.pids) and threading.active_count() == before)

    assert len(server.pids) == 5


def test_a_client_may_be_closed_as_the_interpreter_is_torn_down(puppet: Puppeteer) -> None:
    program = (
        "from dragoman import Client\n"
        "class Holder:\n"
        f"    def __init__(self): self.client = Client.connect({puppet('legacy').command!r})\n"
        "    def __del__(self): self.client.close(); print('closed')\n"
        "holder = Holder()"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)

    assert (said.stdout, said.stderr) == ("closed\n", "")


COUNTED = """
import atexit, sys
starts = []
sys.addaudithook(lambda event, _: starts.append(1) if event == "subprocess.Popen" else None)
atexit.register(lambda: print(len(starts), flush=True))  # the first to register is the last to run
from dragoman import Client
"""
FORGETFUL = {
    "at its end": "clients = [Client.connect(command) for _ in range(4)]; clients[0].ping()",
    "by an exception": "clients = [Client.connect(command) for _ in range(4)]; 1 / 0",
    "in a function": "def work():\n    clients = [Client.connect(command) for _ in range(4)]\n    sys.exit(3)\nwork()",
    "while a call is under way": (
        "import threading; client = Client.connect(command); clients = [Client.connect(command) for _ in range(3)]\n"
        "threading.Thread(target=client.call_tool, args=('slow',), daemon=True).start()"
    ),
}


@pytest.mark.parametrize("how", FORGETFUL)
def test_a_program_that_forgets_to_close_ends_its_servers_and_starts_none_anew(
    puppet: Puppeteer, era: str, how: str
) -> None:
    server = puppet(era, on=HELD)
    program = f"{COUNTED}command = {server.command!r}\n{FORGETFUL[how]}"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=30)

    assert said.stdout == "4\n"
    assert "could not be started" not in said.stderr
    until(lambda: not any(is_running(pid) for pid in server.pids))


def test_nothing_is_started_while_the_program_ends(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    program = (
        "import atexit\n"
        "def late():\n"
        "    try: Client.connect(command)\n"
        "    except Exception as error: print(type(error).__name__, error)\n"
        "atexit.register(late)\n"
        f"{COUNTED}command = {server.command!r}\nClient.connect(command).close()"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)

    assert said.stdout.startswith("1\nConnectFailed ")
    assert "this program is ending" in said.stdout
    assert said.stderr == ""


def test_a_change_reaches_its_consumer_while_nobody_calls(puppet: Puppeteer, era: str) -> None:
    told = [text("soon"), wait("change"), change(tools=[tool("new")]), publish("notifications/tools/list_changed")]
    server = puppet(era, on={"tools/call change": told})
    seen = Seen()
    with Client.connect(server.command, on_tools_changed=seen) as client:
        client.call_tool("change")
        server.open_gate("change")

        assert [each.name for each in seen.first()] == ["new"]
