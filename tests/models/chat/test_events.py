"""Counting tokens."""

from dragoman.models.chat.events import Usage


def test_usage_adds_up() -> None:
    used = Usage(10, 5, 2) + Usage(1, 2)

    assert used == Usage(11, 7, 2)
    assert used.total == 18
