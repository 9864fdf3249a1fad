"""The table and the check, from figures made up for the purpose."""

import pytest

from bench.report import misses, plain, table
from bench.rows import Sample


def test_a_cell_shows_the_median_and_how_many_times_better_it_is() -> None:
    samples = {
        ("call", "mcp"): [Sample(0.0004, 0.0004)],
        ("call", "dragoman"): [Sample(0.0009, 0.0001), Sample(0.0001, 0.00005), Sample(0.0002, 0.00015)],
    }

    assert table(samples, ["mcp", "dragoman"]).splitlines()[2] == (
        "| stdio call, one at a time | 400 / 400 us (1.0x) | 200 / 100 us (2.0x) |"
    )


def test_rows_that_were_not_measured_are_not_shown() -> None:
    assert table({}, ["mcp"]).splitlines() == ["| | mcp |", "|---|---:|"]


def test_a_plain_number_has_no_unit() -> None:
    assert "| 128 |" in table({("lines-128", "dragoman"): [Sample(128)]}, ["dragoman"])


def test_throughput_is_shown_as_calls_a_second() -> None:
    assert "| 5,000 /s |" in table({("call-16", "dragoman"): [Sample(0.0002)]}, ["dragoman"])


@pytest.mark.parametrize(("ours", "missed"), [(0.0001, 0), (0.0002, 0), (0.00021, 1)])
def test_a_ratio_that_is_too_small_is_a_miss(ours: float, missed: int) -> None:
    samples = {("call", "mcp"): [Sample(0.0004)], ("call", "dragoman"): [Sample(ours)]}

    assert len(misses(samples)) == missed


def test_too_much_memory_is_a_miss() -> None:
    samples = {("memory", "dragoman"): [Sample(18 * 1024**2)], ("memory", "dragoman sync"): [Sample(19 * 1024**2)]}

    assert misses(samples) == ["memory added by the import: dragoman sync takes 19.0 MiB, not 18 at most"]


def test_more_than_its_share_is_a_miss() -> None:
    samples = {("text-10", "dragoman"): [Sample(0.04)], ("text-64", "dragoman"): [Sample(0.4)]}

    assert misses(samples) == ["stdio, one 64 MB text: dragoman takes 1.56 times its share of stdio, one 10 MB text"]


def test_plain_values_are_in_the_unit_of_their_row() -> None:
    assert plain({("connection", "floor"): [Sample(2048)]}) == [
        {"row": "connection", "contender": "floor", "unit": "KiB", "amount": 2.0}
    ]
