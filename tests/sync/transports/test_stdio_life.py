# generated from tests/aio/transports/test_stdio_life.py by tools/unasync.py; do not edit
"""How a server's life ends, and what those who wait for it get to know."""

import gc
import os
import threading
from pathlib import Path

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import ConnectFailed, ConnectionClosed, ConnectionLost, ServerExited, UsageError
from tests.sync.transports.wire import ERA, Wire, child_in, is_running, nasty, together


@pytest.mark.feature(93)
@pytest.mark.edge("B01")
def test_death_fails_the_call_that_waits_and_all_later_ones() -> None:
    with Wire(nasty("die", 7)) as wire:
        wire.call({"n": 1})
        errors = together(*[wire.failure for _ in range(3)])

        assert [type(error) for error in errors] == [ServerExited] * 3
        assert {error.exit_code for error in errors} == {7}
        later = wire.failure()
        assert isinstance(later, ServerExited)
        assert later.was_sent is False
        assert "exited with code 7" in str(later)


@pytest.mark.edge("B01")
def test_loss_of_the_line_is_told_once() -> None:
    with Wire(nasty("die")) as wire:
        wire.call()
        failure = wire.failure()
        told = wire.lost.get(Deadline(10))

        assert type(told) is type(failure) is ServerExited
        assert told is not failure
        with pytest.raises(TimeoutError):
            wire.lost.get(Deadline(0))


@pytest.mark.edge("B02")
def test_death_at_the_start_gives_its_reason() -> None:
    with Wire(nasty("die_at_start")) as wire:
        error = wire.failure()

        assert isinstance(error, ServerExited)
        assert error.exit_code == 3
        assert error.signal is None
        assert error.stderr.splitlines() == ["loading", "FATAL: database missing"]
        assert error.argv[-1] == "die_at_start"
        assert "die_at_start` exited with code 3" in str(error)
        assert "FATAL: database missing" in str(error)


def test_signal_that_ended_a_server_is_named() -> None:
    with Wire(nasty("die_by_signal")) as wire:
        error = wire.failure()

        assert isinstance(error, ServerExited)
        assert (error.exit_code, error.signal) == (None, "SIGKILL")


def test_half_an_answer_before_death_is_no_answer() -> None:
    with Wire(nasty("die_half_way")) as wire:
        error = wire.failure()

        assert isinstance(error, ServerExited)
        assert error.exit_code == 9
        assert error.was_sent is True


def test_answer_without_a_line_end_before_death_is_an_answer() -> None:
    with Wire(nasty("die_without_line_end")) as wire:
        result = wire.call()

        assert result == {"text": "whole"}


@pytest.mark.edge("B04")
def test_exit_is_seen_while_a_child_holds_the_output_open_and_the_child_ends_too() -> None:
    with Wire(nasty("die_leaving_a_child")) as wire:
        error = wire.failure()

        assert isinstance(error, ServerExited)
        assert error.exit_code == 5
    assert not is_running(child_in(error.stderr))


def test_closed_output_ends_the_server() -> None:
    with Wire(nasty("close_output")) as wire:
        error = wire.failure()

        assert type(error) is ConnectionLost
        assert "closed its standard output" in str(error)


def test_closed_input_fails_what_cannot_be_written() -> None:
    with Wire(nasty("close_input")) as wire:
        wire.call()
        error = wire.failure({"text": "x" * 300_000}, timeout=10)

        assert isinstance(error, ConnectionLost)


@pytest.mark.feature(45)
@pytest.mark.edge("B04")
@pytest.mark.parametrize("stubborn", ["", "stubborn"])
def test_server_behind_a_launcher_ends_with_it(stubborn: str) -> None:
    transport = nasty("launch", stubborn)
    with Wire(transport) as wire:
        wire.call()
        child = child_in(transport.stderr)
        assert is_running(child)
    assert not is_running(child)


@pytest.mark.edge("B05")
@pytest.mark.parametrize("name", ["ignore_everything", "ignore_end"])
def test_close_is_bounded_whatever_the_server_ignores(name: str) -> None:
    wire = Wire(nasty(name))
    wire.open()
    wire.call()
    deadline = Deadline(5)
    wire.transport.close()

    assert not deadline.expired
    assert isinstance(wire.failure(), ConnectionClosed)


