"""Read the times that configuration files give: seconds, "20s", "1m30s", "PT20S", and milliseconds by habit."""

from __future__ import annotations

import re
from math import isfinite

from dragoman.errors import UsageError

__all__ = ["read_duration", "read_rate"]

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MILLISECONDS = 1000.0


def read_duration(value: object) -> float:
    """Read a time in seconds.

    A bare number of 1,000 or more is taken for milliseconds, which several applications write.

    Raises:
        UsageError: it is no time.
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0:
        return _bare(float(value))
    if isinstance(value, str):
        text = value.strip().lower()
        if _NUMBER.fullmatch(text):
            return _bare(float(text))
        # Spring also takes the form of ISO 8601.
        text = text.removeprefix("p").replace("t", "")
        parts = _PART.findall(text)
        if parts and "".join(number + unit for number, unit in parts) == text:
            return sum(float(number) * _UNITS[unit] for number, unit in parts)
    raise UsageError(f"{value!r} is not a time", hint='write seconds, or "20s", "500ms", "2m"')


def _bare(number: float) -> float:
    return number / _MILLISECONDS if number >= _MILLISECONDS else number


def read_rate(value: object) -> tuple[int, float]:
    """Read a rate such as "10/s", "100/m" or "5/20s": how many in how many seconds.

    Raises:
        UsageError: it is no rate.
    """
    if isinstance(value, str):
        count, slash, span = value.replace(" ", "").partition("/")
        if slash and span and count.isascii() and count.isdigit() and int(count) > 0:
            seconds = read_duration(span if span[:1].isdigit() else f"1{span}")
            if seconds > 0:
                return int(count), seconds
    raise UsageError(f"{value!r} is not a rate", hint='write how many in what time, as in "10/s" or "100/m"')
