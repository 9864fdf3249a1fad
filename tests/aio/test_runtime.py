"""Waiting and background work, as both colours promise it."""

import logging
from concurrent.futures import CancelledError

import pytest

from dragoman.aio._runtime import Courier, Crew, Event, GaveUp, Home, Lock, Mailbox, call_foreign, pause
from dragoman.deadline import Deadline
from tests.aio.transports.wire import together


async def test_mailbox_gives_what_was_put_in_order() -> None:
    mailbox: Mailbox[int] = Mailbox()
    for number in range(3):
        mailbox.put(number)

    assert [await mailbox.get(Deadline(1)) for _ in range(3)] == [0, 1, 2]


async def test_mailbox_waits_until_the_deadline() -> None:
    mailbox: Mailbox[int] = Mailbox()
    deadline = Deadline(0.1)
    with pytest.raises(TimeoutError):
        await mailbox.get(deadline)

    assert deadline.expired
    with pytest.raises(TimeoutError):
        await mailbox.get(Deadline(0))


async def test_mailbox_gives_what_is_there_even_after_the_deadline() -> None:
    mailbox: Mailbox[int] = Mailbox()
    mailbox.put(1)

    assert await mailbox.get(Deadline(0)) == 1


async def test_mailbox_wakes_the_one_who_waits() -> None:
    mailbox: Mailbox[int] = Mailbox()

    async def put() -> None:
        await pause(0.05)
        mailbox.put(7)

    assert (await together(lambda: mailbox.get(Deadline.never()), put))[0] == 7


async def test_deadline_moves_while_it_is_waited_for() -> None:
    mailbox: Mailbox[int] = Mailbox()
    deadline = Deadline(0.3)

    async def extend() -> None:
        for _ in range(4):
            await pause(0.15)
            deadline.extend()
        mailbox.put(1)

    assert (await together(lambda: mailbox.get(deadline), extend))[0] == 1


async def test_shorter_deadline_comes_first_whatever_was_set_before() -> None:
    order: list[float] = []

    async def wait(seconds: float) -> None:
        with pytest.raises(TimeoutError):
            await Mailbox[int]().get(Deadline(seconds))
        order.append(seconds)

    await together(*[lambda seconds=seconds: wait(seconds) for seconds in (0.5, 0.1, 0.3)])
    assert order == [0.1, 0.3, 0.5]


async def test_event_wakes_all_and_can_be_cleared() -> None:
    event = Event()
    assert not await event.wait(Deadline(0.01))

    async def set_it() -> None:
        await pause(0.05)
        event.set()

    assert await together(lambda: event.wait(Deadline(5)), lambda: event.wait(Deadline.never()), set_it) == [
        True,
        True,
        None,
    ]
    event.clear()
    assert not event.is_set()


async def test_lock_is_held_by_one_at_a_time() -> None:
    lock = Lock()
    inside: list[int] = []

    async def enter() -> None:
        async with lock:
            inside.append(1)
            await pause(0.01)
            assert len(inside) == 1
            inside.pop()

    assert await together(*[enter] * 10) == [None] * 10


async def test_lock_is_waited_for_until_the_deadline() -> None:
    lock = Lock()
    assert await lock.acquire(Deadline(1))
    assert not await lock.acquire(Deadline(0.05))
    lock.release()
    assert await lock.acquire(Deadline(1))
    lock.release()


async def test_crew_logs_what_its_members_raise(caplog: pytest.LogCaptureFixture) -> None:
    crew = Crew("test")
    done = Event()

    async def fail() -> None:
        try:
            raise ValueError("on purpose")
        finally:
            done.set()

    crew.start(fail)
    await done.wait(Deadline(5))
    await crew.end()

    assert "test: background work failed" in caplog.text
    assert "ValueError: on purpose" in caplog.text


async def test_crew_leaves_nothing_and_starts_nothing_once_it_has_ended() -> None:
    crew = Crew("test")
    seen: list[str] = []

    async def work() -> None:
        seen.append("begun")
        await crew.closing.wait(Deadline(10))
        seen.append("ended")

    crew.start(work)
    while not seen:
        await pause(0.001)
    deadline = Deadline(4)
    await crew.end()
    crew.start(work)
    await crew.end()

    assert not deadline.expired
    assert seen[0] == "begun"
    assert seen.count("begun") == 1


async def test_crew_that_is_ended_at_once_lets_its_members_see_to_their_own_end() -> None:
    crew = Crew("test")
    seen: list[str] = []

    async def work() -> None:
        try:
            await crew.closing.wait(Deadline(10))
        finally:
            seen.append("closed what it was given")

    crew.start(work)
    await crew.end()

    assert seen == ["closed what it was given"]


async def test_crew_can_be_ended_by_a_member() -> None:
    crew = Crew("test")
    done = Event()

    async def end() -> None:
        await crew.end()
        done.set()

    crew.start(end)
    assert await done.wait(Deadline(4))


async def test_courier_delivers_in_order_and_survives_what_raises(caplog: pytest.LogCaptureFixture) -> None:
    courier = Courier("test")
    seen: list[int] = []

    def take(number: int) -> None:
        seen.append(number)
        if number == 3:
            raise ValueError("on purpose")

    for number in range(10):
        courier.send(take, number)
    await courier.end()
    courier.send(take, 99)

    assert seen == list(range(10))
    assert "ValueError: on purpose" in caplog.text


async def test_courier_is_bounded_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    courier = Courier("test")
    held = Event()
    started = Event()

    async def wait() -> None:
        started.set()
        await held.wait(Deadline(10))

    courier.send(wait)
    await started.wait(Deadline(5))
    for _ in range(Courier.LIMIT + 5):
        courier.send(held.is_set)

    assert courier.dropped == 5
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    held.set()
    await courier.end()


async def test_courier_ends_in_bounded_time_though_a_callback_does_not(caplog: pytest.LogCaptureFixture) -> None:
    courier = Courier("test")
    courier.PATIENCE = 0.1
    release = Event()

    async def wait() -> None:
        await release.wait(Deadline(20))

    courier.send(wait)
    courier.send(wait)
    await pause(0.05)
    deadline = Deadline(4)
    await courier.end()
    release.set()

    assert not deadline.expired
    assert "1 callbacks are not delivered" in caplog.text


async def test_courier_can_be_ended_by_what_it_delivers() -> None:
    courier = Courier("test")
    done = Event()

    async def end() -> None:
        await courier.end()
        done.set()

    courier.send(end)
    assert await done.wait(Deadline(1.5))


async def test_foreign_function_is_called_and_its_error_is_raised() -> None:
    async def twice(number: int) -> int:
        return number * 2

    def plain(number: int) -> int:
        return number + 1

    def fail() -> None:
        raise ValueError("on purpose")

    assert await call_foreign(twice, 2) == 4
    assert await call_foreign(plain, 2) == 3
    with pytest.raises(ValueError, match="on purpose"):
        await call_foreign(fail)


def test_home_is_the_process_it_was_made_in() -> None:
    home = Home()
    home.check()

    assert home.is_here()


async def test_a_function_that_is_cancelled_by_others_has_given_up() -> None:
    def cancelled() -> None:
        raise CancelledError

    with pytest.raises(GaveUp, match="cancelled"):
        await call_foreign(cancelled)
