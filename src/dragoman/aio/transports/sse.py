"""Speak HTTP+SSE, the transport of 2024-11-05: one long stream of events to hear, and a URL to post messages to.

The stream's first event names that URL. All exchanges share the stream, as they share the pipes of a process.
"""

from __future__ import annotations

import logging

from dragoman.aio._runtime import Crew, Event, Mailbox
from dragoman.aio.engines import HttpReply, Wire
from dragoman.aio.transports import Hear, Lost
from dragoman.aio.transports.answers import EVENTS, Answers, is_stream, media_type, read_apart
from dragoman.aio.transports.channel import Cause, Channel
from dragoman.aio.transports.diagnostics import Diagnostics
from dragoman.aio.transports.lines import Answered
from dragoman.aio.transports.requests import Requests
from dragoman.deadline import Deadline
from dragoman.errors import (
    ConnectFailed,
    ConnectionClosed,
    ConnectionLost,
    HttpError,
    McpError,
    McpTimeout,
    ServerError,
)
from dragoman.protocol import framing
from dragoman.protocol.framing import Events, Oversized
from dragoman.protocol.refusals import origin, resolved

__all__ = ["SseStream"]

log = logging.getLogger("dragoman.aio")

_BEGINNING = 5.0
"""Seconds that a stream may take to say where to post to: the streams of Streamable HTTP never do."""

_DRAIN = 0.2
_DRAINED = 64 * 1024
_IN_PASSING = 5.0


class SseStream:
    """The stream of events of one server, and the channel that its messages make.

    Attributes:
        channel: the exchanges that share the stream.
    """

    def __init__(
        self, requests: Requests, name: str, crew: Crew, hear: Hear, lost: Lost, limit: int, message_url: str | None
    ) -> None:
        self._requests = requests
        self._name = name
        self._crew = crew
        self._lost = lost
        self._answers = Answers(name, limit)
        self._message_url = message_url
        self._beginning: Mailbox[str | McpError] = Mailbox()
        self._wire = Wire()
        self._post = _Post(requests, self._answers, name, crew)
        self.channel = Channel(name, self._post, hear, Diagnostics(name), self._stuck, limit)

    async def open(self, deadline: Deadline) -> None:
        """Open the stream and wait for the URL to post to.

        Raises:
            HttpError: there is no such stream. AuthError: not for us.
            ConnectFailed: it names a URL that is not to be trusted, or there is no connection.
            McpTimeout: it does not name one in time.
        """
        reply = await self._requests.send("GET", {"accept": EVENTS}, deadline, wire=self._wire)
        if not is_stream(reply):
            try:
                raise await self._no_stream(reply, deadline)
            finally:
                await reply.close()
        await read_apart(self._crew, self._read, reply)
        try:
            found = await self._beginning.get(deadline.within(_BEGINNING))
        except TimeoutError:
            raise McpTimeout(
                "the stream did not say where to post messages", method="GET", waited=deadline.waited, server=self._name
            ) from None
        if isinstance(found, McpError):
            raise found
        self._post.url = self._message_url or self._resolved(found)

    async def _no_stream(self, reply: HttpReply, deadline: Deadline) -> McpError:
        if 200 <= reply.status < 300:
            what = f"GET was answered by {media_type(reply) or 'nothing'}, not by a stream of events"
            return HttpError(what, status=reply.status, server=self._name)
        refused = self._answers.error(await self._answers.refusal(reply, deadline))
        if not isinstance(refused, ServerError):
            return refused
        # A server that answers so knows the protocol, and no such streams.
        what = f"GET was answered by status {reply.status}: {refused.message}"
        return HttpError(what, status=reply.status, server=self._name)

    def _resolved(self, endpoint: str) -> str:
        url = resolved(self._requests.url, endpoint)
        if url is None:
            raise ConnectFailed(f"the server wants messages posted to {endpoint!r}, which is no URL", server=self._name)
        if origin(url) != origin(self._requests.url):
            raise ConnectFailed(
                f"the server wants messages posted to {url}, which is not at {self._requests.url}",
                server=self._name,
                hint="if that is right, connect with `message_url`",
            )
        return url

    async def _read(self, reply: HttpReply) -> None:
        events = Events(self._answers.limit)
        why: McpError = ConnectionLost("the event stream ended", server=self._name)
        try:
            while chunk := await reply.next_chunk(Deadline.never()):
                for event in events.feed(chunk):
                    self._take(event)
        except McpError as error:
            why = error
        finally:
            await reply.close()
        self._ended(why)

    def _take(self, event: framing.Event | Oversized) -> None:
        if isinstance(event, Oversized):
            self.channel.take(event)
        elif event.type == "endpoint":
            self._beginning.put(event.data.decode("utf-8", "replace").strip())
        elif event.type == "message" and event.data.strip():
            self.channel.take(event.data)

    def _ended(self, why: McpError) -> None:
        self._beginning.put(why)
        sentence, name = why.message, self._name
        lost = self._lost if self._post.url else None
        self.channel.end(lambda was_sent: ConnectionLost(sentence, was_sent=was_sent, server=name), lost)

    def _stuck(self) -> None:
        self._ended(ConnectionLost("the server does not take messages any more", server=self._name))

    def close(self) -> None:
        """End the stream and every exchange on it."""
        name = self._name
        self.end(lambda was_sent: ConnectionClosed("the client was closed", was_sent=was_sent, server=name))

    def end(self, cause: Cause) -> None:
        """End the stream and every exchange on it, for a cause."""
        self.channel.end(cause)
        self._wire.cut()


