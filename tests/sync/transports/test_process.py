# generated from tests/aio/transports/test_process.py by tools/unasync.py; do not edit
"""A process and its pipes, polled and pumped: Windows has only the latter, and both behave the same."""

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from dragoman.deadline import Deadline
from dragoman.local.environment import environment
from dragoman.local.program import Program, start
from dragoman.sync._runtime import Event, Mailbox, pause
from dragoman.sync.transports._process import Process
from dragoman.sync.transports.lines import Unwritten
from tests.sync.transports.wire import NASTY, Wire, nasty, together

both = pytest.mark.parametrize("pumped", [False, True], ids=["polled", "pumped"])


class Recorder:
    """Keeps what a process does."""

    def __init__(self) -> None:
        self.said: Mailbox[bytes] = Mailbox()
        self.remarks: Mailbox[bytes] = Mailbox()
        self.ended = Event()
        self.endings = 0

    def output(self, data: bytes) -> None:
        self.said.put(data)

    def remark(self, data: bytes) -> None:
        self.remarks.put(data)

    def ending(self) -> None:
        self.endings += 1
        self.ended.set()

    def line(self) -> bytes:
        """Wait for output up to the end of a line."""
        line = b""
        while not line.endswith(b"\n"):
            line += self.said.get(Deadline(10))
        return line


def run(recorder: Recorder, name: str, *arguments: str, pumped: bool) -> Process:
    process = Process(start(Program((sys.executable, NASTY, name, *arguments), environment())), "test", pumped=pumped)
    process.watch(recorder)
    return process


def finish(process: Process) -> None:
    process.close_stdin()
    process.child.kill()
    assert process.settled.wait(Deadline(10))
    process.release()


def request(number: int, text: str = "") -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"method":"echo","params":{"text":"%s"}}\n' % (number, text.encode())


@both
def test_process_says_what_it_is_asked_and_ends_with_its_input(pumped: bool) -> None:
    recorder = Recorder()
    process = run(recorder, "echo", pumped=pumped)
    assert process.write(request(1, "one"), Deadline(5)) == 0
    assert b"one" in recorder.line()
    assert process.write(request(2, "x" * 300_000), Deadline(5)) == len(request(1, "one"))
    assert len(recorder.line()) > 300_000
    while process.taken != len(request(1, "one")) + len(request(2, "x" * 300_000)):
        pause(0.001)  # a thread that writes may come to note it only after the answer
    process.close_stdin()

    assert process.settled.wait(Deadline(10))
    assert process.child.exit_status() == 0
    assert recorder.endings == 1
    process.release()


@both
def test_message_that_waits_for_nobody_comes_after_those_before_it(pumped: bool) -> None:
    recorder = Recorder()
    process = run(recorder, "echo", pumped=pumped)
    for number in range(3):
        process.write_soon(request(number))
    answers = b""
    while answers.count(b"\n") < 3:
        answers += recorder.line()

    assert [answers.index(b'"id": %d' % number) for number in range(3)] == sorted(
        answers.index(b'"id": %d' % number) for number in range(3)
    )
    finish(process)


@both
def test_process_that_does_not_read_is_seen_to_stand_still(pumped: bool) -> None:
    recorder = Recorder()
    process = run(recorder, "deaf", pumped=pumped)
    process.write(request(1), Deadline(5))
    recorder.line()
    before = process.is_still
    with pytest.raises(Unwritten) as first:
        process.write(request(2, "x" * 1_000_000), Deadline(1.1))
    assert first.value.is_partial
    assert (before, process.is_still) == (False, True)
    with pytest.raises(Unwritten) as second:
        process.write(request(3, "y" * 1_000_000), Deadline(0.1))

    assert not second.value.is_partial
    finish(process)


