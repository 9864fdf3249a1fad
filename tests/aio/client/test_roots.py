"""The places a server may work in: given, changed, told and asked for."""

import json
from typing import Any

import pytest

from dragoman import AsyncClient
from dragoman.errors import UsageError
from dragoman.types import ClientCapabilities, Root, RootsCapability
from tests.aio.client.support import failure, saw, until
from tests.servers.scripts.play import Puppeteer, ask, text

CHANGED = "notifications/roots/list_changed"
ASKING: dict[str, Any] = {"tools/call where": [ask("roots/list"), text("json:$answer")]}


async def roots_seen(client: AsyncClient) -> Any:
    """Give the roots that the server gets when it asks."""
    return json.loads((await client.call_tool("where")).text)["roots"]


@pytest.mark.feature(50, 52, "12.6")
async def test_roots_that_were_given_are_told_when_asked_for(puppet: Puppeteer, era: str) -> None:
    roots: list[Root | str] = ["file:///a", Root("file:///b", "b")]
    async with AsyncClient.connect(puppet(era, on=ASKING).command, roots=roots) as client:
        assert await roots_seen(client) == [{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}]
        assert [root.uri for root in client.roots] == ["file:///a", "file:///b"]


@pytest.mark.feature(47, 50, "12.6")
async def test_a_root_that_is_added_is_seen(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era, on=ASKING).command, roots=[]) as client:
        before = await roots_seen(client)
        await client.add_root("file:///new", "new")

        assert before == []
        assert await roots_seen(client) == [{"uri": "file:///new", "name": "new"}]


@pytest.mark.feature(47)
async def test_a_root_of_the_same_uri_is_replaced(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era, on=ASKING).command, roots=["file:///a"]) as client:
        await client.add_root(Root("file:///a", "renamed"))

        assert await roots_seen(client) == [{"uri": "file:///a", "name": "renamed"}]


@pytest.mark.feature(48, "12.6")
async def test_a_root_that_is_removed_is_no_longer_seen(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era, on=ASKING).command, roots=["file:///a", "file:///b"]) as client:
        await client.remove_root("file:///a")

        assert await roots_seen(client) == [{"uri": "file:///b"}]


@pytest.mark.feature(51)
async def test_adding_and_removing_are_told(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    async with AsyncClient.connect(server.command, roots=[]) as client:
        await client.add_root("file:///a")
        await client.remove_root("file:///a")
        await until(saw(server, CHANGED, 2))


@pytest.mark.feature(51)
async def test_nothing_is_told_where_that_was_not_declared(puppet: Puppeteer) -> None:
    server = puppet("legacy", on=ASKING)
    stated = ClientCapabilities(roots=RootsCapability())
    async with AsyncClient.connect(server.command, roots=[], capabilities=stated) as client:
        await client.add_root("file:///a")

        assert await roots_seen(client) == [{"uri": "file:///a"}]
        assert server.heard(CHANGED) == []


@pytest.mark.feature(49)
async def test_the_notice_can_be_sent_on_its_own(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    async with AsyncClient.connect(server.command, roots=[]) as client:
        await client.send_roots_changed()
        await until(saw(server, CHANGED))


@pytest.mark.feature("12.6")
async def test_the_notice_is_no_message_of_the_modern_era(puppet: Puppeteer) -> None:
    server = puppet("modern")
    async with AsyncClient.connect(server.command, roots=[]) as client:
        await client.add_root("file:///a")
        await client.send_roots_changed()
        await client.ping()

    assert server.heard(CHANGED) == []


async def test_roots_that_were_not_declared_cannot_be_added(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command) as client:
        error = await failure(client.add_root, "file:///a")

        assert isinstance(error, UsageError)
        assert "roots=[]" in str(error)


async def test_a_root_that_is_not_there_cannot_be_removed(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command, roots=[]) as client:
        assert isinstance(await failure(client.remove_root, "file:///a"), UsageError)


@pytest.mark.feature(12)
async def test_roots_are_not_told_to_a_server_they_were_not_declared_to(puppet: Puppeteer) -> None:
    async with AsyncClient.connect(puppet("legacy", on=ASKING).command) as client:
        answered = json.loads((await client.call_tool("where")).text)

        assert answered["error"]["code"] == -32601


@pytest.mark.feature(53)
async def test_a_server_that_honours_roots_works_inside_them(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call list": [ask("roots/list"), text("json:$answer")]})
    async with AsyncClient.connect(server.command, roots=["file:///inside"]) as client:
        result = await client.call_tool("list")

        assert "file:///inside" in result.text
