# generated from tests/aio/client/test_restart.py by tools/unasync.py; do not edit
"""What happens when a server dies, and when it comes back."""

from typing import Any

import pytest

from dragoman import Client
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionLost, McpError, OutcomeUnknown, ServerExited
from dragoman.protocol.eras import Era
from dragoman.protocol.recovery import RestartPolicy
from dragoman.sync._runtime import pause
from dragoman.sync.transports import Hear, Lost
from dragoman.sync.transports.stdio import StdioTransport
from tests.servers.scripts.play import Puppeteer, ask, default, die, kill, publish, refuse, text, tool, turns, wait
from tests.sync.client.support import Background, Seen, failure, is_phase, until
from tests.sync.transports.wire import is_running

DYING = {"tools/call die": [kill()], "tools/call slow": [wait("slow"), text("done")]}
SAFE = [tool("look", annotations={"readOnlyHint": True}), tool("again", annotations={"idempotentHint": True})]
QUICK = RestartPolicy(limit=3, base=0.05, longest=0.1)


def killed(client: Client) -> None:
    """Have the server die while nothing else is under way, and wait until that is known."""
    since = client.state.since
    error = failure(client.call_tool, "die")
    assert isinstance(error, OutcomeUnknown)
    until(lambda: client.state.since > since)


@pytest.mark.edge("B21")
def test_the_next_call_after_a_death_meets_a_new_process(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=DYING)
    with Client.connect(server.command) as client:
        killed(client)
        result = client.call_tool("echo", {"n": 1})

        assert result.text == 'echo {"n": 1}'
        assert len(server.pids) == 2


@pytest.mark.edge("B01", "B49")
@pytest.mark.feature("12.10")
def test_the_outcome_of_an_unsafe_call_is_said_to_be_unknown(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=DYING)
    with Client.connect(server.command) as client:
        error = failure(client.call_tool, "die")

        assert isinstance(error, OutcomeUnknown)
        assert error.method == "tools/call"
        assert isinstance(error.__cause__, ServerExited)
        assert error.__cause__.signal == "SIGKILL"
        assert server.called("die") == 1


@pytest.mark.edge("B01")
@pytest.mark.feature(93)
def test_every_call_that_waits_fails_when_the_server_dies(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=DYING)
    with Client.connect(server.command, restart=False) as client:
        waiting = [Background(client.call_tool, "slow") for _ in range(3)]
        until(lambda: server.called("slow") == 3)
        failure(client.call_tool, "die")
        errors = [each.failure() for each in waiting]

        assert [type(error) for error in errors] == [OutcomeUnknown] * 3


@pytest.mark.edge("B49")
@pytest.mark.parametrize("name", ["look", "again"])
def test_a_safe_tool_is_called_again(puppet: Puppeteer, era: str, name: str) -> None:
    on = {f"tools/call {name}": [die(3)]}
    server = puppet(era, tools=SAFE, lives=[{"on": on}, {"on": {}}])
    with Client.connect(server.command) as client:
        client.list_tools()
        result = client.call_tool(name)

        assert result.text == f"{name} {{}}"
        assert server.called(name) == 2


@pytest.mark.edge("B49")
def test_a_tool_that_was_said_to_have_changed_is_not_called_again(puppet: Puppeteer) -> None:
    """What it had been declared to be holds no longer, and what it is now has not been asked for."""
    changed = [publish("notifications/tools/list_changed"), text("so")]
    server = puppet("legacy", tools=SAFE, on={"tools/call look": [die(3)], "tools/call change": changed})
    with Client.connect(server.command) as client:
        client.list_tools()
        client.call_tool("change")
        error = failure(client.call_tool, "look")

        assert isinstance(error, OutcomeUnknown)
        assert server.called("look") == 1


@pytest.mark.edge("B49")
def test_a_tool_that_changes_while_it_runs_is_not_called_again(puppet: Puppeteer) -> None:
    server = puppet("legacy", tools=SAFE, on={"tools/call look": [publish("notifications/tools/list_changed"), die(3)]})
    with Client.connect(server.command) as client:
        client.list_tools()
        error = failure(client.call_tool, "look")

        assert isinstance(error, OutcomeUnknown)
        assert server.called("look") == 1


