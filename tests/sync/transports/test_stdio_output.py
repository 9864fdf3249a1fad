# generated from tests/aio/transports/test_stdio_output.py by tools/unasync.py; do not edit
"""What a server writes on its standard output, however it does it."""

import contextlib
import logging
from collections.abc import Generator

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionLost, McpTimeout, ProtocolError
from dragoman.protocol.jsonrpc import Message
from tests.sync.transports.wire import Wire, nasty, parsed, together


@pytest.mark.edge("B06")
@pytest.mark.parametrize("size", [132_000, 3_000_000])
def test_long_line_is_read(size: int) -> None:
    with Wire(nasty("long", size)) as wire:
        result = wire.call()

        assert result == {"text": "x" * size}


@pytest.mark.edge("B07")
def test_very_long_line_is_read_in_little_time() -> None:
    with Wire(nasty("long", 40_000_000)) as wire:
        result = wire.call(timeout=15)

        assert len(result["text"]) == 40_000_000


def test_line_over_the_limit_fails_its_request_and_no_other() -> None:
    with Wire(nasty("long", 300_000, limit=200_000)) as wire:
        error = wire.failure()

        assert isinstance(error, ProtocolError)
        assert "300," in str(error)
        assert "limit of 200,000" in str(error)
        assert "raise `max_message_size`" in str(error)
        assert isinstance(wire.failure(), ProtocolError)


@pytest.mark.edge("B09")
def test_message_in_pieces_and_two_in_one_piece_are_read_once_each() -> None:
    with Wire(nasty("pieces")) as wire:
        results = together(wire.call, wire.call)

        assert sorted(each["text"] for each in results) == ["first", "second"]
        assert wire.call({"n": 3}) == {"n": 3}


@pytest.mark.edge("B10")
def test_banner_is_skipped_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    transport = nasty("banner")
    with caplog.at_level(logging.WARNING):
        with Wire(transport) as wire:
            assert wire.call({"n": 1}) == {"n": 1}
            assert wire.heard == []

    assert transport.diagnostics.count == 3
    assert transport.diagnostics.excerpts[0] == "🖥️ Server mode: STDIO".replace("\ufe0f", "\ufe0f")
    assert "\x1b" not in "".join(transport.diagnostics.excerpts)
    reported = [record.getMessage() for record in caplog.records if "no message" in record.getMessage()]
    assert len(reported) == 1
    assert "Server mode: STDIO" in reported[0]


@pytest.mark.edge("B11", "B12")
def test_only_a_line_feed_ends_a_line_and_marks_are_dropped() -> None:
    with Wire(nasty("odd_text")) as wire:
        assert wire.call() == {"text": "before\u2028after\u2029\x85end"}
        assert wire.call() == {"text": "before\u2028after\u2029\x85end"}


@pytest.mark.edge("B12")
def test_byte_that_is_not_utf8_costs_a_character() -> None:
    with Wire(nasty("bad_byte")) as wire:
        assert wire.call() == {"text": "caf\ufffd"}


def test_answer_that_cannot_be_read_fails_its_request_at_once() -> None:
    with Wire(nasty("broken_answer")) as wire:
        error = wire.failure()

        assert isinstance(error, ProtocolError)
        assert "oops" in str(error)
        assert wire.call({"n": 2}) == {"n": 2}


@pytest.mark.edge("B28")
def test_id_that_comes_back_as_text_is_ours() -> None:
    with Wire(nasty("as_text")) as wire:
        assert wire.call() == {}


@pytest.mark.edge("B26")
def test_error_for_nobody_goes_to_the_only_one_who_waits() -> None:
    with Wire(nasty("nobody")) as wire:
        answer = wire.send(wire.outgoing(), Deadline(10))

        assert parsed(answer.error) == {"code": -32700, "message": "cannot read that"}


