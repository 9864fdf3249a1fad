# generated from tests/aio/transports/test_stdio_input.py by tools/unasync.py; do not edit
"""Writing to a server, waiting for its answer, and giving up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, ConnectionLost, McpError, McpTimeout
from dragoman.protocol.jsonrpc import Message, encode_notification
from dragoman.sync._runtime import pause
from tests.sync.transports.wire import ERA, Wire, nasty, parsed, together

BIG = {"text": "x" * 2_000_000}
WIDE = {"text": "x" * 200_000}


def test_big_messages_go_both_ways() -> None:
    with Wire(nasty("echo")) as wire:
        results = together(*[lambda: wire.call(BIG)] * 3)

        assert results == [BIG] * 3


def test_many_calls_at_once_get_each_their_own_answer() -> None:
    with Wire(nasty("echo")) as wire:
        results = together(*[lambda number=number: wire.call({"n": number}) for number in range(128)])

        assert results == [{"n": number} for number in range(128)]


def test_silence_ends_by_the_deadline() -> None:
    with Wire(nasty("silent")) as wire:
        error = wire.failure(timeout=0.3)

        assert isinstance(error, McpTimeout)
        assert (error.method, error.phase, error.was_sent, error.server) == ("echo", "waiting", True, "nasty")
        assert 0.3 <= error.waited < 5


@pytest.mark.edge("B20")
def test_server_that_stops_reading_fails_both_calls_in_time_and_is_ended() -> None:
    with Wire(nasty("deaf")) as wire:
        wire.call()
        deadline = Deadline(10)
        first, second = together(lambda: wire.failure(BIG, timeout=1.5), lambda: wire.failure(BIG, timeout=1.5))

        assert not deadline.expired
        assert isinstance(first, McpTimeout)
        assert (first.phase, first.was_sent) == ("writing", True)
        assert isinstance(second, McpTimeout | ConnectionLost)
        assert second.was_sent is False
        assert "stopped reading" in str(wire.lost.get(Deadline(10)))
        assert isinstance(wire.failure(), ConnectionLost)


@pytest.mark.edge("B20")
def test_small_calls_to_a_server_that_stops_reading_end_by_their_deadline() -> None:
    with Wire(nasty("deaf")) as wire:
        wire.call()
        errors = together(*[lambda: wire.failure({"text": "x" * 1000}, timeout=1.2)] * 200)

        assert {isinstance(error, McpTimeout | ConnectionLost) for error in errors} == {True}


class Busy:
    """A server that is at work until `finish`, and what it has read by then."""

    def __init__(self, folder: Path) -> None:
        self._gate, self._log = folder / "gate", folder / "read"
        self.transport = nasty("busy", self._log, grace=5)
        self.work = {"name": "work", "until": str(self._gate)}

    def is_at_work(self) -> None:
        so(lambda: self.read() == ["work"])

    def is_clogged(self, pending: int) -> None:
        """Wait until it is at work, its pipe is full, and so many calls are under way."""
        self.is_at_work()
        run = self.transport._run
        assert run is not None
        so(lambda: run.process._pipes.backlog.size > 0 and len(run.channel._routes) >= pending)

    def finish(self) -> None:
        self._gate.touch()

    def read(self) -> list[str]:
        return self._log.read_text("utf-8").split() if self._log.exists() else []


def so(fact: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = Deadline(10)
    while not fact():
        assert not deadline.expired
        pause(0.01)


@pytest.mark.edge("B20")
def test_server_at_work_is_left_alone_though_an_impatient_call_could_not_be_written(tmp_path: Path) -> None:
    server = Busy(tmp_path)
    with Wire(server.transport) as wire:

        def impatient() -> McpError:
            server.is_at_work()
            errors = [wire.failure({"name": name, **WIDE}, timeout=1.2) for name in ("first", "second")]
            server.finish()
            return errors[0]

        result, error = together(lambda: wire.call(server.work), impatient)

        assert result == {"name": "work"}
        assert isinstance(error, McpTimeout)
        assert (error.phase, error.was_sent) == ("writing", True)
        assert wire.call({"name": "last"}) == {"name": "last"}
        assert server.read() == ["work", "first", "last"]


def test_request_that_gave_up_before_it_was_sent_is_never_sent(tmp_path: Path) -> None:
    server = Busy(tmp_path)
    with Wire(server.transport) as wire:

        def wide() -> Any:
            server.is_at_work()
            return wire.call({"name": "wide", **WIDE})

        def hasty() -> McpError:
            server.is_clogged(2)
            error = wire.failure({"name": "hasty"}, timeout=0.3)
            server.finish()
            return error

        _, result, error = together(lambda: wire.call(server.work), wide, hasty)

        assert result == {"name": "wide"}
        assert isinstance(error, McpTimeout)
        assert (error.phase, error.was_sent) == ("writing", False)
        assert wire.call({"name": "last"}) == {"name": "last"}
        assert server.read() == ["work", "wide", "last"]


def test_request_that_was_not_sent_when_the_client_closed_is_never_sent(tmp_path: Path) -> None:
    server = Busy(tmp_path)
    with Wire(server.transport) as wire:

        def first() -> McpError:
            server.is_at_work()
            return wire.failure({"name": "first", **WIDE})

        def second() -> McpError:
            server.is_clogged(2)
            error = wire.failure({"name": "second", **WIDE})
            server.finish()
            return error

        def close() -> None:
            server.is_clogged(3)
            wire.transport.close()

        _, early, late, _ = together(lambda: wire.failure(server.work), first, second, close)

    assert isinstance(late, ConnectionClosed)
    assert (early.was_sent, late.was_sent) == (True, False)
    assert server.read() == ["work"]


@pytest.mark.edge("B20")
def test_request_that_was_not_sent_when_the_server_was_given_up_is_never_sent(tmp_path: Path) -> None:
    server = Busy(tmp_path)
    with Wire(server.transport) as wire:

        def first() -> McpError:
            server.is_at_work()
            return wire.failure({"name": "first", **WIDE}, timeout=2.5)

        def second() -> McpError:
            server.is_clogged(2)
            error = wire.failure({"name": "second", **WIDE})
            server.finish()
            return error

        _, early, late = together(lambda: wire.failure(server.work, timeout=1), first, second)

    assert isinstance(early, McpTimeout)
    assert isinstance(late, ConnectionLost)
    assert (early.was_sent, late.was_sent) == (True, False)
    assert server.read() == ["work"]


def test_server_that_pauses_reading_gets_everything_when_it_reads_on() -> None:
    with Wire(nasty("deaf", 0.5)) as wire:
        wire.call()
        results = together(*[lambda: wire.call(BIG)] * 2)

        assert results == [BIG] * 2


def test_request_that_waits_for_others_to_be_written_has_not_been_sent_when_it_gives_up() -> None:
    with Wire(nasty("slow_reader")) as wire:
        wire.call()
        long, short = together(
            lambda: wire.failure({"text": "x" * 20_000_000}, timeout=3),
            lambda: delayed(wire, 0.3),
        )

        assert isinstance(short, McpTimeout)
        assert (short.phase, short.was_sent) == ("writing", False)
        assert isinstance(long, McpTimeout)
        assert long.was_sent is True


def delayed(wire: Wire, timeout: float) -> McpError:
    pause(0.3)
    return wire.failure(timeout=timeout)


@pytest.mark.edge("B60")
def test_progress_keeps_a_call_alive() -> None:
    with Wire(nasty("progress", 5, 0.3)) as wire:
        result = wire.call(deadline=Deadline(1.0))

        assert result == {}
        assert [parsed(each.params)["progress"] for each in wire.overheard] == [0, 1, 2, 3, 4]


def test_progress_that_nobody_looks_at_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    seen = 0
    transport = nasty("progress", 30_000, 0)

    def slow(message: Message) -> None:
        nonlocal seen
        seen += 1
        while not transport._channel().dropped:
            pause(0.01)

    with Wire(transport) as wire:
        transport.exchange(wire.outgoing(), slow, Deadline(20))

    assert 10_000 <= seen < 30_000
    assert caplog.text.count("more progress than is looked at") == 1


@pytest.mark.edge("B60")
def test_progress_keeps_a_call_alive_up_to_the_cap() -> None:
    with Wire(nasty("progress", 100, 0.1)) as wire:
        with pytest.raises(McpTimeout) as caught:
            wire.call(deadline=Deadline(0.5, 1.0))

        assert 1.0 <= caught.value.waited < 5


def test_clock_stands_still_while_it_is_held() -> None:
    with Wire(nasty("progress", 1, 1.0)) as wire:
        deadline = Deadline(0.2)
        deadline.hold()

        assert wire.call(deadline=deadline) == {}


@pytest.mark.edge("B59")
def test_server_is_told_of_a_request_that_is_given_up(tmp_path: Path) -> None:
    read = tmp_path / "read"
    with Wire(nasty("silent", read)) as wire:
        outgoing = wire.outgoing()
        with pytest.raises(McpTimeout):
            wire.send(outgoing, Deadline(0.2))
        wire.transport.abandon(outgoing)
        wire.transport.tell(encode_notification("notifications/last", None), ERA, Deadline(5))

    messages = [json.loads(line) for line in read.read_text("utf-8").splitlines()]
    assert [each["method"] for each in messages] == ["echo", "notifications/cancelled", "notifications/last"]
    assert messages[1]["params"]["requestId"] == outgoing.id


def test_giving_up_on_a_server_that_reads_nothing_waits_for_nobody() -> None:
    with Wire(nasty("deaf")) as wire:
        wire.call()
        for _ in range(3000):
            wire.transport.abandon(wire.outgoing())


def test_listening_hears_every_message_and_the_answer_last() -> None:
    heard: list[Message | McpError] = []
    with Wire(nasty("progress", 2, 0)) as wire:
        wire.transport.listen(wire.outgoing(), heard.append, Deadline(5))
        wire.call()

    assert [each.method if isinstance(each, Message) and not each.is_answer else "answer" for each in heard] == [
        "notifications/progress",
        "notifications/progress",
        "answer",
    ]


def test_listening_hears_what_ended_the_line() -> None:
    heard: list[Message | McpError] = []
    with Wire(nasty("die")) as wire:
        wire.call()
        wire.transport.listen(wire.outgoing(), heard.append, Deadline(5))
        wire.lost.get(Deadline(10))

    assert isinstance(heard[0], ConnectionLost)
    assert heard[0].was_sent is True


def test_what_is_forgotten_is_not_heard() -> None:
    heard: list[Message | McpError] = []
    with Wire(nasty("late")) as wire:
        outgoing = wire.outgoing()
        wire.transport.listen(outgoing, heard.append, Deadline(5))
        wire.transport.forget(outgoing)
        wire.call()

    assert heard == wire.heard == []