@pytest.mark.edge("B49")
def test_a_tool_that_is_safe_no_more_after_a_restart_is_not_called_again(puppet: Puppeteer, era: str) -> None:
    later = {"tools": [tool("look"), tool("again")], "on": {"tools/call look": [die(3)]}}
    server = puppet(era, tools=SAFE, lives=[{"on": DYING}, later])
    with Client.connect(server.command, restart=QUICK) as client:
        client.list_tools()
        killed(client)
        error = failure(client.call_tool, "look")

        assert isinstance(error, OutcomeUnknown)
        assert server.called("look") == 1


@pytest.mark.edge("B49")
def test_a_tool_that_is_still_safe_after_a_restart_is_called_again(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, tools=SAFE, lives=[{"on": DYING}, {"on": {"tools/call look": [die(3)]}}, {"on": {}}])
    with Client.connect(server.command, restart=QUICK) as client:
        client.list_tools()
        killed(client)
        result = client.call_tool("look")

        assert result.text == "look {}"
        assert server.called("look") == 2


@pytest.mark.edge("B49")
def test_what_cannot_be_said_of_a_tool_after_a_restart_counts_against_it(puppet: Puppeteer, era: str) -> None:
    later = {"on": {"tools/call look": [die(3)], "tools/list": [refuse(-32000, "busy")]}}
    server = puppet(era, tools=SAFE, lives=[{"on": DYING}, later])
    with Client.connect(server.command, restart=QUICK) as client:
        client.list_tools()
        killed(client)
        error = failure(client.call_tool, "look")

        assert isinstance(error, OutcomeUnknown)
        assert server.called("look") == 1


@pytest.mark.edge("B49")
@pytest.mark.parametrize("verb", ["call_tool", "get_prompt"])
def test_what_ran_before_it_failed_for_good_is_not_said_to_have_never_left(
    puppet: Puppeteer, era: str, verb: str
) -> None:
    server = puppet(era, on={"tools/call": [die(3)], "prompts/get": [die(3)]})
    once = RestartPolicy(limit=1, base=0.01, longest=0.02)
    with Client.connect(server.command, retry="always", restart=once) as client:
        error = failure(getattr(client, verb), "greet")

        assert isinstance(error, ConnectionLost)
        assert error.was_sent is True


@pytest.mark.edge("B49")
def test_a_read_is_made_again(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, lives=[{"on": {"resources/read": [die(3)]}}, {"on": {}}])
    with Client.connect(server.command) as client:
        contents = client.read_resource("mem://a")

        assert contents.text == "alpha"
        assert len(server.heard("resources/read")) == 2


def test_a_safe_call_is_not_made_again_for_ever(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"resources/read": [die(3)]})
    with Client.connect(server.command, restart=RestartPolicy(limit=50, base=0.01, longest=0.02)) as client:
        error = failure(client.read_resource, "mem://a")

        assert isinstance(error, ConnectionLost)
        assert 1 <= len(server.heard("resources/read")) <= 4


@pytest.mark.edge("B49")
def test_nothing_is_sent_again_where_that_is_switched_off(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, lives=[{"on": {"resources/read": [die(3)]}}, {"on": {}}])
    with Client.connect(server.command, retry="never") as client:
        error = failure(client.read_resource, "mem://a")

        assert isinstance(error, ServerExited)
        assert len(server.heard("resources/read")) == 1


@pytest.mark.edge("B49")
def test_an_unsafe_call_is_made_again_where_that_is_asked_for(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, lives=[{"on": {"tools/call": [die(3)]}}, {"on": {}}])
    with Client.connect(server.command, retry="always") as client:
        result = client.call_tool("echo")

        assert result.text == "echo {}"
        assert server.called("echo") == 2


@pytest.mark.edge("B21")
def test_subscriptions_are_restored(puppet: Puppeteer, era: str) -> None:
    updated = [publish("notifications/resources/updated", {"uri": "mem://a"}), text("touched")]
    server = puppet(era, on={**DYING, "tools/call touch": updated})
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        killed(client)
        method = "resources/subscribe" if era == "legacy" else "subscriptions/listen"
        until(lambda: server.heard(method, life=1))
        client.call_tool("touch")

        assert seen.first().text == "alpha"


@pytest.mark.edge("B21")
def test_a_watched_resource_is_read_again_after_a_restart(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, lives=[{"on": DYING}, {"on": DYING}])
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        killed(client)

        assert seen.first().text == "alpha"


