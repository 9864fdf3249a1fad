"""What observers see of a client's requests and sessions, and what they leave alone."""

import io
import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest

from dragoman import AsyncClient, AsyncHost, JsonlObserver, LogObserver
from dragoman.aio.transports.observed import ObservedTransport
from dragoman.errors import McpTimeout, OutcomeUnknown
from dragoman.models.watching import RequestObservation, SessionObservation
from tests.aio.client.support import failure, until
from tests.servers.scripts.play import Puppet, Puppeteer, answer, ask, fails, kill, refuse, say, tell, text, tool

SECRET = "ghp_" + "a1B2" * 9
LOOK = tool("look", annotations={"readOnlyHint": True})


class Watcher:
    """An observer that remembers what it saw."""

    def __init__(self, meta: Mapping[str, Any] | None = None) -> None:
        self.begun: list[RequestObservation] = []
        self.ended: list[RequestObservation] = []
        self.entered: list[SessionObservation] = []
        self.left: list[SessionObservation] = []
        self._meta = meta

    def start_request(self, request: RequestObservation) -> Mapping[str, Any] | None:
        self.begun.append(request)
        return self._meta

    def stop_request(self, request: RequestObservation) -> None:
        self.ended.append(request)

    def start_session(self, session: SessionObservation) -> None:
        self.entered.append(session)

    def stop_session(self, session: SessionObservation) -> None:
        self.left.append(session)

    def of(self, method: str) -> list[RequestObservation]:
        return [each for each in self.ended if each.request.method == method]


class Broken:
    """An observer that raises whatever it is to see."""

    def start_request(self, request: RequestObservation) -> None:
        raise ValueError("no")

    def stop_request(self, request: RequestObservation) -> None:
        raise ValueError("no")

    def start_session(self, session: SessionObservation) -> None:
        raise ValueError("no")

    def stop_session(self, session: SessionObservation) -> None:
        raise ValueError("no")


def greeting(era: str) -> list[str]:
    """Name what is said before anything is asked for."""
    return ["server/discover"] if era == "modern" else ["server/discover", "initialize", "notifications/initialized"]


async def test_every_request_is_seen_twice_from_the_greeting_on(puppet: Puppeteer, era: str) -> None:
    server, watcher = puppet(era), Watcher()
    async with AsyncClient.connect(server.command, name="inn", observers=[watcher]) as client:
        await client.call_tool("echo", {"n": 1})
        await client.list_prompts()
    seen = [(each.request.method, each.tool) for each in watcher.ended]

    assert seen == [*((each, None) for each in greeting(era)), ("tools/call", "echo"), ("prompts/list", None)]
    assert [each.id for each in watcher.begun] == [each.id for each in watcher.ended]
    assert all(each.elapsed >= 0 for each in watcher.ended)


async def test_observer_that_is_given_twice_sees_each_request_once(puppet: Puppeteer) -> None:
    watcher = Watcher()
    async with AsyncClient.connect(puppet().command, observers=[watcher, watcher]) as client:
        await client.call_tool("echo")

    assert len(watcher.of("tools/call")) == len(watcher.entered) == 1


async def test_request_is_seen_with_its_number_its_server_and_its_result(puppet: Puppeteer, era: str) -> None:
    server, watcher = puppet(era, on={"tools/call": [text("hi")]}), Watcher()
    async with AsyncClient.connect(server.command, name="inn", observers=[watcher]) as client:
        await client.call_tool("echo")
        (seen,) = watcher.of("tools/call")

        assert seen.request_id == server.heard("tools/call")[0]["id"]
        assert (seen.server.name, seen.server.protocol_version) == ("inn", client.protocol_version)
        assert seen.server.endpoint == client.endpoint
        assert json.loads(seen.result or b"")["content"] == [{"type": "text", "text": "hi"}]


async def test_what_an_observer_returns_goes_into_meta_beside_what_the_caller_says(puppet: Puppeteer, era: str) -> None:
    server, watcher = puppet(era), Watcher({"traceparent": "00-1-2-01"})
    async with AsyncClient.connect(server.command, observers=[watcher]) as client:
        await client.call_tool("echo", meta={"com.example/a": 1})
    meta = server.heard("tools/call")[0]["params"]["_meta"]

    assert (meta["traceparent"], meta["com.example/a"]) == ("00-1-2-01", 1)


async def test_what_cannot_go_along_is_left_out(puppet: Puppeteer, caplog: pytest.LogCaptureFixture) -> None:
    server, watcher = puppet(), Watcher({"odd": object()})
    async with AsyncClient.connect(server.command, observers=[watcher]) as client:
        await client.call_tool("echo")

    assert "odd" not in server.heard("tools/call")[0]["params"].get("_meta", {})
    assert "cannot be sent" in caplog.text


