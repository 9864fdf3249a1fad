"""Observers of a client."""

import logging
from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from dragoman.models.observing import ServerFacts
from dragoman.models.watching import ClientObservers, RequestObservation, SessionObservation
from dragoman.protocol.steps import Request
from dragoman.types import CallToolParams, GetPromptParams, ReadResourceParams, SubscribeParams

INN = ServerFacts("inn")
SEEN = RequestObservation(id="1", request=Request("ping"), server=INN)
CALLED = replace(SEEN, request=Request("tools/call", CallToolParams(name="find")))
SESSION = SessionObservation(id="2", server=INN)


class Watcher:
    def __init__(self, meta: Mapping[str, Any] | None = None) -> None:
        self.seen: list[tuple[str, Any]] = []
        self._meta = meta

    def start_request(self, request: RequestObservation) -> Mapping[str, Any] | None:
        self.seen.append((">", request))
        return self._meta

    def stop_request(self, request: RequestObservation) -> None:
        self.seen.append(("<", request))

    def start_session(self, session: SessionObservation) -> None:
        self.seen.append(("(", session))

    def stop_session(self, session: SessionObservation) -> None:
        self.seen.append((")", session))


class Broken:
    def start_request(self, request: RequestObservation) -> None:
        raise ValueError("no")

    def stop_request(self, request: RequestObservation) -> None:
        raise ValueError("no")

    def start_session(self, session: SessionObservation) -> None:
        raise ValueError("no")

    def stop_session(self, session: SessionObservation) -> None:
        raise ValueError("no")


def play(observers: ClientObservers) -> dict[str, Any]:
    observers.start_session(SESSION)
    meta = observers.start_request(SEEN)
    observers.stop_request(SEEN)
    observers.stop_session(SESSION)
    return meta


@pytest.mark.feature(169)
def test_observer_that_is_given_twice_sees_everything_once() -> None:
    watcher = Watcher()
    play(ClientObservers(watcher, watcher))

    assert watcher.seen == [("(", SESSION), (">", SEEN), ("<", SEEN), (")", SESSION)]


def test_what_observers_return_goes_along() -> None:
    assert play(ClientObservers(Watcher({"a": 1}), Watcher(), Watcher({"b": 2}))) == {"a": 1, "b": 2}


def test_observer_that_raises_costs_the_others_nothing(caplog: pytest.LogCaptureFixture) -> None:
    watcher = Watcher({"a": 1})
    with caplog.at_level(logging.ERROR, "dragoman.models"):
        meta = play(ClientObservers(Broken(), watcher))

    assert (meta, len(watcher.seen), len(caplog.records)) == ({"a": 1}, 4, 4)


def test_there_may_be_none() -> None:
    assert not ClientObservers()
    assert ClientObservers(Watcher())


@pytest.mark.parametrize(
    ("params", "facts"),
    [
        (CallToolParams(name="find"), ("find", None, None)),
        (GetPromptParams(name="greet"), (None, "greet", None)),
        (ReadResourceParams(uri="inn://menu"), (None, None, "inn://menu")),
        (SubscribeParams(uri="inn://menu"), (None, None, "inn://menu")),
        (None, (None, None, None)),
    ],
)
def test_request_tells_what_it_is_about(params: Any, facts: Any) -> None:
    seen = replace(SEEN, request=Request("some/method", params))

    assert (seen.tool, seen.prompt, seen.uri) == facts


@pytest.mark.parametrize(
    ("result", "has_failed"),
    [
        (None, False),
        (b'{"content":[]}', False),
        (b'{"isError":true}', True),
        (b'{"isError":false}', False),
        (b'{"isError":"odd"}', False),
        (b"[]", False),
    ],
)
def test_tool_says_whether_it_has_failed(result: bytes | None, has_failed: bool) -> None:
    seen = replace(CALLED, result=result)

    assert (seen.has_failed_tool, seen.is_error) == (has_failed, has_failed)


def test_error_is_one_and_what_is_no_tool_says_nothing_of_itself() -> None:
    assert replace(SEEN, error=ValueError()).is_error
    assert not replace(SEEN, result=b'{"isError":true}').is_error
