"""What is watched, and how a listen stream is read."""

import json
from typing import Any

import pytest

from dragoman.protocol.inbound import ListChanged, Logged, Other, ResourceUpdated
from dragoman.protocol.jsonrpc import decode
from dragoman.protocol.subscriptions import Ended, News, Opened, Wanted, read_stream
from dragoman.types import (
    PromptsCapability,
    ResourcesCapability,
    ServerCapabilities,
    SubscriptionFilter,
    ToolsCapability,
    to_json,
)

EVERYTHING = ServerCapabilities(
    tools=ToolsCapability(list_changed=True),
    prompts=PromptsCapability(list_changed=True),
    resources=ResourcesCapability(list_changed=True),
)


def heard(**members: Any) -> News:
    [message] = decode(json.dumps({"jsonrpc": "2.0", **members}).encode())
    return read_stream(message)


def notified(method: str, **params: Any) -> News:
    return heard(method=f"notifications/{method}", params=params)


# ------------------------------------------------------------------------------------------------------ what is wanted


def test_nothing_is_wanted_at_first() -> None:
    assert Wanted().is_empty
    assert to_json(Wanted().filter()) == {}


def test_each_list_has_a_name_of_its_own_in_the_filter() -> None:
    wanted = Wanted().with_lists(["tools", "prompts", "resources"], EVERYTHING)

    assert not wanted.is_empty
    assert to_json(wanted.filter()) == {
        "toolsListChanged": True,
        "promptsListChanged": True,
        "resourcesListChanged": True,
    }


@pytest.mark.parametrize(
    "capabilities",
    [
        ServerCapabilities(),
        ServerCapabilities(tools=ToolsCapability()),
        ServerCapabilities(tools=ToolsCapability(list_changed=False)),
        ServerCapabilities(prompts=PromptsCapability(list_changed=True)),
    ],
)
def test_a_list_whose_changes_are_not_told_is_not_asked_for(capabilities: ServerCapabilities) -> None:
    assert Wanted().with_lists(["tools"], capabilities).is_empty


def test_a_list_that_does_not_exist_is_not_asked_for() -> None:
    assert Wanted().with_lists(["moods"], EVERYTHING).is_empty


def test_lists_are_added_to_what_is_wanted() -> None:
    wanted = Wanted().with_uri("a:a").with_lists(["tools"], EVERYTHING).with_lists(["prompts"], EVERYTHING)

    assert wanted == Wanted(frozenset({"tools", "prompts"}), ("a:a",))


def test_resources_are_wanted_in_the_order_they_were_asked_for() -> None:
    wanted = Wanted().with_uri("b:b").with_uri("a:a").with_uri("b:b")

    assert to_json(wanted.filter()) == {"resourceSubscriptions": ["b:b", "a:a"]}


def test_a_resource_is_wanted_no_longer() -> None:
    wanted = Wanted().with_uri("b:b").with_uri("a:a").without_uri("b:b").without_uri("never:wanted")

    assert wanted.uris == ("a:a",)
    assert wanted.without_uri("a:a").is_empty


def test_what_is_wanted_is_a_value() -> None:
    wanted = Wanted()
    wanted.with_uri("a:a")

    assert wanted.is_empty


# ------------------------------------------------------------------------------------------------------- what it is of


@pytest.mark.parametrize(
    ("watched", "updated", "expected"),
    [
        (("file:///a",), "file:///a", "file:///a"),
        (("file:///a",), "file:///a/b", "file:///a"),
        (("file:///a/",), "file:///a/b", "file:///a/"),
        (("file:///a/",), "file:///a", "file:///a/"),
        (("file:///a", "file:///a/b"), "file:///a/b/c", "file:///a/b"),
        (("file:///a/b", "file:///a"), "file:///a/b", "file:///a/b"),
        (("file:///a",), "file:///ab", None),
        (("file:///a",), "file:///", None),
        (("file:///A",), "file:///a", None),
        (("file:///a%20b",), "file:///a b", None),
        ((), "file:///a", None),
    ],
)
def test_an_update_is_of_the_watched_resource_that_is_nearest(
    watched: tuple[str, ...], updated: str, expected: str | None
) -> None:
    assert Wanted(uris=watched).watches(updated) == expected


def test_an_update_of_what_is_watched_no_longer_is_of_nothing() -> None:
    assert Wanted().with_uri("a:a").without_uri("a:a").watches("a:a") is None


# ---------------------------------------------------------------------------------------------------------- the stream


def test_a_stream_opens_with_what_is_really_watched() -> None:
    opened = notified("subscriptions/acknowledged", notifications={"resourceSubscriptions": ["a:a"]})

    assert opened == Opened(SubscriptionFilter(resource_subscriptions=("a:a",)))
    assert isinstance(opened, Opened)
    assert opened.left_out(("a:a",)) == ()


def test_a_stream_may_open_for_some_resources_only() -> None:
    opened = notified("subscriptions/acknowledged", notifications={"resourceSubscriptions": ["a:a"]})

    assert isinstance(opened, Opened)
    assert opened.left_out(("a:a", "b:b")) == ("b:b",)


def test_a_server_may_spell_what_it_watches_in_its_own_way() -> None:
    opened = notified("subscriptions/acknowledged", notifications={"resourceSubscriptions": ["a:%41"]})

    assert isinstance(opened, Opened)
    assert opened.left_out(("a:A",)) == ()


@pytest.mark.parametrize("watched", [{}, {"toolsListChanged": True}, {"resourceSubscriptions": []}])
def test_a_stream_may_open_without_any_resource(watched: Any) -> None:
    opened = notified("subscriptions/acknowledged", notifications=watched)

    assert isinstance(opened, Opened)
    assert opened.left_out(("a:a",)) == ("a:a",)
    assert opened.left_out(()) == ()


@pytest.mark.parametrize("params", [{}, {"notifications": None}, {"notifications": ["tools"]}])
def test_a_stream_may_open_without_saying_for_what(params: Any) -> None:
    opened = notified("subscriptions/acknowledged", **params)

    assert opened == Opened(None)
    assert isinstance(opened, Opened)
    assert opened.left_out(("a:a",)) == ()


def test_a_stream_carries_what_is_new() -> None:
    assert notified("tools/list_changed") == ListChanged("tools")
    assert notified("resources/updated", uri="a:a") == ResourceUpdated("a:a")
    assert isinstance(notified("message", level="info", data="x"), Logged)
    assert notified("moods/changed", mood="good") == Other("notifications/moods/changed", {"mood": "good"})


def test_an_answer_ends_a_stream_well() -> None:
    assert heard(id=7, result={"resultType": "complete"}) == Ended()


def test_a_cancellation_ends_a_stream_well() -> None:
    assert notified("cancelled", requestId=7, reason="shutting down") == Ended()


def test_a_refusal_ends_a_stream_with_its_reason() -> None:
    ended = heard(id=7, error={"code": -32601, "message": "not here"})

    assert isinstance(ended, Ended)
    assert ended.error is not None
    assert (ended.error.code, ended.error.method) == (-32601, "subscriptions/listen")


def test_a_result_beside_an_empty_error_ends_a_stream_well() -> None:
    assert heard(id=7, result={}, error=None) == Ended()
