"""A whole session from connecting to closing, over each kind of line, and the verbs of both colours side by side."""

import inspect
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import dragoman
from dragoman import AsyncClient
from dragoman.aio.options import ConnectOptions
from dragoman.aio.transports import Hear, HearAll, Lost, Overhear
from dragoman.aio.transports.memory import MemoryTransport
from dragoman.aio.transports.stdio import StdioTransport
from dragoman.deadline import Deadline
from dragoman.errors import ProtocolError
from dragoman.protocol.eras import Outgoing
from dragoman.protocol.jsonrpc import Message
from tests.aio.client.support import Seen, failure
from tests.servers.scripts.play import Puppeteer, ask, text, tool


@pytest.mark.feature(26, 27, 28, 31, 32)
async def test_a_whole_session(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call where": [ask("roots/list"), text("json:$answer")]})
    async with AsyncClient.connect(server.command, roots=["file:///a"], sampling=Seen("x")) as client:
        tools = await client.list_tools()
        called = await client.call_tool("echo", {"a": 3, "b": 5})
        resources = await client.list_resources()
        templates = await client.list_resource_templates()
        contents = await client.read_resource(resources[0])
        prompts = await client.list_prompts()
        prompt = await client.get_prompt(prompts[0], {"who": "Spring"})
        await client.add_root("file:///b", "b")
        await client.remove_root("file:///a")
        roots = json.loads((await client.call_tool("where")).text)
        await client.set_log_level("info")
        await client.ping()

    assert [each.name for each in tools] == ["echo", "slow"]
    assert called.text == 'echo {"a": 3, "b": 5}'
    assert len(templates) == 1
    assert contents.text == "alpha"
    assert prompt.messages[0].role == "user"
    assert roots == {"roots": [{"uri": "file:///b", "name": "b"}]}
    assert client.state.phase == "closed"


class Own:
    """A line of the user's own: it carries everything, over another one, and has a say in all of it."""

    name = "own"
    key = "own:1"

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.carried: list[str] = []

    def protocol_versions(self) -> tuple[str, ...]:
        versions: tuple[str, ...] = self.inner.protocol_versions()
        return versions

    async def open(self, hear: Hear, lost: Lost, deadline: Deadline) -> None:
        await self.inner.open(hear, lost, deadline)

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Awaitable[Message]:
        self.carried.append(outgoing.request.method)
        return self.inner.exchange(outgoing, overhear, deadline)  # type: ignore[no-any-return]

    def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> Awaitable[None]:
        self.carried.append(outgoing.request.method)
        return self.inner.listen(outgoing, hear, deadline)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@pytest.mark.feature(43)
@pytest.mark.parametrize("kind", ["stdio", "memory"])
async def test_a_transport_of_the_users_own_carries_every_verb(puppet: Puppeteer, era: str, kind: str) -> None:
    server = puppet(era)
    own = Own(StdioTransport(server.command) if kind == "stdio" else MemoryTransport(answered_by(era)))
    seen = Seen()
    async with AsyncClient.connect(own, on_tools_changed=seen, log_level="info") as client:
        for verb in EVERY_VERB:
            await verb(client)

        assert client.name == "own"
        wanted = {"tools/list", "tools/call", "resources/list", "resources/read", "prompts/list", "prompts/get"}
        assert wanted <= set(own.carried)


EVERY_VERB: list[Callable[[AsyncClient], Awaitable[Any]]] = [
    lambda client: client.list_tools(),
    lambda client: client.call_tool("echo"),
    lambda client: client.list_resources(),
    lambda client: client.list_resource_templates(),
    lambda client: client.read_resource("mem://a"),
    lambda client: client.subscribe_resource("mem://a"),
    lambda client: client.unsubscribe_resource("mem://a"),
    lambda client: client.list_prompts(),
    lambda client: client.get_prompt("greet"),
    lambda client: client.set_log_level("error"),
    lambda client: client.ping(),
]

OFFERED = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True},
    "prompts": {},
    "logging": {},
}
META = {"io.modelcontextprotocol/serverInfo": {"name": "memory", "version": "1"}}
ANSWERS: dict[str, Any] = {
    "tools/list": {"tools": [tool("echo")]},
    "tools/call": {"content": [{"type": "text", "text": "echo"}]},
    "resources/list": {"resources": [{"uri": "mem://a", "name": "a"}]},
    "resources/templates/list": {"resourceTemplates": []},
    "resources/read": {"contents": [{"uri": "mem://a", "text": "alpha"}]},
    "prompts/list": {"prompts": []},
    "prompts/get": {"messages": []},
}
LEGACY: dict[str, Any] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": OFFERED,
        "serverInfo": {"name": "memory", "version": "1"},
    },
    "resources/subscribe": {},
    "resources/unsubscribe": {},
    "logging/setLevel": {},
    "ping": {},
}
MODERN: dict[str, Any] = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": OFFERED, "_meta": META},
}


