# generated from tests/aio/client/test_resources.py by tools/unasync.py; do not edit
"""Resources: listed, read, watched, and read again when they change."""

from typing import Any

import pytest

from dragoman import Client
from dragoman.errors import NotOffered, ServerError
from dragoman.types import ReadResourceParams
from tests.servers.scripts.play import (
    Puppet,
    Puppeteer,
    answer,
    change,
    default,
    flood,
    publish,
    refuse,
    tell,
    text,
    turns,
    wait,
)
from tests.sync.client.support import Background, Seen, failure, saw, until

UPDATED = "notifications/resources/updated"
FILTER = "resourceSubscriptions"


def touching(uri: str = "mem://a", contents: str = "changed") -> dict[str, Any]:
    """Have a tool that changes a resource and tells of it."""
    said = [
        change(contents={"mem://a": contents, "mem://b": contents}),
        publish(UPDATED, {"uri": uri}),
        text("touched"),
    ]
    return {"tools/call touch": said}


def watched(server: Puppet, era: str) -> list[list[str]]:
    """Give the resources that were asked to be watched, request by request."""
    if era == "legacy":
        return [[params["uri"]] for params in server.params("resources/subscribe")]
    return [params["notifications"].get(FILTER, []) for params in server.params("subscriptions/listen")]


@pytest.mark.feature(111)
def test_resources_are_listed(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era).command) as client:
        listed = client.list_resources()

        assert [(each.uri, each.name) for each in listed] == [("mem://a", "a"), ("mem://b", "b")]


@pytest.mark.feature(112)
def test_a_resource_is_read_as_text(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era).command) as client:
        assert client.read_resource("mem://a").text == "alpha"


@pytest.mark.feature(112)
def test_a_resource_is_read_as_bytes(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, contents={"mem://a": {"blob": "AAH/", "mimeType": "application/x"}})
    with Client.connect(server.command) as client:
        (contents,) = client.read_resource("mem://a").contents

        assert contents.bytes == b"\x00\x01\xff"
        assert contents.mime_type == "application/x"


@pytest.mark.feature(112)
def test_a_resource_is_named_by_uri_by_item_or_by_request(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    with Client.connect(server.command) as client:
        (first, *_) = client.list_resources()
        for named in ("mem://a", first, ReadResourceParams("mem://a")):
            client.read_resource(named)

    assert server.params("resources/read") == [{"uri": "mem://a"}] * 3


def test_uris_are_passed_on_unchanged(puppet: Puppeteer, era: str) -> None:
    uris = ["mem://a b/ü?x=1#y", "FILE:///C:\\dir", "no-scheme", "file:///a/../b", "x:%2F%2f", "http://[::1", ""]
    server = puppet(era, contents=dict.fromkeys(uris, "found"))
    with Client.connect(server.command) as client:
        for uri in uris:
            client.subscribe_resource(uri)
            assert client.read_resource(uri).text == "found"

    assert [params["uri"] for params in server.params("resources/read")] == uris
    assert [each[-1] for each in watched(server, era)] == uris


def test_a_resource_that_is_not_there_raises(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era).command) as client:
        error = failure(client.read_resource, "mem://nowhere")

        assert isinstance(error, ServerError)
        assert error.code == {"legacy": -32002, "modern": -32602}[era]
        assert error.data == {"uri": "mem://nowhere"}


@pytest.mark.feature(113)
def test_templates_are_listed_and_lead_to_resources(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era).command) as client:
        (template,) = client.list_resource_templates()
        result = client.read_resource(template.uri_template.replace("{letter}", "b"))

        assert template.name == "letters"
        assert result.text == "beta"


# ------------------------------------------------------------------------------------------------------------- watching


@pytest.mark.feature(114, 116)
def test_a_watched_resource_that_changes_is_read_again_and_delivered(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=touching())
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        client.call_tool("touch")
        contents = seen.first()

        assert contents.text == "changed"
        assert len(server.heard("resources/read")) == 1


@pytest.mark.feature(116)
def test_the_consumer_may_ask_which_subscription_it_was(puppet: Puppeteer, era: str) -> None:
    touched = {"tools/call touch": [publish(UPDATED, {"uri": "mem://a/x"}), text("touched")]}
    server = puppet(era, on=touched, contents={"mem://a/x": "x"})
    seen: list[Any] = []

    def on_resource_updated(contents: Any, context: Any) -> None:
        seen.append((contents.text, context.uri, context.server))

    with Client.connect(server.command, on_resource_updated=on_resource_updated) as client:
        client.subscribe_resource("mem://a")
        client.call_tool("touch")
        until(lambda: seen)

        assert seen == [("x", "mem://a", "puppet")]


