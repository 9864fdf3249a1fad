"""A point in time by which something must have happened; the only reader of the clock."""

from __future__ import annotations

from math import inf
from time import monotonic

from dragoman.errors import UsageError

__all__ = ["Deadline", "now", "seconds"]

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def now() -> float:
    """Read the monotonic clock, in seconds: good for differences alone."""
    return monotonic()


class Deadline:
    """The end of one call's patience, in seconds of the monotonic clock.

    Owned by the call it was made for. Progress moves it on by its span, never past its cap.
    """

    __slots__ = ("at", "cap", "holds", "span", "started")

    def __init__(self, span: float, cap: float = inf) -> None:
        self.started = monotonic()
        self.holds = 0
        self.span = span
        self.cap = self.started + cap
        self.at = min(self.started + span, self.cap)

    @classmethod
    def never(cls) -> Deadline:
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
        self.at = min(monotonic() + self.span, self.cap)

    def hold(self) -> None:
        """Stop the clock: the server waits for an answer of ours, such as the user's."""
        self.holds += 1

    def release(self) -> None:
        """Let the clock go on, with the whole span, once nothing holds it any more."""
        self.holds -= 1
        self.extend()

    def waits_on(self) -> bool:
        """Tell, when the time is up, whether to wait on nevertheless: it is held, and the cap is not reached."""
        if not self.holds or monotonic() >= self.cap:
            return False
        self.extend()
        return True

    def within(self, span: float) -> Deadline:
        """Make a deadline of at most `span` seconds from now that does not outlast this one."""
        return Deadline(min(span, self.remaining))


def seconds(value: float | str | None) -> float:
    """Read a duration: a number of seconds, or text such as "20s", "500ms", "2m"; None never ends.

    Raises:
        UsageError: the text is not a duration, or the number is negative or not a number.
    """
    if value is None:
        return inf
    number = _parse(value) if isinstance(value, str) else float(value)
    if not number >= 0:
        raise UsageError(f"a duration cannot be {value!r}", hint='write seconds, or "20s", "500ms", "2m"')
    return number


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
        raise UsageError(f"{text!r} is not a duration", hint='write seconds, or "20s", "500ms", "2m"') from None
