"""Reach a server by its URL, whichever HTTP transport it speaks.

Streamable HTTP is tried first. A server that refuses the handshake there with 400, 404 or 405, and in no words of the
protocol, may speak HTTP+SSE (2024-11-05): then the same URL is asked for a stream of events.
"""

from __future__ import annotations

import logging

from dragoman.aio._runtime import Home
from dragoman.aio.transports import Hear, HearAll, Lost, Overhear
from dragoman.aio.transports.http_line import HttpLine, HttpSettings
from dragoman.aio.transports.requests import HeaderSource, without_secrets
from dragoman.aio.unreached import is_the_users
from dragoman.auth.choice import Auth, authorizer_for
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, HttpError, McpError, McpTimeout
from dragoman.protocol.eras import VERSIONS, Era, Outgoing
from dragoman.protocol.framing import MESSAGE_LIMIT
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.recovery import RECONNECTING
from dragoman.web.messages import origin_of
from dragoman.web.options import HttpOptions

__all__ = ["HttpTransport"]

log = logging.getLogger("dragoman.aio")

_MAY_SPEAK_SSE = frozenset({400, 404, 405})
_CANCEL = 5.0

_known_to_speak_sse: set[str] = set()


class HttpTransport:
    """A server at a URL.

    Args:
        url: http or https. A redirect within its origin, or to https, moves it.
        headers: for every request, a mapping, or a function that is given each call's `Context` and returns one.
        options: how servers are reached: trust, proxies, the engine.
        name: what to call the server in messages; by default its host.
        limit: the most bytes that one message may have.
        message_url: where to post messages to a server that speaks HTTP+SSE, in place of where it says.
        auth: how to be authorized: by default by OAuth, when the server wants it; a token, or a function that returns
            one; `OAuth(...)` and the like; False for never.
    """

    mirrors_arguments = True
    asks_apart = True
    restarts = RECONNECTING

    def __init__(
        self,
        url: str,
        *,
        headers: HeaderSource | None = None,
        options: HttpOptions | None = None,
        name: str | None = None,
        limit: int = MESSAGE_LIMIT,
        message_url: str | None = None,
        auth: Auth = None,
    ) -> None:
        self._settings = HttpSettings(
            url, name or str(origin_of(url)), headers, options or HttpOptions(), limit, message_url, auth
        )
        authorizer_for(auth, url)  # what is wrong with it is said here, not when it is opened
        self._attempts: list[str] = []
        self._home = Home()
        self._line: HttpLine | None = None

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        return self._settings.name

    @property
    def key(self) -> str:
        """The URL, without its secrets."""
        return without_secrets(self._settings.url)

    @property
    def session_id(self) -> str | None:
        """The id of the session; None without one."""
        return None if self._line is None else self._line.streamable.session

    def protocol_versions(self) -> tuple[str, ...]:
        """Name every version: each has an HTTP transport."""
        return VERSIONS

    def __repr__(self) -> str:
        return f"HttpTransport({self.key!r})"

    # -------------------------------------------------------------------------------------------- opening and closing

    async def open(self, hear: Hear, lost: Lost, deadline: Deadline) -> None:
        """Get ready to send; the first request makes the connection."""
        self._home = Home()
        self._attempts = []
        line = self._line
        if line is None:
            line = self._line = HttpLine(self._settings, hear, lost)
        else:
            await line.renew(hear, lost)
        if self.key in _known_to_speak_sse:
            await self._open_known_stream(line, deadline)

    async def _open_known_stream(self, line: HttpLine, deadline: Deadline) -> None:
        try:
            await line.open_stream(deadline)
        except (HttpError, McpTimeout) as error:
            if is_the_users(error):
                raise
            # It may be another server by now.
            _known_to_speak_sse.discard(self.key)
            self._attempted("event stream", error)

    async def settled(self, era: Era, deadline: Deadline) -> None:
        """Open what belongs to a session, now that there is one."""
        line = self._opened()
        line.era = era
        if line.stream is None:
            await line.streamable.stand(era, deadline)

    def sever(self) -> None:
        """Nothing of it runs elsewhere."""

    async def close(self) -> None:
        """End the session and its streams, within a bounded time; harmless when that is done."""
        line, self._line = self._line, None
        if line is not None:
            await line.end()

    # ------------------------------------------------------------------------------------------------------ exchanges

    async def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Send a request and return the message that answers it; see `Transport.exchange`."""
        line, method = self._opened(), outgoing.request.method
        try:
            return await line.exchange(outgoing, overhear, deadline)
        except McpTimeout as error:
            if error.method not in {method, "login"}:  # that is the user's time, and no request's
                error.method, error.message = method, f"{method}: {error.message}"
            raise
        except HttpError as error:
            self._attempted(method, error)
            if line.stream is not None or method != "initialize" or error.status not in _MAY_SPEAK_SSE:
                raise
            await self._fall_back(line, error, deadline)
        return await line.exchange(outgoing, overhear, deadline)

    def _attempted(self, what: str, error: McpError) -> None:
        """Remember what was tried, for as long as there is no era."""
        if self._line is not None and self._line.era is None:
            log.info("%s: %s: %s", self.name, what, error.message)
            self._attempts.append(f"{what}: {error.message}")

    async def _fall_back(self, line: HttpLine, refused: HttpError, deadline: Deadline) -> None:
        """Open a stream of events instead, as servers of 2024-11-05 have it.

        Raises:
            HttpError: there is none either; the hint tells all that was tried.
            ConnectFailed, AuthError: there is one, and it cannot be used.
        """
        try:
            await line.open_stream(deadline)
        except (HttpError, McpTimeout) as error:
            self._attempted("event stream", error)
            refused.hint = "; ".join(filter(None, [refused.hint, "tried", *self._attempts]))
            raise refused from error
        _known_to_speak_sse.add(self.key)

    async def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> None:
        """Send a request whose messages are heard as they come; see `Transport.listen`."""
        line = self._opened()
        if line.stream is not None:
            await line.stream.channel.listen(outgoing, hear, deadline)
        else:
            await line.streamable.listen(outgoing, hear, deadline)

    async def tell(self, data: bytes, era: Era, deadline: Deadline) -> None:
        """Send a notification, or the answer to a request of the server's; see `Transport.tell`."""
        line = self._opened()
        if line.stream is not None:
            await line.stream.channel.tell(data, deadline)
        else:
            await line.streamable.tell(data, era, deadline)

    def forget(self, outgoing: Outgoing) -> None:
        """Drop whatever still comes for a request, without a word to the server."""
        line = self._line
        if line is not None and line.stream is not None:
            line.stream.channel.forget(outgoing.id)
        elif line is not None:
            line.streamable.forget(outgoing)

    def abandon(self, outgoing: Outgoing) -> None:
        """Let the server know that nobody waits for this request any more. Never waits, never raises."""
        self.forget(outgoing)
        line, notice = self._line, outgoing.era.cancel(outgoing.id)
        if line is not None and notice is not None and not outgoing.era.closing_cancels:
            line.crew.start(self._tell_quietly, notice, outgoing.era)

    async def _tell_quietly(self, notice: bytes, era: Era) -> None:
        try:
            await self.tell(notice, era, Deadline(_CANCEL))
        except McpError as error:
            log.debug("%s: the server could not be told that nobody waits: %s", self.name, error)

    def _opened(self) -> HttpLine:
        self._home.check()
        if self._line is None:
            raise ConnectionClosed("the client is closed", was_sent=False, server=self.name)
        return self._line