async def test_observer_that_raises_costs_nothing(puppet: Puppeteer, era: str) -> None:
    watcher = Watcher()
    async with AsyncClient.connect(puppet(era).command, observers=[Broken(), watcher]) as client:
        result = await client.call_tool("echo")

    assert result.text
    assert len(watcher.left) == 1


async def test_failures_are_seen_as_what_they_are(puppet: Puppeteer, era: str) -> None:
    on = {
        "tools/call fail": [fails("ENOENT")],
        "tools/call refuse": [refuse(-32602, "no such thing")],
        "tools/call slow": [["wait", "never"]],
    }
    watcher = Watcher()
    async with AsyncClient.connect(puppet(era, on=on).command, observers=[watcher]) as client:
        await client.call_tool("fail")
        await failure(client.call_tool, "refuse")
        await failure(client.call_tool, "slow", timeout=0.05)
    failed, refused, slow = watcher.of("tools/call")

    assert (failed.has_failed_tool, failed.error) == (True, None)
    assert getattr(refused.error, "code", None) == -32602
    assert isinstance(slow.error, McpTimeout)


async def test_each_attempt_and_each_round_is_a_request_of_its_own(puppet: Puppeteer) -> None:
    question = ask("elicitation/create", {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}})
    server, watcher = puppet("modern", on={"tools/call": [question, text("hi")]}), Watcher()
    async with AsyncClient.connect(server.command, observers=[watcher], elicitation=lambda _: True) as client:
        await client.call_tool("echo")

    assert len(watcher.of("tools/call")) == len(server.heard("tools/call")) == 2


async def test_question_of_a_server_s_is_seen_until_it_is_answered(puppet: Puppeteer) -> None:
    question = ask("elicitation/create", {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}})
    server, watcher = puppet(on={"tools/call": [question, text("hi")]}), Watcher()
    async with AsyncClient.connect(server.command, observers=[watcher], elicitation=lambda _: True) as client:
        await client.call_tool("echo")
    (seen,) = watcher.of("elicitation/create")

    assert (seen.is_theirs, seen.is_error, seen.request.params["message"]) == (True, False, "Who?")
    assert json.loads(seen.result or b"")["action"] == "accept"
    assert seen.id in {each.id for each in watcher.begun if each.is_theirs}


async def test_question_that_is_refused_is_seen_to_be(puppet: Puppeteer) -> None:
    server, watcher = puppet(on={"tools/call": [ask("sampling/createMessage", {}), text("hi")]}), Watcher()
    async with AsyncClient.connect(server.command, observers=[watcher]) as client:
        await client.call_tool("echo")
    (seen,) = watcher.of("sampling/createMessage")

    assert getattr(seen.error, "code", None) == -32601


async def test_question_that_is_taken_back_is_seen_no_longer(puppet: Puppeteer) -> None:
    ids: list[Any] = [[], {}, None]
    odd = [tell("notifications/cancelled", {"requestId": each}) for each in ids]
    back = tell("notifications/cancelled", {"requestId": "one"})
    asked = say({"jsonrpc": "2.0", "id": "one", "method": "elicitation/create", "params": {"message": "Who?"}})
    server, watcher = puppet(on={"tools/call": [asked, *odd, back, text("hi")]}), Watcher()
    async with AsyncClient.connect(server.command, observers=[watcher], elicitation=lambda _: True) as client:
        await client.call_tool("echo")
        await until(lambda: watcher.of("elicitation/create"))

    assert len(watcher.of("elicitation/create")) == 1


@pytest.mark.feature("telemetry.2")
async def test_session_is_seen_from_the_greeting_to_the_end(puppet: Puppeteer, era: str) -> None:
    watcher = Watcher()
    async with AsyncClient.connect(puppet(era).command, name="inn", observers=[watcher]) as client:
        (entered,) = watcher.entered
        assert watcher.left == []
        version = client.protocol_version
    (left,) = watcher.left

    assert (left.id, left.error, left.server.protocol_version) == (entered.id, None, version)
    assert left.elapsed > 0


@pytest.mark.feature("telemetry.2")
async def test_session_that_breaks_is_over_and_the_next_one_another(puppet: Puppeteer, era: str) -> None:
    server, watcher = puppet(era, on={"tools/call die": [kill()]}), Watcher()
    async with AsyncClient.connect(server.command, observers=[watcher]) as client:
        assert isinstance(await failure(client.call_tool, "die"), OutcomeUnknown)
        await until(lambda: watcher.left)
        await client.call_tool("echo")

    assert [type(each.error).__name__ for each in watcher.left] == ["ServerExited", "NoneType"]
    assert len({each.id for each in watcher.left}) == 2


