"""Streams cut into lines and into server-sent events."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.protocol.framing import Event, Events, Lines, Oversized


def fed(splitter: Any, chunks: Iterable[bytes]) -> list[Any]:
    return [each for chunk in chunks for each in splitter.feed(chunk)]


def in_pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


def test_a_line_ends_in_a_line_feed() -> None:
    assert Lines().feed(b'{"a":1}\n') == [b'{"a":1}']


def test_several_lines_may_come_at_once() -> None:
    assert Lines().feed(b"one\ntwo\nthr") == [b"one", b"two"]


@pytest.mark.edge("B09")
def test_a_line_may_come_in_pieces_and_two_in_one_piece() -> None:
    lines = Lines()

    assert fed(lines, [b"on", b"e\ntw", b"o\nthree\n"]) == [b"one", b"two", b"three"]


def test_a_carriage_return_before_the_line_feed_is_dropped() -> None:
    assert fed(Lines(), [b"one\r\ntwo\r", b"\n"]) == [b"one", b"two"]


def test_a_carriage_return_elsewhere_stays() -> None:
    assert Lines().feed(b"o\rne\r\r\n") == [b"o\rne\r"]


@pytest.mark.edge("B11")
@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_nothing_but_a_line_feed_ends_a_line(separator: str) -> None:
    text = f"before{separator}after".encode()

    assert Lines().feed(text + b"\n") == [text]


@pytest.mark.edge("B12")
def test_a_byte_order_mark_at_the_beginning_is_dropped() -> None:
    assert fed(Lines(), [b"\xef\xbb", b"\xbf{}\n"]) == [b"{}"]


def test_a_byte_order_mark_further_on_stays() -> None:
    assert Lines().feed(b"{}\n\xef\xbb\xbf{}\n") == [b"{}", b"\xef\xbb\xbf{}"]


@pytest.mark.edge("B10")
@pytest.mark.parametrize("message", [b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{ "id" : 1,"error":{}}'])
def test_a_greeting_that_ends_no_line_is_parted_from_the_first_message(message: bytes) -> None:
    lines = Lines()

    assert fed(lines, [b"\xef\xbb\xbfStarting {1}... ", message + b"\nmore " + message + b"\n"]) == [
        b"Starting {1}... ",
        message,
        b"more " + message,
    ]


@pytest.mark.parametrize(
    "line",
    [
        b'got {"jsonrpc":"2.0","id":1,"method":"server/discover"}',
        b'{"id":1,"result":{"id":2}}',
        b'[{"id":1,"result":{"id":2}}]',
        b"{}",
        b"hello",
    ],
)
def test_every_other_first_line_stays_whole(line: bytes) -> None:
    assert Lines().feed(line + b"\n") == [line]


def test_blank_lines_are_dropped() -> None:
    assert Lines().feed(b"\n\r\n \t\none\n\n") == [b"one"]


def test_what_is_unfinished_can_be_seen() -> None:
    lines = Lines()
    lines.feed(b"one\ntw")
    lines.feed(b"o")

    assert lines.rest() == b"two"


def test_nothing_is_unfinished_after_a_whole_line() -> None:
    lines = Lines()
    lines.feed(b"one\n")

    assert lines.rest() == b""


def test_a_line_at_the_limit_passes() -> None:
    assert Lines(limit=4).feed(b"four\n") == [b"four"]


def test_a_line_over_the_limit_is_reported_in_its_place() -> None:
    assert Lines(limit=4).feed(b"one\nlonger\ntwo\n") == [b"one", Oversized(6, b"longer"), b"two"]


def test_the_first_line_may_be_over_the_limit() -> None:
    assert Lines(limit=4).feed(b"longer\n") == [Oversized(6, b"longer")]


def test_of_a_line_over_the_limit_only_the_head_is_kept() -> None:
    lines = Lines(limit=2000)
    fed(lines, [b"x" * 900] * 10)

    assert lines.rest() == b"x" * 1024
    assert lines.feed(b"\n") == [Oversized(9000, b"x" * 1024)]


def test_a_sender_that_trickles_is_read_all_the_same() -> None:
    text = bytes(range(65, 91)) * 400

    assert fed(Lines(), [*(bytes([each]) for each in text), b"\n"]) == [text]


@given(
    st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\r", b" ", b"longer than that", b"\xef\xbb\xbf"])),
    st.lists(st.integers(0, 1000)),
    st.integers(1, 12),
)
def test_lines_are_the_same_however_they_are_chunked(parts: list[bytes], cuts: list[int], limit: int) -> None:
    data = b"".join(parts)
    whole, cut = Lines(limit), Lines(limit)

    assert fed(cut, in_pieces(data, cuts)) == whole.feed(data)
    assert cut.rest() == whole.rest()


def test_an_event_has_the_type_message_unless_it_says_otherwise() -> None:
    assert Events().feed(b"data: {}\n\n") == [Event("message", b"{}")]


def test_an_event_has_a_type_an_id_and_data() -> None:
    assert Events().feed(b"event: endpoint\nid: 7\ndata: /messages\n\n") == [Event("endpoint", b"/messages", "7")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_of_events_end_in_any_of_three_ways(end: bytes) -> None:
    stream = end.join([b"data: one", b"", b"data: two", b"", b""])

    assert Events().feed(stream) == [Event("message", b"one"), Event("message", b"two")]


def test_a_carriage_return_and_its_line_feed_may_come_apart() -> None:
    events = Events()

    assert fed(events, [b"data: one\r", b"\n\r", b"\ndata: two\r", b"", b"\n\r\n"]) == [
        Event("message", b"one"),
        Event("message", b"two"),
    ]


def test_an_event_is_given_at_its_carriage_return_without_waiting_for_a_line_feed() -> None:
    assert Events().feed(b"data: one\r\r") == [Event("message", b"one")]


def test_several_lines_of_data_are_joined() -> None:
    assert Events().feed(b"data: one\ndata:two\ndata\n\n") == [Event("message", b"one\ntwo\n")]


def test_one_blank_after_the_colon_is_no_data() -> None:
    assert Events().feed(b"data:  x \n\n") == [Event("message", b" x ")]


def test_an_event_without_data_is_none_but_its_id_counts() -> None:
    events = Events()

    assert events.feed(b"id: 7\nevent: ping\n\ndata: x\n\n") == [Event("message", b"x", "7")]


def test_an_event_with_empty_data_is_one() -> None:
    assert Events().feed(b"id: 7\ndata:\n\n") == [Event("message", b"", "7")]


def test_comments_and_unknown_fields_are_ignored() -> None:
    assert Events().feed(b": keep-alive\nfoo: bar\nDATA: x\ndata: x\n\n:\n\n") == [Event("message", b"x")]


def test_the_last_id_stays_until_there_is_another() -> None:
    events = Events()

    assert events.feed(b"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n") == [
        Event("message", b"a", "1"),
        Event("message", b"b", "1"),
        Event("message", b"c", ""),
    ]
    assert events.last_id == ""


def test_an_id_with_a_null_is_ignored() -> None:
    events = Events()
    events.feed(b"id: 1\n\nid: 2\0\ndata: x\n\n")

    assert events.last_id == "1"


def test_an_empty_type_is_the_usual_one() -> None:
    assert Events().feed(b"event:\ndata: x\n\n") == [Event("message", b"x")]
    assert Events().feed(b"event: e\nevent: message\ndata: x\n\n") == [Event("message", b"x")]


def test_the_reconnection_time_is_that_of_the_event_and_of_the_stream() -> None:
    events = Events()

    assert events.feed(b"retry: 1500\ndata: a\n\ndata: b\n\n") == [
        Event("message", b"a", retry=1500),
        Event("message", b"b"),
    ]
    assert events.retry == 1500


@pytest.mark.parametrize("value", [b"-1", b"1.5", b"soon", b"", "\u0663".encode(), b"9" * 5000])
def test_a_reconnection_time_that_is_no_number_is_ignored(value: bytes) -> None:
    events = Events()
    events.feed(b"retry: " + value + b"\ndata: x\n\n")

    assert events.retry is None


def test_a_byte_order_mark_before_the_first_event_is_dropped() -> None:
    assert fed(Events(), [b"\xef", b"\xbb\xbfdata: x\n\n"]) == [Event("message", b"x")]


def test_bytes_of_data_are_left_as_they_are() -> None:
    assert Events().feed("data: caf\u00e9\u2028 ".encode() + b"\xff\n\n") == [
        Event("message", "caf\u00e9\u2028 ".encode() + b"\xff")
    ]


def test_an_unfinished_event_is_none_until_the_stream_ends() -> None:
    events = Events()

    assert events.feed(b"data: x") == []
    assert events.finish() == [Event("message", b"x")]


def test_a_stream_that_ended_well_has_nothing_left() -> None:
    events = Events()
    events.feed(b"data: x\r\n\r\n")

    assert events.finish() == []


@pytest.mark.edge("B32")
def test_data_at_the_limit_passes() -> None:
    assert Events(limit=4).feed(b"data: four\n\n") == [Event("message", b"four")]


def test_data_over_the_limit_is_reported_in_its_place() -> None:
    events = Events(limit=4)

    assert events.feed(b"data: a\n\ndata: longer\n\ndata: b\n\n") == [
        Event("message", b"a"),
        Oversized(6 + len(b"data: "), b"longer"),
        Event("message", b"b"),
    ]


def test_data_in_many_lines_counts_together() -> None:
    assert Events(limit=5).feed(b"data: abc\ndata: def\nid: 1\ndata: g\n\n") == [
        Oversized(4 + 3 + len(b"id: 1") + len(b"data: g"), b"abc\ndef")
    ]


def test_a_stream_may_begin_with_too_much() -> None:
    assert Events(limit=4).feed(b"\xef\xbb\xbfdata: longer\n\n")[0] == Oversized(15, b"\xef\xbb\xbfdata: longer")


@given(
    st.lists(
        st.sampled_from(
            [b"data: a\n", b"data:bc\r\n", b"\n", b"\r", b"\r\n", b"id: 1\n", b"retry: 5\n", b": c\n", b"event: e\n"]
        )
        | st.sampled_from([b"data: longer than that\n", b": a comment that is long\n"])
    ),
    st.lists(st.integers(0, 1000)),
    st.integers(1, 12),
)
def test_events_are_the_same_however_they_are_chunked(parts: list[bytes], cuts: list[int], limit: int) -> None:
    data = b"".join(parts)
    whole, cut = Events(limit), Events(limit)

    assert fed(cut, in_pieces(data, cuts)) == whole.feed(data)
    assert (cut.last_id, cut.retry) == (whole.last_id, whole.retry)
    assert cut.finish() == whole.finish()
