# generated from src/dragoman/aio/trials.py by tools/unasync.py; do not edit
"""Try a server again that was lost: who waits for it, when the next attempt is, and whether a user may be asked for it.

What happens by itself asks nobody: a browser that opens out of the blue frightens people. As soon as a call waits for the
server, somebody is there who wants something of it.
"""

from __future__ import annotations

from dragoman.deadline import Deadline, Unattended
from dragoman.errors import AuthError, McpError
from dragoman.sync._runtime import Event

__all__ = ["Trial"]


class Trial:
    """The attempts to reach a server again. Owned by its connection.

    Attributes:
        is_going: whether there is an attempt that calls wait for.
        next: when the next attempt is made.
    """

    def __init__(self) -> None:
        self.is_going = False
        self.next = Deadline(0)
        self._over = Event()
        self._waiting = 0
        self._refusal: AuthError | None = None

    def begin(self) -> None:
        """Have calls wait for what comes of it."""
        self.is_going, self._refusal = True, None
        self._over.clear()

    def end(self) -> None:
        """Let those who wait see what has come of it."""
        self.is_going = False
        self._over.set()

    def patience(self, span: float, *, is_wanted: bool) -> Deadline:
        """Begin the time of an attempt, in which a user may be asked if a call wants it, or waits for it by now."""
        return Deadline(span) if is_wanted or self._waiting else Unattended(span)

    def is_refused(self, error: McpError, patience: Deadline) -> bool:
        """Whether a server turns us away: then trying again is of no use until somebody is there who can be asked."""
        if not isinstance(error, AuthError):
            return False
        self._refusal = error if patience.is_attended else None
        return True

    def wait(self, deadline: Deadline) -> bool:
        """Wait for what comes of it; False when the deadline came first.

        Raises:
            AuthError: a user was to be asked, and nothing came of it.
        """
        self._waiting += deadline.is_attended
        try:
            is_over = self._over.wait(deadline)
        finally:
            self._waiting -= deadline.is_attended
        refusal = self._refusal
        if refusal is not None and is_over:
            raise _again(refusal)
        return is_over

    def rest(self, delay: float, closing: Event, *, is_waited_for: bool) -> bool:
        """Let the time between two attempts go by; False when the connection was closed meanwhile."""
        self.next = Deadline(delay)
        if not is_waited_for:
            self.end()
        is_closed = closing.wait(self.next)
        self.begin()
        return not is_closed


def _again(error: AuthError) -> AuthError:
    """Make an error of each caller's own: each adds its traceback to it."""
    again = AuthError(
        error.message,
        status=error.status,
        challenge=error.challenge,
        scope=error.scope,
        url=error.url,
        server=error.server,
        hint=error.hint,
    )
    again.__cause__ = error
    return again
