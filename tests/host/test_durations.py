"""Times and rates as configuration files write them."""

from typing import Any

import pytest

from dragoman.errors import UsageError
from dragoman.host.durations import read_duration, read_rate


@pytest.mark.feature(142)
@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (20, 20.0),
        (0.5, 0.5),
        ("20s", 20.0),
        (" 20S ", 20.0),
        ("500ms", 0.5),
        ("1m30s", 90.0),
        ("1.5h", 5400.0),
        ("1d", 86400.0),
        ("PT20S", 20.0),
        ("PT1M30S", 90.0),
        ("P1DT1H", 90000.0),
        ("45", 45.0),
        (30_000, 30.0),
        ("60000", 60.0),
    ],
)
def test_times_are_read(written: Any, seconds: float) -> None:
    assert read_duration(written) == seconds


@pytest.mark.parametrize("written", [True, None, -1, float("inf"), float("nan"), "", "soon", "20x", "s", "1s?", [1]])
def test_what_is_no_time_is_refused(written: Any) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        read_duration(written)


@pytest.mark.parametrize(
    ("written", "rate"), [("10/s", (10, 1.0)), ("100 / m", (100, 60.0)), ("5/20s", (5, 20.0)), ("1/1h", (1, 3600.0))]
)
def test_rates_are_read(written: str, rate: tuple[int, float]) -> None:
    assert read_rate(written) == rate


@pytest.mark.parametrize("written", [10, "10", "0/s", "-1/s", "x/s", "1/", "1/0s", "1/fortnight", "²/s"])
def test_what_is_no_rate_is_refused(written: Any) -> None:
    with pytest.raises(UsageError, match="is not a"):
        read_rate(written)
