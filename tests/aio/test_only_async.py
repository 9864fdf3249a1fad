"""What only the async colour can do or suffer: cancellation, other loops, closing from another task."""

import asyncio
import contextvars
import gc
import threading
import time
import warnings
from functools import partial
from typing import Any

import pytest

from dragoman.aio._runtime import Courier, Crew, Lock, Mailbox, Opening, call_foreign, in_time, opening
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, McpTimeout
from tests.aio.transports.wire import Wire, is_running, nasty


@pytest.mark.edge("B59")
async def test_cancelled_exchange_leaves_the_line_usable() -> None:
    async with Wire(nasty("late")) as wire:
        task = asyncio.create_task(wire.call())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert await wire.call() == {"late": False}


async def test_cancelled_write_goes_on_in_the_background() -> None:
    async with Wire(nasty("deaf", 0.5)) as wire:
        await wire.call()
        task = asyncio.create_task(wire.call({"text": "x" * 2_000_000}))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert await wire.call({"n": 2}) == {"n": 2}


@pytest.mark.edge("B63")
async def test_transport_is_closed_from_another_task() -> None:
    wire = Wire(nasty("silent"))
    await asyncio.create_task(wire.open())
    waiting = asyncio.create_task(wire.failure())
    await asyncio.sleep(0.1)
    await asyncio.create_task(wire.transport.close())

    assert isinstance(await waiting, ConnectionClosed)


async def test_close_that_is_cancelled_goes_on() -> None:
    transport = nasty("ignore_everything")
    wire = Wire(transport)
    await wire.open()
    await wire.call()
    closing = asyncio.create_task(transport.close())
    await asyncio.sleep(0.1)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await transport.close()

    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_loop_that_ends_while_a_transport_is_open_leaves_no_process() -> None:
    async def main() -> int:
        wire = Wire(nasty("ignore_everything"))
        await wire.open()
        await wire.call()
        asyncio.get_running_loop().call_soon(asyncio.create_task, wire.transport.close())
        await asyncio.sleep(0.2)
        assert wire.transport._run is not None  # type: ignore[attr-defined]
        return int(wire.transport._run.process.child.pid)  # type: ignore[attr-defined]

    pid = asyncio.run(main())
    end = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert not is_running(pid)


@pytest.mark.parametrize("name", ["echo", "die", "deaf"])
def test_everything_works_on_uvloop(name: str) -> None:
    uvloop = pytest.importorskip("uvloop")

    async def main() -> None:
        async with Wire(nasty(name)) as wire:
            assert await wire.call({"n": 1}) == {"n": 1}
            if name == "echo":
                results = await asyncio.gather(*[wire.call({"text": "x" * 200_000}) for _ in range(20)])
                assert len(results) == 20
            elif name == "die":
                assert "exited with code 0" in str(await wire.failure())
            else:
                assert isinstance(await wire.failure({"text": "x" * 2_000_000}, timeout=1.2), McpTimeout)

    uvloop.run(main())


def test_everything_works_in_a_loop_of_another_thread() -> None:
    results: list[Any] = []

    async def main() -> None:
        async with Wire(nasty("echo")) as wire:
            results.append(await wire.call({"n": 1}))

    thread = threading.Thread(target=asyncio.run, args=[main()])
    thread.start()
    thread.join(20)

    assert results == [{"n": 1}]


def test_alarms_of_loops_that_are_closed_are_forgotten() -> None:
    from dragoman.aio import _waiting

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await Mailbox[int]().get(Deadline(0.01))

    for _ in range(3):
        asyncio.run(main())
    assert len(_waiting._alarms) <= 1


async def test_waits_under_equal_deadlines_share_one_timer() -> None:
    from dragoman.aio import _waiting

    alarm = _waiting.alarm_of(asyncio.get_running_loop())
    mailboxes = [Mailbox[int]() for _ in range(100)]
    tasks = [asyncio.create_task(mailbox.get(Deadline(50))) for mailbox in mailboxes]
    await asyncio.sleep(0)
    timer = alarm._timer
    assert len(alarm.waiting) == 100
    for mailbox in mailboxes:
        mailbox.put(1)

    assert await asyncio.gather(*tasks) == [1] * 100
    assert alarm._timer is timer
    assert alarm.waiting == {}


