"""Read what servers answer over HTTP: refusals, bodies that are one message, events of a stream."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from dragoman.aio._runtime import Crew
from dragoman.aio.engines import HttpReply
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, McpError, ProtocolError
from dragoman.protocol.framing import Event, Oversized
from dragoman.protocol.jsonrpc import Message, decode, excerpt, read_error
from dragoman.protocol.refusals import refusal

__all__ = ["EVENTS", "Answers", "is_stream", "media_type", "read_apart"]

log = logging.getLogger("dragoman.aio")
wire = logging.getLogger("dragoman.wire")

EVENTS = "text/event-stream"

_LONGEST_REFUSAL = 1024 * 1024
_REFUSAL = 2.0
"""Seconds that the body of a refusal may take; what has come by then is enough to say what is wrong."""


def media_type(reply: HttpReply) -> str:
    """Give the media type of an answer, in lower case and without parameters; empty where it says none."""
    return (reply.headers.get("content-type") or "").partition(";")[0].strip().lower()


def is_stream(reply: HttpReply) -> bool:
    """Whether an answer is a stream of events."""
    return reply.status == 200 and media_type(reply) == EVENTS


async def read_apart(
    crew: Crew, read: Callable[..., Coroutine[Any, Any, object]], reply: HttpReply, *more: Any
) -> None:
    """Have an answer read in the background, by a function that closes it.

    Raises:
        ConnectionClosed: it is too late for that; the answer is closed.
    """
    crew.start(read, reply, *more)
    if crew.closing.is_set():
        # Nothing may have been started any more, and whoever has a connection closes it.
        await reply.close()
        raise ConnectionClosed("the client was closed")


class Answers:
    """Takes apart what one server answers; `limit` is the most bytes that one message may have.

    Attributes:
        skipped: how many events were none of the protocol's messages.
    """

    def __init__(self, name: str, limit: int) -> None:
        self.skipped = 0
        self.limit = limit
        self._name = name

    async def refusal(self, reply: HttpReply, deadline: Deadline, *, has_session: bool = False) -> Message | McpError:
        """Say what an answer without a success status means: an error of the protocol's, or one of the line's."""
        body = await _beginning(reply, deadline.within(_REFUSAL))
        self.show("<", body)
        return self._read_refusal(reply, body, has_session=has_session)

    def _read_refusal(self, reply: HttpReply, body: bytes, *, has_session: bool = False) -> Message | McpError:
        headers = {name.lower(): value for name, value in reply.headers}
        refused = refusal(reply.status, headers, body, has_session=has_session)
        if isinstance(refused, McpError):
            refused.server = self._name
        return refused

    async def whole(self, reply: HttpReply, method: str, deadline: Deadline) -> list[Message]:
        """Read a body that is one answer, or a batch that holds it (2025-03-26).

        Raises:
            ProtocolError, HttpError: it is neither.
        """
        body = await reply.read(self.limit, deadline)
        self.show("<", body)
        if not body.strip():
            raise ProtocolError(f"{method} was accepted ({reply.status}) and not answered", server=self._name)
        try:
            return decode(body)
        except ProtocolError as error:
            raise self._no_answer(reply, body, error) from error

    def _no_answer(self, reply: HttpReply, body: bytes, error: ProtocolError) -> McpError:
        refused = self._read_refusal(reply, body)
        if "json" in media_type(reply) or isinstance(refused, Message):
            return ProtocolError("the answer cannot be read", excerpt=error.excerpt, server=self._name)
        return refused

    def sent(self, event: Event | Oversized) -> list[Message]:
        """Read the messages of an event; what is no message is skipped, unless it was to be an answer.

        Raises:
            ProtocolError: it was to be an answer and cannot be read, or is too large.
        """
        if isinstance(event, Oversized):
            raise self.oversized(event)
        # An event without data only says where to resume; other types of event are nothing of the protocol's.
        if not event.data.strip() or event.type != "message":
            return []
        self.show("<", event.data)
        try:
            return decode(event.data)
        except ProtocolError as error:
            if b'"result"' in event.data or b'"error"' in event.data:
                raise ProtocolError("the answer cannot be read", excerpt=error.excerpt, server=self._name) from error
            self._skip(error.excerpt)
        return []

    def unfinished(self, event: Event | Oversized) -> list[Message]:
        """Read the messages of an event that a stream ended in: those that have come whole, and nothing of the others.

        Raises:
            ProtocolError: it is too large already.
        """
        try:
            return self.sent(event)
        except ProtocolError:
            if isinstance(event, Oversized):
                raise
        return []

    def heard(self, event: Event | Oversized) -> list[Message]:
        """Read the messages of an event that answers nothing; what is no message is skipped."""
        try:
            return self.sent(event)
        except ProtocolError as error:
            self._skip(str(error))
        return []

    def _skip(self, what: str | None) -> None:
        self.skipped += 1
        if self.skipped == 1:
            log.warning("%s sends events that are no messages; they are skipped: %s", self._name, what)

    def oversized(self, event: Oversized) -> ProtocolError:
        """Say that a message is too large."""
        return ProtocolError(
            f"a message of {event.size:,} bytes is over the limit of {self.limit:,}",
            excerpt=excerpt(event.head, 80),
            server=self._name,
            hint="raise `max_message_size`, in bytes, or ask for less",
        )

    def error(self, refused: Message | McpError) -> McpError:
        """Make the error that a refusal is raised as where no request waits for a message."""
        if isinstance(refused, Message):
            refused = read_error(refused.error, "a message")  # type: ignore[arg-type]  # a refusal's message has an error
            refused.server = self._name
        return refused

    def show(self, direction: str, data: bytes) -> None:
        """Let the log show what goes over the wire."""
        if wire.isEnabledFor(logging.DEBUG):
            wire.debug("%s %s %s", self._name, direction, excerpt(data, 1000))


async def _beginning(reply: HttpReply, deadline: Deadline) -> bytes:
    """Read a body, as much of it as comes in time, is not too much and is not broken."""
    body = bytearray()
    try:
        while len(body) < _LONGEST_REFUSAL and (chunk := await reply.next_chunk(deadline)):
            body += chunk
    except McpError as error:
        log.debug("the body of a refusal broke: %s", error)
    return bytes(body)
