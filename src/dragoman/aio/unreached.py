"""Say why a server cannot be spoken with: it was not greeted, is gone, is not back, or the client is closed."""

from __future__ import annotations

from dragoman.aio.transports import Transport
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, ConnectionLost, McpTimeout
from dragoman.views import Phase, State

__all__ = ["check_open", "gone", "is_the_users", "not_back", "not_greeted"]


_SLOW = "is this an MCP server? One that starts slowly needs a longer `timeout`, or `startup` in a configuration"


def not_greeted(error: McpTimeout, transport: Transport) -> McpTimeout:
    """Say that a server did not answer while it was being greeted, and what it did instead."""
    return McpTimeout(
        f"initialization failed: {error.message}",
        method=error.method,
        waited=error.waited,
        phase="connecting",
        was_sent=error.was_sent,
        server=transport.name,
        hint=getattr(transport, "symptoms", None) or _SLOW,
    )


def is_the_users(error: BaseException | None) -> bool:
    """Tell whether it was the user who did not answer, and no server."""
    return isinstance(error, McpTimeout) and error.method == "login"


def not_back(deadline: Deadline, name: str) -> McpTimeout:
    """Say that a server which was lost did not come back in time."""
    return McpTimeout(
        f"the server was not back after {deadline.waited:.3g} s",
        method="initialize",
        waited=deadline.waited,
        phase="connecting",
        was_sent=False,
        server=name,
    )


def gone(state: State, next_try: Deadline, name: str, *, restarts: bool) -> ConnectionLost:
    """Say that a server is gone, and what there is to hope for."""
    when = f"the next attempt to start it is in {next_try.remaining:.1f} s"
    if state.phase is Phase.FAILED:
        when = "it died too often; a call after some time tries again"
    error = ConnectionLost(
        f"the server is gone ({state.error})",
        was_sent=False,
        server=name,
        hint=when if restarts else "connect again, or leave `restart` on",
    )
    error.__cause__ = state.error
    return error


def check_open(state: State, name: str) -> None:
    """Make sure that the client was not closed.

    Raises:
        ConnectionClosed: it was.
    """
    if state.phase is Phase.CLOSED:
        raise ConnectionClosed("the client is closed", was_sent=False, server=name)
