# generated from tests/aio/test_runtime.py by tools/unasync.py; do not edit
"""Waiting and background work, as both colours promise it."""

import logging
from concurrent.futures import CancelledError

import pytest

from dragoman.deadline import Deadline
from dragoman.sync._runtime import Courier, Crew, Event, GaveUp, Home, Lock, Mailbox, call_foreign, pause
from tests.sync.transports.wire import together


def test_mailbox_gives_what_was_put_in_order() -> None:
    mailbox: Mailbox[int] = Mailbox()
    for number in range(3):
        mailbox.put(number)

    assert [mailbox.get(Deadline(1)) for _ in range(3)] == [0, 1, 2]


def test_mailbox_waits_until_the_deadline() -> None:
    mailbox: Mailbox[int] = Mailbox()
    deadline = Deadline(0.1)
    with pytest.raises(TimeoutError):
        mailbox.get(deadline)

    assert deadline.expired
    with pytest.raises(TimeoutError):
        mailbox.get(Deadline(0))


def test_mailbox_gives_what_is_there_even_after_the_deadline() -> None:
    mailbox: Mailbox[int] = Mailbox()
    mailbox.put(1)

    assert mailbox.get(Deadline(0)) == 1


def test_mailbox_wakes_the_one_who_waits() -> None:
    mailbox: Mailbox[int] = Mailbox()

    def put() -> None:
        pause(0.05)
        mailbox.put(7)

    assert together(lambda: mailbox.get(Deadline.never()), put)[0] == 7


def test_deadline_moves_while_it_is_waited_for() -> None:
    mailbox: Mailbox[int] = Mailbox()
    deadline = Deadline(0.3)

    def extend() -> None:
        for _ in range(4):
            pause(0.15)
            deadline.extend()
        mailbox.put(1)

    assert together(lambda: mailbox.get(deadline), extend)[0] == 1


def test_shorter_deadline_comes_first_whatever_was_set_before() -> None:
    order: list[float] = []

    def wait(seconds: float) -> None:
        with pytest.raises(TimeoutError):
            Mailbox[int]().get(Deadline(seconds))
        order.append(seconds)

    together(*[lambda seconds=seconds: wait(seconds) for seconds in (0.5, 0.1, 0.3)])
    assert order == [0.1, 0.3, 0.5]


def test_event_wakes_all_and_can_be_cleared() -> None:
    event = Event()
    assert not event.wait(Deadline(0.01))

    def set_it() -> None:
        pause(0.05)
        event.set()

    assert together(lambda: event.wait(Deadline(5)), lambda: event.wait(Deadline.never()), set_it) == [
        True,
        True,
        None,
    ]
    event.clear()
    assert not event.is_set()


def test_lock_is_held_by_one_at_a_time() -> None:
    lock = Lock()
    inside: list[int] = []

    def enter() -> None:
        with lock:
            inside.append(1)
            pause(0.01)
            assert len(inside) == 1
            inside.pop()

    assert together(*[enter] * 10) == [None] * 10


def test_lock_is_waited_for_until_the_deadline() -> None:
    lock = Lock()
    assert lock.acquire(Deadline(1))
    assert not lock.acquire(Deadline(0.05))
    lock.release()
    assert lock.acquire(Deadline(1))
    lock.release()


def test_crew_logs_what_its_members_raise(caplog: pytest.LogCaptureFixture) -> None:
    crew = Crew("test")
    done = Event()

    def fail() -> None:
        try:
            raise ValueError("on purpose")
        finally:
            done.set()

    crew.start(fail)
    done.wait(Deadline(5))
    crew.end()

    assert "test: background work failed" in caplog.text
    assert "ValueError: on purpose" in caplog.text


def test_crew_leaves_nothing_and_starts_nothing_once_it_has_ended() -> None:
    crew = Crew("test")
    seen: list[str] = []

    def work() -> None:
        seen.append("begun")
        crew.closing.wait(Deadline(10))
        seen.append("ended")

    crew.start(work)
    while not seen:
        pause(0.001)
    deadline = Deadline(4)
    crew.end()
    crew.start(work)
    crew.end()

    assert not deadline.expired
    assert seen[0] == "begun"
    assert seen.count("begun") == 1


def test_crew_that_is_ended_at_once_lets_its_members_see_to_their_own_end() -> None:
    crew = Crew("test")
    seen: list[str] = []

    def work() -> None:
        try:
            crew.closing.wait(Deadline(10))
        finally:
            seen.append("closed what it was given")

    crew.start(work)
    crew.end()

    assert seen == ["closed what it was given"]


def test_crew_can_be_ended_by_a_member() -> None:
    crew = Crew("test")
    done = Event()

    def end() -> None:
        crew.end()
        done.set()

    crew.start(end)
    assert done.wait(Deadline(4))


def test_courier_delivers_in_order_and_survives_what_raises(caplog: pytest.LogCaptureFixture) -> None:
    courier = Courier("test")
    seen: list[int] = []

    def take(number: int) -> None:
        seen.append(number)
        if number == 3:
            raise ValueError("on purpose")

    for number in range(10):
        courier.send(take, number)
    courier.end()
    courier.send(take, 99)

    assert seen == list(range(10))
    assert "ValueError: on purpose" in caplog.text


def test_courier_is_bounded_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    courier = Courier("test")
    held = Event()
    started = Event()

    def wait() -> None:
        started.set()
        held.wait(Deadline(10))

    courier.send(wait)
    started.wait(Deadline(5))
    for _ in range(Courier.LIMIT + 5):
        courier.send(held.is_set)

    assert courier.dropped == 5
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    held.set()
    courier.end()


def test_courier_ends_in_bounded_time_though_a_callback_does_not(caplog: pytest.LogCaptureFixture) -> None:
    courier = Courier("test")
    courier.PATIENCE = 0.1
    release = Event()

    def wait() -> None:
        release.wait(Deadline(20))

    courier.send(wait)
    courier.send(wait)
    pause(0.05)
    deadline = Deadline(4)
    courier.end()
    release.set()

    assert not deadline.expired
    assert "1 callbacks are not delivered" in caplog.text


def test_courier_can_be_ended_by_what_it_delivers() -> None:
    courier = Courier("test")
    done = Event()

    def end() -> None:
        courier.end()
        done.set()

    courier.send(end)
    assert done.wait(Deadline(1.5))


def test_foreign_function_is_called_and_its_error_is_raised() -> None:
    def twice(number: int) -> int:
        return number * 2

    def plain(number: int) -> int:
        return number + 1

    def fail() -> None:
        raise ValueError("on purpose")

    assert call_foreign(twice, 2) == 4
    assert call_foreign(plain, 2) == 3
    with pytest.raises(ValueError, match="on purpose"):
        call_foreign(fail)


def test_home_is_the_process_it_was_made_in() -> None:
    home = Home()
    home.check()

    assert home.is_here()


def test_a_function_that_is_cancelled_by_others_has_given_up() -> None:
    def cancelled() -> None:
        raise CancelledError

    with pytest.raises(GaveUp, match="cancelled"):
        call_foreign(cancelled)
