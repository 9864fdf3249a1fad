"""Servers that flood, lie and babble: nothing hangs, little is kept, and calls still work."""

import json
import threading
import tracemalloc
from typing import Any

import pytest

from dragoman import AsyncClient
from dragoman.deadline import Deadline
from dragoman.errors import McpError
from tests.aio.client.support import Seen, failure, until
from tests.aio.transports.wire import is_running
from tests.servers.scripts.play import (
    Move,
    Puppet,
    Puppeteer,
    answer,
    ask,
    default,
    flood,
    hear,
    say,
    tell,
    text,
    wait,
    write,
)

UPDATED = "notifications/resources/updated"
WILD: list[Any] = [
    {},
    [],
    7,
    "text",
    None,
    True,
    [[]],
    [1, 2],
    {"jsonrpc": "1.0", "method": "x"},
    {"jsonrpc": "2.0", "id": {}, "result": {}},
    {"jsonrpc": "2.0", "id": [1], "method": "ping"},
    {"jsonrpc": "2.0", "id": None, "method": "ping"},
    {"jsonrpc": "2.0", "id": 1.5, "result": {}},
    {"jsonrpc": "2.0", "id": 10**30, "result": {}},
    {"jsonrpc": "2.0", "id": "\ud800", "method": "ping"},
    {"jsonrpc": "2.0", "id": 4711},
    {"jsonrpc": "2.0", "id": 4711, "error": "no"},
    {"jsonrpc": "2.0", "id": 4711, "error": {"code": "x", "message": 7}},
    {"jsonrpc": "2.0", "id": 4711, "result": 1, "error": {"code": 1, "message": ""}},
    {"jsonrpc": "2.0", "method": 7},
    {"jsonrpc": "2.0", "method": ""},
    {"jsonrpc": "2.0", "method": "notifications/message", "params": 7},
    {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": [], "data": {"a": [1] * 5}}},
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": {}, "progress": []}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []},
    {"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": 7}},
    {"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {}},
    {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"notifications": 3}},
    {"jsonrpc": "2.0", "id": 1, "method": "roots/list", "params": "x"},
    {"jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage"},
    {"jsonrpc": "2.0", "id": 3, "method": "elicitation/create", "params": {"mode": "odd"}},
    {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {}},
    {"jsonrpc": "2.0", "id": 5, "method": "no/such/thing"},
]
QUESTION = {"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 1}


async def all_is_well(client: AsyncClient) -> None:
    assert (await client.call_tool("echo", {"n": 1})).text == 'echo {"n": 1}'
    assert client.state.phase == "ready"


def babbling(*moves: Move) -> dict[str, Any]:
    return {"tools/call babble": [*moves, text("babbled")]}


async def test_no_message_does_any_harm(puppet: Puppeteer, era: str) -> None:
    on = {f"tools/call {n}": [write(json.dumps(wild) + "\n"), text("babbled")] for n, wild in enumerate(WILD)}
    everything: Any = {
        name: Seen() for name in ("on_log", "on_notification", "on_progress", "on_resource_updated", "on_tools_changed")
    }
    async with AsyncClient.connect(
        puppet(era, on=on).command, roots=[], sampling=Seen("x"), elicitation=Seen(True), timeout=5, **everything
    ) as client:
        for n, wild in enumerate(WILD):
            assert (await client.call_tool(str(n))).text == "babbled", wild
            await all_is_well(client)


ABSENT = {"id": None, "params": None, "result": None, "error": None}
"""What some encoders write for members that a message does not have."""


async def test_null_stands_for_what_is_absent(puppet: Puppeteer) -> None:
    moves: list[Move] = [
        say({**ABSENT, "method": "notifications/progress", "params": {"progressToken": "$token", "progress": 1}}),
        say({**ABSENT, "method": "notifications/message", "params": {"level": "info", "data": "hello"}}),
        say({**ABSENT, "method": "notifications/tools/list_changed"}),
        say({**ABSENT, "method": "roots/list", "id": "q"}),
        hear(None),
        text("babbled"),
    ]
    logs, progress, lists = Seen(), Seen(), Seen()
    server = puppet("legacy", on=babbling(*moves))
    async with AsyncClient.connect(
        server.command, roots=["file:///here"], on_log=logs, on_progress=progress, on_tools_changed=lists, timeout=5
    ) as client:
        assert (await client.call_tool("babble")).text == "babbled"
        assert (await logs.first()).data == "hello"
        assert await lists.first()

    assert [each.progress for each in progress.values] == [1]
    answers = [each for each in server.heard() if "method" not in each]
    assert answers == [{"id": "q", "jsonrpc": "2.0", "result": {"roots": [{"uri": "file:///here"}]}}]


QUOTED = [
    'received {"jsonrpc":"2.0","id":$id,"method":"tools/call"}',
    'sending {"jsonrpc":"2.0","id":$id,"result":{"content":[]}}',
    '[INFO] sending {"jsonrpc":"2.0","id":$id,"result":{"conte...',
    '{"level":"debug","message":{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{}}}',
    '{"level":"debug","message":{"jsonrpc":"2.0","id":$id,"result":{"content":[]}}}',
]


@pytest.mark.edge("B10")
async def test_a_log_on_the_output_that_quotes_messages_ends_no_call(puppet: Puppeteer, era: str) -> None:
    # The greeting is quoted, and then the first call: their ids are 1 to 3.
    greeting = [write(line.replace("$id", str(n)) + "\n") for line in QUOTED for n in (1, 2)]
    calls = [write(line.replace("$id", str(n)) + "\n") for line in QUOTED for n in range(1, 9)]
    on = {"initialize": [*greeting, default()], "server/discover": [*greeting, default()], **babbling(*calls)}
    async with AsyncClient.connect(puppet(era, on=on).command, timeout=5) as client:
        assert (await client.call_tool("babble")).text == "babbled"
        await all_is_well(client)


@pytest.mark.edge("B10")
async def test_a_greeting_that_ends_no_line_costs_nothing(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, start=[write("Starting... ")])
    async with AsyncClient.connect(server.command, timeout=5) as client:
        await all_is_well(client)

        assert client.protocol_version == ("2026-07-28" if era == "modern" else "2025-11-25")


@pytest.mark.parametrize("line", ["y", '{"no":"message"', "{}", "[INFO] working"])
async def test_a_flood_of_lines_that_are_no_messages_holds_up_no_time_out(puppet: Puppeteer, line: str) -> None:
    endless = [flood(1_000_000, write((line + "\n") * 1000))]
    async with AsyncClient.connect(puppet("legacy", on={"tools/call babble": endless}).command) as client:
        waited = Deadline.never()
        await failure(client.call_tool, "babble", timeout=0.5)

        assert waited.waited < 5
        await client.close()
        assert waited.waited < 10


LINES = ["{", '{"jsonrpc":"2.0","id":', "\x00\x01", "null null", "[" * 5000, '{"a":' * 5000, "\n\n\r\n"]


async def test_no_line_does_any_harm(puppet: Puppeteer, era: str) -> None:
    on = {f"tools/call {n}": [write(line + "\n"), text("babbled")] for n, line in enumerate(LINES)}
    async with AsyncClient.connect(puppet(era, on=on).command, timeout=5) as client:
        for n, line in enumerate(LINES):
            assert (await client.call_tool(str(n))).text == "babbled", line
            await all_is_well(client)


async def test_a_hundred_thousand_notifications_are_got_over(puppet: Puppeteer, era: str) -> None:
    seen = Seen()
    server = puppet(era, on=babbling(flood(100_000, tell("notifications/message", {"level": "info", "data": "$n"}))))
    async with AsyncClient.connect(server.command, on_log=seen) as client:
        result = await client.call_tool("babble", timeout=60)

        assert result.text == "babbled"
        await all_is_well(client)


async def test_a_flood_that_nobody_takes_is_not_kept(puppet: Puppeteer, era: str) -> None:
    """A consumer that stands still has the rest dropped, not piled up."""
    stuck: list[bool] = []

    async def on_notification(_: Any) -> None:
        await until(lambda: stuck, seconds=60)

    notice = tell("notifications/noise", {"words": "x" * 1000})
    server = puppet(era, on=babbling(flood(30_000, notice)))
    async with AsyncClient.connect(server.command, on_notification=on_notification) as client:
        tracemalloc.start()
        await client.call_tool("babble", timeout=60)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        stuck.append(True)

        assert held < 25_000_000
        await all_is_well(client)


async def test_a_flood_of_changes_does_not_drown_calls(puppet: Puppeteer, era: str) -> None:
    changes = [tell(f"notifications/{kind}/list_changed") for kind in ("tools", "prompts", "resources")]
    endless = [flood(1_000_000, *changes)]
    server = puppet(era, on={"tools/call babble": endless})
    async with AsyncClient.connect(server.command, on_tools_changed=Seen(), on_prompts_changed=Seen()) as client:
        await failure(client.call_tool, "babble", timeout=0.2)
        for _ in range(5):
            await all_is_well(client)


def updates(count: int, uri: str) -> Move:
    told = ({"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": f"{uri}{n}"}} for n in range(count))
    return write("".join(json.dumps(each) + "\n" for each in told))