async def test_stream_of_changes_is_seen_until_it_is_let_go(puppet: Puppeteer) -> None:
    watcher = Watcher()
    options: Any = {"observers": [watcher], "on_tools_changed": lambda _: None}
    async with AsyncClient.connect(puppet("modern").command, **options):
        assert [each.request.method for each in watcher.begun].count("subscriptions/listen") == 1
        assert watcher.of("subscriptions/listen") == []

    assert [each.error for each in watcher.of("subscriptions/listen")] == [None]


async def test_stream_that_the_server_ends_is_seen_to_end(puppet: Puppeteer) -> None:
    refused = puppet("modern", on={"subscriptions/listen": [answer({"resultType": "complete"})]})
    watcher = Watcher()
    options: Any = {"observers": [watcher], "on_tools_changed": lambda _: None}
    async with AsyncClient.connect(refused.command, **options):
        await until(lambda: watcher.of("subscriptions/listen"))

    assert watcher.of("subscriptions/listen")[0].result


async def test_clients_of_a_host_are_observed_too(puppet: Puppeteer) -> None:
    watcher = Watcher()
    command, *args = puppet().command
    async with AsyncHost.open({"inn": {"command": command, "args": args}}, observers=[watcher]) as host:
        await host.call_tool("echo")

    assert [each.server.name for each in watcher.of("tools/call")] == ["inn"]


@pytest.mark.feature("telemetry.3")
@pytest.mark.parametrize("observers", [None, []])
async def test_without_observers_nothing_stands_in_the_way(puppet: Puppeteer, observers: Any) -> None:
    options: Any = {} if observers is None else {"observers": observers}
    async with AsyncClient.connect(puppet().command, **options) as client:
        assert not isinstance(client._connection._transport, ObservedTransport)


async def told(server: Puppet, observer: Any) -> None:
    """Let an observer see a call that fails and one that does not, with a secret in each."""
    async with AsyncClient.connect(server.command, name="inn", observers=[observer]) as client:
        await client.call_tool("echo", {"password": SECRET})
        await client.call_tool("fail", {"text": SECRET})
        await failure(client.get_prompt, "greet")


@pytest.fixture
def secretive(puppet: Puppeteer) -> Puppet:
    return puppet(
        on={
            "tools/call echo": [text(SECRET)],
            "tools/call fail": [fails(SECRET)],
            "prompts/get": [refuse(-32602, f"no {SECRET}")],
        }
    )


@pytest.mark.parametrize("content", [False, True])
async def test_log_has_a_line_at_each_end_and_no_secret(
    secretive: Puppet, content: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "dragoman.tools"):
        await told(secretive, LogObserver(content=content))
    lines = [record for record in caplog.records if record.name == "dragoman.tools"]
    words = [record.getMessage() for record in lines]

    assert "inn reached, by version 2025-11-25" in words
    assert any(each.startswith("> inn tools/call echo [") for each in words)
    assert any(each.startswith("< inn prompts/get greet [") and "raised -32602" in each for each in words)
    assert words[-1].startswith("inn left after")
    assert [each.levelname for each in lines if "failed in" in each.getMessage()] == ["WARNING"]
    assert SECRET not in caplog.text
    assert ('"password":"***"' in caplog.text) is content


async def test_log_says_that_a_server_was_lost(puppet: Puppeteer, caplog: pytest.LogCaptureFixture) -> None:
    server = puppet(on={"tools/call die": [kill()]})
    with caplog.at_level(logging.INFO, "dragoman.tools"):
        async with AsyncClient.connect(server.command, name="inn", observers=[LogObserver()]) as client:
            await failure(client.call_tool, "die")
            await until(lambda: "inn lost after" in caplog.text)

    assert "ServerExited" in caplog.text


@pytest.mark.parametrize("content", [False, True])
async def test_file_has_a_line_for_each_request_and_session_and_no_secret(secretive: Puppet, content: bool) -> None:
    file = io.BytesIO()
    await told(secretive, JsonlObserver(file, content=content))
    records = [json.loads(line) for line in file.getvalue().splitlines()]
    echoed, failed = (each for each in records if each.get("method") == "tools/call")
    refused = next(each for each in records if each.get("method") == "prompts/get")

    assert (echoed["tool"], echoed["server"], echoed["is_error"]) == ("echo", "inn", False)
    assert (failed["is_error"], failed["error_type"]) == (True, None)
    assert (refused["is_error"], refused["error_type"]) == (True, "-32602")
    assert records[-1].keys() == {"time", "session", "server", "elapsed", "error_type"}
    assert SECRET not in file.getvalue().decode()
    assert ("params" in echoed) is content
