"""Observers."""

import logging
from collections.abc import Mapping
from typing import Any

import pytest

from dragoman.models.calls import ToolCall
from dragoman.models.observing import Observation, Observers
from tests.models.making import response, tool

SEEN = Observation(id="1", call=ToolCall.scripted("find"), definition=tool({}), arguments={}, trace_id="t")


class Counter:
    def __init__(self, meta: Mapping[str, Any] | None = None) -> None:
        self.started: list[Observation] = []
        self.stopped: list[Observation] = []
        self._meta = meta

    def start(self, observation: Observation) -> Mapping[str, Any] | None:
        self.started.append(observation)
        return self._meta

    def stop(self, observation: Observation) -> None:
        self.stopped.append(observation)


class Broken:
    def start(self, observation: Observation) -> None:
        raise ValueError("no")

    def stop(self, observation: Observation) -> None:
        raise ValueError("no")


@pytest.mark.feature(169)
def test_observer_that_is_given_twice_sees_each_call_once() -> None:
    counter = Counter()
    observers = Observers(counter, counter)
    observers.add(counter)
    observers.start(SEEN)
    observers.stop(SEEN)

    assert (len(observers), len(counter.started), len(counter.stopped)) == (1, 1, 1)


def test_observer_that_is_removed_sees_nothing_more() -> None:
    counter = Counter()
    observers = Observers(counter)
    observers.remove(counter)
    observers.remove(counter)
    observers.start(SEEN)

    assert not observers
    assert counter.started == []


def test_what_observers_return_goes_along_and_the_trace_is_known_to_the_others() -> None:
    first, second = Counter({"traceparent": "00-abc-def-01", "x": 1}), Counter({"y": 2})
    observation, meta = Observers(first, second).start(SEEN)

    assert meta == {"traceparent": "00-abc-def-01", "x": 1, "y": 2}
    assert (observation.trace_id, second.started[0].trace_id, first.started[0].trace_id) == ("abc", "abc", "t")


def test_observer_that_raises_costs_nothing_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    counter = Counter()
    observers = Observers(Broken(), counter)
    with caplog.at_level(logging.ERROR):
        observation, _ = observers.start(SEEN)
        observers.stop(observation)

    assert (len(counter.started), len(counter.stopped), len(caplog.records)) == (1, 1, 2)


@pytest.mark.feature(167)
def test_observation_says_whether_the_call_failed() -> None:
    from msgspec.structs import replace

    assert not SEEN.is_error
    assert not replace(SEEN, response=response("a")).is_error
    assert replace(SEEN, response=response("a", is_error=True)).is_error
    assert replace(SEEN, error=ValueError()).is_error
