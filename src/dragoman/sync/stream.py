# generated from src/dragoman/aio/stream.py by tools/unasync.py; do not edit
"""One listen stream of a modern server: opened, heard, and ended."""

from __future__ import annotations

import logging
from collections.abc import Callable

from dragoman.deadline import Deadline
from dragoman.errors import McpError, McpTimeout, NotOffered
from dragoman.protocol.eras import Outgoing
from dragoman.protocol.inbound import Event
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.steps import Request
from dragoman.protocol.subscriptions import Ended, Opened, Wanted, read_stream
from dragoman.sync._runtime import Mailbox
from dragoman.sync.connection import Connection
from dragoman.sync.unheld import unheld

__all__ = ["Stream"]

log = logging.getLogger("dragoman.sync")


class Stream:
    """A stream of what is watched.

    `take` gets each notification, `ended` is told when an open stream ends without `close`.

    Attributes:
        left_out: the resources that the server does not watch, although it was asked to.
    """

    def __init__(self, connection: Connection, take: Callable[[Event], None], ended: Callable[[Stream], None]) -> None:
        self._connection = connection
        self._take = take
        self._ended = ended
        self.left_out: tuple[str, ...] = ()
        self._opened: Deadline | None = None
        self._is_closed = False
        self._beginning: Mailbox[Opened | Ended | McpError] = Mailbox()
        self._outgoing: Outgoing | None = None

    def open(self, request: Request, wanted: Wanted, deadline: Deadline, asked: str | None = None) -> None:
        """Send the request and wait until the server says what it watches.

        Raises:
            ServerError: the server refuses to.
            NotOffered: it does not watch the resource that is `asked` for.
            McpTimeout, TransportError: it does not answer, or is gone.
        """
        self._outgoing = self._connection.listen(request, unheld(self._hear), deadline)
        try:
            self._check(self._first(deadline), wanted, asked)
        except BaseException:
            self.close()
            raise

    def _first(self, deadline: Deadline) -> Opened | Ended | McpError:
        try:
            return self._beginning.get(deadline)
        except TimeoutError:
            waited = deadline.waited
            raise McpTimeout(
                f"no acknowledgement of subscriptions/listen in {waited:.3g} s",
                method="subscriptions/listen",
                waited=waited,
                server=self._connection.name,
            ) from None

    def _check(self, beginning: Opened | Ended | McpError, wanted: Wanted, asked: str | None) -> None:
        if isinstance(beginning, McpError):
            raise beginning
        if isinstance(beginning, Ended) and beginning.error is not None:
            beginning.error.server = self._connection.name
            raise beginning.error
        if isinstance(beginning, Opened):
            self.left_out = beginning.left_out(wanted.uris)
        if asked in self.left_out:
            raise NotOffered(
                f"the server does not watch {asked}, although it said that it watches resources",
                capability="resources.subscribe",
                server=self._connection.name,
            )

    @property
    def is_over(self) -> bool:
        """Whether the stream has ended, or been closed."""
        return self._is_closed

    def lasted(self, span: float) -> bool:
        """Whether the stream has been open for at least `span` seconds."""
        return self._opened is not None and self._opened.waited >= span

    def close(self) -> None:
        """End the stream, and tell the server; harmless when it has ended."""
        if not self._is_closed and self._outgoing is not None:
            self._is_closed = True
            self._connection.stop(self._outgoing)

    def acknowledge(self, how: Opened) -> None:
        """Take that the server watches, and what; it says so on the stream, or without saying of which it speaks."""
        if self._opened is None:
            self._opened = Deadline.never()
            self._beginning.put(how)

    def _hear(self, heard: Message | McpError) -> None:
        news = heard if isinstance(heard, McpError) else read_stream(heard)
        if isinstance(news, McpError | Ended):
            self._end(news)
        elif isinstance(news, Opened):
            self.acknowledge(news)
        elif not self._is_closed:
            self._take(news)

    def _end(self, how: McpError | Ended) -> None:
        was_closed, self._is_closed = self._is_closed, True
        if self._opened is None:
            self._beginning.put(how)
        elif not was_closed:
            self._ended(self)
