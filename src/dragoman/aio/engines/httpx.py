"""HTTP by httpx2: by a client of the user's own, or by httpcore2, which is what httpx2 itself stands on."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal

import httpcore2
import httpx2

from dragoman.aio._runtime import Guard
from dragoman.aio.engines import HttpReply, HttpRequest, Wire, pools, reply_to
from dragoman.aio.engines._runtime import network_backend, patience, shut, span_of, through, within
from dragoman.aio.engines.exclusive import ExclusivePool, ExclusiveProxy
from dragoman.aio.engines.pools import Membership, Pools
from dragoman.deadline import Deadline
from dragoman.errors import McpError, UsageError
from dragoman.web import failures
from dragoman.web.keepalive import KEEPALIVE
from dragoman.web.messages import INTRODUCTION, UNCOMPRESSED, Headers, Origin, reachable, target_of
from dragoman.web.options import HttpOptions
from dragoman.web.proxies import Proxy, proxy_for
from dragoman.web.tls import context_for

__all__ = ["HttpxEngine"]

# httpx2 raises errors of its own, by the same names, for those of httpcore2.
_TIMEOUTS = (httpx2.TimeoutException, httpcore2.TimeoutException, TimeoutError)
_CONNECT_TIMEOUTS = (httpx2.ConnectTimeout, httpx2.PoolTimeout, httpcore2.ConnectTimeout, httpcore2.PoolTimeout)
_PROXYS = (httpx2.ProxyError, httpcore2.ProxyError)
_UNCONNECTED = (*_PROXYS, httpx2.ConnectError, httpcore2.ConnectError)
_FAILURES = (
    *_TIMEOUTS,
    httpx2.TransportError,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    OSError,
)
_ENDS = ("server disconnected", "peer closed", "<connectionterminated", "<streamreset")


class HttpxEngine:
    """An engine on httpx2, by a client of the user's or by httpcore2."""

    def __init__(self, options: HttpOptions) -> None:
        client = options.http_client
        if client is not None and not isinstance(client, httpx2.AsyncClient):
            hint = "give an httpx2.AsyncClient"
            raise UsageError(f"a {type(client).__name__} cannot be used as http_client here", hint=hint)
        self._membership = Membership(_pools, options)

    async def send(self, request: HttpRequest, deadline: Deadline, wire: Wire | None = None) -> HttpReply:
        pool = await self._membership.pool()
        attempt = _Attempt(request, deadline, wire or Wire(), sees_writing=not pool.is_foreign)
        try:
            with within(deadline):
                response = await pool.send(attempt)
        except BaseException as error:  # cancelled, or Ctrl-C: nobody waits for the answer
            attempt.break_off()
            if isinstance(error, _FAILURES):
                raise pools.learned(attempt.failed(error), request.origin) from error
            raise
        if isinstance(response, httpx2.Response):
            return await _foreign_reply(attempt, response)
        pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers)
        return await reply_to(request, response.status, Headers(tuple(pairs)), _Body(attempt, response))

    async def close(self) -> None:
        await self._membership.end()


async def _foreign_reply(attempt: _Attempt, response: httpx2.Response) -> HttpReply:
    headers = tuple(response.headers.multi_items())
    if response.is_stream_consumed:  # by a hook of the user's, and decoded
        plain = tuple(pair for pair in headers if pair[0].lower() != "content-encoding")
        return await reply_to(attempt.request, response.status_code, Headers(plain), _Whole(response.content))
    stream = response.extensions.get("network_stream")
    wake = None
    if stream is not None and response.http_version != "HTTP/2":
        wake = partial(shut, stream.get_extra_info("socket"))
        attempt.wire.hold(wake)
    return await reply_to(attempt.request, response.status_code, Headers(headers), _Body(attempt, response, wake))


# ---------------------------------------------------------------------------------------------------------- one request


class _Attempt:
    """What is known of one request while it is under way. Owned by `send`, and by the body after it."""

    __slots__ = ("break_off", "deadline", "phase", "proxy", "request", "sees_writing", "wire")

    def __init__(self, request: HttpRequest, deadline: Deadline, wire: Wire, *, sees_writing: bool) -> None:
        self.request = request
        self.deadline = deadline
        self.wire = wire
        self.sees_writing = sees_writing
        self.proxy: Proxy | None = None
        self.break_off: Callable[[], object] = lambda: None
        self.phase: Literal["connecting", "writing", "waiting"] = "connecting" if sees_writing else "waiting"

    def failed(self, error: Exception) -> McpError:
        """Say what an error means that came before there was an answer."""
        if self.wire.is_cut:
            return failures.connection_closed(self.request)
        if isinstance(error, _TIMEOUTS):
            is_connecting = isinstance(error, _CONNECT_TIMEOUTS)
            return failures.timed_out(self.request, self.deadline.waited, "connecting" if is_connecting else self.phase)
        if self.phase == "connecting" or isinstance(error, _UNCONNECTED) or failures.is_turned_away(error):
            # With a proxy, only TLS is made with the server itself.
            is_proxys = isinstance(error, _PROXYS) or not any(
                isinstance(each, ssl.SSLError) for each in failures.root_of(error)
            )
            return failures.connect_failed(self.request, error, self.proxy, is_proxys=is_proxys)
        if _is_no_http(error):
            return failures.not_http(self.request, error)
        return failures.connection_lost(self.request, error, is_answering=False)


