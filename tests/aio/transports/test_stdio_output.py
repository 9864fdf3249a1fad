"""What a server writes on its standard output, however it does it."""

import logging

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import McpTimeout, ProtocolError
from tests.aio.transports.wire import Wire, nasty, parsed, together


@pytest.mark.edge("B06")
@pytest.mark.parametrize("size", [132_000, 3_000_000])
async def test_long_line_is_read(size: int) -> None:
    async with Wire(nasty("long", size)) as wire:
        result = await wire.call()

        assert result == {"text": "x" * size}


@pytest.mark.edge("B07")
async def test_very_long_line_is_read_in_little_time() -> None:
    async with Wire(nasty("long", 40_000_000)) as wire:
        result = await wire.call(timeout=15)

        assert len(result["text"]) == 40_000_000


async def test_line_over_the_limit_fails_its_request_and_no_other() -> None:
    async with Wire(nasty("long", 300_000, limit=200_000)) as wire:
        error = await wire.failure()

        assert isinstance(error, ProtocolError)
        assert "300," in str(error)
        assert "limit of 200,000" in str(error)
        assert "raise the transport's `limit`" in str(error)
        assert isinstance(await wire.failure(), ProtocolError)


@pytest.mark.edge("B09")
async def test_message_in_pieces_and_two_in_one_piece_are_read_once_each() -> None:
    async with Wire(nasty("pieces")) as wire:
        results = await together(wire.call, wire.call)

        assert sorted(each["text"] for each in results) == ["first", "second"]
        assert await wire.call({"n": 3}) == {"n": 3}


@pytest.mark.edge("B10")
async def test_banner_is_skipped_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    transport = nasty("banner")
    with caplog.at_level(logging.WARNING):
        async with Wire(transport) as wire:
            assert await wire.call({"n": 1}) == {"n": 1}
            assert wire.heard == []

    assert transport.diagnostics.count == 3
    assert transport.diagnostics.excerpts[0] == "🖥️ Server mode: STDIO".replace("\ufe0f", "\ufe0f")
    assert "\x1b" not in "".join(transport.diagnostics.excerpts)
    reported = [record.getMessage() for record in caplog.records if "no message" in record.getMessage()]
    assert len(reported) == 1
    assert "Server mode: STDIO" in reported[0]


@pytest.mark.edge("B11", "B12")
async def test_only_a_line_feed_ends_a_line_and_marks_are_dropped() -> None:
    async with Wire(nasty("odd_text")) as wire:
        assert await wire.call() == {"text": "before\u2028after\u2029\x85end"}
        assert await wire.call() == {"text": "before\u2028after\u2029\x85end"}


@pytest.mark.edge("B12")
async def test_byte_that_is_not_utf8_costs_a_character() -> None:
    async with Wire(nasty("bad_byte")) as wire:
        assert await wire.call() == {"text": "caf\ufffd"}


async def test_answer_that_cannot_be_read_fails_its_request_at_once() -> None:
    async with Wire(nasty("broken_answer")) as wire:
        error = await wire.failure()

        assert isinstance(error, ProtocolError)
        assert "oops" in str(error)
        assert await wire.call({"n": 2}) == {"n": 2}


@pytest.mark.edge("B28")
async def test_id_that_comes_back_as_text_is_ours() -> None:
    async with Wire(nasty("as_text")) as wire:
        assert await wire.call() == {}


@pytest.mark.edge("B26")
async def test_error_for_nobody_goes_to_the_only_one_who_waits() -> None:
    async with Wire(nasty("nobody")) as wire:
        answer = await wire.send(wire.outgoing(), Deadline(10))

        assert parsed(answer.error) == {"code": -32700, "message": "cannot read that"}


@pytest.mark.edge("B26")
async def test_error_for_nobody_goes_to_nobody_when_several_wait(caplog: pytest.LogCaptureFixture) -> None:
    async with Wire(nasty("nobody")) as wire:
        first, second = wire.outgoing(), wire.outgoing()
        errors = await together(lambda: wire.send(first, Deadline(1.0)), lambda: wire.send(second, Deadline(1.0)))

        assert McpTimeout in {type(error) for error in errors}
        assert wire.heard == []


async def test_second_answer_is_dropped() -> None:
    async with Wire(nasty("twice")) as wire:
        assert [await wire.call(), await wire.call()] == [{"n": 1}, {"n": 1}]
        assert wire.heard == []


async def test_answers_in_one_array_are_each_ones_own() -> None:
    async with Wire(nasty("batch")) as wire:
        assert await together(wire.call, wire.call) == [{}, {}]


async def test_flood_of_notifications_is_heard_in_order() -> None:
    async with Wire(nasty("flood", 20_000)) as wire:
        await wire.call()

        assert [parsed(each.params)["data"] for each in wire.heard] == list(range(20_000))


@pytest.mark.edge("B59")
async def test_late_answer_is_dropped_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dragoman"):
        async with Wire(nasty("late")) as wire:
            error = await wire.failure(timeout=0.3)

            assert isinstance(error, McpTimeout)
            assert await wire.call() == {"late": False}
            assert wire.heard == wire.overheard == []

    assert caplog.records == []


async def test_wire_is_shown_in_the_log_by_direction(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "dragoman"):
        async with Wire(nasty("echo")) as wire:
            await wire.call({"n": 1})

    lines = [record.getMessage() for record in caplog.records if record.getMessage().startswith("nasty ")]
    assert [line.partition("{")[0] for line in lines] == ["nasty > ", "nasty < "]
