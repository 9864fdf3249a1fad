"""What only the sync colour can do or suffer: Ctrl-C, many threads, a loop around it."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from dragoman.errors import UsageError
from dragoman.sync._runtime import Courier, Crew, GaveUp, Stage, call_foreign, opening
from tests.sync.transports.wire import Wire, nasty

INTERRUPTED = """
import threading, time
from tests.sync.transports.wire import Wire, nasty

wire = Wire({server})
wire.open()
{first}
print("ready", flush=True)
try:
    wire.call({params}, timeout=30)
except KeyboardInterrupt:
    print("interrupted", flush=True)
{then}
wire.transport.close()
assert threading.active_count() == 1, threading.enumerate()
print("closed", flush=True)
"""

INTERRUPTED_OFTEN = """
import os, signal, threading, time
from tests.sync.transports.wire import Wire, nasty

wire = Wire(nasty("echo"))
wire.open()
is_over = threading.Event()

# Only the calls are interrupted: what the rest of this program would make of it is nobody's question.
is_calling = False

def strike(*_):
    global is_calling
    if is_calling:
        is_calling = False
        raise KeyboardInterrupt

signal.signal(signal.SIGINT, strike)

def interrupt():
    pause = 0.0
    while not is_over.wait(0.003 + pause):
        pause = (pause + 0.000_037) % 0.002
        os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=interrupt)
thread.start()
answered = interrupted = 0
end = time.monotonic() + 3
while time.monotonic() < end:
    try:
        number = answered + 1
        is_calling = True
        assert wire.call({"n": number, "text": "x" * 5000}, timeout=5)["n"] == number
        is_calling = False
        answered = number
    except KeyboardInterrupt:
        interrupted += 1
is_over.set()
thread.join()
assert answered > 100 and interrupted > 100, (answered, interrupted)
assert wire.call({"n": 0}) == {"n": 0}
assert wire.transport.diagnostics.count == 0
wire.transport.close()
print("closed", flush=True)
"""


def start(program: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": "src:."}
    )


def interrupt(server: str, params: str, *, first: str = "", then: str = "") -> str:
    """Run a program that makes a call, interrupt it, and return what it printed after that."""
    with start(INTERRUPTED.format(server=server, params=params, first=first, then=then)) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - began < 1
        return process.stdout.read()


def test_ctrl_c_ends_a_call_that_waits_and_leaves_the_line_usable() -> None:
    then = "assert wire.call() == {'late': False}"

    assert interrupt("nasty('late')", "{}", then=then) == "closed\n"


def test_ctrl_c_ends_a_call_that_writes_and_leaves_the_line_usable() -> None:
    then = "assert wire.call({'n': 2}, timeout=20) == {'n': 2}"

    assert interrupt("nasty('deaf', 1.5)", "{'text': 'x' * 2_000_000}", first="wire.call()", then=then) == "closed\n"


def test_ctrl_c_at_any_moment_neither_breaks_nor_doubles_a_message() -> None:
    with start(INTERRUPTED_OFTEN) as process:
        assert process.stdout
        assert process.stdout.read() == "closed\n"


def test_32_threads_use_one_line() -> None:
    results: dict[int, list[Any]] = {}

    def work(number: int) -> None:
        results[number] = [wire.call({"n": (number, each), "text": "x" * 2000})["n"] for each in range(20)]

    with Wire(nasty("echo")) as wire:
        threads = [threading.Thread(target=work, args=[number]) for number in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)

    assert results == {number: [[number, each] for each in range(20)] for number in range(32)}


@pytest.mark.edge("B66")
async def test_sync_line_works_inside_a_running_loop() -> None:
    await asyncio.sleep(0)
    with Wire(nasty("echo")) as wire:
        assert wire.call({"n": 1}) == {"n": 1}


def test_idle_courier_leaves_no_thread() -> None:
    courier = Courier("test")
    courier.LINGER = 0.01
    courier.send(print)
    end = time.monotonic() + 5
    while any("callbacks" in thread.name for thread in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.01)

    assert threading.active_count() == 1
    courier.end()


def test_coroutine_function_is_refused_as_a_handler() -> None:
    async def handler() -> None: ...

    with pytest.raises(UsageError, match=r"handler is asynchronous \(give plain functions, or use AsyncClient\)"):
        call_foreign(handler)


def test_opening_hands_on_what_is_open() -> None:
    opened = object()

    assert opening(opened) is opened


def test_stage_ends_what_runs_and_can_be_ended_before_it_begins() -> None:
    seen: list[str] = []

    async def play() -> None:
        seen.append("begun")
        try:
            await asyncio.sleep(3600)
        finally:
            seen.append("ended")

    Stage("empty").end()
    stage = Stage("test")
    stage.start(play)
    while not seen:
        time.sleep(0.001)
    stage.end()
    stage.call(seen.append, "late")
    stage.end()

    assert seen == ["begun", "ended"]
    assert threading.active_count() == 1


def test_a_callback_that_ends_the_program_ends_no_other() -> None:
    courier = Courier("test")
    told: list[int] = []
    courier.send(sys.exit, 3)
    courier.send(told.append, 1)
    courier.end()

    assert told == [1]


def test_background_work_that_ends_the_program_is_said_to_have_failed(caplog: pytest.LogCaptureFixture) -> None:
    crew = Crew("test")
    crew.start(sys.exit, 3)
    crew.end()

    assert "background work failed" in caplog.text


def test_what_asyncio_cancels_has_given_up() -> None:
    def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(GaveUp):
        call_foreign(cancelled)