@pytest.mark.edge("B26")
def test_error_for_nobody_goes_to_nobody_when_several_wait(caplog: pytest.LogCaptureFixture) -> None:
    with Wire(nasty("nobody")) as wire:
        first, second = wire.outgoing(), wire.outgoing()
        errors = together(lambda: wire.send(first, Deadline(1.0)), lambda: wire.send(second, Deadline(1.0)))

        assert McpTimeout in {type(error) for error in errors}
        assert wire.heard == []


def test_second_answer_is_dropped() -> None:
    with Wire(nasty("twice")) as wire:
        assert [wire.call(), wire.call()] == [{"n": 1}, {"n": 1}]
        assert wire.heard == []


def test_answers_in_one_array_are_each_ones_own() -> None:
    with Wire(nasty("batch")) as wire:
        assert together(wire.call, wire.call) == [{}, {}]


def test_flood_of_notifications_is_heard_in_order() -> None:
    with Wire(nasty("flood", 20_000)) as wire:
        wire.call()

        assert [parsed(each.params)["data"] for each in wire.heard] == list(range(20_000))


@pytest.mark.edge("B59")
def test_late_answer_is_dropped_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dragoman"):
        with Wire(nasty("late")) as wire:
            error = wire.failure(timeout=0.3)

            assert isinstance(error, McpTimeout)
            assert wire.call() == {"late": False}
            assert wire.heard == wire.overheard == []

    assert caplog.records == []


def test_wire_is_shown_in_the_log_by_direction(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "dragoman"):
        with Wire(nasty("echo")) as wire:
            wire.call({"n": 1})

    lines = [record.getMessage() for record in caplog.records if record.getMessage().startswith("nasty ")]
    assert [line.partition("{")[0] for line in lines] == ["nasty > ", "nasty < "]


# ------------------------------------------------------------------------------------------------ what fails while reading


class Stumbling(logging.Filter):
    """What an application may put into logging: it raises, except at what we send."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self._error = error

    def filter(self, record: logging.LogRecord) -> bool:
        if ">" in (record.args or ()):
            return True
        raise type(self._error)(*self._error.args)


@contextlib.contextmanager
def stumbling(logger: str, level: int, error: BaseException) -> Generator[None]:
    log, stumbling = logging.getLogger(logger), Stumbling(error)
    before = log.level
    log.addFilter(stumbling)
    log.setLevel(level)
    try:
        yield
    finally:
        log.removeFilter(stumbling)
        log.setLevel(before)


@pytest.mark.parametrize("logger", ["dragoman.sync", "dragoman.wire"])
def test_log_that_raises_costs_no_answer(
    logger: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with stumbling(logger, logging.DEBUG, ValueError("a filter stumbles")):
        with Wire(nasty("banner")) as wire:
            assert wire.call({"n": 1}) == {"n": 1}
            assert wire.call({"n": 2}) == {"n": 2}

    # A log that cannot tell of itself is told of on standard error.
    assert "ValueError: a filter stumbles" in (caplog.text if logger == "dragoman.wire" else capsys.readouterr().err)


def test_hearer_that_raises_costs_one_message(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Message] = []

    def hear(message: Message) -> None:
        heard.append(message)
        if len(heard) == 1:
            raise ValueError("on purpose")

    wire = Wire(nasty("flood", 3))
    wire.transport.open(hear, wire.lost.put, Deadline(10))
    result = wire.call({"n": 1})
    wire.transport.close()

    assert result == {}
    assert len(heard) == 3
    assert "ValueError: on purpose" in caplog.text


class Odd(BaseException):
    """No `Exception`, as the ends of programs and tasks are none."""


def test_reading_that_cannot_go_on_is_the_end_of_the_line() -> None:
    with Wire(nasty("echo")) as wire:
        wire.call()
        with stumbling("dragoman.wire", logging.DEBUG, Odd("beyond repair")):
            error = wire.failure({"n": 1})
        lost = wire.lost.get(Deadline(10))

    assert isinstance(error, ConnectionLost)
    assert "cannot be taken any more: Odd('beyond repair')" in str(error)
    assert isinstance(error.__cause__, Odd)
    assert str(lost) == str(error)
