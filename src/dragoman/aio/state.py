"""How a connection is doing, as its owner may see it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from dragoman.errors import McpError

__all__ = ["Phase", "State"]


class Phase(StrEnum):
    """Where a connection is in its life."""

    CONNECTING = "connecting"
    READY = "ready"
    RESTARTING = "restarting"
    FAILED = "failed"
    CLOSED = "closed"


class State(Struct, frozen=True):
    """What a connection is doing, since when (UTC), and what went wrong last, if anything did.

    `failed` is what a server is after it died too often; the next call tries once more when some time has passed.
    """

    phase: Phase
    since: datetime
    error: McpError | None = None

    def __str__(self) -> str:
        because = f": {self.error}" if self.error else ""
        return f"{self.phase} since {self.since:%H:%M:%S} UTC{because}"