@pytest.mark.edge("B21")
def test_one_subscription_that_cannot_be_restored_costs_no_other(puppet: Puppeteer) -> None:
    updated = [publish("notifications/resources/updated", {"uri": "mem://b"}), text("touched")]
    on = {**DYING, "tools/call touch": updated}
    refusing = {**on, "resources/subscribe mem://a": [refuse(-32602, "gone")]}
    server = puppet("legacy", lives=[{"on": on}, {"on": refusing}])
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen, log_level="info") as client:
        client.subscribe_resource("mem://a")
        client.subscribe_resource("mem://b")
        killed(client)
        until(lambda: len(server.heard("resources/subscribe", life=1)) == 2)
        client.call_tool("touch")

        assert seen.first().text == "beta"


@pytest.mark.edge("B21")
def test_a_subscription_that_cannot_be_restored_can_be_asked_for_again(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    method = "resources/subscribe" if era == "legacy" else "subscriptions/listen"
    on = {"tools/call touch": [publish("notifications/resources/updated", {"uri": "mem://a"}), text("touched")]}
    refusing = {**on, method: turns([refuse(-32603, "not yet")], [default()])}
    server = puppet(era, lives=[{"on": DYING}, {"on": refusing}])
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        killed(client)
        until(lambda: "not yet" in caplog.text)
        client.subscribe_resource("mem://a")
        client.call_tool("touch")

        assert seen.first().text == "alpha"
        assert len(server.heard(method, life=1)) == 2


@pytest.mark.edge("B21")
def test_a_stream_that_is_not_opened_in_time_after_a_restart_is_opened_later(puppet: Puppeteer) -> None:
    busy = {"subscriptions/listen": turns([], [default()])}
    server = puppet("modern", lives=[{"on": DYING}, {"on": busy}])
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen, timeout=0.5) as client:
        client.subscribe_resource("mem://a")
        killed(client)
        until(lambda: len(server.heard("subscriptions/listen", life=1)) == 2)

        assert seen.at_least(2)[-1].text == "alpha"


@pytest.mark.edge("B21")
def test_the_log_level_is_restored(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=DYING)
    with Client.connect(server.command) as client:
        client.set_log_level("error")
        killed(client)
        client.call_tool("echo")
        until(lambda: level_of(server, era) == "error")


def level_of(server: Any, era: str) -> str | None:
    if era == "legacy":
        return next((each["params"]["level"] for each in server.heard("logging/setLevel", life=1)), None)
    calls = server.heard("tools/call", life=1)
    return calls[0]["params"]["_meta"]["io.modelcontextprotocol/logLevel"] if calls else None


@pytest.mark.edge("B21")
def test_a_log_level_that_is_refused_after_a_restart_costs_no_subscription(puppet: Puppeteer) -> None:
    refusing = {**DYING, "logging/setLevel": [refuse(-32603, "no")]}
    server = puppet("legacy", lives=[{"on": DYING}, {"on": refusing}])
    with Client.connect(server.command, log_level="error") as client:
        client.subscribe_resource("mem://a")
        killed(client)

        until(lambda: server.heard("resources/subscribe", life=1))


@pytest.mark.edge("B21")
def test_the_roots_of_the_moment_are_given_to_the_new_process(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={**DYING, "tools/call where": [ask("roots/list"), text("json:$answer")]})
    with Client.connect(server.command, roots=["file:///old"]) as client:
        client.add_root("file:///new")
        killed(client)
        result = client.call_tool("where")

        assert "file:///old" in result.text
        assert "file:///new" in result.text


@pytest.mark.edge("B21")
def test_lists_that_may_have_changed_are_passed_on(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=DYING, lives=[{}, {"tools": [tool("other")]}])
    seen = Seen()
    with Client.connect(server.command, on_tools_changed=seen) as client:
        killed(client)

        assert [each.name for each in seen.first()] == ["other"]


@pytest.mark.edge("B21")
def test_each_change_of_state_is_told(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=DYING)
    states = Seen()
    with Client.connect(server.command, on_state=states) as client:
        killed(client)
        is_phase(client, "ready")
        during = client.state

    assert during.error is None
    assert [state.phase for state in states.values] == ["ready", "restarting", "ready", "closed"]
    assert isinstance(states.values[1].error, ServerExited)


@pytest.mark.edge("B21")
def test_a_server_that_dies_again_and_again_is_left_alone(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, lives=[{"on": DYING}, {"start": [die(4)]}])
    states = Seen()
    with Client.connect(server.command, restart=QUICK, on_state=states) as client:
        killed(client)
        is_phase(client, "failed")
        error = failure(client.call_tool, "echo")

        assert isinstance(error, ConnectionLost)
        assert error.was_sent is False
        assert "died too often" in str(error)
        assert isinstance(client.state.error, McpError)
        assert "exited with code 4" in str(client.state.error)
        assert len(server.pids) == QUICK.limit + 1


