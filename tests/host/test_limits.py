"""How often a server is asked."""

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from dragoman.host.limits import Breaker, BreakerPolicy, Rate


def test_after_failures_in_a_row_nobody_asks_for_a_while() -> None:
    breaker = Breaker(BreakerPolicy(failures=2, seconds=10))
    breaker.failed(0)
    assert (breaker.closed_for(0), breaker.is_open) == (0, False)

    breaker.failed(1)

    assert (breaker.closed_for(1), breaker.closed_for(6), breaker.is_open) == (10, 5, True)


def test_then_one_request_tries_and_decides() -> None:
    breaker = Breaker(BreakerPolicy(failures=1, seconds=10))
    breaker.failed(0)

    assert breaker.closed_for(10) == 0
    assert breaker.closed_for(10) == 10

    breaker.failed(12)
    assert breaker.closed_for(13) == 9

    assert breaker.closed_for(22) == 0
    breaker.succeeded()
    assert [breaker.closed_for(23), breaker.closed_for(23)] == [0, 0]
    assert not breaker.is_open


def test_who_gives_up_lets_another_one_try() -> None:
    breaker = Breaker(BreakerPolicy(failures=1, seconds=10))
    breaker.failed(0)
    assert breaker.closed_for(10) == 0

    breaker.gave_up()

    assert breaker.closed_for(10) == 0


def test_an_answer_forgives_failures() -> None:
    breaker = Breaker(BreakerPolicy(failures=2, seconds=10))
    breaker.failed(0)
    breaker.succeeded()
    breaker.failed(1)

    assert breaker.closed_for(1) == 0


def test_so_many_in_so_many_seconds() -> None:
    rate = Rate(2, 10)

    assert [rate.turn(now, inf) for now in (0, 1, 2, 2, 30)] == [0, 1, 10, 11, 30]


def test_who_cannot_wait_takes_no_turn() -> None:
    rate = Rate(1, 10)

    assert [rate.turn(now, now + 5) for now in (0, 1, 2, 6, 7)] == [0, None, None, 10, None]


def test_who_gives_up_leaves_the_turn_to_others() -> None:
    rate = Rate(1, 10)
    assert [rate.turn(0, inf) for _ in range(3)] == [0, 10, 20]

    rate.give_back(20)
    rate.give_back(10)

    assert [rate.turn(1, inf), rate.turn(1, inf)] == [10, 20]


@given(st.integers(1, 4), st.lists(st.tuples(st.floats(0, 3), st.floats(0, 20), st.booleans()), max_size=60))
def test_there_are_never_more_than_so_many(count: int, steps: list[tuple[float, float, bool]]) -> None:
    rate, now, taken = Rate(count, 10), 0.0, list[float]()
    for passed, patience, is_given_back in steps:
        now += passed
        turn = rate.turn(now, now + patience)
        if turn is not None and is_given_back and turn > now:
            rate.give_back(turn)
        elif turn is not None:
            taken.append(turn)

    taken.sort()
    assert all(later - earlier > 9.999 for earlier, later in zip(taken, taken[count:], strict=False))
