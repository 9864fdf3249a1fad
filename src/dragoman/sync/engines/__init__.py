# generated from src/dragoman/aio/engines/__init__.py by tools/unasync.py; do not edit
"""The contract between a transport and the HTTP library below it.

    default  aiohttp, and urllib3 in the sync colour       httpx  httpx2, for both colours

An engine streams one request and its answer, and says precisely what went wrong: `was_sent` is False where the
request provably never reached the server. It follows no redirect, keeps no cookie and, unless it was asked to by
the environment or an option, knows no proxy. Connections are shared by all engines with the same options.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Protocol

from dragoman.deadline import Deadline
from dragoman.errors import McpError, UsageError
from dragoman.sync._runtime import Guard, alone
from dragoman.web.decoding import decoder_for
from dragoman.web.failures import over_limit
from dragoman.web.messages import Headers, HttpRequest
from dragoman.web.options import HttpOptions

__all__ = ["Body", "Engine", "HttpReply", "HttpRequest", "Wire", "engine_for", "reply_to"]


class Engine(Protocol):
    """Sends requests. Opens what it needs at the first of them, and gives it back at `close`."""

    def send(self, request: HttpRequest, deadline: Deadline, wire: Wire | None = None) -> HttpReply:
        """Send a request, and return its answer as soon as status and headers are there.

        Cutting the wire, from any thread, ends this and the reading of the answer. A request that meets a kept
        connection which the server had closed already is sent on another one; no other is ever sent twice.

        Raises:
            ConnectFailed: there is no connection; `was_sent` is False.
            ConnectionLost: the connection broke after the request had gone; it may have been processed.
            McpTimeout: the deadline came; `phase` is "connecting", "writing" or "waiting", `was_sent` says the rest.
            ConnectionClosed: the wire was cut. ProtocolError: what answers is not HTTP.
        """
        ...

    def close(self) -> None:
        """Give up the connections, which close when no other engine shares them. Harmless when closed already."""
        ...


class Body(Protocol):
    """The body of one answer, as an engine reads it."""

    def next(self, deadline: Deadline) -> bytes:
        """Return what has arrived, waiting if that is nothing; empty at the end, where the connection is kept.

        Raises:
            ConnectionLost, ConnectionClosed, McpTimeout, ProtocolError: see `Engine.send`; the connection is closed.
        """
        ...

    def close(self) -> None:
        """Close the connection, unless the body has ended. Wakes whoever reads; never raises."""
        ...


class Wire:
    """What one request travels on: whoever has it can cut it, from any thread, at any time.

    Attributes:
        is_cut: whether that has happened.
    """

    __slots__ = ("_guard", "_hang_up", "is_cut")

    def __init__(self) -> None:
        self.is_cut = False
        self._guard = Guard()
        self._hang_up: Callable[[], None] | None = None

    @alone
    def hold(self, hang_up: Callable[[], None]) -> None:
        """Learn how to break the connection that is now in use; broken at once if the wire has been cut."""
        self._hang_up = hang_up
        if self.is_cut:
            hang_up()

    @alone
    def let_go(self) -> None:
        """Forget the connection: it belongs to nobody, or to somebody else."""
        self._hang_up = None

    @alone
    def cut(self) -> None:
        """Break the connection. Never waits, never raises."""
        self.is_cut = True
        if self._hang_up is not None:
            self._hang_up()


class HttpReply:
    """An answer whose body is yet to be read; read it to its end, or close it.

    Attributes:
        request: what it answers.
        status: the HTTP status code.
        headers: the answer's headers.
    """

    __slots__ = ("_body", "_decoder", "headers", "request", "status")

    def __init__(self, request: HttpRequest, status: int, headers: Headers, body: Body) -> None:
        self.request = request
        self.status = status
        self.headers = headers
        self._body = body
        self._decoder = decoder_for(headers.get("content-encoding"), is_dispensable=not 200 <= status < 300)

    def next_chunk(self, deadline: Deadline) -> bytes:
        """Return the next bytes of the body as soon as there are any; empty at its end, for ever after.

        Cancelling this closes the connection.

        Raises:
            ConnectionLost, ConnectionClosed, McpTimeout, ProtocolError: see `Engine.send`.
        """
        if self._decoder is None:
            return self._body.next(deadline)
        while True:
            piece = self._decoder.decode() if self._decoder.has_more else self._next_decoded(deadline)
            if piece is None or piece:
                return piece or b""

    def _next_decoded(self, deadline: Deadline) -> bytes | None:
        assert self._decoder is not None
        data = self._body.next(deadline)
        try:
            if data:
                return self._decoder.decode(data)
            self._decoder.check_end()
        except McpError:
            self.close()
            raise
        return None

    def read(self, limit: int, deadline: Deadline) -> bytes:
        """Return the whole body.

        Raises:
            ProtocolError: it is longer than `limit` bytes; the connection is closed.
            ConnectionLost, ConnectionClosed, McpTimeout: see `Engine.send`.
        """
        chunks: list[bytes] = []
        size = 0
        following = self._body.next if self._decoder is None else self.next_chunk
        while chunk := following(deadline):
            size += len(chunk)
            if size > limit:
                self.close()
                raise over_limit(self.request, limit)
            chunks.append(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def drain(self, limit: int, deadline: Deadline) -> bool:
        """Read the rest of the body, so that its connection is used again; beyond `limit` bytes, close it instead.

        False where it was closed. Never raises: nobody wants what is drained. The deadline bounds it.
        """
        try:
            while chunk := self._body.next(deadline):
                limit -= len(chunk)
                if limit < 0:
                    self.close()
                    return False
        except McpError:
            self.close()
            return False
        return True

    def close(self) -> None:
        """Close the connection, unless the body was read to its end; tells the server that nobody waits. Never raises."""
        self._body.close()


def reply_to(request: HttpRequest, status: int, headers: Headers, body: Body) -> HttpReply:
    """Make the answer to a request; for engines.

    Raises:
        ProtocolError: its body has an encoding that cannot be undone; the connection is closed.
    """
    try:
        return HttpReply(request, status, headers, body)
    except McpError:
        body.close()
        raise


def engine_for(options: HttpOptions) -> Engine:
    """Return the engine for some options; its library is imported at its first request.

    Raises:
        UsageError: the `http_client` is none that this colour can use, or httpx2 is not installed.
    """
    if options.engine == "httpx" or _is_httpx(options.http_client):
        return _httpx_engine(options)
    from dragoman.sync.engines.default import DefaultEngine

    return DefaultEngine(options)


def _httpx_engine(options: HttpOptions) -> Engine:
    try:
        from dragoman.sync.engines.httpx import HttpxEngine
    except ImportError as error:
        raise UsageError(f"{error.name} is not installed", hint="pip install 'dragoman[httpx]'") from error
    # Left to itself, httpcore2 would miss it at the first connection, and say less.
    if options.http2 and find_spec("h2") is None:
        raise UsageError("HTTP/2 needs h2, which is not installed", hint="pip install 'httpx2[http2]'")
    return HttpxEngine(options)


def _is_httpx(client: object) -> bool:
    return any(each.__module__.partition(".")[0] == "httpx2" for each in type(client).__mro__)
