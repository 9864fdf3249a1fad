"""What waits for room in a pipe: its order, its positions, and what can be taken back."""

import pytest

from dragoman.local.backlog import PIECE, Backlog, is_long


def written(backlog: Backlog, size: int) -> bytes:
    """Let so many bytes leave, and return them."""
    front = b"".join(backlog.front())[:size]
    backlog.advance(len(front))
    return front


def backlog_of(*messages: bytes) -> tuple[Backlog, list[int]]:
    backlog = Backlog()
    return backlog, [backlog.add(message) for message in messages]


def test_messages_leave_in_their_order_however_much_leaves_at_once() -> None:
    backlog, positions = backlog_of(b"one", b"two", b"three")

    assert positions == [0, 3, 6]
    assert (written(backlog, 4), backlog.taken, backlog.size) == (b"onet", 4, 7)
    assert (written(backlog, 100), backlog.taken, backlog.size) == (b"wothree", 11, 0)
    assert backlog.front() == []


@pytest.mark.parametrize("which", [0, 1, 2])
def test_what_was_withdrawn_never_leaves_and_nothing_else_moves(which: int) -> None:
    messages = [b"one", b"two", b"three"]
    backlog, positions = backlog_of(*messages)

    assert backlog.withdraw(positions[which])
    assert backlog.size == 11 - len(messages.pop(which))
    assert written(backlog, 100) == b"".join(messages)
    assert backlog.add(b"four") == 11
    assert written(backlog, 1) == b"f"
    assert backlog.taken == 12


def test_what_has_begun_to_leave_cannot_be_withdrawn() -> None:
    backlog, (one, two) = backlog_of(b"one", b"two")
    written(backlog, 2)

    assert not backlog.withdraw(one)
    assert backlog.withdraw(two)
    assert written(backlog, 100) == b"e"
    assert not backlog.withdraw(one)


def test_withdrawing_before_what_is_half_written_leaves_positions_as_they_are() -> None:
    backlog, (_, two, three) = backlog_of(b"one", b"two", b"three")
    written(backlog, 1)
    backlog.withdraw(two)

    assert written(backlog, 3) == b"net"
    assert backlog.taken == three + 1


def test_nothing_leaves_any_more_once_it_is_cleared() -> None:
    backlog, (one, two) = backlog_of(b"one", b"two")
    written(backlog, 1)
    backlog.clear()

    assert (backlog.front(), backlog.first(), backlog.size) == ([], None, 0)
    assert (backlog.taken > one, backlog.taken > two) == (True, False)


def test_setting_taken_is_all_it_takes_to_note_what_has_left() -> None:
    backlog, _ = backlog_of(b"one", b"two")
    for left in (b"one", b"e", b"two", b""):
        first = backlog.first()
        assert bytes(first or b"") == left
        backlog.taken += 2 if left == b"one" else len(left)


def test_many_messages_are_written_at_once_and_not_too_many() -> None:
    backlog, _ = backlog_of(*[b"%d " % number for number in range(1000)])
    left = b""
    while backlog.messages:
        assert len(backlog.front()) <= 1024
        left += written(backlog, 777)

    assert left.split() == [b"%d" % number for number in range(1000)]


def test_it_is_not_still_while_nothing_waits_or_something_moves() -> None:
    backlog = Backlog()
    empty = backlog.is_still
    backlog.add(b"one")
    fresh = backlog.is_still
    backlog.moved -= 1.0
    long_since = backlog.is_still
    written(backlog, 1)

    assert (empty, fresh, long_since, backlog.is_still) == (False, False, True, False)


def test_a_piece_is_of_a_long_message_when_it_is_whole_and_its_end_has_no_line_break() -> None:
    assert is_long(b"a" * PIECE)
    assert is_long(b"a\n" + b"a" * PIECE)
    assert not is_long(b"a" * (PIECE - 1))
    assert not is_long(b"a" * PIECE + b"\n" + b"a" * (PIECE - 1))