def test_close_fails_what_waits() -> None:
    wire = Wire(nasty("silent"))
    wire.open()

    def close() -> None:
        wire.transport.close()

    error, _ = together(wire.failure, close)
    assert isinstance(error, ConnectionClosed)


def test_close_is_no_loss_of_the_line() -> None:
    wire = Wire(nasty("echo"))
    wire.open()
    wire.call()
    wire.transport.close()

    with pytest.raises(TimeoutError):
        wire.lost.get(Deadline(0.3))


def test_close_may_be_called_again_and_by_several() -> None:
    wire = Wire(nasty("ignore_end"))
    wire.open()
    results = together(*[wire.transport.close] * 4)
    wire.transport.close()

    assert results == [None] * 4


def test_call_before_opening_says_so() -> None:
    wire = Wire(nasty("echo"))
    wire.transport.close()

    error = wire.failure()
    assert isinstance(error, ConnectionClosed)
    assert error.was_sent is False


@pytest.mark.edge("B21")
def test_server_can_be_started_again_after_it_has_died() -> None:
    transport = nasty("die")
    wire = Wire(transport)
    for number in range(3):
        wire.open()
        assert wire.call({"n": number}) == {"n": number}
        assert isinstance(wire.failure(), ServerExited)
    transport.close()


def test_server_can_be_started_again_after_it_was_closed() -> None:
    wire = Wire(nasty("echo"))
    for number in range(3):
        with wire:
            assert wire.call({"n": number}) == {"n": number}


@pytest.mark.edge("B19")
def test_missing_command_is_named_with_what_was_searched_and_what_to_do() -> None:
    from dragoman.sync.transports.stdio import StdioTransport

    transport = StdioTransport("npx-that-is-missing -y some-server --api-key hunter2hunter2", env={"PATH": "/nowhere"})
    with pytest.raises(ConnectFailed) as caught:
        Wire(transport).open()

    assert caught.value.was_sent is False
    assert caught.value.server == "npx-that-is-missing"
    assert "npx-that-is-missing is not on the PATH (/nowhere)" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.feature(21)
def test_many_openings_and_closings_leave_nothing_behind() -> None:
    def once() -> None:
        with Wire(nasty("echo")) as wire:
            wire.call()

    once()
    gc.collect()
    threads, files, processes = threading.active_count(), descriptors(), children()
    for _ in range(10):
        together(*[once] * 5)
    gc.collect()

    # What tests before this one have left may well have ended meanwhile.
    assert threading.active_count() <= threads
    assert descriptors() <= files
    assert set(children()) <= set(processes)


def descriptors() -> int:
    """Count the files that this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> list[str]:
    """Name the processes that this one has started and that are left, dead ones too."""
    return sorted(
        stat.parent.name
        for stat in Path("/proc").glob("[0-9]*/stat")
        if stat.exists() and stat.read_bytes().rpartition(b")")[2].split()[1] == str(os.getpid()).encode()
    )


def test_fork_cannot_use_the_parents_line_and_does_not_disturb_it() -> None:
    wire = Wire(nasty("echo"))
    with wire:
        wire.call()
        pid = os.fork()
        if pid == 0:
            os._exit(exit_code_of_refusal(wire))

        assert exit_code_of(pid) == 0
        assert wire.call({"n": 2}) == {"n": 2}


def exit_code_of(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def exit_code_of_refusal(wire: Wire) -> int:
    """Try everything in a forked process: 0 when each was refused at once."""
    code = 0
    try:
        wire.transport.abandon(wire.outgoing())
        wire.transport.sever()
        wire.transport.close()
        for attempt in (wire.call, lambda: wire.transport.tell(b"{}", ERA, Deadline(1))):
            try:
                attempt()
            except UsageError as error:
                code += "another process" not in str(error)
            else:
                code += 10
    except BaseException:  # noqa: BLE001 - a forked test must not go on as its parent
        code += 100
    return code
