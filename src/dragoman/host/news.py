"""What a host tells of its servers: how each one does, and what has happened."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct

from dragoman.errors import McpError
from dragoman.host.catalog import Changes
from dragoman.host.drift import Difference
from dragoman.host.secrets import plain_text
from dragoman.types import Implementation

__all__ = ["HostEvent", "ServerState", "ServerStatus"]


class ServerState(StrEnum):
    """Where a server of a host is in its life."""

    DISABLED = "disabled"
    UNUSABLE = "unusable"
    NOT_APPROVED = "not approved"
    CONNECTING = "connecting"
    READY = "ready"
    RESTARTING = "restarting"
    FAILED = "failed"
    CLOSED = "closed"

    @property
    def is_settled(self) -> bool:
        """Whether nothing more is to be waited for."""
        return self is not ServerState.CONNECTING


class ServerStatus(Struct, frozen=True):
    """How one server of a host does.

    Attributes:
        name: the host's name for it. state: where it is in its life. since: since when (UTC).
        error: what went wrong last, None if nothing did.
        stderr: the last lines that it wrote on its standard error.
        transport: "stdio", "http" or "memory". target: the command or the address, without secrets. Both are empty for an
            entry that says neither.
        server: who it says it is. era, protocol_version: how it is spoken with; None until it is connected.
        latency: seconds that the last request took. tools: how many tools it has, None where they are not known.
        required: whether the host cannot do without it. is_paused: whether it is left alone after many failures.
    """

    name: str
    state: ServerState
    since: datetime
    error: McpError | None = None
    stderr: str = ""
    transport: str = "memory"
    target: str = ""
    server: Implementation | None = None
    era: str | None = None
    protocol_version: str | None = None
    latency: float | None = None
    tools: int | None = None
    required: bool = False
    is_paused: bool = False

    def __str__(self) -> str:
        because = f": {self.error}" if self.error and self.state is not ServerState.READY else ""
        return plain_text(f"{self.name} {self.state} since {self.since:%H:%M:%S} UTC{because}")


class HostEvent(Struct, frozen=True):
    """Something that happened.

    Attributes:
        kind: "server" for a change of its state; "tools", "resources", "templates" or "prompts" for a list that is
            different; "drift" for what is not as it was pinned; "config" for a configuration that was read again;
            "problem" for what is wrong with it.
        server: the server that it is about, None for several.
        status: how that server does, for "server".
        changes: what was added, removed and changed, for lists; for "config" the names of servers.
        differences: for "drift".
        message: it in words.
    """

    kind: Literal["server", "tools", "resources", "templates", "prompts", "drift", "config", "problem"]
    server: str | None = None
    status: ServerStatus | None = None
    changes: Changes[Any] = Changes()
    differences: tuple[Difference, ...] = ()
    message: str = ""
