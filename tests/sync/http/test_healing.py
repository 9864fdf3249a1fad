# generated from tests/aio/http/test_healing.py by tools/unasync.py; do not edit
"""Servers that go away and come back: calls, streams and subscriptions go on without a word of the user's code."""

import pytest

from dragoman.errors import ConnectFailed, ConnectionLost, OutcomeUnknown, TransportError
from dragoman.protocol.recovery import RetryPolicy
from tests.servers import written
from tests.servers.cutting import Cutting, Fate
from tests.servers.rude import Exchange, Rude, acts
from tests.servers.serving import Serving
from tests.sync.client.support import Background, Seen, failure, is_phase, until
from tests.sync.http.support import Ruder, connect, refused

QUICKLY = RetryPolicy(base=0.01, longest=0.05, unsent_attempts=3)


def phases(states: Seen) -> list[str]:
    return [str(state.phase) for state in states.values]


# -------------------------------------------------------------------------------------------------- servers that restart


@pytest.mark.timeout(120)
@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25"])
def test_a_server_that_is_killed_and_started_again_is_called_on(version: str, engine: str) -> None:
    states = Seen()
    with Serving(lambda port: written.mcp_server("--http", str(port))) as serving:
        patient = RetryPolicy(unsent_attempts=20, longest=1.0)
        options = {"versions": [version], "engine": engine, "retry": patient, "timeout": 60}
        with connect(serving.url, on_state=states, **options) as client:
            calls = 500 if engine == "default" else 100
            for number in range(calls):
                if number in {calls // 3, calls // 2}:
                    serving.kill()
                    serving.start()
                assert client.call_tool("add", {"a": number, "b": 1}).text == str(number + 1)
            is_phase(client, "ready")
            until(lambda: len(states) >= 5 and phases(states)[-1] == "ready")

            assert phases(states)[0] == "ready"
            assert set(phases(states)) == {"ready", "restarting"}


def test_connecting_fails_at_once_where_nobody_is(rude: Ruder, engine: str) -> None:
    with Cutting(rude().web.port) as proxy:
        proxy.down()
        error = refused(proxy.url, engine=engine)

        assert isinstance(error, ConnectFailed)


def test_a_call_to_a_server_that_stays_away_fails_in_the_end(rude: Ruder, engine: str, era: str) -> None:
    server, states = rude(era), Seen()
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, engine=engine, retry=QUICKLY, on_state=states) as client:
            proxy.down()
            error = failure(client.call_tool, "echo")

            assert isinstance(error, ConnectFailed)
            assert not error.was_sent
            is_phase(client, "restarting")
            assert client.state.error is not None
            assert "it was refused" in str(client.state)
            proxy.up()
            assert client.call_tool("echo").text == "echo {}"
            is_phase(client, "ready")

    states.at_least(3)
    assert phases(states)[:3] == ["ready", "restarting", "ready"]
    assert server.ran["echo"] == 1


READING = {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


@pytest.mark.parametrize("act", [acts.reset, acts.close, acts.body(b"Bad Gateway", 502)], ids=["reset", "close", "502"])
def test_what_stands_before_a_server_that_is_away_may_answer_for_it(
    rude: Ruder, engine: str, era: str, act: acts.Act
) -> None:
    server = rude(era, tools=[READING], on={"tools/call": [act] * 6 + [acts.default]})
    patient = RetryPolicy(base=0.01, longest=0.05)
    with connect(server, engine=engine, retry=patient) as client:
        client.list_tools()

        assert client.call_tool("look").text == "look {}"
        assert server.ran["look"] == 1


def test_a_session_that_is_lost_counts_by_itself(rude: Ruder) -> None:
    server = rude(tools=[READING], on={"tools/call": [acts.half_an_event] * 3 + [acts.default]})
    with connect(server, retry=RetryPolicy(base=0.01)) as client:
        client.list_tools()
        server.forget_sessions()

        assert client.call_tool("look").text == "look {}"


def test_a_call_waits_for_a_server_of_2024_that_is_away(rude: Ruder, engine: str) -> None:
    server = rude(is_sse=True)
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, engine=engine) as client:
            proxy.down()
            is_phase(client, "restarting")
            call = Background(client.call_tool, "echo")
            proxy.up()

            assert call.wait().text == "echo {}"
            assert server.ran["echo"] == 1


def test_a_server_that_has_never_come_back_is_given_up_by_the_time_out(rude: Ruder) -> None:
    with Cutting(rude(is_sse=True).web.port) as proxy:
        with connect(proxy.url) as client:
            proxy.down()
            is_phase(client, "restarting")
            error = failure(client.call_tool, "echo", timeout=0.4)

            assert "the server was not back after 0.4" in str(error)
            assert error.was_sent is False