@both
def test_writers_that_wait_are_let_go_when_the_input_is_closed(pumped: bool) -> None:
    recorder = Recorder()
    process = run(recorder, "deaf", pumped=pumped)
    process.write(request(1), Deadline(5))
    recorder.line()

    def close() -> None:
        pause(0.2)
        process.close_stdin()

    deadline = Deadline(8)
    big: Callable[[], Any] = lambda: process.write(request(2, "x" * 1_000_000), Deadline(10))
    together(big, big, close)
    assert not deadline.expired
    finish(process)


@both
def test_what_waits_can_be_withdrawn_and_what_has_begun_cannot(pumped: bool) -> None:
    recorder = Recorder()
    process = run(recorder, "deaf", "0.5", pumped=pumped)
    process.write(request(1), Deadline(5))
    recorder.line()
    with pytest.raises(Unwritten) as first:
        process.write(request(2, "x" * 300_000), Deadline(0.1))
    with pytest.raises(Unwritten) as second:
        process.write(request(3), Deadline(0.1))
    process.write(request(4), Deadline(10))
    answers = recorder.line()
    while b'"id": 4' not in answers:
        answers += recorder.line()

    assert (first.value.is_partial, second.value.is_partial) == (True, False)
    assert (b'"id": 2' in answers, b'"id": 3' in answers) == (True, False)
    finish(process)


@both
def test_nothing_that_waits_leaves_after_it_was_stopped(pumped: bool) -> None:
    recorder = Recorder()
    process = run(recorder, "deaf", "0.5", pumped=pumped)
    process.write(request(1), Deadline(5))
    recorder.line()
    with pytest.raises(Unwritten):
        process.write(request(2, "x" * 300_000), Deadline(0.1))
    process.write_soon(request(3))
    process.stop()
    taken = process.taken
    start = process.write(request(4), Deadline(5))
    process.close_stdin()
    assert process.settled.wait(Deadline(10))

    assert process.taken == taken <= start
    process.release()


@both
def test_what_was_written_in_the_turn_in_which_it_is_stopped_has_left(pumped: bool) -> None:
    recorder = Recorder()
    process = run(recorder, "echo", pumped=pumped)
    for number in range(3):
        process.write(request(number), Deadline(5))
    while process.taken < 3 * len(request(0)) and pumped:
        pause(0.01)
    process.stop()
    process.close_stdin()
    answers = b""
    while answers.count(b"\n") < 3:
        answers += recorder.line()

    assert process.taken == 3 * len(request(0))
    finish(process)


@both
def test_watcher_that_fails_ends_the_process_and_is_told_no_more(
    pumped: bool, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(Recorder):
        def output(self, data: bytes) -> None:
            super().output(data)
            raise ValueError("on purpose")

    recorder = Failing()
    process = run(recorder, "echo", pumped=pumped)
    process.write(request(1), Deadline(5))
    assert recorder.ended.wait(Deadline(10))
    process.write(request(2), Deadline(5))
    process.close_stdin()
    assert process.settled.wait(Deadline(10))

    assert b'"id": 2' not in recorder.line()
    assert repr(process.failure) == "ValueError('on purpose')"
    assert recorder.endings == 1
    assert "ValueError: on purpose" in caplog.text
    process.release()


@both
def test_death_is_told_once_and_writing_to_the_dead_raises_nothing(pumped: bool) -> None:
    recorder = Recorder()
    process = run(recorder, "die_at_start", pumped=pumped)
    assert recorder.ended.wait(Deadline(10))
    assert process.settled.wait(Deadline(10))
    process.write(request(1), Deadline(5))
    process.write_soon(request(2))

    assert process.child.exit_status() == 3
    remarks = b""
    while b"FATAL" not in remarks:
        remarks += recorder.remarks.get(Deadline(5))
    assert recorder.endings == 1
    process.release()


@pytest.mark.parametrize("name", ["die_leaving_a_child", "die"])
def test_exit_is_seen_where_the_system_has_no_descriptor_for_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    with Wire(nasty(name)) as wire:
        if name == "die":
            wire.call()
        error = wire.failure()

    assert "exited with code" in str(error)