@pytest.mark.feature(117)
def test_nothing_comes_after_unsubscribing(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=touching())
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        client.unsubscribe_resource("mem://a")
        client.call_tool("touch")
        client.ping()

    assert len(seen) == 0


@pytest.mark.feature(117)
def test_nothing_comes_after_unsubscribing_even_from_a_server_that_goes_on(puppet: Puppeteer) -> None:
    stray = {"tools/call touch": [tell(UPDATED, {"uri": "mem://a"}), text("touched")]}
    seen = Seen()
    server = puppet("legacy", on=stray)
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        client.unsubscribe_resource("mem://a")
        client.call_tool("touch")
        client.ping()

    assert len(seen) == 0
    assert server.heard("resources/read") == []


@pytest.mark.feature(117)
def test_contents_that_were_being_read_while_unsubscribing_are_not_delivered(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={**touching(), "resources/read": [wait("read"), default()]})
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        client.call_tool("touch")
        until(saw(server, "resources/read"))
        client.unsubscribe_resource("mem://a")
        server.open_gate("read")
        client.read_resource("mem://b")

    assert len(seen) == 0


@pytest.mark.feature(115)
def test_a_server_that_watches_nothing_is_not_asked_to(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, capabilities={"resources": {}})
    with Client.connect(server.command) as client:
        error = failure(client.subscribe_resource, "mem://a")

        assert isinstance(error, NotOffered)
        assert error.capability == "resources.subscribe"
        assert watched(server, era) == []


