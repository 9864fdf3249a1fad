"""HTTP by aiohttp."""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from io import BytesIO
from typing import Any, NamedTuple
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from dragoman.aio.engines import HttpReply, HttpRequest, Wire, pools, reply_to
from dragoman.aio.engines._runtime import within
from dragoman.aio.engines.pools import Membership, Pools
from dragoman.deadline import Deadline
from dragoman.errors import McpError, UsageError
from dragoman.web import failures
from dragoman.web.keepalive import KEEPALIVE
from dragoman.web.messages import INTRODUCTION, UNCOMPRESSED, Headers, Pairs, completed, origin_of, reachable, target_of
from dragoman.web.options import HttpOptions
from dragoman.web.proxies import Proxy, proxy_for
from dragoman.web.tls import context_for

__all__ = ["DefaultEngine"]

_PROXYS = (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError)
_UNCONNECTED = (*_PROXYS, aiohttp.ClientConnectorError, aiohttp.ClientConnectorCertificateError)
_PROOF = "Proxy-Authorization"
_TURNS = 10
_LARGE = 512 * 1024
_LONGEST_LINE = 64 * 1024
"""Bytes of one header: as many as the sync colour takes, since policies and cookies of proxies are longer than aiohttp's 8 KiB."""


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
                answer = await pool.send(attempt)
        except _AIOHTTPS as error:
            raise pools.learned(attempt.failed(error), request.origin) from error
        headers = Headers(tuple(answer.headers.items()))
        return await reply_to(request, answer.status, headers, _Body(attempt, answer))

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
            return failures.connection_closed(self.request)
        is_unsent = not self.is_sent and self.sees_writing
        if isinstance(error, TimeoutError):
            is_connecting = is_unsent or isinstance(error, aiohttp.ConnectionTimeoutError)
            return failures.timed_out(self.request, self.deadline.waited, "connecting" if is_connecting else "waiting")
        if isinstance(error, aiohttp.InvalidURL):
            return UsageError(f"{self.request} cannot be sent: {error}")
        if is_unsent or isinstance(error, _UNCONNECTED) or failures.is_turned_away(error):
            # With a proxy, only TLS is made with the server itself.
            is_proxys = isinstance(error, _PROXYS) or not any(
                isinstance(each, ssl.SSLError) for each in failures.root_of(error)
            )
            return failures.connect_failed(self.request, error, self.proxy, is_proxys=is_proxys)
        if isinstance(error, aiohttp.ClientResponseError | HttpProcessingError):
            return failures.not_http(self.request, error)
        return failures.connection_lost(self.request, error, is_answering=False)


_AIOHTTPS = (aiohttp.ClientError, HttpProcessingError, OSError)
"""What aiohttp raises for what happens on the way; TimeoutError is an OSError."""


class _Answer(NamedTuple):
    """An answer of aiohttp's: what has come of it, where its body comes, and how to break it off."""

    status: int
    headers: Mapping[str, str]
    content: aiohttp.StreamReader
    break_off: Callable[[], None]


async def _ask(connection: Connection, data: bytes, attempt: _Attempt) -> _Answer | None:
    """Write a request and read the beginning of its answer; None where the server has closed the connection before.

    The connection is given back at the end of the answer's body.
    """
    transport, protocol = connection.transport, connection.protocol
    if transport is None or protocol is None or not await _is_open(transport, protocol):
        return None
    attempt.wire.hold(transport.abort)
    attempt.is_sent = True
    protocol.set_response_params(
        read_until_eof=True, auto_decompress=False, max_line_size=_LONGEST_LINE, max_field_size=_LONGEST_LINE
    )
    transport.write(data)
    message, content = await protocol.read()
    while 100 <= message.code < 200 and message.code != 101:  # the answer itself is yet to come
        message, content = await protocol.read()

    def give_back() -> None:
        attempt.wire.let_go()
        if transport.get_write_buffer_size():  # it was answered before it was read
            connection.close()
        else:
            connection.release()

    def break_off() -> None:
        if content.exception() is None:
            content.set_exception(aiohttp.ClientConnectionError("the answer was broken off"))
        connection.close()

    content.on_eof(give_back)
    return _Answer(message.code, message.headers, content, break_off)


