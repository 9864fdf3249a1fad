"""Say what went wrong where nobody may be disturbed by it, not even by a log that fails."""

from __future__ import annotations

import logging
import sys
import traceback

__all__ = ["complain"]


def complain(log: logging.Logger, message: str, *arguments: object) -> None:
    """Log the exception that is being handled. Never raises.

    A filter or a handler of the application's may be what raised it, and raises again: then it is told on standard error,
    as `logging` itself tells of handlers that fail.
    """
    try:
        log.exception(message, *arguments)  # noqa: LOG004 - it is called where one is handled
    except Exception:  # noqa: BLE001 - the application's own filters and handlers
        if logging.raiseExceptions and sys.stderr is not None:
            traceback.print_exc(file=sys.stderr)