@pytest.mark.feature(114)
def test_subscribing_twice_asks_once(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    with Client.connect(server.command) as client:
        client.subscribe_resource("mem://a")
        client.subscribe_resource("mem://a")

    assert watched(server, era) == [["mem://a"]]


@pytest.mark.feature(114)
def test_a_subscription_that_was_refused_can_be_tried_again(puppet: Puppeteer, era: str) -> None:
    method = "resources/subscribe" if era == "legacy" else "subscriptions/listen"
    server = puppet(era, on={method: turns([refuse(-32603, "not now")], [default()])})
    with Client.connect(server.command) as client:
        error = failure(client.subscribe_resource, "mem://a")
        client.subscribe_resource("mem://a")

        assert isinstance(error, ServerError)
        assert len(watched(server, era)) == 2


@pytest.mark.feature("12.4")
def test_a_modern_server_gets_one_stream_for_all_that_is_watched(puppet: Puppeteer) -> None:
    server = puppet("modern")
    with Client.connect(server.command) as client:
        client.subscribe_resource("mem://a")
        client.subscribe_resource("mem://b")
        client.unsubscribe_resource("mem://a")
        client.unsubscribe_resource("mem://b")
        until(saw(server, "notifications/cancelled", 3))
        streams = [message["id"] for message in server.heard("subscriptions/listen")]
        ended = [params["requestId"] for params in server.params("notifications/cancelled")]

        assert watched(server, "modern") == [["mem://a"], ["mem://a", "mem://b"], ["mem://b"]]
        assert ended == streams


@pytest.mark.feature("12.4")
def test_a_modern_server_that_watches_none_after_all_is_found_out(puppet: Puppeteer) -> None:
    acknowledged = tell(
        "notifications/subscriptions/acknowledged", {"notifications": {}, "_meta": {SUBSCRIPTION: "$id"}}
    )
    with Client.connect(puppet("modern", on={"subscriptions/listen": [acknowledged]}).command) as client:
        error = failure(client.subscribe_resource, "mem://a")

        assert isinstance(error, NotOffered)


def test_an_acknowledgement_that_does_not_say_of_what_is_that_of_the_stream_being_opened(
    puppet: Puppeteer,
) -> None:
    told = [tell("notifications/subscriptions/acknowledged", {"notifications": {FILTER: ["mem://a"]}})]
    touch = {"tools/call touch": [tell(UPDATED, {"uri": "mem://a"}), text("touched")]}
    seen = Seen()
    server = puppet("modern", on={"subscriptions/listen": told, **touch})
    with Client.connect(server.command, on_resource_updated=seen, timeout=5) as client:
        client.subscribe_resource("mem://a")
        client.call_tool("touch")

        assert seen.first().text == "alpha"


def test_a_modern_server_that_watches_some_only_is_found_out(puppet: Puppeteer) -> None:
    granted = {"notifications": {FILTER: ["mem://a"]}, "_meta": {SUBSCRIPTION: "$id"}}
    server = puppet("modern", on={"subscriptions/listen": [tell("notifications/subscriptions/acknowledged", granted)]})
    with Client.connect(server.command) as client:
        client.subscribe_resource("mem://a")
        error = failure(client.subscribe_resource, "mem://b")
        client.subscribe_resource("mem://a")

        assert isinstance(error, NotOffered)
        assert "mem://b" in str(error)
        assert watched(server, "modern") == [["mem://a"], ["mem://a", "mem://b"]]


SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def test_a_stream_that_the_server_ends_is_opened_again(puppet: Puppeteer) -> None:
    server = puppet("modern", on={**touching(), "subscriptions/listen": turns([default(), answer({})], [default()])})
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        until(saw(server, "subscriptions/listen", 2))
        client.call_tool("touch")

        assert until(lambda: any(each.text == "changed" for each in seen.values))


@pytest.mark.feature(116)
def test_what_changed_before_a_stream_was_open_again_is_delivered(puppet: Puppeteer) -> None:
    unheard = [default(), change(contents={"mem://a": "changed unheard"}), answer({})]
    server = puppet("modern", on={"subscriptions/listen": turns(unheard, [default()])})
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")

        assert seen.first().text == "changed unheard"
        assert len(server.heard("subscriptions/listen")) == 2


def test_a_stream_that_is_not_opened_again_can_be_asked_for_again(
    puppet: Puppeteer, caplog: pytest.LogCaptureFixture
) -> None:
    listening = turns([default(), answer({})], [refuse(-32603, "not now")], [default()])
    server = puppet("modern", on={**touching(), "subscriptions/listen": listening})
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        until(lambda: "mem://a any more" in caplog.text)
        client.subscribe_resource("mem://a")
        client.call_tool("touch")

        assert seen.first().text == "changed"


@pytest.mark.feature(116)
def test_many_changes_at_once_are_read_few_times_and_end_with_the_newest(puppet: Puppeteer, era: str) -> None:
    last = [change(contents={"mem://a": "last"}), publish(UPDATED, {"uri": "mem://a"}), text("touched")]
    server = puppet(era, on={"tools/call touch": [flood(500, publish(UPDATED, {"uri": "mem://a"})), *last]})
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        client.call_tool("touch")
        until(lambda: seen.values and seen.values[-1].text == "last")

        assert len(server.heard("resources/read")) < 250


def test_a_change_that_cannot_be_read_is_said_and_costs_nothing_else(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = puppet(era, on={**touching(), "resources/read": turns([refuse(-32603, "gone")], [default()])})
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.subscribe_resource("mem://a")
        client.call_tool("touch")
        until(lambda: "mem://a" in caplog.text)
        client.call_tool("touch")

        assert seen.first().text == "changed"


def test_many_subscribe_at_once_and_all_are_watched(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, contents={f"mem://{n}": str(n) for n in range(8)})
    with Client.connect(server.command) as client:
        for each in [Background(client.subscribe_resource, f"mem://{n}") for n in range(8)]:
            each.wait()
        asked = watched(server, era)
        wanted = {f"mem://{n}" for n in range(8)}

        assert (set(asked[-1]) if era == "modern" else {uri for (uri,) in asked}) == wanted


# ---------------------------------------------------------------------------------------------------------------- keeping


@pytest.mark.edge("B114")
def test_a_modern_resource_is_kept_for_as_long_as_it_holds(puppet: Puppeteer) -> None:
    server = puppet("modern", hints={"ttlMs": 60_000, "cacheScope": "private"})
    with Client.connect(server.command) as client:
        texts = [client.read_resource("mem://a").text for _ in range(3)]
        lists = [len(client.list_tools()) for _ in range(3)]

        assert texts == ["alpha"] * 3
        assert lists == [2] * 3
        assert len(server.heard("resources/read")) == 1
        assert len(server.heard("tools/list")) == 1


def test_keeping_can_be_switched_off(puppet: Puppeteer) -> None:
    server = puppet("modern", hints={"ttlMs": 60_000, "cacheScope": "public"})
    with Client.connect(server.command, cache=False) as client:
        for _ in range(3):
            client.read_resource("mem://a")

        assert len(server.heard("resources/read")) == 3


@pytest.mark.edge("B114")
def test_two_clients_share_nothing_that_was_kept(puppet: Puppeteer) -> None:
    server = puppet("modern", hints={"ttlMs": 60_000, "cacheScope": "public"})
    for _ in range(2):
        with Client.connect(server.command) as client:
            client.list_tools()

    assert len(server.heard("tools/list")) == 2


def test_what_was_kept_is_read_anew_when_it_changes(puppet: Puppeteer) -> None:
    server = puppet("modern", hints={"ttlMs": 60_000, "cacheScope": "private"}, on=touching())
    seen = Seen()
    with Client.connect(server.command, on_resource_updated=seen) as client:
        client.read_resource("mem://a")
        client.subscribe_resource("mem://a")
        client.call_tool("touch")
        seen.first()

        assert client.read_resource("mem://a").text == "changed"