async def test_changes_of_very_many_things_are_looked_at_one_after_the_other(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    read = [wait("gate"), answer({"contents": [{"uri": "mem://a", "text": "changed"}]})]
    server = puppet(era, on={**babbling(updates(20_000, "mem://a/")), "resources/read": read})
    seen = Seen()
    async with AsyncClient.connect(server.command, on_resource_updated=seen) as client:
        await client.subscribe_resource("mem://a")
        assert (await client.call_tool("babble", timeout=10)).text == "babbled"
        await all_is_well(client)

        assert len(server.heard("resources/read")) <= 16
        server.open_gate("gate")
        await seen.at_least(1_000)
        await all_is_well(client)

    assert len(server.heard("resources/read")) <= 1_100
    assert (
        "it tells of more changes than can be looked at; that of 'mem://a/1000' and others is passed over"
        in caplog.text
    )


async def test_changes_of_what_nobody_watches_cost_next_to_nothing(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=babbling(updates(50_000, "mem://elsewhere/")))
    seen = Seen()
    async with AsyncClient.connect(server.command, on_resource_updated=seen) as client:
        await client.subscribe_resource("mem://a")
        assert (await client.call_tool("babble", timeout=10)).text == "babbled"

    assert not server.heard("resources/read")


async def test_questions_by_the_thousand_are_answered_or_turned_away(puppet: Puppeteer) -> None:
    asked = say({"id": "$n", "method": "sampling/createMessage", "params": QUESTION})
    server = puppet("legacy", on=babbling(flood(5_000, asked)))
    released: list[bool] = []
    most: list[int] = []

    async def sampling(_: Any) -> str:
        most.append(threading.active_count())
        await until(lambda: released)
        return "x"

    async with AsyncClient.connect(server.command, sampling=sampling) as client:
        await client.call_tool("babble", timeout=60)
        await until(lambda: len(answers(server)) >= 5_000 - 64, seconds=60)
        released.append(True)
        await until(lambda: len(answers(server)) == 5_000, seconds=60)
        await all_is_well(client)

    assert len(most) <= 64
    assert max(most) < 150


def answers(server: Puppet) -> list[Any]:
    return [message for message in server.heard() if "method" not in message]


async def test_pings_are_answered_while_all_questions_wait(puppet: Puppeteer) -> None:
    asked = say({"id": "$n", "method": "sampling/createMessage", "params": QUESTION})
    server = puppet("legacy", on={"tools/call babble": [flood(100, asked), ask("ping"), text("json:$answer")]})
    released: list[bool] = []

    async def sampling(_: Any) -> str:
        await until(lambda: released)
        return "x"

    async with AsyncClient.connect(server.command, sampling=sampling) as client:
        result = await client.call_tool("babble", timeout=10)
        released.append(True)

        assert result.text == "{}"


async def test_questions_to_which_nobody_listens_are_not_piled_up(puppet: Puppeteer) -> None:
    """A server that asks and asks, and never reads what it is answered."""
    asked = say({"id": "$n", "method": "roots/list"})
    server = puppet("legacy", in_order=True, on={"tools/call babble": [flood(20_000, asked), wait("never")]})
    roots = [f"file:///{'x' * 500}/{n}" for n in range(20)]
    async with AsyncClient.connect(server.command, roots=roots, timeout=2) as client:
        error = await failure(client.call_tool, "babble")

        assert isinstance(error, McpError)
        assert threading.active_count() < 150
        assert not [pid for pid in server.pids[:-1] if is_running(pid)]


async def test_a_question_before_anything_was_said_is_passed_over(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, start=[say({"id": "early", "method": "ping"}), say({"method": "notifications/early"})])
    async with AsyncClient.connect(server.command) as client:
        await all_is_well(client)


async def test_answers_to_nothing_are_passed_over(puppet: Puppeteer, era: str) -> None:
    stray = [say({"id": 1_000_000, "result": {}}), say({"id": "x", "error": {"code": 1, "message": "no"}})]
    async with AsyncClient.connect(puppet(era, on=babbling(flood(1_000, *stray))).command) as client:
        assert (await client.call_tool("babble")).text == "babbled"
        await all_is_well(client)


async def test_two_questions_of_one_id_are_two_questions(puppet: Puppeteer) -> None:
    asked = say({"id": "same", "method": "roots/list"})
    server = puppet("legacy", on=babbling(asked, asked))
    async with AsyncClient.connect(server.command, roots=["file:///a"]) as client:
        await client.call_tool("babble")
        await until(lambda: len(answers(server)) == 2)

        assert {message["id"] for message in answers(server)} == {"same"}


async def test_a_question_is_answered_under_its_own_id(puppet: Puppeteer) -> None:
    identifiers = ["q", 0, -1, 1.5, ""]
    server = puppet("legacy", on=babbling(*(say({"id": each, "method": "ping"}) for each in identifiers)))
    async with AsyncClient.connect(server.command) as client:
        await client.call_tool("babble")
        await until(lambda: len(answers(server)) == len(identifiers))

        assert {message["id"] for message in answers(server)} == set(identifiers)


async def test_questions_in_the_modern_era_are_not_answered(
    puppet: Puppeteer, caplog: pytest.LogCaptureFixture
) -> None:
    server = puppet("modern", on=babbling(say({"id": "q", "method": "roots/list"})))
    async with AsyncClient.connect(server.command, roots=[]) as client:
        await client.call_tool("babble")
        await until(lambda: "roots/list" in caplog.text)

    assert answers(server) == []


async def test_a_very_large_answer_is_read(puppet: Puppeteer, era: str) -> None:
    words = "x" * 3_000_000
    async with AsyncClient.connect(puppet(era, on={"tools/call": [text(words)]}).command) as client:
        assert len((await client.call_tool("big")).text) == len(words)


async def test_an_answer_beyond_the_limit_fails_its_call_alone(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call big": [text("x" * 300_000)]})
    async with AsyncClient.connect(server.command, max_message_size=100_000) as client:
        error = await failure(client.call_tool, "big")

        assert isinstance(error, McpError)
        assert "100,000" in str(error)
        await all_is_well(client)


async def test_a_very_large_argument_is_sent(puppet: Puppeteer, era: str) -> None:
    words = "y" * 3_000_000
    async with AsyncClient.connect(puppet(era).command) as client:
        assert len((await client.call_tool("echo", {"words": words})).text) > len(words)


async def test_an_argument_that_is_no_json_is_the_callers_mistake(puppet: Puppeteer, era: str) -> None:
    """It is refused here, or sent as JSON has it; the client goes on either way."""
    async with AsyncClient.connect(puppet(era).command) as client:
        for value in (object(), {1, 2}, float("nan"), b"\xff", 10**400):
            outcome = await outcome_of(client, value)
            assert isinstance(outcome, (McpError, TypeError, ValueError)) or outcome.text.startswith("echo")
            await all_is_well(client)


async def outcome_of(client: AsyncClient, value: Any) -> Any:
    try:
        return await client.call_tool("echo", {"value": value})
    except (McpError, TypeError, ValueError) as error:
        return error
