"""HTTP by aiohttp."""

from __future__ import annotations

import asyncio
import select
from contextvars import ContextVar
from functools import lru_cache
from io import BytesIO
from typing import Any

import aiohttp
from aiohttp.connector import Connection

from dragoman.aio.engines import HttpReply, HttpRequest, Wire, pools, reply_to
from dragoman.aio.engines._runtime import within
from dragoman.aio.engines.pools import Membership, Pools
from dragoman.deadline import Deadline
from dragoman.errors import McpError, UsageError
from dragoman.web.failures import connect_failed, connection_closed, connection_lost, not_http, timed_out
from dragoman.web.messages import INTRODUCTION, UNCOMPRESSED, Headers
from dragoman.web.options import HttpOptions
from dragoman.web.proxies import Proxy, proxy_for
from dragoman.web.tls import context_for

__all__ = ["DefaultEngine"]

_PROXYS = (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError)
_UNCONNECTED = (*_PROXYS, aiohttp.ClientConnectorError, aiohttp.ClientConnectorCertificateError)
_TURNS = 10
_LARGE = 512 * 1024


class DefaultEngine:
    """An engine on aiohttp."""

    def __init__(self, options: HttpOptions) -> None:
        if options.http_client is not None and not isinstance(options.http_client, aiohttp.ClientSession):
            kind = type(options.http_client).__name__
            hint = "give an aiohttp.ClientSession, or an httpx2.AsyncClient"
            raise UsageError(f"a {kind} cannot be used as http_client here", hint=hint)
        self._membership = Membership(_pools, options)

    async def send(self, request: HttpRequest, deadline: Deadline, wire: Wire | None = None) -> HttpReply:
        pool = await self._membership.pool()
        attempt = _Attempt(request, deadline, wire or Wire(), sees_writing=not pool.is_foreign)
        try:
            with within(deadline):
                response = await pool.send(attempt)
        except _AIOHTTPS as error:
            raise attempt.failed(error) from error
        headers = Headers(tuple(response.headers.items()))
        return await reply_to(request, response.status, headers, _Body(attempt, response))

    async def close(self) -> None:
        await self._membership.end()


# ---------------------------------------------------------------------------------------------------------- one request


class _Attempt:
    """What is known of one request while it is under way. Owned by `send`, and by the body after it."""

    __slots__ = ("deadline", "is_sent", "proxy", "request", "sees_writing", "wire")

    def __init__(self, request: HttpRequest, deadline: Deadline, wire: Wire, *, sees_writing: bool) -> None:
        self.request = request
        self.deadline = deadline
        self.wire = wire
        self.sees_writing = sees_writing
        self.proxy: Proxy | None = None
        self.is_sent = False

    def failed(self, error: Exception) -> McpError:
        """Say what an error means that came before there was an answer."""
        if self.wire.is_cut:
            return connection_closed(self.request)
        is_unsent = not self.is_sent and self.sees_writing
        if isinstance(error, TimeoutError):
            is_connecting = is_unsent or isinstance(error, aiohttp.ConnectionTimeoutError)
            return timed_out(self.request, self.deadline.waited, "connecting" if is_connecting else "waiting")
        if isinstance(error, aiohttp.InvalidURL):
            return UsageError(f"{self.request} cannot be sent: {error}")
        if is_unsent or isinstance(error, _UNCONNECTED):
            return connect_failed(self.request, error, self.proxy, is_proxys=isinstance(error, _PROXYS))
        if isinstance(error, aiohttp.ClientResponseError):
            return not_http(self.request, error)
        return connection_lost(
            self.request, error.__cause__ if isinstance(error, _Broken) else error, is_answering=False
        )


_current: ContextVar[_Attempt] = ContextVar("dragoman_http_attempt")


class _Stale(Exception):
    """The kept connection that a request was given had been closed by the server: nothing was written."""


class _Broken(Exception):
    """The connection broke after the request had gone. Of a kind that aiohttp does not answer by sending it again."""


_AIOHTTPS = (aiohttp.ClientError, OSError, _Broken)
"""What aiohttp raises for what happens on the way; TimeoutError is an OSError."""


