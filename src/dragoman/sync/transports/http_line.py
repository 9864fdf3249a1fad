# generated from src/dragoman/aio/transports/http_line.py by tools/unasync.py; do not edit
"""What an HTTP transport has while it is open: the engine, the session, the streams."""

from __future__ import annotations

from msgspec import Struct

from dragoman.auth.choice import Auth, authorizer_for
from dragoman.auth.flow import WayAuthorizer
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionLost
from dragoman.protocol.eras import Era, Outgoing
from dragoman.protocol.jsonrpc import Message
from dragoman.sync._runtime import Crew
from dragoman.sync.authorized import Authorized
from dragoman.sync.engines import Engine, engine_for
from dragoman.sync.login import Login
from dragoman.sync.transports import Hear, Lost, Overhear
from dragoman.sync.transports.requests import HeaderSource, Requests
from dragoman.sync.transports.sse import SseStream
from dragoman.sync.transports.streamable import Streamable
from dragoman.web.messages import without_user
from dragoman.web.options import HttpOptions

__all__ = ["HttpLine", "HttpSettings"]


class HttpSettings(Struct, frozen=True):
    """What an HTTP transport was told: where the server is and what to call it, what to send along, how to get there."""

    url: str
    name: str
    headers: HeaderSource | None
    options: HttpOptions
    limit: int
    message_url: str | None
    auth: Auth = None


def _authorized(settings: HttpSettings, engine: Engine) -> Authorized | None:
    authorizer = authorizer_for(settings.auth, settings.url)
    if authorizer is None:
        return None
    way = authorizer.holder.way if isinstance(authorizer, WayAuthorizer) else None
    return Authorized(authorizer, Login(engine, way, settings.name))


class HttpLine:
    """The line to one server.

    Attributes:
        streamable: how the server is spoken to, unless there is a `stream`.
        stream: the stream of a server that speaks HTTP+SSE; None with Streamable HTTP.
        era: the era that was agreed on, None before that.
    """

    def __init__(self, settings: HttpSettings, hear: Hear, lost: Lost) -> None:
        self.crew = Crew(settings.name)
        self.stream: SseStream | None = None
        self.era: Era | None = None
        self._opening: SseStream | None = None
        self._settings = settings
        self._hear = hear
        self._lost = lost
        self._engine = engine_for(settings.options)
        self._authorized = _authorized(settings, self._engine)
        url = settings.url if settings.auth in (None, False) else without_user(settings.url)[0]
        self._requests = Requests(url, self._engine, settings.headers, settings.name, self._authorized)
        self.streamable = Streamable(self._requests, settings.name, settings.limit, self.crew, hear, lost)

    def renew(self, hear: Hear, lost: Lost) -> None:
        """Begin anew with the same server, without a session or a stream; requests under way go on."""
        name = self._settings.name
        if self.stream is not None:
            self.stream.end(lambda was_sent: ConnectionLost("its stream was lost", was_sent=was_sent, server=name))
        self.streamable.cut_streams()
        self._requests.lose()
        self.crew.end()
        self.crew, self._hear, self._lost = Crew(name), hear, lost
        self.stream = self.era = None
        self.streamable.begin(self.crew, hear, lost)

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Send a request and return the message that answers it; see `Transport.exchange`."""
        if self.stream is not None:
            return self.stream.channel.exchange(outgoing, overhear, deadline)
        return self.streamable.exchange(outgoing, overhear, deadline)

    def open_stream(self, deadline: Deadline) -> None:
        """Speak HTTP+SSE from now on.

        Raises:
            McpError: there is no stream of events at this URL, or none that may be used.
        """
        settings = self._settings
        stream = SseStream(
            self._requests, settings.name, self.crew, self._hear, self._lost, settings.limit, settings.message_url
        )
        self._opening = stream
        try:
            stream.open(deadline)
        except BaseException:
            stream.close()
            raise
        finally:
            self._opening = None
        self.stream = stream

    def end(self) -> None:
        """End the streams and all that is under way, say goodbye to the session, and give the connections back."""
        if self._authorized is not None:
            self._authorized.close()
        for stream in (self.stream, self._opening):
            if stream is not None:
                stream.close()
        self.streamable.cut()
        self._requests.cut()
        self.crew.end()
        if self.era is not None:
            self.streamable.farewell(self.era)
        if self._authorized is not None:
            self._authorized.end()
        self._requests.close()
        self._engine.close()
