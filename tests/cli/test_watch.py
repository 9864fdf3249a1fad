"""What `watch` prints: lists that change, resources that change, log messages, and a server that goes away."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from dragoman import State
from dragoman.cli.screen import Screen
from dragoman.cli.watching import Changes, Watch
from dragoman.errors import ServerExited
from dragoman.types import ListToolsResult, Tool
from dragoman.views import Phase
from tests.cli.command import CHANGING, LEGACY, MODERN, here

each_era = pytest.mark.parametrize("server", [LEGACY, MODERN])


@each_era
def test_contents_of_a_watched_resource_are_shown_as_it_changes(server: str) -> None:
    outcome = here("watch", server, "demo://clock", "--count", "2")

    assert (outcome.code, outcome.out) == (0, "demo://clock: tick 1\ndemo://clock: tick 2\n")
    assert outcome.err == "watching; Ctrl-C ends\n"


@each_era
def test_changes_as_json_are_one_document_a_line(server: str) -> None:
    outcome = here("watch", server, "demo://clock", "--count", "2", "--json")
    first, second = map(json.loads, outcome.out.splitlines())

    assert first == {
        "event": "resource",
        "uri": "demo://clock",
        "contents": [{"uri": "demo://clock", "mimeType": "text/plain", "text": "tick 1"}],
    }
    assert second["contents"][0]["text"] == "tick 2"


@each_era
def test_watching_ends_when_the_time_is_over(server: str) -> None:
    outcome = here("watch", server, "--for", "50ms")

    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_lists_and_log_messages_are_shown_as_they_change() -> None:
    outcome = here("watch", CHANGING, "--count", "3")

    lines = outcome.out.splitlines()
    assert [each for each in lines if each.startswith("tools")] == ["tools: + new", "tools: - old", "tools: ~ kept"]
    assert set(lines) - {"tools: + new", "tools: - old", "tools: ~ kept"} == {"resources: + x://1"}
    assert "warning: changing: soon\n" in outcome.err


def test_lists_and_log_messages_as_json() -> None:
    events: list[Any] = [
        json.loads(line) for line in here("watch", CHANGING, "--count", "3", "--json").out.splitlines()
    ]
    tools = next(event for event in events if event["event"] == "tools")

    assert {event["event"] for event in events} == {"log", "tools", "resources"}
    assert [tool["name"] for tool in tools["added"]] == ["new"]
    assert tools["removed"] == ["old"]
    assert tools["changed"][0]["description"] == "changed"


def test_server_that_does_not_come_back_ends_the_watch() -> None:
    watch = Watch(Screen())
    lost, now = ServerExited("it exited"), datetime.now(UTC)

    assert watch._show("state", State(Phase.READY, now)) == 0
    assert watch._show("state", State(Phase.RESTARTING, now, lost)) == 0
    with pytest.raises(ServerExited):
        watch._show("state", State(Phase.FAILED, now, lost))


def test_differences_are_those_since_last_time() -> None:
    changes = Changes()
    one, two = Tool.define("one"), Tool.define("two")
    other = Tool.define("one", description="another")
    changes.note("tools", ListToolsResult(tools=(one,)))

    assert changes.between("tools", ListToolsResult(tools=(other, two))) == {
        "added": [two.raw],
        "removed": [],
        "changed": [other.raw],
    }
    assert changes.between("tools", ListToolsResult(tools=(two,)))["removed"] == ["one"]
