"""How often a server is asked."""

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

    assert [rate.wait(0), rate.wait(1), rate.wait(2), rate.wait(2), rate.wait(30)] == [0, 0, 8, 9, 0]
