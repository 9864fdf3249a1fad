"""How much a chat may do."""

from dragoman.models.chat.events import Usage
from dragoman.models.chat.limits import ChatLimits


def test_limits_are_reached() -> None:
    limits = ChatLimits(rounds=2, calls=3, tokens=100)

    assert limits.reached(1, Usage(50, 49)) is None
    assert limits.reached(2, Usage()) == "the limit of 2 replies in one turn is reached"
    assert limits.reached(0, Usage(50, 50)) == "the limit of 100 tokens is reached: 100 are used"
    assert (limits.left(1), limits.left(9)) == (2, 0)


def test_by_default_only_rounds_are_limited() -> None:
    assert ChatLimits().reached(31, Usage(10**9)) is None
    assert ChatLimits().reached(32, Usage()) is not None
    assert ChatLimits().left(10**9) is None
