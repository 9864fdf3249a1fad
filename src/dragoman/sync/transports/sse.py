# generated from src/dragoman/aio/transports/sse.py by tools/unasync.py; do not edit
"""Speak HTTP+SSE, the transport of 2024-11-05: one long stream of events to hear, and a URL to post messages to.

The stream's first event names that URL. All exchanges share the stream, as they share the pipes of a process.
"""

from __future__ import annotations

import logging
from urllib.parse import urljoin

from dragoman.deadline import Deadline
from dragoman.errors import ConnectFailed, ConnectionClosed, ConnectionLost, HttpError, McpError, McpTimeout
from dragoman.protocol.framing import Event, Events, Oversized
from dragoman.protocol.refusals import origin, refusal
from dragoman.sync._runtime import Crew, Mailbox
from dragoman.sync.engines import HttpReply, Wire
from dragoman.sync.transports import Hear, Lost
from dragoman.sync.transports.channel import Channel, Diagnostics, Unwritten
from dragoman.sync.transports.requests import Requests

__all__ = ["SseStream"]

log = logging.getLogger("dragoman.sync")

_LONGEST_REFUSAL = 64 * 1024


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
        self._limit = limit
        self._message_url = message_url
        self._beginning: Mailbox[str | McpError] = Mailbox()
        self._wire = Wire()
        self._post = _Post(requests, name, crew)
        self.channel = Channel(name, self._post, hear, Diagnostics(name), self._stuck, limit)

    def open(self, deadline: Deadline) -> None:
        """Open the stream and wait for the URL to post to.

        Raises:
            ConnectFailed: there is no such stream, or it names a URL that is not to be trusted.
            McpTimeout: it does not name one in time.
        """
        reply = self._requests.send("GET", {"accept": "text/event-stream"}, deadline, wire=self._wire)
        if reply.status != 200 or "text/event-stream" not in (reply.headers.get("content-type") or ""):
            kind = reply.headers.get("content-type") or "nothing"
            reply.close()
            raise ConnectFailed(f"GET was answered by {reply.status} with {kind}, not by a stream", server=self._name)
        self._crew.start(self._read, reply)
        try:
            found = self._beginning.get(deadline)
        except TimeoutError:
            raise McpTimeout(
                "the stream did not say where to post messages", method="GET", waited=deadline.waited, server=self._name
            ) from None
        if isinstance(found, McpError):
            raise found
        self._post.url = self._message_url or self._resolved(found)

    def _resolved(self, endpoint: str) -> str:
        url = urljoin(self._requests.url, endpoint)
        if origin(url) != origin(self._requests.url):
            raise ConnectFailed(
                f"the server wants messages posted to {url}, which is not at {self._requests.url}",
                server=self._name,
                hint="if that is right, connect with `message_url`",
            )
        return url

    def _read(self, reply: HttpReply) -> None:
        events = Events(self._limit)
        why: McpError = ConnectionLost("the event stream ended", server=self._name)
        try:
            while chunk := reply.next_chunk(Deadline.never()):
                for event in events.feed(chunk):
                    self._take(event)
        except McpError as error:
            why = error
        finally:
            reply.close()
        self._ended(why)

    def _take(self, event: Event | Oversized) -> None:
        if isinstance(event, Oversized):
            self.channel.take(event)
        elif event.type == "endpoint":
            self._beginning.put(event.data.decode("utf-8", "replace").strip())
        elif event.type == "message" and event.data.strip():
            self.channel.take(event.data)

    def _ended(self, why: McpError) -> None:
        self._beginning.put(why)
        sentence, name = why.message, self._name
        if self.channel.end(lambda was_sent: ConnectionLost(sentence, was_sent=was_sent, server=name)):
            self._lost(why)

    def _stuck(self) -> None:
        self._ended(ConnectionLost("the server does not take messages any more", server=self._name))

    def close(self) -> None:
        """End the stream and every exchange on it."""
        name = self._name
        self.channel.end(lambda was_sent: ConnectionClosed("the client was closed", was_sent=was_sent, server=name))
        self._wire.cut()


class _Post:
    """Where the bytes of all exchanges go: each message is a POST of its own."""

    def __init__(self, requests: Requests, name: str, crew: Crew) -> None:
        self.url = ""
        self.taken = 0
        self.is_still = False
        self._requests = requests
        self._name = name
        self._crew = crew

    def write(self, data: bytes, deadline: Deadline) -> int:
        start = self.taken
        try:
            reply = self._requests.send("POST", {"content-type": "application/json"}, deadline, body=data, url=self.url)
        except McpTimeout as error:
            raise Unwritten(is_partial=error.was_sent) from error
        try:
            body = reply.read(_LONGEST_REFUSAL, deadline)
        finally:
            reply.close()
        if not 200 <= reply.status < 300:
            raise self._refused(reply, body)
        self.taken = max(self.taken, start + len(data))
        return start

    def _refused(self, reply: HttpReply, body: bytes) -> McpError:
        headers = {name.lower(): value for name, value in reply.headers}
        refused = refusal(reply.status, headers, body, has_session=True)
        if not isinstance(refused, McpError):
            refused = HttpError(
                "the server refuses the message", status=reply.status, body=body.decode("utf-8", "replace")
            )
        refused.server = self._name
        return refused

    def write_soon(self, data: bytes) -> None:
        self._crew.start(self._write_quietly, data)

    def _write_quietly(self, data: bytes) -> None:
        try:
            self.write(data, Deadline(5.0))
        except (McpError, Unwritten) as error:
            log.debug("%s: a message could not be sent: %s", self._name, error)