class _CheckedRequest(aiohttp.ClientRequest):
    """A request that is not written to a connection which the server has closed."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        attempt = _current.get()
        await _check(conn)
        transport = conn.transport
        assert transport is not None
        attempt.wire.hold(transport.abort)
        attempt.is_sent = True
        return await super().send(conn)


async def _check(connection: Connection) -> None:
    """Look whether the server has said anything on a connection that nobody has asked anything on.

    What it can have said is that it closes, or, over TLS, something that the loop has to read first.

    Raises:
        _Stale: it has closed it.
    """
    transport, protocol = connection.transport, connection.protocol
    if transport is None or protocol is None:
        raise _Stale
    descriptor = transport.get_extra_info("socket").fileno()
    # A turn to read, and some for TLS to find out what it means.
    for _ in range(_TURNS):
        if descriptor < 0 or not protocol.is_connected() or protocol.should_close:
            raise _Stale
        if not _is_readable(descriptor):
            return
        await asyncio.sleep(0)
    raise _Stale


def _is_readable(descriptor: int) -> bool:
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


async def _send_once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    try:
        return await handler(request)
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        if isinstance(error, _UNCONNECTED):
            raise
        raise _Broken from error


# ------------------------------------------------------------------------------------------------------------ the body


class _Body:
    """The body of one answer."""

    __slots__ = ("_attempt", "_content", "_is_closed", "_is_read", "_response")

    def __init__(self, attempt: _Attempt, response: aiohttp.ClientResponse) -> None:
        self._attempt = attempt
        self._response = response
        self._content = response.content
        self._is_read = False
        self._is_closed = False

    async def next(self, deadline: Deadline) -> bytes:
        request = self._attempt.request
        if self._is_closed:
            raise connection_closed(request)
        if self._is_read:
            return b""
        try:
            data = self._content.read_nowait() or await self._wait(deadline)
        except TimeoutError as error:
            await self.close()
            raise timed_out(request, deadline.waited, "waiting") from error
        except (aiohttp.ClientError, OSError) as error:
            if rest := self._salvage():
                return rest
            is_cut = self._attempt.wire.is_cut
            await self.close()
            raise (
                connection_closed(request) if is_cut else connection_lost(request, error, is_answering=True)
            ) from error
        if not data:
            self._is_read = True
            self._attempt.wire.let_go()
        return data

    async def _wait(self, deadline: Deadline) -> bytes:
        try:
            with within(deadline):
                return await self._content.readany()
        except asyncio.CancelledError:
            await self.close()
            raise

    def _salvage(self) -> bytes:
        """Return what came before the connection broke, which aiohttp would drop."""
        return b"" if self._attempt.wire.is_cut else self._content._read_nowait(-1)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - no public way

    async def close(self) -> None:
        self._is_read = self._is_read or self._content.at_eof()
        if not self._is_read and not self._is_closed:
            self._is_closed = True
            self._attempt.wire.cut()
            self._response.close()


# ------------------------------------------------------------------------------------------------------------- the pool


class _Pool:
    """The connections of one loop, as an aiohttp session; one of the user's own knows its trust and proxies itself."""

    def __init__(self, options: HttpOptions) -> None:
        self._options = options
        self.is_foreign = options.http_client is not None
        self._session: aiohttp.ClientSession = options.http_client if self.is_foreign else _session()

    async def send(self, attempt: _Attempt) -> aiohttp.ClientResponse:
        """Send a request, again for as long as the connection that is handed out for it is stale."""
        request = attempt.request
        headers = request.with_defaults((UNCOMPRESSED,) if self.is_foreign else INTRODUCTION)
        settings: dict[str, Any] = {} if self.is_foreign else self._settings(attempt, headers)
        if self._session.closed:
            raise self._closed(request)
        token = _current.set(attempt)
        try:
            return await self._send(request, headers, settings)
        finally:
            _current.reset(token)

    async def _send(
        self, request: HttpRequest, headers: list[tuple[str, str]], settings: dict[str, Any]
    ) -> aiohttp.ClientResponse:
        while True:
            try:
                return await self._session.request(
                    request.method,
                    request.url,
                    data=_body(request.body),
                    headers=headers,
                    allow_redirects=False,
                    auto_decompress=False,
                    raise_for_status=False,
                    timeout=_timeout(self._options.connect_timeout),
                    **settings,
                )
            except _Stale:
                continue

    def _closed(self, request: HttpRequest) -> McpError:
        if self.is_foreign:
            return UsageError("the http_client is closed", hint="close it after what uses it")
        return connection_closed(request)

    def _settings(self, attempt: _Attempt, headers: list[tuple[str, str]]) -> dict[str, Any]:
        """Say what is to be done about TLS and proxies; what a plain proxy has to know goes into the headers."""
        origin = attempt.request.origin
        settings: dict[str, Any] = {}
        if origin.scheme == "https":
            settings["ssl"] = context_for(self._options)
        attempt.proxy = proxy = proxy_for(origin, self._options.proxy)
        if proxy is not None:
            settings["proxy"] = proxy.url
            if proxy.authorization is not None:
                proof = ("Proxy-Authorization", proxy.authorization)
                if origin.scheme == "https":
                    settings["proxy_headers"] = dict([proof])
                else:
                    headers.append(proof)
        return settings

    async def close(self) -> None:
        if not self.is_foreign:
            await self._session.close()


_pools: Pools[_Pool] = Pools(_Pool)


def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, limit_per_host=pools.CONNECTIONS, keepalive_timeout=pools.IDLE),
        cookie_jar=aiohttp.DummyCookieJar(),
        request_class=_CheckedRequest,
        middlewares=(_send_once,),
        skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
    )


def _body(data: bytes | None) -> bytes | BytesIO | None:
    """Have a large body written in pieces: as one, it would hold up the loop, which aiohttp warns of."""
    return BytesIO(data) if data is not None and len(data) > _LARGE else data


@lru_cache(maxsize=64)
def _timeout(connect: float | None) -> aiohttp.ClientTimeout:
    """Leave time to our own deadline, except for connecting; aiohttp would round what is over 5 s up."""
    return aiohttp.ClientTimeout(total=None, sock_connect=connect, ceil_threshold=float("inf"))