def _is_no_http(error: Exception) -> bool:
    if not isinstance(error, httpx2.RemoteProtocolError | httpcore2.RemoteProtocolError):
        return False
    # The same class says that the connection ended: only the text tells.
    return not str(error).lower().startswith(_ENDS)


class _Patience(float):
    """A time-out that knows its request: httpcore2 hands it to the stream that is read or written for it."""

    attempt: _Attempt


# -------------------------------------------------------------------------------------------------------------- streams


class _Stream(httpcore2.AsyncNetworkStream):
    """A stream that waits for as long as the request may, and that only the one who uses it can shut."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._is_secure = stream.get_extra_info("ssl_object") is not None
        self._guard = Guard()
        self._user: Wire | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not isinstance(timeout, _Patience):
            return await self._stream.read(max_bytes, timeout)
        attempt = timeout.attempt
        self._use(attempt, "waiting")
        while True:
            try:
                return await self._stream.read(max_bytes, patience(attempt.deadline))
            except httpcore2.ReadTimeout:
                if attempt.deadline.expired and not attempt.deadline.waits_on():
                    raise

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if isinstance(timeout, _Patience):
            self._use(timeout.attempt, "writing")
            timeout = span_of(timeout.attempt.deadline)
        await self._stream.write(buffer, timeout)

    def _use(self, attempt: _Attempt, phase: Literal["writing", "waiting"]) -> None:
        # What is said to a proxy that is to make a tunnel is not the request.
        if self._is_secure or attempt.request.origin.scheme == "http":
            attempt.phase = phase
        if self._user is attempt.wire:
            return
        with self._guard:
            self._user = attempt.wire
        attempt.break_off = partial(self._hang_up, attempt.wire)
        attempt.wire.hold(partial(self._hang_up, attempt.wire))

    def _hang_up(self, user: Wire) -> None:
        with self._guard:
            if self._user is user:
                shut(self._stream.get_extra_info("socket"))

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        return _Stream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Backend(httpcore2.AsyncNetworkBackend):
    """Makes such streams."""

    def __init__(self) -> None:
        self._backend = network_backend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        options = [*(socket_options or ()), *KEEPALIVE]
        return _Stream(await self._backend.connect_tcp(host, port, timeout, local_address, options))


# ------------------------------------------------------------------------------------------------------------ the body


class _Body:
    """The body of one answer."""

    def __init__(
        self,
        attempt: _Attempt,
        response: httpcore2.Response | httpx2.Response,
        wake: Callable[[], None] | None = None,
    ) -> None:
        self._attempt = attempt
        self._wake = wake
        self._response = response
        stream: Any = response.stream
        self._chunks: Any = aiter(stream)
        self._reading = Guard()
        self._is_closed = False
        self._is_over = False

    async def next(self, deadline: Deadline) -> bytes:
        if not self._reading.acquire(blocking=False):
            raise UsageError("an answer is read by two at once")
        try:
            data = await self._read(deadline)
        finally:
            self._reading.release()
        if self._is_closed:
            await self._dispose()
        return data

    async def _read(self, deadline: Deadline) -> bytes:
        if self._is_over or self._is_closed:
            return self._after()
        self._attempt.deadline = deadline
        try:
            with within(deadline, self._wake):
                data: bytes = await anext(self._chunks, b"")
            self._check(deadline, is_end=not data)
        except BaseException as error:  # cancelled, or Ctrl-C: half of something may have been read
            self._attempt.break_off()
            await self._dispose()
            if isinstance(error, _FAILURES):
                raise self._failed(error, deadline) from error
            raise
        if not data:
            await self._dispose()
        return data

    def _after(self) -> bytes:
        if self._is_closed:
            raise failures.connection_closed(self._attempt.request)
        return b""

    def _check(self, deadline: Deadline, *, is_end: bool) -> None:
        if self._attempt.wire.is_cut:
            raise ConnectionAbortedError
        # A client of the user's own counts every wait anew.
        if not is_end and deadline.expired and not deadline.waits_on():
            raise TimeoutError

    def _failed(self, error: Exception, deadline: Deadline) -> McpError:
        request = self._attempt.request
        if self._attempt.wire.is_cut:
            return failures.connection_closed(request)
        if isinstance(error, _TIMEOUTS):
            return failures.timed_out(request, deadline.waited, "waiting")
        return failures.connection_lost(request, error, is_answering=True)

    async def close(self) -> None:
        if self._is_over or self._is_closed:
            return
        self._is_closed = True
        self._attempt.wire.cut()
        # Whoever reads at this moment wakes by that, and disposes of the connection itself.
        if self._reading.acquire(blocking=False):
            self._reading.release()
            await self._dispose()

    async def _dispose(self) -> None:
        if not self._is_over:
            self._is_over = True
            await self._chunks.aclose()
            await self._response.aclose()
            self._attempt.wire.let_go()


class _Whole:
    """A body that has been read already."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def next(self, deadline: Deadline) -> bytes:  # noqa: ARG002 - nothing is waited for
        data, self._data = self._data, b""
        return data

    async def close(self) -> None:
        self._data = b""