def answered_by(era: str) -> Callable[[dict[str, Any]], Any]:
    """Make a server that is a function of a message."""
    known = {**ANSWERS, **(LEGACY if era == "legacy" else MODERN)}

    def serve(message: dict[str, Any]) -> Any:
        if "id" not in message:
            return None
        if message["method"] == "subscriptions/listen":
            wanted = {"notifications": message["params"]["notifications"], "_meta": {SUBSCRIPTION: message["id"]}}
            return {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": wanted}
        if message["method"] not in known:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}
        return {"jsonrpc": "2.0", "id": message["id"], "result": known[message["method"]]}

    return serve


SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


async def test_the_limit_of_a_message_holds_for_a_server_in_this_process(era: str) -> None:
    answered = answered_by(era)

    def serve(message: dict[str, Any]) -> Any:
        if message["method"] == "tools/call":
            return {
                "jsonrpc": "2.0",
                "id": message["id"],
                "result": {"content": [{"type": "text", "text": "x" * 9000}]},
            }
        return answered(message)

    async with AsyncClient.connect(serve, max_message_size=5000) as client:
        error = await failure(client.call_tool, "big")

        assert isinstance(error, ProtocolError)
        assert "raise `max_message_size`" in str(error)
        assert await client.list_tools()


# --------------------------------------------------------------------------------------------------------- both colours


def public_names(client: type) -> set[str]:
    return {name for name in dir(client) if not name.startswith("_")}


def options_of(colour: str) -> dict[str, Any]:
    module = __import__(f"dragoman.{colour}.options", fromlist=["ConnectOptions"])
    return dict(module.ConnectOptions.__annotations__)


@pytest.mark.feature(28, 29)
async def test_both_clients_have_the_same_verbs_and_attributes() -> None:
    one, other = (getattr(dragoman, name) for name in CLIENTS)

    assert public_names(one) == public_names(other)


CLIENTS = ("Cli" + "ent", "Async" + "Client")
"""Spelled so that both names stand here in either colour of this file."""


@pytest.mark.feature(29)
async def test_both_clients_verbs_take_the_same_parameters() -> None:
    one, other = (getattr(dragoman, name) for name in CLIENTS)
    for name in sorted(public_names(one)):
        here, there = getattr(one, name), getattr(other, name)
        if not callable(here):
            continue
        parameters = [list(inspect.signature(verb).parameters.values()) for verb in (here, there)]
        assert [(each.name, each.kind, each.default) for each in parameters[0]] == [
            (each.name, each.kind, each.default) for each in parameters[1]
        ], name


@pytest.mark.feature(29)
async def test_both_clients_take_the_same_options() -> None:
    assert list(options_of("sy" + "nc")) == list(options_of("a" + "io"))
    assert list(options_of("sy" + "nc")) == list(ConnectOptions.__annotations__)


@pytest.mark.feature(28)
async def test_no_verb_of_the_sync_client_is_a_coroutine_function() -> None:
    one, other = (getattr(dragoman, name) for name in CLIENTS)
    verbs = [name for name in public_names(one) if inspect.iscoroutinefunction(getattr(other, name))]

    assert len(verbs) >= 20
    assert not [name for name in verbs if inspect.iscoroutinefunction(getattr(one, name))]


async def test_each_public_verb_is_documented() -> None:
    bare = [name for name in public_names(AsyncClient) if not inspect.getdoc(getattr(AsyncClient, name))]

    assert bare == []