@pytest.mark.edge("B21")
def test_a_server_that_dies_just_after_its_greeting_is_left_alone_too(puppet: Puppeteer) -> None:
    server = puppet("legacy", lives=[{"on": DYING}, {"on": {"notifications/initialized": [die(5)]}}])
    with Client.connect(server.command, restart=QUICK) as client:
        killed(client)
        is_phase(client, "failed")

        assert len(server.pids) == QUICK.limit + 1


class Slow(StdioTransport):
    """A line whose end is known before the last word of the greeting has been passed on."""

    def open(self, hear: Hear, lost: Lost, deadline: Deadline) -> None:
        self.lost: list[McpError] = []

        def note(error: McpError) -> None:
            self.lost.append(error)
            lost(error)

        super().open(hear, note, deadline)

    def tell(self, data: bytes, era: Era, deadline: Deadline) -> None:
        super().tell(data, era, deadline)
        until(lambda: self.lost)


def test_a_server_that_dies_while_it_is_greeted_is_not_taken_for_connected(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"notifications/initialized": [die(5)]})
    error = failure(connect, Slow(server.command))

    assert isinstance(error, ServerExited)
    assert error.exit_code == 5


def connect(target: Any, **options: Any) -> None:
    with Client.connect(target, **options):
        pass


@pytest.mark.edge("B21")
def test_calls_fail_at_once_between_two_attempts(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, lives=[{"on": DYING}, {"start": [die(4)]}])
    policy = RestartPolicy(limit=9, base=300.0, longest=300.0)
    with Client.connect(server.command, restart=policy, timeout=60) as client:
        killed(client)
        until(lambda: len(server.pids) == 2)
        error = failure(client.call_tool, "echo", timeout=30)

        assert isinstance(error, ConnectionLost)
        assert "the next attempt to start it is in" in str(error)


@pytest.mark.edge("B21")
def test_a_failed_server_is_tried_again_by_a_call_when_its_window_is_over(puppet: Puppeteer) -> None:
    server = puppet("legacy", lives=[{"on": DYING}, {"start": [die(4)]}, {}])
    policy = RestartPolicy(limit=1, window=0.2, base=0.01, longest=0.01)
    with Client.connect(server.command, restart=policy) as client:
        killed(client)
        is_phase(client, "failed")

        assert answer_at_last(client).text == "echo {}"


def answer_at_last(client: Client) -> Any:
    """Call until a call gets through."""
    answers: list[Any] = []

    def try_once() -> None:
        try:
            answers.append(client.call_tool("echo"))
        except ConnectionLost:
            pause(0.02)

    deadline = Deadline(15)
    while not answers:
        assert not deadline.expired
        try_once()
    return answers[0]


def test_no_server_is_started_again_where_that_is_switched_off(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=DYING)
    with Client.connect(server.command, restart=False) as client:
        killed(client)
        error = failure(client.call_tool, "echo")

        assert isinstance(error, ConnectionLost)
        assert client.state.phase == "failed"
        assert len(server.pids) == 1


@pytest.mark.edge("B21")
def test_closing_while_a_server_is_started_again_ends_it(puppet: Puppeteer, era: str) -> None:
    stuck: dict[str, list[Any]] = {"initialize": [], "server/discover": []}
    server = puppet(era, lives=[{"on": DYING}, {"on": stuck}])
    with Client.connect(server.command) as client:
        killed(client)
        until(lambda: len(server.pids) == 2)

    assert not [pid for pid in server.pids if is_running(pid)]


@pytest.mark.edge("B21")
def test_closing_just_after_a_death_leaves_nothing_running(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=DYING)
    for _ in range(5):
        with Client.connect(server.command) as client:
            failure(client.call_tool, "die")

    assert not [pid for pid in server.pids if is_running(pid)]


def test_a_call_under_way_when_the_server_dies_is_never_run_twice(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, lives=[{"on": DYING}, {}])
    with Client.connect(server.command) as client:
        calls = [Background(client.call_tool, "slow", {"n": n}) for n in range(10)]
        until(lambda: server.called("slow") == 10)
        killed(client)
        errors = [each.failure() for each in calls]
        client.ping()

        assert {type(error) for error in errors} == {OutcomeUnknown}
        assert server.called("slow") == 10
