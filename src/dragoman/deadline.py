"""A point in time by which something must have happened; the only reader of the clock."""

from __future__ import annotations

from math import inf, nan
from time import monotonic
from typing import ClassVar, Self

from dragoman.errors import UsageError

__all__ = ["Deadline", "Unattended", "now", "seconds"]

_GLANCE = 0.1
"""Seconds between two looks at a clock that stands still just before its end."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = 'write seconds, or "20s", "500ms", "2m"'


def now() -> float:
    """Read the monotonic clock, in seconds: good for differences alone."""
    return monotonic()


class Deadline:
    """The end of one call's patience, in seconds of the monotonic clock.

    Owned by the call it was made for. Progress moves it on by its span, never past its cap. While it is held its clock
    stands still: `at` is then only when to look again, and what was left is left when it is released.

    Attributes:
        is_attended: whether somebody waits for the call, so that a user may be asked for what it needs.
    """

    __slots__ = ("_left", "at", "cap", "holds", "span", "started")

    is_attended: ClassVar[bool] = True

    def __init__(self, span: float, cap: float = inf) -> None:
        self.started = started = monotonic()
        self.holds = 0
        self.span = self._left = span
        self.cap = started + cap
        self.at = started + min(span, cap)

    @classmethod
    def never(cls) -> Self:
        """Make a deadline that does not come."""
        return cls(inf)

    @property
    def remaining(self) -> float:
        """Seconds left, never negative; infinite for a deadline that does not come."""
        return max(0.0, self.at - monotonic())

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return monotonic() >= self.at

    @property
    def waited(self) -> float:
        """Seconds since the deadline was set."""
        return monotonic() - self.started

    def extend(self) -> None:
        """Start the span anew, as progress does; the cap stands."""
        self._left = self.span
        self.at = min(monotonic() + self.span, self.cap)

    def hold(self) -> None:
        """Stop the clock: the server waits for an answer of ours, such as the user's."""
        if not self.holds:
            self._left = self.remaining
        self.holds += 1

    def release(self) -> None:
        """Let the clock go on, once nothing holds it any more: only the time that it was held is given back."""
        self.holds -= 1
        if not self.holds:
            self.at = min(monotonic() + self._left, self.cap)

    def waits_on(self) -> bool:
        """Tell, when the time is up, whether to wait on nevertheless: it is held, and the cap is not reached."""
        now = monotonic()
        if not self.holds or now >= self.cap:
            return False
        # Not much longer than what was left: it may be released meanwhile, and whoever waits looks only then.
        self.at = min(now + max(self._left, _GLANCE), self.cap)
        return True

    def within(self, span: float) -> Self:
        """Make a deadline of at most `span` seconds from now that does not outlast this one."""
        return type(self)(min(span, self.remaining))


class Unattended(Deadline):
    """The deadline of what this client does by itself, in the background or when it closes: no user is asked for it."""

    __slots__ = ()

    is_attended: ClassVar[bool] = False


def seconds(value: float | str | None) -> float:
    """Read a duration: a number of seconds, or text such as "20s", "500ms", "2m"; None never ends.

    Raises:
        UsageError: it is no duration, or a negative one.
    """
    if value is None:
        return inf
    number = _parse(value) if isinstance(value, str) else _plain(value)
    if not number >= 0:
        raise UsageError(f"a duration cannot be {value!r}", hint=_DURATION)
    return number


def _plain(value: object) -> float:
    # A bool is a number to Python, and surely a mistake here.
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan


def _parse(text: str) -> float:
    stripped = text.strip()
    for unit, factor in _UNITS.items():
        number = stripped.removesuffix(unit)
        if number != stripped:
            return _number(number, text) * factor
    return _number(stripped, text)


def _number(number: str, text: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise UsageError(f"{text!r} is not a duration", hint=_DURATION) from None
