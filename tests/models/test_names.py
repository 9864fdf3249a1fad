"""Names that providers take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.models.names import Alphabet, alias

TOOLS = Alphabet("a-zA-Z0-9_-", 64)
ARGUMENTS = Alphabet("a-zA-Z0-9_", 64, "a-zA-Z_")


def test_allowed_name_stays() -> None:
    assert alias("git_log", TOOLS) == "git_log"


@pytest.mark.edge("B104")
@pytest.mark.parametrize("name", ["a" * 72, "read file", "größe", "files.read", "a/b", "", "☃"])
def test_name_that_a_provider_refuses_is_replaced_by_one_that_it_takes(name: str) -> None:
    assert TOOLS.allows(alias(name, TOOLS))
    assert not TOOLS.allows(name)


def test_name_is_readable_and_ends_in_a_hash() -> None:
    assert alias("files.read", TOOLS).startswith("files_read_")
    assert len(alias("files.read", TOOLS)) == len("files_read_") + 8


def test_first_character_is_minded() -> None:
    assert alias("1st", ARGUMENTS).startswith("_1st_")


@pytest.mark.edge("B104")
def test_names_that_begin_or_end_alike_do_not_meet() -> None:
    long = ["x" * 80 + "a", "x" * 80 + "b", "a" + "x" * 80, "b" + "x" * 80, "a.b", "a/b", "a b"]

    assert len({alias(name, TOOLS) for name in long}) == len(long)


@given(st.text(), st.text())
def test_two_names_have_two_aliases(one: str, other: str) -> None:
    assert TOOLS.allows(alias(one, TOOLS))
    assert (alias(one, TOOLS) == alias(other, TOOLS)) == (one == other)
