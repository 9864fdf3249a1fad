"""The contract between a connection and the way its bytes travel.

    stdio   a child process and its pipes       memory  a function or a server object in this process

The unit is the exchange: one request goes out, and messages come back until its answer. What belongs to no exchange
is heard separately.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable  # pyright: ignore[reportUnusedImport] - sync code awaits nothing
from typing import Protocol, TypeAlias

from dragoman.deadline import Deadline
from dragoman.errors import McpError
from dragoman.protocol.eras import Era, Outgoing
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.recovery import RestartPolicy

__all__ = ["Hear", "HearAll", "Lost", "Overhear", "Transport"]

Hear: TypeAlias = Callable[[Message], None]
"""Takes a message that belongs to no exchange. Called from wherever bytes are read: it must not wait, nor raise."""

HearAll: TypeAlias = Callable[[Message | McpError], None]
"""Takes every message of one exchange, its answer included, or the error that ended it; likewise."""

Lost: TypeAlias = Callable[[McpError], None]
"""Told once, with the cause, when an open line breaks by itself. Must not wait, nor raise."""

Overhear: TypeAlias = Callable[[Message], Awaitable[None]]
"""Takes, in the caller's own task, a message that belongs to the caller's exchange, such as its progress."""


class Transport(Protocol):
    """Carries exchanges to one server. Opened once; after `close`, or once lost, it can be opened again."""

    mirrors_arguments: bool
    """Whether marked arguments of tools are repeated beside the message (2026-07-28, Streamable HTTP)."""

    asks_apart: bool
    """Whether each request goes its own way, so that one which stays unanswered is given up before another is sent."""

    restarts: RestartPolicy
    """How soon, and how often, a line that broke is made again, unless the user says otherwise."""

    @property
    def name(self) -> str:
        """What to call the server in messages: short, and without secrets."""
        ...

    @property
    def key(self) -> str:
        """What identifies the server across connections (a command line, a URL), without secrets."""
        ...

    def protocol_versions(self) -> tuple[str, ...]:
        """Name the protocol versions that this transport can carry, newest first."""
        ...

    async def open(self, hear: Hear, lost: Lost, deadline: Deadline) -> None:
        """Make the line: start the process, or get ready to send.

        Raises:
            TransportError, McpTimeout: it cannot be made; nothing is left behind.
        """
        ...

    async def settled(self, era: Era, deadline: Deadline) -> None:
        """Learn that the server has been greeted, and how it is spoken to from now on."""
        ...

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Awaitable[Message]:
        """Send a request and return the message that answers it, whether result or error.

        The deadline covers queueing, writing and waiting; it is extended by the progress of this request. When this
        ends by an exception, the exchange is over and its late answer is dropped in silence; the server is told by
        `abandon`, not here.

        Raises:
            McpTimeout: the deadline came; `phase` and `was_sent` say how far it got.
            TransportError: the line broke; `was_sent` is False where the request provably never left.
            ProtocolError: what answered cannot be read.
        """
        ...

    def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> Awaitable[None]:
        """Send a request whose messages are heard as they come, the answer last; return once it is written.

        When the line breaks, the error is heard in place of the answer. `abandon` or `forget` end it.

        Raises:
            McpTimeout, TransportError: it could not be written.
        """
        ...

    def forget(self, outgoing: Outgoing) -> None:
        """Drop whatever still comes for a request, without a word to the server."""
        ...

    def tell(self, data: bytes, era: Era, deadline: Deadline) -> Awaitable[None]:
        """Send a notification, or the answer to a request of the server's."""
        ...

    def abandon(self, outgoing: Outgoing) -> None:
        """Let the server know that nobody waits for this request any more. Never waits, never raises."""
        ...

    def sever(self) -> None:
        """End by force what of this is ours and runs elsewhere, such as a process. Never waits long, never raises.

        `close` is due nevertheless, unless there is nothing any more that could perform it.
        """
        ...

    async def close(self) -> None:
        """End the line and all that belongs to it, within a bounded time. Harmless when closed already.

        In a forked child nothing happens: there it is the parent's.
        """
        ...