class _Post:
    """Where the bytes of all exchanges go: each message is a POST of its own."""

    def __init__(self, requests: Requests, answers: Answers, name: str, crew: Crew) -> None:
        self.url = ""
        self.taken = 0
        self.is_still = False
        self._requests = requests
        self._answers = answers
        self._name = name
        self._crew = crew

    def offer(self, data: bytes) -> int | None:
        return None

    async def write(self, data: bytes, deadline: Deadline) -> int:
        return await self.write_until(Answered(), data, deadline)

    async def write_until(self, answered: Answered, data: bytes, deadline: Deadline) -> int:
        """Post a message; where the stream brings its answer, that counts, and the POST has little time to be answered."""
        start, wire, posted = self.taken, Wire(), Event()
        answered.then = lambda: self._crew.start(self._hang_up, wire, posted)
        try:
            await self._post(data, deadline, wire)
        except McpError as error:
            if not answered.is_so:
                raise
            log.debug("%s: a request was answered on the stream, and its POST was not: %s", self._name, error)
        finally:
            posted.set()
        self.taken = max(self.taken, start + len(data))
        return start

    async def _hang_up(self, wire: Wire, posted: Event) -> None:
        if not await posted.wait(Deadline(_DRAIN)):
            wire.cut()

    async def _post(self, data: bytes, deadline: Deadline, wire: Wire) -> None:
        headers = {"content-type": "application/json"}
        reply = await self._requests.send("POST", headers, deadline, body=data, url=self.url, wire=wire)
        try:
            if not 200 <= reply.status < 300:
                raise self._answers.error(await self._answers.refusal(reply, deadline, has_session=True))
            await reply.drain(_DRAINED, deadline.within(_DRAIN))
        finally:
            await reply.close()

    def write_soon(self, data: bytes) -> None:
        self._crew.start(self._write_quietly, data)

    def withdraw(self, position: int) -> bool:
        return self.taken <= position

    def stop(self) -> None:
        """Nothing waits here: each message has a request of its own, which ends with its caller."""

    async def _write_quietly(self, data: bytes) -> None:
        try:
            await self.write(data, Deadline(_IN_PASSING))
        except McpError as error:
            log.debug("%s: a message could not be sent: %s", self._name, error)
