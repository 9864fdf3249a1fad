"""What may be sent again after a failure, what must not, and how often a dead server is started again.

Nothing is run twice that might mind. A request that provably did not run goes out again. One that may have run goes out
again only where running twice does no harm: it only reads, its tool is declared read-only or idempotent, or the user
says so. For everything else the caller is told that the outcome is unknown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from dragoman.errors import (
    ConnectFailed,
    ConnectionClosed,
    ConnectionLost,
    HttpError,
    McpError,
    McpTimeout,
    OutcomeUnknown,
    SessionExpired,
    TransportError,
    UsageError,
)
from dragoman.types import ToolAnnotations

__all__ = [
    "RECONNECTING",
    "Budget",
    "Raise",
    "Repeat",
    "RestartPolicy",
    "Restarts",
    "Retry",
    "RetryPolicy",
    "after_failure",
    "backoff",
    "is_passing",
    "is_repeatable",
    "likeness",
    "may_have_run",
]

Repeat: TypeAlias = Literal["never", "safe", "always"] | Callable[[str], bool]

_READING = frozenset(
    {
        "completion/complete",
        "initialize",
        "logging/setLevel",
        "ping",
        "prompts/get",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/subscribe",
        "resources/templates/list",
        "resources/unsubscribe",
        "server/discover",
        "subscriptions/listen",
        "tools/list",
    }
)

# Too many requests, and too busy: the request was turned away at the door.
_TURNED_AWAY = frozenset({425, 429, 503})
# A gateway lost the server, which may have had the request.
_LOST_BEHIND = frozenset({502, 504})
# What stands before a server says while that is started again.
_AWAY = frozenset({502, 503})
_OVER_SOON = _TURNED_AWAY | _LOST_BEHIND | {408}


class RetryPolicy(Struct, frozen=True):
    """What is sent again after the line broke, how often and how soon.

    `repeat` says what may run twice: "safe" for what does no harm, "always" for everything, "never" for nothing at
    all, not even what never ran; or a function that is given the method of a request that is not safe. `attempts` is
    how often one request is sent again; `unsent_attempts`, when nobody seems to be there (no connection, one that ends
    before an answer begins, 502 or 503), since a server is probably being started again: six to eleven seconds in all.
    The first time it waits `base` seconds, then twice as long each time, up to `longest`.
    """

    repeat: Repeat = "safe"
    attempts: int = 3
    unsent_attempts: int = 7
    base: float = 0.1
    longest: float = 5.0

    @classmethod
    def of(cls, given: RetryPolicy | Repeat) -> RetryPolicy:
        """Make a policy of what a user may write for one.

        Raises:
            UsageError: it is none of the words.
        """
        if isinstance(given, RetryPolicy):
            return given
        if callable(given) or given in ("never", "safe", "always"):
            return cls(given)
        raise UsageError(
            f"retry cannot be {given!r}",
            hint='write "never", "safe", "always", a function of the method, or a RetryPolicy',
        )

    def allows(self, method: str) -> bool:
        """Whether a request may run twice although it is not known to be safe."""
        return self.repeat(method) if callable(self.repeat) else self.repeat == "always"


class Retry(Struct, frozen=True):
    """Send it again after `delay` seconds."""

    delay: float


class Raise(Struct, frozen=True):
    """Give up, and raise `error`; what broke is its cause, if it is not that itself."""

    error: McpError


def is_repeatable(method: str, annotations: ToolAnnotations | None = None) -> bool:
    """Say whether running a request twice does no harm; `annotations` are those of the tool that it calls."""
    if method != "tools/call":
        return method in _READING
    return annotations is not None and (annotations.is_read_only or annotations.is_idempotent)


class Budget:
    """What may still be spent on sending requests again that had reached the server; owned by one connection.

    A server that fails often is in trouble, and is not helped by getting everything several times. It begins with `size`
    retries, and every answer earns a part of another one, up to `size`.

    Attributes:
        is_full: whether nothing of it is spent, so that there is nothing to earn.
    """

    EARNED = 0.1

    def __init__(self, size: float = 100.0) -> None:
        self._size = size
        self._left = size
        self.is_full = True

    def earn(self) -> None:
        """Note that a request was answered."""
        self._left = min(self._size, self._left + self.EARNED)
        self.is_full = self._left >= self._size

    def spend(self) -> bool:
        """Take one retry; False when there is none."""
        if self._left < 1.0:
            return False
        self._left -= 1.0
        self.is_full = False
        return True


def after_failure(
    error: McpError,
    *,
    method: str,
    is_repeatable: bool,
    attempt: int,
    policy: RetryPolicy,
    jitter: float = 0.0,
    budget: Budget | None = None,
    has_run: bool = False,
) -> Retry | Raise:
    """Decide what becomes of a request that failed.

    `has_run` says that it may have run already: this time, or an earlier time that it was sent.

    `attempt` counts how often it has been sent again already, after failures that `likeness` counts with this one;
    `jitter`, from 0 to 1, shortens the delay by up to half; `budget` pays for what had reached the server, and is
    unlimited where there is none.
    """
    if not isinstance(error, TransportError) or isinstance(error, ConnectionClosed):
        return Raise(error)
    may_run_twice = is_repeatable or policy.allows(method)
    if not may_have_run(error):
        if has_run and not may_run_twice:
            return Raise(_unknown(error, method))
        return _again(error, attempt, policy, jitter)
    status = error.status if isinstance(error, HttpError) else None
    is_lost = status is None or status in _LOST_BEHIND
    if may_run_twice and (is_lost or status in _TURNED_AWAY):
        verdict = _again(error, attempt, policy, jitter)
        if isinstance(verdict, Raise) or budget is None or likeness(error) == "away" or budget.spend():
            return verdict
    return Raise(error) if may_run_twice or not is_lost else Raise(_unknown(error, method))


def likeness(error: TransportError) -> Literal["expired", "away", "failed"]:
    """Say which failures of a request count together: a lost session, nobody there, and all else."""
    if isinstance(error, SessionExpired):
        return "expired"
    is_unheard = isinstance(error, ConnectionLost) and not error.was_heard
    is_behind = isinstance(error, HttpError) and error.status in _AWAY
    return "away" if is_unheard or is_behind or not error.was_sent else "failed"


def is_passing(error: McpError | None) -> bool:
    """Say whether what keeps a server from being reached is likely to be over soon, without anybody doing anything."""
    if isinstance(error, HttpError):
        return error.status in _OVER_SOON
    return isinstance(error, TransportError | McpTimeout)


def backoff(attempt: int, base: float, longest: float, jitter: float = 0.0) -> float:
    """Give the seconds to wait: `base`, doubled `attempt` times, at most `longest`, less up to half by `jitter`."""
    return min(longest, base * 2.0 ** min(attempt, 64)) * (1 - jitter / 2)


def _again(error: TransportError, attempt: int, policy: RetryPolicy, jitter: float) -> Retry | Raise:
    attempts = policy.unsent_attempts if likeness(error) == "away" else policy.attempts
    if attempt >= attempts or policy.repeat == "never":
        return Raise(error)
    if isinstance(error, SessionExpired):
        return Retry(0.0)
    asked = _retry_after(error)
    if asked is None:
        return Retry(backoff(attempt, policy.base, policy.longest, jitter))
    return Retry(asked) if asked <= policy.longest else Raise(error)


def may_have_run(error: TransportError) -> bool:
    """Say whether a request that failed by this may have run; otherwise it provably did not."""
    return error.was_sent and not isinstance(error, SessionExpired | ConnectFailed)


def _retry_after(error: TransportError) -> float | None:
    """Read the seconds that the server asks to wait (RFC 9110, 10.2.3); a date is not read: that takes a clock."""
    if not isinstance(error, HttpError):
        return None
    asked = next((value for name, value in error.headers.items() if name.lower() == "retry-after"), "").strip()
    return float(asked) if asked.isdecimal() and asked.isascii() else None


def _unknown(error: TransportError, method: str) -> OutcomeUnknown:
    unknown = OutcomeUnknown(
        f"{method} may have run, or not: {error.message}",
        method=method,
        server=error.server,
        hint='look before calling again; retry="always" calls again whatever the tool does',
    )
    unknown.__cause__ = error
    return unknown


class RestartPolicy(Struct, frozen=True):
    """Whether, and how soon, a server that died is started again. All times are in seconds.

    It is given up when it dies more than `limit` times within `window`. The first death in a row is followed by a start
    at once, the second by one after `base`, then twice as long each time, up to `longest`. A row ends when the server
    has been up for `sustained`: merely to have started proves nothing. Between two starts calls fail at once, or, with
    `waits`, wait for the next.
    """

    limit: int = 5
    window: float = 60.0
    base: float = 0.5
    longest: float = 30.0
    sustained: float = 30.0
    waits: bool = False


RECONNECTING = RestartPolicy(limit=1_000, base=0.1, longest=2.0, sustained=1.0, waits=True)
"""For servers that run by themselves: to ask whether one is back starts nothing, so it is asked for as long as it takes."""


class Restarts:
    """How often one server has died lately. Owned by its connection; every `now` is of the same monotonic clock.

    Attributes:
        waits: whether calls wait for the next start rather than fail.
    """

    def __init__(self, policy: RestartPolicy) -> None:
        self.waits = policy.waits
        self._policy = policy
        self._deaths: deque[float] = deque(maxlen=policy.limit + 1)
        self._row = 0
        self._up_since: float | None = None

    def started(self, now: float) -> None:
        """Note that the server is up."""
        self._up_since = now

    def died(self, now: float, jitter: float = 0.0) -> float | None:
        """Note that the server died, or could not be started, and give the seconds to wait before the next start.

        None when it has died too often: leave it alone until `may_start`.
        """
        if self._up_since is not None and now - self._up_since >= self._policy.sustained:
            self._row = 0
            self._deaths.clear()
        self._up_since = None
        self._row += 1
        self._deaths.append(now)
        if not self.may_start(now):
            return None
        return backoff(self._row - 2, self._policy.base, self._policy.longest, jitter) if self._row > 1 else 0.0

    def may_start(self, now: float) -> bool:
        """Whether it has not died too often within the window that ends now."""
        return len(self._deaths) <= self._policy.limit or now - self._deaths[0] >= self._policy.window
