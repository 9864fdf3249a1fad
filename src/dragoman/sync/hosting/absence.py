# generated from src/dragoman/aio/hosting/absence.py by tools/unasync.py; do not edit
"""Say why a server of a host cannot be asked."""

from __future__ import annotations

from dragoman.deadline import Deadline
from dragoman.errors import (
    AuthError,
    ConfigError,
    ConnectionClosed,
    ConnectionLost,
    McpError,
    McpTimeout,
    PolicyDenied,
    UsageError,
)
from dragoman.host.news import ServerState
from dragoman.sync.unreached import is_the_users

__all__ = ["absent", "is_hopeless", "still_connecting"]

_HOPELESS = (ConfigError, UsageError, PolicyDenied, AuthError)


def is_hopeless(error: McpError | None) -> bool:
    """Whether something is not tried again: it would be the same, or a user would be asked who was not there just now."""
    return isinstance(error, _HOPELESS) or is_the_users(error)


def absent(name: str, state: ServerState, error: McpError | None) -> McpError:
    """Make the error for a server that is not connected, and is not being connected to."""
    if error is not None and is_hopeless(error):
        return error.with_traceback(None)
    if state is ServerState.CLOSED:
        return ConnectionClosed("it was removed, or its host was closed", was_sent=False, server=name)
    because = f": {error.message}" if error else ""
    hint = "it is tried again from time to time; `restart` does so now"
    return ConnectionLost(f"it is {state}{because}", was_sent=False, server=name, hint=hint)


def still_connecting(name: str, method: str, deadline: Deadline) -> McpTimeout:
    """Make the error for a server that took too long to connect to."""
    return McpTimeout(
        f"it was not connected after {deadline.waited:.3g} s",
        method=method,
        waited=deadline.waited,
        phase="connecting",
        was_sent=False,
        server=name,
    )