async def _is_open(transport: asyncio.Transport, protocol: ResponseHandler) -> bool:
    """Look whether the server has said anything on a connection that nobody has asked anything on.

    What it can have said is that it closes, or, over TLS, something that the loop has to read first.
    """
    descriptor = transport.get_extra_info("socket").fileno()
    # A turn to read, and some for TLS to find out what it means.
    for _ in range(_TURNS):
        if descriptor < 0 or not protocol.is_connected() or protocol.should_close:
            return False
        if not _is_readable(descriptor):
            return True
        await asyncio.sleep(0)
    return False


def _is_readable(descriptor: int) -> bool:
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


# ------------------------------------------------------------------------------------------------------------ the body


class _Body:
    """The body of one answer."""

    __slots__ = ("_attempt", "_break_off", "_content", "_is_closed", "_is_read")

    def __init__(self, attempt: _Attempt, answer: _Answer) -> None:
        self._attempt = attempt
        self._break_off = answer.break_off
        self._content = answer.content
        self._is_read = False
        self._is_closed = False

    async def next(self, deadline: Deadline) -> bytes:
        request = self._attempt.request
        if self._is_closed:
            raise failures.connection_closed(request)
        if self._is_read:
            return b""
        try:
            data = self._content.read_nowait()
            if not data and not self._content.at_eof():
                data = await self._wait(deadline)
        except TimeoutError as error:
            await self.close()
            raise failures.timed_out(request, deadline.waited, "waiting") from error
        except (aiohttp.ClientError, OSError) as error:
            self._break_off()
            if rest := self._salvage():
                return rest
            is_cut = self._attempt.wire.is_cut
            await self.close()
            raise (
                failures.connection_closed(request)
                if is_cut
                else failures.connection_lost(request, error, is_answering=True)
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
            self._break_off()


# ----------------------------------------------------------------------------------------------------------- the pools


class _Route:
    """The way to one URL: what to ask aiohttp's connector by, and how a request begins.

    Attributes:
        asking: the request that stands for all of them when connections are looked for.
        proxy: the proxy on the way, or None.
    """

    def __init__(self, url: str, options: HttpOptions) -> None:
        origin = origin_of(url)
        self.proxy = proxy_for(origin, options.proxy)
        is_plain = origin.scheme == "http"
        proof = [] if self.proxy is None or not self.proxy.authorization else [(_PROOF, self.proxy.authorization)]
        to_proxy = CIMultiDict(proof)
        has_tls = not is_plain or (self.proxy is not None and self.proxy.url.startswith("https:"))
        self.asking = aiohttp.ClientRequest(
            "GET",
            _parsed(url),
            loop=asyncio.get_running_loop(),
            ssl=context_for(options) if has_tls else True,
            proxy=None if self.proxy is None else _parsed(self.proxy.url),
            proxy_headers=None if is_plain else to_proxy,
        )
        if not is_plain:
            # aiohttp adds it while it connects, and would not find that connection again by the headers without it.
            to_proxy["Host"] = self.asking.headers["Host"]
        # Not yarl's: it writes some characters in another way, which a signature may not survive.
        self._target = target_of(url)
        if is_plain and self.proxy is not None:
            self._target = f"http://{origin}{self._target}"
        self._defaults = (("Host", origin.told), *(proof if is_plain else ()), *INTRODUCTION)
        # Calls of one tool differ in their bodies alone.
        self._head = lru_cache(maxsize=64)(self._written)

    def message(self, request: HttpRequest) -> bytes:
        """Write a request as it goes over the line (RFC 9112, section 3)."""
        body, head = request.body or b"", self._head(request.method, request.headers)
        if not body and request.method == "GET":
            return b"%b\r\n" % head
        return b"%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body)

    def _written(self, method: str, headers: Pairs) -> bytes:
        whole = completed(headers, self._defaults)
        # RFC 9110, section 7.2: Host ought to come first.
        pairs = whole[len(headers) :] + whole[: len(headers)]
        lines = [f"{method} {self._target} HTTP/1.1", *(f"{name}: {value}" for name, value in pairs)]
        return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def _parsed(url: str) -> URL:
    try:
        return URL(reachable(url))
    except ValueError as error:
        raise aiohttp.InvalidURL(url, str(error)) from error


def _socket(address: tuple[Any, ...]) -> socket.socket:
    connection = socket.socket(*address[:3])
    connection.setblocking(False)
    for option in KEEPALIVE:
        connection.setsockopt(*option)
    return connection


class _Pool:
    """The connections of one loop: made, kept and read by aiohttp.

    Not by a session of its: the cookies, redirects and credentials that it sees to, and the task that it writes each
    request by, are wanted by nobody here, and take longer than all the rest.
    """

    is_foreign = False

    def __init__(self, options: HttpOptions) -> None:
        self._route = lru_cache(maxsize=256)(partial(_Route, options=options))
        # Time is left to our own deadline, except for connecting; aiohttp would round what is over 5 s up.
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=options.connect_timeout, ceil_threshold=float("inf")
        )
        self._connector = aiohttp.TCPConnector(
            limit=0, limit_per_host=pools.CONNECTIONS, keepalive_timeout=pools.IDLE, socket_factory=_socket
        )
        self._used: WeakSet[ResponseHandler | None] = WeakSet()

    async def send(self, attempt: _Attempt) -> _Answer:
        """Send a request, again for as long as the connection that is handed out for it is stale."""
        if self._connector.closed:
            raise failures.connection_closed(attempt.request)
        route = self._route(attempt.request.url)
        attempt.proxy = route.proxy
        data = route.message(attempt.request)
        while True:
            connection = await self._connector.connect(route.asking, [], self._timeout)
            protocol = connection.protocol
            is_kept = protocol in self._used
            self._used.add(protocol)
            try:
                # Of those that are kept it may be known that they are not worth it.
                is_used = not is_kept or not pools.closes_early(attempt.request.origin)
                answer = await _ask(connection, data, attempt) if is_used else None
            except BaseException:
                connection.close()
                raise
            if answer is not None:
                return answer
            connection.close()
            if not is_kept:
                cause = None if protocol is None else protocol.exception()
                raise aiohttp.ServerDisconnectedError("it was closed at once") from cause
            pools.learn_early_close(attempt.request.origin)

    async def close(self) -> None:
        await self._connector.close()


