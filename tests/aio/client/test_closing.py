"""How a client ends, whoever ends it, and what is left behind: nothing."""

import gc
import threading
import warnings
from pathlib import Path
from typing import Any
from weakref import ReferenceType, ref

import pytest

from dragoman import AsyncClient
from dragoman.errors import ConnectionClosed, McpError, ServerError
from tests.aio.client.support import Background, Seen, failure, until
from tests.aio.transports.wire import is_running
from tests.servers.scripts.play import Puppet, Puppeteer, ask, hear, publish, refuse, stderr, text, wait

HELD = {"tools/call slow": [wait("slow"), text("done")]}


def still_running(server: Puppet) -> list[int]:
    return [pid for pid in server.pids if is_running(pid)]


@pytest.mark.feature(20, 21, "12.11")
async def test_closing_ends_the_process(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    client = await AsyncClient.connect(server.command)
    before = still_running(server)
    await client.close()

    assert before == server.pids
    assert still_running(server) == []


@pytest.mark.feature(20)
async def test_closing_again_and_again_does_no_harm(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command) as client:
        for _ in range(3):
            await client.close()

        assert client.state.phase == "closed"


@pytest.mark.feature(20)
async def test_a_client_can_be_closed_by_many_at_once(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)
    client = await AsyncClient.connect(server.command)
    call = Background(client.call_tool, "slow")
    await until(lambda: server.called("slow"))
    for closing in [Background(client.close) for _ in range(5)]:
        await closing.wait()
    error = await call.failure()

    assert isinstance(error, ConnectionClosed)
    assert still_running(server) == []


@pytest.mark.edge("B63")
async def test_a_client_is_closed_elsewhere_while_calls_wait(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=HELD)
    client = await AsyncClient.connect(server.command)
    calls = [Background(client.call_tool, "slow") for _ in range(4)]
    await until(lambda: server.called("slow") == 4)
    await Background(client.close).wait()
    errors = [await each.failure() for each in calls]

    assert [type(error) for error in errors] == [ConnectionClosed] * 4


@pytest.mark.edge("B63")
async def test_a_client_is_opened_here_and_used_and_closed_elsewhere(puppet: Puppeteer, era: str) -> None:
    client: AsyncClient = await Background(connected, puppet(era).command).wait()
    result = await Background(client.call_tool, "echo").wait()
    await Background(client.close).wait()

    assert result.text == "echo {}"


async def connected(command: list[str], **options: Any) -> AsyncClient:
    return await AsyncClient.connect(command, **options)


@pytest.mark.feature(19, 94)
async def test_every_verb_of_a_closed_client_says_that_it_is_closed(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command) as client:
        pass
    errors = [
        await failure(client.list_tools),
        await failure(client.call_tool, "echo"),
        await failure(client.read_resource, "mem://a"),
        await failure(client.get_prompt, "greet"),
        await failure(client.subscribe_resource, "mem://a"),
        await failure(client.ping),
    ]

    assert [type(error) for error in errors] == [ConnectionClosed] * 6
    assert "the client is closed" in str(errors[0])


@pytest.mark.feature(19)
async def test_what_was_negotiated_can_be_read_after_closing(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command) as client:
        pass

    assert client.server.name == "puppet"
    assert client.era == era


@pytest.mark.feature(22)
async def test_a_block_that_raises_closes_its_client(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    error = await failure(raising, server.command)

    assert type(error) is LookupError
    assert still_running(server) == []


async def raising(command: list[str]) -> None:
    async with AsyncClient.connect(command):
        raise LookupError("the block's own")


@pytest.mark.edge("B65")
@pytest.mark.feature(94)
async def test_what_a_block_raises_is_the_error_itself(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call": [refuse(-32603, "broken")]})
    error = await failure(calling, server.command)

    assert type(error) is ServerError
    assert error.code == -32603


async def calling(command: list[str]) -> None:
    async with AsyncClient.connect(command) as client:
        await client.call_tool("echo")


@pytest.mark.edge("B65")
async def test_many_failures_at_once_are_each_their_own(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call": [hear("tools/call", 5), refuse(-32603, "broken")]})
    async with AsyncClient.connect(server.command) as client:
        calls = [Background(client.call_tool, "echo") for _ in range(5)]
        errors = [await each.failure() for each in calls]

    assert [type(error) for error in errors] == [ServerError] * 5
    assert len({id(error) for error in errors}) == 5


async def test_a_consumer_may_close_the_client(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call": [text("changed"), publish("notifications/tools/list_changed")]})
    clients: list[AsyncClient] = []
    closed = Seen()

    async def on_tools_changed(tools: Any) -> None:
        await clients[0].close()
        await closed(tools)

    client = await AsyncClient.connect(server.command, on_tools_changed=on_tools_changed)
    clients.append(client)
    await client.call_tool("echo")
    await closed.first()

    assert client.state.phase == "closed"
    assert still_running(server) == []


async def test_a_handler_may_close_the_client(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call": [ask("roots/list"), ask("elicitation/create", FORM), text("asked")]})
    clients: list[AsyncClient] = []

    async def elicitation(_: Any) -> bool:
        await clients[0].close()
        return True

    client = await AsyncClient.connect(server.command, roots=[], elicitation=elicitation)
    clients.append(client)
    error = await failure(client.call_tool, "echo")

    assert isinstance(error, ConnectionClosed)
    await client.close()
    assert still_running(server) == []


FORM = {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}}}


async def test_closing_does_not_wait_for_a_handler_that_waits(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call": [ask("elicitation/create", FORM), text("asked")]})
    asked = Seen()

    async def elicitation(question: Any) -> bool:
        await asked(question)
        await until(lambda: client.state.phase == "closed")
        return True

    client = await AsyncClient.connect(server.command, elicitation=elicitation)
    call = Background(client.call_tool, "echo")
    await asked.first()
    await client.close()

    assert isinstance(await call.failure(), ConnectionClosed)


async def test_closing_ends_the_wait_for_a_user(puppet: Puppeteer, era: str) -> None:
    client = await AsyncClient.connect(puppet(era).command)
    waiting = Background(client.wait_for_elicitation, "never", timeout=60)
    late = Background(client.wait_for_elicitation, "never", timeout=60)
    await client.close()

    assert isinstance(await waiting.failure(), ConnectionClosed)
    assert isinstance(await late.failure(), ConnectionClosed)
    assert isinstance(await failure(client.wait_for_elicitation, "later", timeout=60), ConnectionClosed)


async def test_connecting_to_what_is_no_server_leaves_nothing_behind(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"server/discover": [], "initialize": []})
    error = await failure(connected, server.command, timeout=0.5)

    assert isinstance(error, McpError)
    assert still_running(server) == []


async def test_thirty_connections_leave_no_thread_file_or_process(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call": [ask("roots/list"), text("asked")]})
    await one_session(server)
    before = open_things()
    for _ in range(30):
        await one_session(server)

    assert await until(lambda: are_no_more_than(before))
    assert still_running(server) == []


async def one_session(server: Puppet) -> None:
    async with AsyncClient.connect(server.command, roots=[], on_log=Seen(), on_tools_changed=Seen()) as client:
        await client.subscribe_resource("mem://a")
        await client.call_tool("echo")


def open_things() -> tuple[int, int]:
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()


def are_no_more_than(before: tuple[int, int]) -> bool:
    """Whether nothing was added; what tests before this one have left to end by itself may do so meanwhile."""
    return all(now <= then for now, then in zip(open_things(), before, strict=True))


async def test_failed_connections_leave_no_thread_or_file(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"initialize": [refuse(-32603, "no")]})
    await failure(connected, server.command)
    before = open_things()
    for _ in range(10):
        await failure(connected, server.command)

    assert await until(lambda: are_no_more_than(before))
    assert still_running(server) == []


# ------------------------------------------------------------------------------------------------------------ forgotten


class Holder:
    """What applications are made of: it has a client, and listens to it."""

    def __init__(self, command: list[str]) -> None:
        self.client: AsyncClient | None = None
        self.heard: list[Any] = []
        self._command = command

    async def connect(self) -> None:
        hears = self.hear
        self.client = await AsyncClient.connect(
            self._command, on_state=hears, on_stderr=hears, on_log=hears, on_tools_changed=hears, elicitation=hears
        )

    async def hear(self, value: Any) -> None:
        self.heard.append(value)


async def collected(reference: ReferenceType[Any]) -> None:
    def is_gone() -> bool:
        gc.collect()
        return reference() is None

    await until(is_gone)


async def test_a_client_that_is_dropped_is_closed_and_says_so(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    clients = [await AsyncClient.connect(server.command)]
    await clients[0].call_tool("echo")
    with pytest.warns(ResourceWarning, match="unclosed <AsyncClient .* ready>"):
        clients.clear()
    await until(lambda: still_running(server) == [])

    assert len(server.pids) == 1


async def test_a_client_is_dropped_with_what_listens_to_it(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call log": [stderr("loud\n"), text("so")]})
    holder = Holder(server.command)
    await holder.connect()
    assert holder.client is not None
    await holder.client.call_tool("log")
    reference = ref(holder)
    del holder
    with pytest.warns(ResourceWarning, match="unclosed <AsyncClient"):
        await collected(reference)
    await until(lambda: still_running(server) == [])

    assert len(server.pids) == 1


async def test_a_client_that_was_closed_is_dropped_in_silence(puppet: Puppeteer, era: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        client = await AsyncClient.connect(puppet(era).command)
        await client.close()
        reference = ref(client)
        del client
        await collected(reference)

    assert [each for each in caught if "unclosed <" in str(each.message)] == []
