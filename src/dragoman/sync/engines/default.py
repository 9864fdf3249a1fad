"""HTTP by urllib3."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from contextvars import ContextVar
from functools import partial
from http.client import HTTPException, IncompleteRead, RemoteDisconnected
from math import inf
from typing import Any, Literal

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    EmptyPoolError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
)
from urllib3.exceptions import TimeoutError as PoolTimeout
from urllib3.response import BaseHTTPResponse

from dragoman.deadline import Deadline
from dragoman.errors import McpError, UsageError
from dragoman.sync._runtime import Guard
from dragoman.sync.engines import HttpReply, HttpRequest, Wire, pools, reply_to
from dragoman.sync.engines._runtime import PatientSocket, PatientTlsSocket, WholeResponse, connected, shut, span_of
from dragoman.sync.engines.pools import Membership, Pools
from dragoman.web import failures
from dragoman.web.messages import INTRODUCTION, UNCOMPRESSED, Headers
from dragoman.web.options import HttpOptions
from dragoman.web.proxies import Proxy, proxy_for
from dragoman.web.tls import context_for

__all__ = ["DefaultEngine"]

_CHUNK = 64 * 1024


class DefaultEngine:
    """An engine on urllib3."""

    def __init__(self, options: HttpOptions) -> None:
        if options.http_client is not None and not isinstance(options.http_client, urllib3.PoolManager):
            kind = type(options.http_client).__name__
            hint = "give a urllib3.PoolManager, or an httpx2.Client"
            raise UsageError(f"a {kind} cannot be used as http_client here", hint=hint)
        self._connect_timeout = options.connect_timeout
        self._membership = Membership(_pools, options)

    def send(self, request: HttpRequest, deadline: Deadline, wire: Wire | None = None) -> HttpReply:
        pool = self._membership.pool()
        attempt = _Attempt(request, deadline, wire or Wire(), self._connect_timeout, sees_writing=not pool.is_foreign)
        try:
            response = pool.send(attempt)
        except (HTTPError, OSError, HTTPException) as error:
            raise pools.learned(attempt.failed(error), request.origin) from error
        headers = Headers(tuple(response.headers.items()))
        return reply_to(request, response.status, headers, _Body(attempt, response))

    def close(self) -> None:
        self._membership.end()


# ---------------------------------------------------------------------------------------------------------- one request


class _Attempt:
    """What is known of one request while it is under way. Owned by `send`, and by the body after it."""

    def __init__(
        self, request: HttpRequest, deadline: Deadline, wire: Wire, connect_timeout: float | None, *, sees_writing: bool
    ) -> None:
        self.request = request
        self.deadline = deadline
        self.wire = wire
        self.connect_timeout = connect_timeout
        self.sees_writing = sees_writing
        self.proxy: Proxy | None = None
        self.line: PatientSocket | PatientTlsSocket | None = None
        self.phase: Literal["connecting", "writing", "waiting"] = "connecting" if sees_writing else "waiting"

    def failed(self, error: Exception) -> McpError:
        """Say what an error means that came before there was an answer."""
        if self.wire.is_cut:
            return failures.connection_closed(self.request)
        chain = list(failures.root_of(error))
        if any(_is_timeout(each) for each in chain):
            is_connecting = any(isinstance(each, ConnectTimeoutError | EmptyPoolError) for each in chain)
            return failures.timed_out(self.request, self.deadline.waited, "connecting" if is_connecting else self.phase)
        if self._is_unsent(chain):
            # With a proxy, only TLS is made with the server itself.
            is_proxys = self.proxy is not None and not any(isinstance(each, ssl.SSLError) for each in chain)
            return failures.connect_failed(self.request, error, self.proxy, is_proxys=is_proxys)
        if broken := next((each for each in chain if _is_no_http(each)), None):
            return failures.not_http(self.request, broken)
        return failures.connection_lost(self.request, error, is_answering=False)

    def _is_unsent(self, chain: list[BaseException]) -> bool:
        # urllib3 says of TLS and of a proxy that they failed, whether that was before a request had left or after.
        is_early = self.phase == "connecting" if self.sees_writing else any(_is_of_connecting(each) for each in chain)
        return is_early or failures.is_turned_away(chain[0])


def _is_of_connecting(error: BaseException) -> bool:
    return isinstance(error, NewConnectionError | ssl.SSLCertVerificationError) or "Tunnel connection failed" in str(
        error
    )


def _is_timeout(error: BaseException) -> bool:
    if isinstance(error, NewConnectionError):  # which urllib3 counts among the time-outs
        return False
    return isinstance(error, TimeoutError | PoolTimeout | EmptyPoolError)


def _is_no_http(error: BaseException) -> bool:
    return isinstance(error, HTTPException) and not isinstance(error, RemoteDisconnected | IncompleteRead)


_current: ContextVar[_Attempt] = ContextVar("dragoman_http_attempt")


class _Stale(Exception):
    """The kept connection that a request was given had been closed by the server: nothing was written."""


class _Connection(HTTPConnection):
    """A connection that waits for as long as the request may, and drops out of the pool after a few idle seconds."""

    response_class = WholeResponse

    def _new_conn(self) -> socket.socket:
        attempt = _current.get()
        limit = inf if attempt.connect_timeout is None else attempt.connect_timeout
        try:
            connection = connected(self._dns_host, self.port, attempt.deadline.within(limit))
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        except TimeoutError as error:
            raise ConnectTimeoutError(self, "no connection in time") from error
        except OSError as error:
            raise NewConnectionError(self, str(error)) from error
        connection.deadline = attempt.deadline  # of what is said to a proxy
        return connection

    @property
    def is_connected(self) -> bool:
        used_at, origin = getattr(self.sock, "used_at", inf), _current.get().request.origin
        return self.sock is not None and pools.is_worth_using(origin, used_at, is_open=super().is_connected)

    def request(self, *arguments: Any, **settings: Any) -> None:
        attempt = _current.get()
        is_kept = self.sock is not None
        if self.sock is None:
            self.connect()
        attempt.phase = "writing"
        connection: Any = self.sock
        if isinstance(connection, PatientSocket | PatientTlsSocket):
            self._request_as_one(connection, attempt, is_kept, arguments, settings)
        else:  # TLS to a server within TLS to a proxy
            super().request(*arguments, **settings)
        attempt.phase = "waiting"

    def _request_as_one(
        self,
        connection: PatientSocket | PatientTlsSocket,
        attempt: _Attempt,
        is_kept: bool,
        arguments: tuple[Any, ...],
        settings: dict[str, Any],
    ) -> None:
        """Write headers and body together: they make one packet, and the server wakes once."""
        connection.use(attempt.wire, attempt.deadline)
        attempt.wire.hold(partial(connection.hang_up, attempt.wire))
        attempt.line = connection
        connection.held = []
        super().request(*arguments, **settings)
        try:
            connection.flush()
        except (BrokenPipeError, ConnectionResetError) as error:
            if is_kept and not connection.taken and not attempt.wire.is_cut:
                raise _Stale from error
            raise


class _TlsConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class _Connections(HTTPConnectionPool):
    """The connections to one host."""

    ConnectionCls: Any = _Connection

    def __init__(self, host: str, port: int | None = None, *, maxsize: int = 1, **settings: Any) -> None:
        super().__init__(host, port, maxsize=1, **settings)
        # urllib3 would put the free places in one by one, which takes as long as all the rest of connecting.
        assert self.pool is not None
        self.pool.maxsize = maxsize
        self.pool.queue.extend([None] * (maxsize - 1))


class _TlsConnections(_Connections, HTTPSConnectionPool):
    """The connections to one host over TLS."""

    ConnectionCls: Any = _TlsConnection

    def _validate_conn(self, conn: Any) -> None:
        # Without the warning at every request that certificates are not checked: the option has warned of that once.
        if conn.is_closed:
            conn.connect()


# ------------------------------------------------------------------------------------------------------------ the body


class _Body:
    """The body of one answer."""

    def __init__(self, attempt: _Attempt, response: BaseHTTPResponse) -> None:
        self._attempt = attempt
        self._response = response
        self._reading = Guard()
        self._is_closed = False
        self._is_read = False
        if attempt.line is None:
            self._hold_foreign()

    def _hold_foreign(self) -> None:
        connection = getattr(self._response.connection, "sock", None)
        if connection is not None:
            self._attempt.wire.hold(partial(shut, connection))

    def next(self, deadline: Deadline) -> bytes:
        if not self._reading.acquire(blocking=False):
            raise UsageError("an answer is read by two at once")
        try:
            data = self._read(deadline)
        finally:
            self._reading.release()
        if self._is_closed:
            self._dispose()
        return data

    def _read(self, deadline: Deadline) -> bytes:
        attempt = self._attempt
        if self._is_closed:
            raise failures.connection_closed(attempt.request)
        if self._is_read:
            return b""
        try:
            self._be_patient(deadline)
            data = self._response.read1(_CHUNK, decode_content=False)
        except (HTTPError, OSError, HTTPException) as error:
            raise self._failed(error, deadline) from error
        except BaseException:  # Ctrl-C: half of something may have been read
            self._is_closed = True
            self._dispose()
            raise
        if not data:
            if attempt.wire.is_cut and not self._is_read:
                raise self._failed(None, deadline)
            self._is_read = True
            attempt.wire.let_go()
        return data or b""

    def _be_patient(self, deadline: Deadline) -> None:
        if self._attempt.line is not None:
            self._attempt.line.deadline = deadline
            return
        connection = getattr(self._response.connection, "sock", None)
        if connection is not None:
            connection.settimeout(span_of(deadline))

    def _failed(self, error: Exception | None, deadline: Deadline) -> McpError:
        self._is_closed = True
        request, is_cut = self._attempt.request, self._attempt.wire.is_cut
        self._dispose()
        if is_cut or error is None:
            return failures.connection_closed(request)
        if any(_is_timeout(each) for each in failures.root_of(error)):
            return failures.timed_out(request, deadline.waited, "waiting")
        return failures.connection_lost(request, error, is_answering=True)

    def close(self) -> None:
        if self._is_read or self._is_closed:
            return
        self._is_closed = True
        self._attempt.wire.cut()
        # Whoever reads in another thread wakes by that, and disposes of the connection itself.
        if self._reading.acquire(blocking=False):
            self._reading.release()
            self._dispose()

    def _dispose(self) -> None:
        if not self._is_read:
            self._is_read = True
            self._response.close()
            self._response.release_conn()


# ------------------------------------------------------------------------------------------------------------- the pool


class _Pool:
    """The connections of one process, as urllib3's managers; one of the user's own knows its trust and proxies itself."""

    def __init__(self, options: HttpOptions) -> None:
        self._options = options
        self._guard = Guard()
        self._managers: dict[tuple[str, Proxy | None], urllib3.PoolManager] = {}
        self.is_foreign = options.http_client is not None

    def send(self, attempt: _Attempt) -> BaseHTTPResponse:
        """Send a request, again for as long as the connection that is handed out for it is stale."""
        manager = self._manager(attempt)
        token = _current.set(attempt)
        try:
            while True:
                try:
                    return self._send(manager, attempt)
                except _Stale:
                    attempt.phase = "connecting"
        finally:
            _current.reset(token)

    def _send(self, manager: urllib3.PoolManager, attempt: _Attempt) -> BaseHTTPResponse:
        request, left = attempt.request, attempt.deadline.remaining
        return manager.urlopen(
            request.method,
            request.url,
            body=request.body,
            headers=_headers(self._pairs(manager, request)),
            redirect=False,
            retries=False,
            preload_content=False,
            decode_content=False,
            pool_timeout=None if left == inf else left,
            timeout=self._timeout(left),
        )

    def _pairs(self, manager: urllib3.PoolManager, request: HttpRequest) -> list[tuple[str, str]]:
        if not self.is_foreign:
            return request.with_defaults(INTRODUCTION)
        # urllib3 would leave the manager's own out as soon as there are others.
        return request.with_defaults((*manager.headers.items(), UNCOMPRESSED))

    def _timeout(self, left: float) -> urllib3.Timeout | None:
        # Our own connections look at the deadline themselves.
        if not self.is_foreign or left == inf:
            return None
        connect = min(left, self._options.connect_timeout or inf)
        return urllib3.Timeout(connect=max(0.001, connect), read=max(0.001, left))

    def _manager(self, attempt: _Attempt) -> urllib3.PoolManager:
        if self.is_foreign:
            manager: urllib3.PoolManager = self._options.http_client
            return manager
        origin = attempt.request.origin
        attempt.proxy = proxy_for(origin, self._options.proxy)
        with self._guard:
            key = origin.scheme, attempt.proxy
            if key not in self._managers:
                self._managers[key] = _manager(origin.scheme, attempt.proxy, self._options)
            return self._managers[key]

    def close(self) -> None:
        for manager in self._managers.values():
            manager.clear()


_pools: Pools[_Pool] = Pools(_Pool)


def _headers(pairs: list[tuple[str, str]]) -> Mapping[str, str]:
    """Make headers that urllib3 takes: a plain mapping, which it reads much faster, unless one is there repeatedly."""
    plain = dict(pairs)
    return plain if len(plain) == len(pairs) else urllib3.HTTPHeaderDict(pairs)


def _manager(scheme: str, proxy: Proxy | None, options: HttpOptions) -> urllib3.PoolManager:
    settings: dict[str, Any] = {"num_pools": 1000, "maxsize": pools.CONNECTIONS, "block": True}
    if scheme == "https":
        context = settings["ssl_context"] = context_for(options)
        context.sslsocket_class = PatientTlsSocket
    if proxy is None:
        manager = urllib3.PoolManager(**settings)
    else:
        proof = {} if proxy.authorization is None else {"Proxy-Authorization": proxy.authorization}
        if proxy.url.startswith("https:"):
            settings["proxy_ssl_context"] = context_for(options)
        manager = urllib3.ProxyManager(proxy.url, proxy_headers=proof, **settings)
    classes: Any = {"http": _Connections, "https": _TlsConnections}
    manager.pool_classes_by_scheme = classes
    return manager
