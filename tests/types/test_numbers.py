"""Numbers that JSON has no form for."""

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import pytest
from msgspec import Raw

from dragoman.types import CallToolParams, encode
from dragoman.types.numbers import check_numbers


@dataclass
class Point:
    """A value of the application's own."""

    x: float


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (nan, "the value is nan"),
        ({"a": {"b": [1.5, inf]}}, "a.b.1 is inf"),
        (CallToolParams("add", {"n": -inf}), "arguments.n is -inf"),
        ({"points": (Point(1.0), Point(nan))}, "points.1.x is nan"),
        ({"some": {nan}}, "some.0 is nan"),
    ],
)
def test_a_number_without_a_form_is_found(value: Any, where: str) -> None:
    with pytest.raises(ValueError, match=where):
        check_numbers(value, encode(value))


@pytest.mark.parametrize("value", [None, "null", {"a": None, "n": 1.5}, {"raw": Raw(b"null")}, [1e308, -0.0]])
def test_everything_else_is_left_alone(value: Any) -> None:
    check_numbers(value, encode(value))
