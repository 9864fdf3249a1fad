"""What is kept of a server's standard error."""

import pytest

from dragoman.local.journal import Journal


def test_lines_are_kept_and_passed_on_however_they_come() -> None:
    lines: list[str] = []
    journal = Journal({}, lines.append)
    for piece in (b"on", b"e\ntw", b"o\r", b"\nthr", b"ee\rfo"):
        journal.feed(piece)

    assert lines == ["one", "two", "three"]
    assert journal.tail() == "one\ntwo\nthree\nfo"
    journal.finish()
    assert lines[-1] == "fo"
    assert journal.tail(2) == "three\nfo"


def test_what_is_kept_is_bounded_in_lines_and_in_size() -> None:
    journal = Journal({})
    for number in range(1000):
        journal.feed(b"%d\n" % number)
    assert journal.tail(1000).splitlines() == [str(number) for number in range(800, 1000)]

    journal.feed(b"x" * 10_000_000)
    kept = journal.tail(1000)
    assert len(kept) <= 65536 + 8192 + 200


def test_terminal_escapes_bad_bytes_and_controls_are_taken_out() -> None:
    journal = Journal({})
    journal.feed(b"\x1b[31mred\x1b[0m \x1b]0;title\x07caf\xe9 \x07bell\x00 a\tb\n")

    assert journal.tail() == "red caf\ufffd \ufffdbell\ufffd a\tb"


def test_secrets_of_the_environment_are_concealed() -> None:
    journal = Journal({"API_KEY": "swordfish-1", "TOKEN": "swordfish-12", "LEVEL": "debugging"})
    journal.feed(b"swordfish-12 swordfish-1 debugging\n")

    assert journal.tail() == "*** *** debugging"


@pytest.mark.edge("B118")
def test_short_secrets_are_concealed_where_they_stand_by_themselves() -> None:
    journal = Journal({"KEY": "tide", "PIN_SECRET": "123", "USE_AUTH": "true", "TOKEN": "1"})
    journal.feed(b"key=tide untidedness 123 1234 true 1\n")

    assert journal.tail() == "key=*** untidedness *** 1234 true 1"


@pytest.mark.edge("B118")
def test_passwords_of_the_environment_s_urls_are_concealed() -> None:
    journal = Journal({"DATABASE_URL": "postgres://me:pass@host/db"})
    journal.feed(b"cannot reach postgres://me:pass@host/db\n")

    assert journal.tail() == "cannot reach postgres://***@host/db"
