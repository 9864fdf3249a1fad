"""How long calls wait, what lets them wait longer, and what the server hears of those that are given up."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dragoman import AsyncClient, LogObserver
from dragoman.deadline import Deadline
from dragoman.errors import McpError, McpTimeout
from tests.aio.client.support import Background, Seen, failure, saw, until
from tests.servers.scripts.play import (
    Move,
    Puppeteer,
    ask,
    default,
    flood,
    pause,
    progress,
    say,
    stderr,
    text,
    turns,
    wait,
    write,
)

METHODS = [
    "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list", "prompts/list",
    "prompts/get", "completion/complete",
]  # fmt: skip
SILENT: dict[str, list[Any]] = {method: [] for method in METHODS}
STEADY = [flood(8, pause(0.1), progress("$n", 8)), text("done")]
FORM = {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}}}

Verb = Callable[[AsyncClient], Awaitable[Any]]
VERBS: dict[str, Verb] = {
    "list_tools": lambda client: client.list_tools(timeout=0.1),
    "list_tools_page": lambda client: client.list_tools_page(timeout=0.1),
    "call_tool": lambda client: client.call_tool("echo", timeout=0.1),
    "list_resources": lambda client: client.list_resources(timeout=0.1),
    "list_resource_templates": lambda client: client.list_resource_templates(timeout=0.1),
    "read_resource": lambda client: client.read_resource("mem://a", timeout=0.1),
    "list_prompts": lambda client: client.list_prompts(timeout=0.1),
    "get_prompt": lambda client: client.get_prompt("greet", timeout=0.1),
}


@pytest.mark.feature(83)
@pytest.mark.parametrize("verb", VERBS)
async def test_each_verb_ends_when_its_time_is_up(puppet: Puppeteer, era: str, verb: str) -> None:
    async with AsyncClient.connect(puppet(era, on=SILENT).command) as client:
        begun = Deadline.never()
        error = await failure(VERBS[verb], client)

        assert isinstance(error, McpTimeout)
        assert error.method in METHODS
        assert 0.1 <= begun.waited < 5


@pytest.mark.feature(82, 83)
async def test_a_ping_that_is_not_answered_ends_when_its_time_is_up(puppet: Puppeteer) -> None:
    async with AsyncClient.connect(puppet("legacy", on={"ping": []}).command) as client:
        error = await failure(client.ping, timeout=0.1)

        assert isinstance(error, McpTimeout)
        assert error.method == "ping"


@pytest.mark.feature(82, "12.2")
async def test_a_ping_that_a_modern_server_does_not_answer_ends_too(puppet: Puppeteer) -> None:
    server = puppet("modern", on={"server/discover": turns([default()], [])})
    async with AsyncClient.connect(server.command) as client:
        error = await failure(client.ping, timeout=0.1)

        assert isinstance(error, McpTimeout)


@pytest.mark.feature(83)
async def test_subscribing_ends_when_its_time_is_up(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"resources/subscribe": [], "subscriptions/listen": []})
    async with AsyncClient.connect(server.command) as client:
        error = await failure(client.subscribe_resource, "mem://a", timeout=0.1)

        assert isinstance(error, McpTimeout)
        assert error.waited < 5


@pytest.mark.feature(83)
async def test_setting_the_log_level_ends_when_its_time_is_up(puppet: Puppeteer) -> None:
    async with AsyncClient.connect(puppet("legacy", on={"logging/setLevel": []}).command) as client:
        error = await failure(client.set_log_level, "info", timeout=0.1)

        assert isinstance(error, McpTimeout)


@pytest.mark.feature(85, 86, 89, "13.2")
async def test_a_time_out_is_of_both_kinds_and_tells_how_long_it_was(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era, on=SILENT).command) as client:
        error = await failure(client.call_tool, "echo", timeout="250ms")

        assert isinstance(error, McpTimeout)
        assert issubclass(McpTimeout, McpError)
        assert issubclass(McpTimeout, TimeoutError)
        assert 0.25 <= error.waited < 5
        assert re.search(r"no answer to tools/call in \d\.\d+ s", str(error))


@pytest.mark.feature(84)
async def test_the_time_out_is_twenty_seconds(puppet: Puppeteer) -> None:
    async with AsyncClient.connect(puppet().command) as client:
        assert client.timeout == 20.0


@pytest.mark.feature(96)
async def test_the_time_out_of_one_call_is_its_own(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call slow": [pause(0.5), text("done")]})
    async with AsyncClient.connect(server.command) as client:
        error = await failure(client.call_tool, "slow", timeout=0.2)
        result = await client.call_tool("slow")

        assert isinstance(error, McpTimeout)
        assert result.text == "done"


@pytest.mark.feature(87, 90)
async def test_the_handshake_is_bounded_by_the_time_out(puppet: Puppeteer) -> None:
    error = await failure(connect, puppet(on={"initialize": []}).command, timeout=0.2)

    assert isinstance(error, McpTimeout)
    assert error.phase == "connecting"
    assert "initialization failed" in str(error)
    assert isinstance(error.__cause__, McpTimeout)
    assert error.__cause__.method == "initialize"


@pytest.mark.parametrize("observers", [(), (LogObserver(),)])
@pytest.mark.parametrize(
    ("instead", "said"),
    [
        (stderr("waiting for the database\n"), "the last on its standard error: waiting for the database"),
        (write("Ok to proceed? (y)\n"), "no messages, first: Ok to proceed? (y)"),
    ],
)
async def test_a_handshake_without_an_answer_shows_what_the_server_says_instead(
    puppet: Puppeteer, observers: tuple[LogObserver, ...], instead: Move, said: str
) -> None:
    server = puppet(on={"initialize": [instead]})
    error = await failure(connect, server.command, timeout=1, observers=observers)

    assert isinstance(error, McpTimeout)
    assert said in str(error)


@pytest.mark.feature(87, 88)
async def test_a_long_time_to_connect_lengthens_no_round_trip(puppet: Puppeteer) -> None:
    begun = Deadline.never()
    error = await failure(connect, puppet(on={"initialize": []}).command, timeout=0.2, connect_timeout=30)

    assert isinstance(error, McpTimeout)
    assert begun.waited < 10


@pytest.mark.feature(88)
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_server_that_starts_slowly_can_be_given_time(puppet: Puppeteer, era: str) -> None:
    greetings = {key: [pause(0.8), default()] for key in ("initialize", "server/discover")}
    server = puppet(era, on={**greetings, "tools/call slow": []})
    async with AsyncClient.connect(server.command, timeout=0.4, handshake_timeout=15) as client:
        error = await failure(client.call_tool, "slow")

        assert isinstance(error, McpTimeout)
        assert error.waited < 10


@pytest.mark.feature(88)
async def test_connecting_as_a_whole_can_be_bounded(puppet: Puppeteer) -> None:
    server = puppet(on={"server/discover": [], "initialize": []})
    begun = Deadline.never()
    error = await failure(connect, server.command, timeout=60, connect_timeout=0.3)

    assert isinstance(error, McpTimeout)
    assert begun.waited < 10


async def connect(command: list[str], **options: Any) -> None:
    async with AsyncClient.connect(command, **options):
        pass


# ------------------------------------------------------------------------------------------------------------- giving up


@pytest.mark.edge("B59")
@pytest.mark.feature(91, "13.3")
async def test_the_server_is_told_of_a_call_that_timed_out(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=SILENT)
    async with AsyncClient.connect(server.command) as client:
        await failure(client.call_tool, "echo", timeout=0.1)
        await until(saw(server, "notifications/cancelled"))

        assert server.params("notifications/cancelled")[0]["requestId"] == server.heard("tools/call")[0]["id"]


@pytest.mark.feature(91)
async def test_the_server_is_not_told_where_that_is_switched_off(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call slow": []})
    async with AsyncClient.connect(server.command, announce_cancellation=False) as client:
        await failure(client.call_tool, "slow", timeout=0.1)
        await client.call_tool("echo")

        assert server.heard("notifications/cancelled") == []


@pytest.mark.edge("B59")
async def test_the_greeting_is_never_cancelled(puppet: Puppeteer) -> None:
    server = puppet(on={"initialize": []})
    await failure(connect, server.command, timeout=0.2)

    assert server.heard("notifications/cancelled") == []


@pytest.mark.edge("B59")
async def test_an_answer_that_comes_too_late_is_no_news(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = puppet(era, on={"tools/call slow": [wait("late"), progress(1), text("late")]})
    notices = Seen()
    async with AsyncClient.connect(server.command, on_notification=notices) as client:
        await failure(client.call_tool, "slow", timeout=0.1)
        server.open_gate("late")
        results = [await client.call_tool("echo", {"n": n}) for n in range(20)]

        assert [result.text for result in results] == [f'echo {{"n": {n}}}' for n in range(20)]
        assert len(notices) == 0
        assert caplog.records == []


# -------------------------------------------------------------------------------------------------------- waiting longer


@pytest.mark.edge("B60")
async def test_progress_keeps_a_call_alive(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call slow": STEADY})
    async with AsyncClient.connect(server.command) as client:
        result = await client.call_tool("slow", timeout=0.5)

        assert result.text == "done"


@pytest.mark.edge("B60")
async def test_progress_keeps_a_call_alive_up_to_a_cap(puppet: Puppeteer, era: str) -> None:
    endless = [flood(1000, pause(0.05), progress("$n"))]
    server = puppet(era, on={"tools/call slow": endless})
    async with AsyncClient.connect(server.command, max_timeout=0.6) as client:
        error = await failure(client.call_tool, "slow", timeout=0.3)

        assert isinstance(error, McpTimeout)
        assert 0.6 <= error.waited < 5


@pytest.mark.edge("B60")
async def test_each_request_carries_a_token_for_its_progress(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    async with AsyncClient.connect(server.command) as client:
        await client.call_tool("echo")
        await client.call_tool("echo")
    tokens = [message["params"]["_meta"]["progressToken"] for message in server.heard("tools/call")]

    assert len(set(tokens)) == 2


@pytest.mark.edge("B60")
async def test_progress_of_one_call_keeps_no_other_alive(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call slow": STEADY, "tools/call echo": []})
    async with AsyncClient.connect(server.command) as client:
        busy = Background(client.call_tool, "slow", timeout=0.5)
        error = await failure(client.call_tool, "echo", timeout=0.3)
        result = await busy.wait()

        assert isinstance(error, McpTimeout)
        assert error.waited < 0.8 or result.text == "done"


async def test_the_time_that_the_user_takes_to_answer_does_not_count(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call slow": [ask("elicitation/create", FORM), text("json:$answer")]})
    waited = Deadline.never()

    async def elicitation(_: Any) -> dict[str, bool]:
        await until(lambda: waited.waited > 0.8)
        return {"sure": True}

    async with AsyncClient.connect(server.command, elicitation=elicitation) as client:
        result = await client.call_tool("slow", timeout=0.3)

        assert '"sure": true' in result.text


async def test_the_time_counts_again_once_the_user_has_answered(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call slow": [ask("elicitation/create", FORM)]})
    async with AsyncClient.connect(server.command, elicitation=Seen({"sure": True})) as client:
        error = await failure(client.call_tool, "slow", timeout=0.3)

        assert isinstance(error, McpTimeout)
        assert error.waited < 5


@pytest.mark.parametrize("method", ["ping", "roots/list", "elicitation/create", "no/such/thing"])
async def test_what_a_server_asks_and_the_user_does_not_answer_keeps_no_call_alive(
    puppet: Puppeteer, method: str
) -> None:
    server = puppet("legacy", on={"tools/call slow": [flood(100, ask(method), pause(0.1))]})
    async with AsyncClient.connect(server.command, roots=["file:///a"]) as client:
        error = await failure(client.call_tool, "slow", timeout=0.5)

        assert isinstance(error, McpTimeout)
        assert error.waited < 4


async def test_questions_without_end_keep_no_call_alive(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call slow": [flood(10_000, ask("elicitation/create", FORM))]})
    async with AsyncClient.connect(server.command, elicitation=Seen({"sure": True})) as client:
        error = await failure(client.call_tool, "slow", timeout=0.5)

        assert isinstance(error, McpTimeout)
        assert error.waited < 20


@pytest.mark.feature(87)
@pytest.mark.parametrize("method", ["ping", "elicitation/create"])
async def test_what_a_server_asks_during_the_handshake_does_not_lengthen_it(puppet: Puppeteer, method: str) -> None:
    greeting = [flood(100, ask(method, FORM if method != "ping" else None), pause(0.1))]
    slow = Slow(5)
    error = await failure(connect, puppet(on={"initialize": greeting}).command, timeout=0.3, elicitation=slow)
    slow.is_enough = True

    assert isinstance(error, McpTimeout)
    assert error.waited < 4


class Slow:
    """A user who takes so many seconds to answer, or until it is enough."""

    def __init__(self, seconds: float) -> None:
        self.is_enough = False
        self.is_asked = False
        self._seconds = seconds

    async def __call__(self, _: Any) -> dict[str, bool]:
        waited = Deadline.never()
        self.is_asked = True
        await until(lambda: self.is_enough or waited.waited > self._seconds)
        return {"sure": True}


ASKING = [ask("elicitation/create", FORM), text("json:$answer")]


async def test_a_question_holds_no_call_that_was_made_after_it(puppet: Puppeteer) -> None:
    user = Slow(10)
    server = puppet("legacy", on={"tools/call ask": ASKING, "tools/call silent": []})
    async with AsyncClient.connect(server.command, elicitation=user) as client:
        asking = Background(client.call_tool, "ask", timeout=0.5)
        await until(lambda: user.is_asked)
        error = await failure(client.call_tool, "silent", timeout=0.3)
        user.is_enough = True

        assert isinstance(error, McpTimeout)
        assert error.waited < 4
        assert '"sure": true' in (await asking.wait()).text


@pytest.mark.parametrize("verb", ["list_tools", "list_prompts"])
async def test_a_question_of_a_tools_holds_no_list(puppet: Puppeteer, verb: str) -> None:
    user = Slow(10)
    server = puppet("legacy", on={"tools/call ask": [wait("listing"), *ASKING], "tools/list": [], "prompts/list": []})
    async with AsyncClient.connect(server.command, elicitation=user) as client:
        asking = Background(client.call_tool, "ask", timeout=3)
        listing = Background(getattr(client, verb), timeout=2)
        await until(lambda: len(server.heard(verb.replace("list_", "") + "/list")) == 1)
        server.open_gate("listing")
        error = await listing.failure()
        user.is_enough = True

        assert isinstance(error, McpTimeout)
        assert error.waited < 6
        assert '"sure": true' in (await asking.wait()).text


async def test_a_silent_call_ends_soon_after_the_question_that_may_have_been_its_own(puppet: Puppeteer) -> None:
    """On a shared line nothing says which call a question belongs to: all that may have asked wait for the answer."""
    user = Slow(1.5)
    server = puppet("legacy", on={"tools/call ask": ASKING, "tools/call silent": []})
    async with AsyncClient.connect(server.command, elicitation=user) as client:
        silent = Background(client.call_tool, "silent", timeout=1)
        await until(lambda: server.called("silent"))
        asking = Background(client.call_tool, "ask", timeout=1)
        error = await silent.failure()

        assert isinstance(error, McpTimeout)
        assert 1.5 < error.waited < 6
        assert '"sure": true' in (await asking.wait()).text


async def test_progress_of_nobodys_request_is_passed_over(puppet: Puppeteer, era: str) -> None:
    stray = {"method": "notifications/progress", "params": {"progressToken": 4711, "progress": 1}}
    server = puppet(era, on={"tools/call": [say(stray), text("done")]})
    async with AsyncClient.connect(server.command) as client:
        result = await client.call_tool("echo")

        assert result.text == "done"


@pytest.mark.edge("B10")
async def test_a_time_out_tells_of_what_the_server_said_instead_of_an_answer(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call": [write('{\n  "jsonrpc": "2.0",\n  "result": {}\n}\n')]})
    async with AsyncClient.connect(server.command) as client:
        error = await failure(client.call_tool, "echo", timeout=0.5)

        assert isinstance(error, McpTimeout)
        assert error.hint == "it wrote 4 lines to its standard output that are no messages, first: {"