# ------------------------------------------------------------------------------------------------------------- the pool


class _Pool:
    """The connections of one place, as a pool of httpcore2's for each server; or a client of the user's own."""

    def __init__(self, options: HttpOptions) -> None:
        self._options = options
        self._guard = Guard()
        self._pools: dict[tuple[Origin, Proxy | None], httpcore2.AsyncConnectionPool] = {}
        self.is_foreign = options.http_client is not None

    async def send(self, attempt: _Attempt) -> httpcore2.Response | httpx2.Response:
        """Send a request."""
        if self.is_foreign:
            return await self._send_by(self._options.http_client, attempt)
        request, url = attempt.request, httpcore2.URL(reachable(attempt.request.url))
        url.target = target_of(request.url).encode()  # of which it has left out what follows a semicolon
        headers = request.with_defaults((*INTRODUCTION, ("Host", request.origin.told)))
        if request.body is not None:
            headers.append(("Content-Length", str(len(request.body))))
        prepared = httpcore2.Request(
            request.method,
            url,
            headers=[(name.encode(), value.encode()) for name, value in headers],
            content=request.body,
            extensions={"timeout": self._timeouts(attempt)},
        )
        return await through(self._pool(attempt), prepared)

    async def _send_by(self, client: httpx2.AsyncClient, attempt: _Attempt) -> httpx2.Response:
        if client.is_closed:
            raise UsageError("the http_client is closed", hint="close it after what uses it")
        request = attempt.request
        span = span_of(attempt.deadline)
        prepared = client.build_request(
            request.method,
            request.url,
            headers=request.with_defaults((UNCOMPRESSED,)),
            content=request.body,
            timeout=httpx2.Timeout(span, connect=self._connect_span(span)),
        )
        return await client.send(prepared, stream=True, follow_redirects=False)

    def _timeouts(self, attempt: _Attempt) -> dict[str, float | None]:
        span = span_of(attempt.deadline)
        patient = _Patience(0)
        patient.attempt = attempt
        return {"connect": self._connect_span(span), "pool": span, "read": patient, "write": patient}

    def _connect_span(self, span: float | None) -> float | None:
        limits = [limit for limit in (span, self._options.connect_timeout) if limit is not None]
        return min(limits) if limits else None

    def _pool(self, attempt: _Attempt) -> httpcore2.AsyncConnectionPool:
        origin = attempt.request.origin
        attempt.proxy = proxy_for(origin, self._options.proxy)
        with self._guard:
            key = origin, attempt.proxy
            if key not in self._pools:
                self._pools[key] = _new_pool(origin, attempt.proxy, self._options)
            return self._pools[key]

    async def close(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()


_pools: Pools[_Pool] = Pools(_Pool)


def _new_pool(origin: Origin, proxy: Proxy | None, options: HttpOptions) -> httpcore2.AsyncConnectionPool:
    settings: dict[str, Any] = {
        "max_connections": pools.CONNECTIONS,
        "keepalive_expiry": pools.IDLE,
        "network_backend": _Backend(),
        "http2": options.http2 and origin.scheme == "https",
    }
    if origin.scheme == "https":
        settings["ssl_context"] = context_for(options)
    if proxy is None:
        return ExclusivePool(**settings)
    proof = [] if proxy.authorization is None else [(b"Proxy-Authorization", proxy.authorization.encode())]
    if proxy.url.startswith("https:"):
        settings["proxy_ssl_context"] = context_for(options)
    return ExclusiveProxy(proxy.url, proxy_headers=proof, **settings)
