# generated from src/dragoman/aio/transports/http_line.py by tools/unasync.py; do not edit
"""What lasts from one opening of an HTTP transport to the next: the engine, the session, the streams."""

from __future__ import annotations

from msgspec import Struct

from dragoman.deadline import Deadline
from dragoman.protocol.eras import Era
from dragoman.sync._runtime import Crew
from dragoman.sync.engines import engine_for
from dragoman.sync.transports import Hear, Lost
from dragoman.sync.transports.requests import HeaderSource, Requests
from dragoman.sync.transports.sse import SseStream
from dragoman.sync.transports.streamable import Streamable
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
        self._settings = settings
        self._hear = hear
        self._lost = lost
        self._engine = engine_for(settings.options)
        self._requests = Requests(settings.url, self._engine, settings.headers, settings.name)
        self.streamable = Streamable(self._requests, settings.name, self.crew, self._hear, self._lost, settings.limit)

    def open_stream(self, deadline: Deadline) -> None:
        """Speak HTTP+SSE from now on.

        Raises:
            TransportError, McpTimeout: there is no stream of events at this URL.
        """
        settings = self._settings
        stream = SseStream(
            self._requests, settings.name, self.crew, self._hear, self._lost, settings.limit, settings.message_url
        )
        try:
            stream.open(deadline)
        except BaseException:
            stream.close()
            raise
        self.stream = stream

    def end(self, *, farewell: bool = False) -> None:
        """End the streams and give the connections back; with `farewell`, tell the server that its session is over."""
        if self.stream is not None:
            self.stream.close()
        self.streamable.cut()
        self.crew.end()
        if farewell and self.era is not None:
            self.streamable.farewell(self.era)
        self._engine.close()
