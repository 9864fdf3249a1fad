"""Which calls may run now."""

from collections import Counter

from dragoman.models.scheduling import Schedule, ToolLimits


def test_so_many_run_at_once() -> None:
    schedule = Schedule(["a", "a", "b"], ToolLimits(at_once=2))

    assert list(schedule.startable()) == [0, 1]
    assert list(schedule.startable()) == []
    schedule.ended(0)
    assert list(schedule.startable()) == [2]
    schedule.ended(1)
    assert not schedule.is_done
    schedule.ended(2)
    assert schedule.is_done


def test_one_tool_may_be_limited_while_others_go_on() -> None:
    schedule = Schedule(["a", "a", "b", "c", "c"], ToolLimits(at_once_per_tool={"a": 1}), frozenset({"c"}))

    assert list(schedule.startable()) == [0, 2, 3]
    schedule.ended(0)
    assert list(schedule.startable()) == [1]


def test_limit_below_one_is_one() -> None:
    schedule = Schedule(["a"], ToolLimits(at_once=0, at_once_per_tool={"a": 0}))

    assert list(schedule.startable()) == [0]


def test_number_of_calls_may_be_limited() -> None:
    limits = ToolLimits(calls=2, calls_per_tool={"a": 1})

    assert limits.exceeded("a", Counter()) is None
    assert limits.exceeded("a", Counter(a=1)) == "the limit of 1 calls of a is reached"
    assert limits.exceeded("b", Counter(a=2)) == "the limit of 2 tool calls is reached"
    assert ToolLimits().exceeded("a", Counter(a=1000)) is None
