"""Points in time, and durations as people write them."""

from math import inf, nan
from typing import Any

import pytest

from dragoman import deadline as module
from dragoman.deadline import Deadline, Unattended, now, seconds
from dragoman.errors import UsageError


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    stopped = Clock()
    monkeypatch.setattr(module, "monotonic", stopped)
    return stopped


def test_time_is_that_of_the_clock(clock: Clock) -> None:
    assert now() == 1000.0


def test_a_deadline_comes_when_its_span_is_over(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 15.0

    assert (deadline.remaining, deadline.waited, deadline.expired) == (5.0, 15.0, False)


def test_parts_of_what_nobody_waits_for_are_the_same(clock: Clock) -> None:
    deadline = Unattended(20.0)

    assert (Deadline(20.0).within(5.0).is_attended, deadline.within(5.0).is_attended) == (True, False)
    assert (Unattended.never().is_attended, deadline.within(5.0).remaining) == (False, 5.0)


def test_a_deadline_that_has_come_leaves_no_time(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 25.0

    assert (deadline.remaining, deadline.waited, deadline.expired) == (0.0, 25.0, True)


def test_a_deadline_may_never_come(clock: Clock) -> None:
    deadline = Deadline.never()
    clock.time += 1e9

    assert (deadline.remaining, deadline.expired) == (inf, False)


def test_progress_starts_the_span_anew(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 15.0
    deadline.extend()

    assert deadline.remaining == 20.0


def test_progress_goes_no_further_than_the_cap(clock: Clock) -> None:
    deadline = Deadline(20.0, cap=30.0)
    clock.time += 15.0
    deadline.extend()

    assert deadline.remaining == 15.0


def test_a_cap_shorter_than_the_span_counts(clock: Clock) -> None:
    assert Deadline(20.0, cap=5.0).remaining == 5.0


def test_a_deadline_that_nothing_holds_is_not_waited_beyond(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 20.0

    assert not deadline.waits_on()


def test_a_deadline_that_is_held_is_waited_beyond(clock: Clock) -> None:
    deadline = Deadline(20.0)
    deadline.hold()
    clock.time += 20.0

    assert deadline.waits_on()
    assert deadline.remaining == 20.0


def test_nothing_is_waited_for_beyond_the_cap(clock: Clock) -> None:
    deadline = Deadline(20.0, cap=30.0)
    deadline.hold()
    clock.time += 30.0

    assert not deadline.waits_on()


def test_what_is_released_has_the_time_that_was_left(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 15.0
    deadline.hold()
    deadline.hold()
    clock.time += 100.0
    deadline.release()
    clock.time += 100.0
    deadline.release()

    assert deadline.remaining == 5.0
    assert deadline.holds == 0


def test_whoever_waits_on_looks_again_when_what_was_left_is_over(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 15.0
    deadline.hold()
    clock.time += 5.0

    assert deadline.waits_on()
    assert deadline.remaining == 5.0


def test_whoever_waits_on_does_not_look_all_the_time(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 20.0
    deadline.hold()

    assert deadline.waits_on()
    assert deadline.remaining == pytest.approx(0.1)


def test_having_waited_on_grants_no_time(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 5.0
    deadline.hold()
    clock.time += 15.0
    deadline.waits_on()
    clock.time += 1.0
    deadline.release()

    assert deadline.remaining == 15.0


def test_progress_while_it_is_held_starts_the_span_anew(clock: Clock) -> None:
    deadline = Deadline(20.0)
    clock.time += 15.0
    deadline.hold()
    deadline.extend()
    clock.time += 100.0
    deadline.release()

    assert deadline.remaining == 20.0


def test_what_is_released_goes_no_further_than_the_cap(clock: Clock) -> None:
    deadline = Deadline(20.0, cap=30.0)
    deadline.hold()
    clock.time += 15.0
    deadline.release()

    assert deadline.remaining == 15.0


def test_a_deadline_within_another_does_not_outlast_it(clock: Clock) -> None:
    whole = Deadline(20.0)
    clock.time += 15.0

    assert whole.within(60.0).remaining == 5.0
    assert whole.within(2.0).remaining == 2.0


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (None, inf),
        (20, 20.0),
        (0.5, 0.5),
        (0, 0.0),
        ("20", 20.0),
        ("20s", 20.0),
        (" 20 s ", 20.0),
        ("500ms", 0.5),
        ("2m", 120.0),
        ("1.5h", 5400.0),
    ],
)
def test_a_duration_is_read(written: Any, expected: float) -> None:
    assert seconds(written) == expected


@pytest.mark.parametrize("written", [-1, "-1s", nan, "nan", [], True, b"5"])
def test_a_duration_is_not_negative(written: Any) -> None:
    with pytest.raises(UsageError, match="a duration cannot be"):
        seconds(written)


@pytest.mark.parametrize("written", ["soon", "", "s", "5 days"])
def test_a_duration_is_a_number_with_a_unit(written: str) -> None:
    with pytest.raises(UsageError, match="is not a duration"):
        seconds(written)