class _OwnSession:
    """An aiohttp session of the user's own, which knows its trust and proxies itself."""

    is_foreign = True

    def __init__(self, options: HttpOptions) -> None:
        self._session: aiohttp.ClientSession = options.http_client
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=options.connect_timeout, ceil_threshold=float("inf")
        )

    async def send(self, attempt: _Attempt) -> _Answer:
        request = attempt.request
        if self._session.closed:
            raise UsageError("the http_client is closed", hint="close it after what uses it")
        response = await self._session.request(
            request.method,
            reachable(request.url),
            data=_body(request.body),
            headers=request.with_defaults((UNCOMPRESSED,)),
            allow_redirects=False,
            auto_decompress=False,
            raise_for_status=False,
            timeout=self._timeout,
        )
        return _Answer(response.status, response.headers, response.content, response.close)

    async def close(self) -> None:
        """Leave it open: it is the user's."""


def _body(data: bytes | None) -> bytes | BytesIO | None:
    """Have a large body written in pieces: as one, it would hold up the loop, which aiohttp warns of."""
    return BytesIO(data) if data is not None and len(data) > _LARGE else data


def _pool(options: HttpOptions) -> _Pool | _OwnSession:
    return _Pool(options) if options.http_client is None else _OwnSession(options)


_pools: Pools[_Pool | _OwnSession] = Pools(_pool)