async def test_lock_passes_on_when_the_one_whose_turn_it_is_is_cancelled() -> None:
    lock = Lock()
    await lock.acquire(Deadline(1))
    second = asyncio.create_task(lock.acquire(Deadline(10)))
    third = asyncio.create_task(lock.acquire(Deadline(10)))
    await asyncio.sleep(0)
    lock.release()
    second.cancel()

    assert await third is True
    lock.release()
    assert await lock.acquire(Deadline(0))


async def test_lock_forgets_a_waiter_that_is_cancelled() -> None:
    lock = Lock()
    await lock.acquire(Deadline(1))
    waiter = asyncio.create_task(lock.acquire(Deadline(10)))
    await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.wait([waiter])
    lock.release()

    assert await lock.acquire(Deadline(0))


async def test_crew_ends_members_that_wait_for_ever() -> None:
    crew = Crew("test")
    crew.start(asyncio.sleep, 3600)
    await asyncio.sleep(0)
    await crew.end()

    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_plain_function_runs_in_a_thread_with_the_callers_context() -> None:
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("ours")
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    def block() -> tuple[str, str]:
        time.sleep(0.2)
        return variable.get(), threading.current_thread().name

    heart = asyncio.create_task(beat())
    value, thread = await call_foreign(block)
    heart.cancel()

    assert value == "ours"
    assert thread.startswith("dragoman")
    assert beats > 3


async def test_anything_that_returns_an_awaitable_is_awaited() -> None:
    class Callable:
        async def __call__(self, number: int) -> int:
            return number

    async def one(number: int) -> int:
        return number

    def passed_on(function: Any, number: int) -> Any:
        return function(number)

    assert await call_foreign(Callable(), 1) == 1
    assert await call_foreign(partial(passed_on, one), 2) == 2


async def test_stop_iteration_of_a_plain_function_is_an_error_like_any_other() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await call_foreign(next, iter(()))


async def test_courier_leaves_no_task() -> None:
    courier = Courier("test")
    courier.send(print)
    await courier.end()

    assert asyncio.all_tasks() == {asyncio.current_task()}


class Closable:
    def __init__(self) -> None:
        self.is_closed = False

    async def close(self) -> None:
        self.is_closed = True

    @classmethod
    async def make(cls) -> "Closable":
        await asyncio.sleep(0)
        return cls()

    @classmethod
    def open(cls) -> Opening["Closable"]:
        return opening(cls.make())


async def test_opening_is_awaited_or_entered() -> None:
    awaited = await Closable.open()
    async with Closable.open() as entered:
        assert not entered.is_closed

    assert was_closed(entered)
    assert not awaited.is_closed


def was_closed(closable: Closable) -> bool:
    return closable.is_closed


async def test_opening_that_is_never_awaited_is_noticed() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Closable.open()
        gc.collect()

    assert "was never awaited" in str(caught[0].message)


async def _after_turns(turns: int, result: object) -> object:
    for _ in range(turns):
        await asyncio.sleep(0)
    if isinstance(result, BaseException):
        raise result
    return result


@pytest.mark.parametrize("turns", [0, 1, 3])
async def test_what_has_a_deadline_returns_and_raises_as_without_one(turns: int) -> None:
    assert await in_time(Deadline(5), _after_turns, turns, "done") == "done"
    with pytest.raises(KeyError, match="gone"):
        await in_time(Deadline(5), _after_turns, turns, KeyError("gone"))


async def test_what_waits_past_its_deadline_is_cancelled() -> None:
    ended: list[BaseException] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        except BaseException as error:
            ended.append(error)
            raise

    with pytest.raises(TimeoutError):
        await in_time(Deadline(0.02), wait)

    assert [type(each) for each in ended] == [asyncio.CancelledError]


async def test_what_has_a_deadline_hears_that_its_caller_was_cancelled_and_may_go_on() -> None:
    async def persist() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        return "finished"

    task = asyncio.create_task(in_time(Deadline(60), persist))
    await asyncio.sleep(0.01)
    task.cancel()

    assert await task == "finished"


async def test_what_has_a_deadline_and_is_dropped_halfway_is_closed() -> None:
    closed: list[bool] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(0)
        finally:
            closed.append(True)

    halfway = in_time(Deadline(60), wait)
    halfway.send(None)
    halfway.close()

    assert closed == [True]
