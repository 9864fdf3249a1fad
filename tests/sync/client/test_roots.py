# generated from tests/aio/client/test_roots.py by tools/unasync.py; do not edit
"""The places a server may work in: given, changed, told and asked for."""

import json
from typing import Any

import pytest

from dragoman import Client
from dragoman.errors import UsageError
from dragoman.types import ClientCapabilities, Root, RootsCapability
from tests.servers.scripts.play import Puppeteer, ask, text
from tests.sync.client.support import failure, saw, until

CHANGED = "notifications/roots/list_changed"
ASKING: dict[str, Any] = {"tools/call where": [ask("roots/list"), text("json:$answer")]}


def roots_seen(client: Client) -> Any:
    """Give the roots that the server gets when it asks."""
    return json.loads(client.call_tool("where").text)["roots"]


@pytest.mark.feature(50, 52, "12.6")
def test_roots_that_were_given_are_told_when_asked_for(puppet: Puppeteer, era: str) -> None:
    roots: list[Root | str] = ["file:///a", Root("file:///b", "b")]
    with Client.connect(puppet(era, on=ASKING).command, roots=roots) as client:
        assert roots_seen(client) == [{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}]
        assert [root.uri for root in client.roots] == ["file:///a", "file:///b"]


@pytest.mark.feature(47, 50, "12.6")
def test_a_root_that_is_added_is_seen(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, on=ASKING).command, roots=[]) as client:
        before = roots_seen(client)
        client.add_root("file:///new", "new")

        assert before == []
        assert roots_seen(client) == [{"uri": "file:///new", "name": "new"}]


@pytest.mark.feature(47)
def test_a_root_of_the_same_uri_is_replaced(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, on=ASKING).command, roots=["file:///a"]) as client:
        client.add_root(Root("file:///a", "renamed"))

        assert roots_seen(client) == [{"uri": "file:///a", "name": "renamed"}]


@pytest.mark.feature(48, "12.6")
def test_a_root_that_is_removed_is_no_longer_seen(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, on=ASKING).command, roots=["file:///a", "file:///b"]) as client:
        client.remove_root("file:///a")

        assert roots_seen(client) == [{"uri": "file:///b"}]


@pytest.mark.feature(51)
def test_adding_and_removing_are_told(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    with Client.connect(server.command, roots=[]) as client:
        client.add_root("file:///a")
        client.remove_root("file:///a")
        until(saw(server, CHANGED, 2))


@pytest.mark.feature(51)
def test_nothing_is_told_where_that_was_not_declared(puppet: Puppeteer) -> None:
    server = puppet("legacy", on=ASKING)
    stated = ClientCapabilities(roots=RootsCapability())
    with Client.connect(server.command, roots=[], capabilities=stated) as client:
        client.add_root("file:///a")

        assert roots_seen(client) == [{"uri": "file:///a"}]
        assert server.heard(CHANGED) == []


@pytest.mark.feature(49)
def test_the_notice_can_be_sent_on_its_own(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    with Client.connect(server.command, roots=[]) as client:
        client.send_roots_changed()
        until(saw(server, CHANGED))


@pytest.mark.feature("12.6")
def test_the_notice_is_no_message_of_the_modern_era(puppet: Puppeteer) -> None:
    server = puppet("modern")
    with Client.connect(server.command, roots=[]) as client:
        client.add_root("file:///a")
        client.send_roots_changed()
        client.ping()

    assert server.heard(CHANGED) == []


def test_roots_that_were_not_declared_cannot_be_added(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era).command) as client:
        error = failure(client.add_root, "file:///a")

        assert isinstance(error, UsageError)
        assert "roots=[]" in str(error)


def test_a_root_that_is_not_there_cannot_be_removed(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era).command, roots=[]) as client:
        assert isinstance(failure(client.remove_root, "file:///a"), UsageError)


@pytest.mark.feature(12)
def test_roots_are_not_told_to_a_server_they_were_not_declared_to(puppet: Puppeteer) -> None:
    with Client.connect(puppet("legacy", on=ASKING).command) as client:
        answered = json.loads(client.call_tool("where").text)

        assert answered["error"]["code"] == -32601


@pytest.mark.feature(53)
def test_a_server_that_honours_roots_works_inside_them(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call list": [ask("roots/list"), text("json:$answer")]})
    with Client.connect(server.command, roots=["file:///inside"]) as client:
        result = client.call_tool("list")

        assert "file:///inside" in result.text
