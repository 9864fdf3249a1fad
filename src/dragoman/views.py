"""What the application gets to see beside the protocol's own values: where a thing came from, how a connection does."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from dragoman.errors import McpError
from dragoman.protocol.steps import Request
from dragoman.types import QuestionParams

__all__ = ["Context", "Phase", "Question", "State"]


class Context(Struct, frozen=True):
    """Where something came from, for a handler that takes a second argument.

    Attributes:
        server: the name of the server.
        request: the request of ours that it belongs to, where that is known.
        progress_token: that request's progress token, where it is known.
        uri: the resource that was subscribed to, for `on_resource_updated`.
    """

    server: str
    request: Request | None = None
    progress_token: int | None = None
    uri: str | None = None


class Question(Struct, frozen=True):
    """What a server wants from the application, for `approve` to decide on.

    Attributes:
        method: "sampling/createMessage" or "elicitation/create".
        params: the params, typed.
        server: the name of the server.
    """

    method: str
    params: QuestionParams
    server: str


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
