# generated from tests/aio/client/test_changes.py by tools/unasync.py; do not edit
"""Lists that change while the client is connected, and who hears of it."""

from typing import Any

import pytest

from dragoman import Client
from tests.servers.scripts.play import (
    Puppeteer,
    answer,
    change,
    default,
    flood,
    kill,
    pause,
    publish,
    refuse,
    tell,
    text,
    tool,
    turns,
)
from tests.sync.client.support import Seen, failure, saw, until

KINDS = {
    "tools": ("on_tools_changed", [tool("new")]),
    "resources": ("on_resources_changed", [{"uri": "mem://new", "name": "new"}]),
    "prompts": ("on_prompts_changed", [{"name": "new"}]),
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def changing(kind: str, items: Any) -> dict[str, Any]:
    return {"tools/call change": [change(**{kind: items}), publish(f"notifications/{kind}/list_changed"), text("so")]}


@each_kind
@pytest.mark.feature(106, 107, 108, 109, "12.5")
@pytest.mark.edge("B112")
def test_the_consumer_gets_the_new_list(puppet: Puppeteer, era: str, kind: str) -> None:
    option, items = KINDS[kind]
    server = puppet(era, on=changing(kind, items))
    seen = Seen()
    options: Any = {option: seen}
    with Client.connect(server.command, **options) as client:
        client.call_tool("change")
        listed = seen.first()

        assert [each.name for each in listed] == ["new"]
        assert len(server.heard(f"{kind}/list")) == 1


def test_a_change_that_is_told_before_the_greeting_is_answered_is_heard_of(
    puppet: Puppeteer, caplog: pytest.LogCaptureFixture
) -> None:
    hasty = [tell("notifications/tools/list_changed"), pause(0.2), default()]
    server = puppet("legacy", tools=[tool("early")], on={"initialize": hasty})
    seen = Seen()
    with Client.connect(server.command, on_tools_changed=seen):
        assert [each.name for each in seen.first()] == ["early"]

    methods = [each.get("method") for each in server.heard()]
    assert methods.index("notifications/initialized") < methods.index("tools/list")
    assert caplog.records == []


@pytest.mark.feature("12.5")
def test_consumers_open_one_stream_for_what_they_want(puppet: Puppeteer) -> None:
    server = puppet("modern")
    with Client.connect(server.command, on_tools_changed=Seen(), on_prompts_changed=Seen()):
        until(saw(server, "subscriptions/listen"))

    assert server.params("subscriptions/listen") == [
        {"notifications": {"toolsListChanged": True, "promptsListChanged": True}}
    ]


@pytest.mark.feature("12.5")
def test_no_stream_is_opened_without_a_wish(puppet: Puppeteer) -> None:
    server = puppet("modern")
    with Client.connect(server.command, on_log=Seen()) as client:
        client.ping()

    assert server.heard("subscriptions/listen") == []


@pytest.mark.feature("12.5")
def test_no_stream_is_opened_for_what_the_server_does_not_tell(puppet: Puppeteer) -> None:
    server = puppet("modern", capabilities={"tools": {}})
    with Client.connect(server.command, on_tools_changed=Seen()) as client:
        client.ping()

    assert server.heard("subscriptions/listen") == []


@pytest.mark.edge("B52")
@pytest.mark.parametrize("code", [-32601, -32603])
def test_a_server_that_cannot_be_listened_to_works_without(puppet: Puppeteer, code: int) -> None:
    server = puppet("modern", on={"subscriptions/listen": [refuse(code, "no")]})
    with Client.connect(server.command, on_tools_changed=Seen()) as client:
        assert client.state.phase == "ready"
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.edge("B52")
def test_a_server_that_is_silent_to_listening_works_without(puppet: Puppeteer) -> None:
    server = puppet("modern", on={"subscriptions/listen": []})
    with Client.connect(server.command, on_tools_changed=Seen(), timeout=0.3) as client:
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.edge("B52")
def test_a_server_that_could_not_be_listened_to_is_asked_again_after_a_restart(puppet: Puppeteer) -> None:
    deaf = {"subscriptions/listen": [refuse(-32603, "no")], "tools/call die": [kill()]}
    server = puppet("modern", lives=[{"on": deaf}, {"on": changing("tools", [tool("new")])}])
    seen = Seen()
    with Client.connect(server.command, on_tools_changed=seen) as client:
        failure(client.call_tool, "die")
        until(lambda: server.heard("subscriptions/listen", life=1))
        client.call_tool("change")
        until(lambda: any(each.by_name.get("new") for each in seen.values))


@pytest.mark.feature(106)
@pytest.mark.edge("B112")
def test_many_notices_lead_to_few_readings(puppet: Puppeteer, era: str) -> None:
    notice = publish("notifications/tools/list_changed")
    server = puppet(
        era, on={"tools/call change": [flood(500, notice), change(tools=[tool("last")]), notice, text("so")]}
    )
    seen = Seen()
    with Client.connect(server.command, on_tools_changed=seen) as client:
        client.call_tool("change")
        until(lambda: seen.values and seen.values[-1].by_name.get("last"))

        assert len(server.heard("tools/list")) < 250


@pytest.mark.edge("B112")
def test_a_new_list_that_cannot_be_read_leaves_the_rest_as_it_was(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    listing = turns([default()], [refuse(-32603, "not now")], [default()])
    server = puppet(era, on={**changing("tools", [tool("new")]), "tools/list": listing})
    seen = Seen()
    with Client.connect(server.command, on_tools_changed=seen) as client:
        client.list_tools()
        client.call_tool("change")
        until(lambda: "not now" in caplog.text)
        client.call_tool("change")
        listed = seen.first()

        assert [each.name for each in listed] == ["new"]


@each_kind
def test_what_the_end_of_the_client_cuts_off_is_no_warning(
    puppet: Puppeteer, era: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    option, items = KINDS[kind]
    server = puppet(era, on={**changing(kind, items), f"{kind}/list": []})
    options: Any = {option: Seen()}
    with Client.connect(server.command, **options) as client:
        client.call_tool("change")
        until(saw(server, f"{kind}/list"))

    assert caplog.text == ""


@pytest.mark.edge("B112")
def test_what_was_kept_is_dropped_by_a_notice(puppet: Puppeteer) -> None:
    hints = {"ttlMs": 60_000, "cacheScope": "private"}
    server = puppet("modern", hints=hints, on=changing("tools", [tool("new")]))
    seen = Seen()
    with Client.connect(server.command, on_tools_changed=seen) as client:
        before = client.list_tools()
        client.call_tool("change")
        seen.first()
        after = client.list_tools()

        assert [each.name for each in before] == ["echo", "slow"]
        assert [each.name for each in after] == ["new"]


def test_a_consumer_may_call_the_client(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=changing("tools", [tool("new")]))
    clients: list[Client] = []
    results = Seen()

    def on_tools_changed(tools: Any) -> None:
        results(clients[0].call_tool(tools[0]).text)

    with Client.connect(server.command, on_tools_changed=on_tools_changed) as client:
        clients.append(client)
        client.call_tool("change")

        assert results.first() == "new {}"


def test_a_consumer_that_raises_is_said_and_called_again(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = puppet(era, on=changing("tools", [tool("new")]))
    seen = Seen(LookupError("the consumer's own"))
    with Client.connect(server.command, on_tools_changed=seen) as client:
        client.call_tool("change")
        seen.first()
        client.call_tool("change")
        seen.at_least(2)
        until(lambda: "the consumer's own" in caplog.text)

        assert client.state.phase == "ready"


def test_an_unknown_notification_reaches_its_consumer(puppet: Puppeteer, era: str) -> None:
    said = {"method": "notifications/weather", "params": {"rain": True}}
    server = puppet(era, on={"tools/call": [["say", said], answer({"content": []})]})
    seen = Seen()
    with Client.connect(server.command, on_notification=seen) as client:
        client.call_tool("echo")
        other = seen.first()

        assert other.method == "notifications/weather"
        assert other.params == {"rain": True}