@pytest.mark.parametrize("kind", ["legacy", "modern", "sse"])
def test_nothing_is_begun_again_where_that_is_not_wished_for(rude: Ruder, kind: str) -> None:
    server = rude("modern" if kind == "modern" else "legacy", is_sse=kind == "sse")
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, restart=False, retry="never") as client:
            proxy.down()

            assert isinstance(failure(client.call_tool, "echo"), TransportError)


def test_after_a_server_was_away_its_lists_are_read_anew(rude: Ruder) -> None:
    server, changed = rude(), Seen()
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, on_tools_changed=changed) as client:
            proxy.down()
            call = Background(client.call_tool, "echo")
            is_phase(client, "restarting")
            server.tools.append({"name": "new", "inputSchema": {"type": "object"}})
            proxy.up()
            call.wait()

            assert [tool.name for tool in changed.first()] == ["echo", "new"]


# ------------------------------------------------------------------------------------------------- networks that are cut


@pytest.mark.edge("B49")
@pytest.mark.parametrize("fate", [Fate.CUT_BEFORE, Fate.CUT_WITHIN, Fate.CUT_AFTER])
def test_an_answer_that_is_cut_off_leaves_the_outcome_unknown(rude: Ruder, engine: str, era: str, fate: Fate) -> None:
    server = rude(era)
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, engine=engine) as client:
            proxy.weather = lambda is_request: Fate.PASS if is_request else fate
            error = failure(client.call_tool, "echo", {"n": 1, "words": "x" * 100_000})
            proxy.weather = lambda is_request: Fate.PASS

            assert isinstance(error, OutcomeUnknown)
            assert isinstance(error.__cause__, ConnectionLost)
            assert server.ran["echo", 1] == 1
            assert client.call_tool("echo").text == "echo {}"


def test_what_is_cut_while_nothing_is_under_way_costs_nothing(rude: Ruder, engine: str, era: str) -> None:
    server = rude(era)
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, engine=engine) as client:
            for number in range(5):
                proxy.cut()
                assert client.call_tool("echo", {"n": number}).text == f'echo {{"n": {number}}}'

    assert server.ran["echo"] == 5


# ------------------------------------------------------------------------------------------------------- listen streams


def listening(server: Rude) -> list[Exchange]:
    return server.heard("subscriptions/listen")


@pytest.mark.edge("B52")
@pytest.mark.feature("12.5")
def test_a_listen_stream_that_breaks_is_opened_again(rude: Ruder, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.sync.watching._FIRST_WAIT", 0.01)
    server, changed = rude("modern"), Seen()
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, engine=engine, on_tools_changed=changed):
            until(lambda: server.streams)
            proxy.cut()
            until(lambda: len(listening(server)) == 2)
            until(lambda: server.streams)
            before = len(changed)
            server.tell("notifications/tools/list_changed")

            changed.at_least(before + 1)
    assert {each.params["notifications"]["toolsListChanged"] for each in listening(server)} == {True}


@pytest.mark.feature("12.4")
def test_what_is_subscribed_to_is_watched_again(rude: Ruder, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.sync.watching._FIRST_WAIT", 0.01)
    server, updated = rude("modern"), Seen()
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, engine=engine, on_resource_updated=updated) as client:
            client.subscribe_resource("test://one")
            proxy.down()
            call = Background(client.call_tool, "echo")
            is_phase(client, "restarting")
            proxy.up()
            call.wait()
            until(lambda: len(listening(server)) >= 2 and server.streams)
            server.tell("notifications/resources/updated", {"uri": "test://one"})

            assert updated.first().text == "some text"
    assert all(each.params["notifications"]["resourceSubscriptions"] == ["test://one"] for each in listening(server))


@pytest.mark.edge("B52")
@pytest.mark.parametrize(
    "act",
    [acts.error(-32601, "no method", 404), acts.error(-32601, "no method", 200), acts.body(b"", 405)],
    ids=["404", "200", "no words"],
)
def test_a_server_that_cannot_be_listened_to_works(rude: Ruder, engine: str, act: acts.Act) -> None:
    server = rude("modern", on={"subscriptions/listen": act})
    with connect(server, engine=engine, on_tools_changed=Seen()) as client:
        assert client.call_tool("echo").text == "echo {}"

    assert len(listening(server)) == 1


def test_closing_ends_a_listen_stream(rude: Ruder, engine: str) -> None:
    server = rude("modern")
    client = connect(server, engine=engine, on_tools_changed=Seen())
    until(lambda: server.streams)
    client.close()

    until(lambda: not server.streams)
