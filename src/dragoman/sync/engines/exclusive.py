# generated from src/dragoman/aio/engines/exclusive.py by tools/unasync.py; do not edit
"""Connections of httpcore2 that serve one request at a time, whichever HTTP they speak.

Over HTTP/2 many requests could share one. httpcore2 tells a server of none that is given up, lets the time-out of one end
all, and hands out connections that the server has closed. So each has its own, as with HTTP/1.1: it ends with it.
"""

from __future__ import annotations

from math import inf
from typing import Any

import httpcore2

from dragoman.deadline import now
from dragoman.sync.engines.pools import is_worth_using
from dragoman.web.messages import Origin

__all__ = ["ExclusivePool", "ExclusiveProxy"]


class _Exclusive(httpcore2.ConnectionInterface):
    """A connection that is free or in use, and gone once anything has come on it that nobody asked for."""

    def __init__(self, connection: httpcore2.ConnectionInterface, origin: httpcore2.Origin) -> None:
        self._connection = connection
        self._origin = Origin(origin.scheme.decode(), origin.host.decode(), origin.port)
        self._used_at = inf
        self._stream: Any = None
        self._is_multiplex = False

    def handle_request(self, request: httpcore2.Request) -> httpcore2.Response:
        response = self._connection.handle_request(request)
        self._used_at = now()
        self._stream = response.extensions.get("network_stream")
        self._is_multiplex = response.extensions.get("http_version") == b"HTTP/2"
        return response

    def close(self) -> None:
        self._connection.close()

    def info(self) -> str:
        return self._connection.info()

    def can_handle_request(self, origin: httpcore2.Origin) -> bool:
        return self._connection.can_handle_request(origin)

    def can_multiplex(self) -> bool:
        return False

    def is_available(self) -> bool:
        return self._connection.is_idle() and self._connection.is_available()

    def is_idle(self) -> bool:
        return self._connection.is_idle()

    def is_connected(self) -> bool:
        return self._connection.is_connected()

    def is_closed(self) -> bool:
        return self._connection.is_closed()

    def has_expired(self) -> bool:
        return (self.is_idle() and not self._is_worth_using()) or self._connection.has_expired()

    def _is_worth_using(self) -> bool:
        is_readable = self._stream is not None and bool(self._stream.get_extra_info("is_readable"))
        if is_readable and self._is_multiplex:  # which may have been anything
            return False
        return is_worth_using(self._origin, self._used_at, is_open=not is_readable)


class ExclusivePool(httpcore2.ConnectionPool):
    """The connections to servers."""

    def create_connection(self, origin: httpcore2.Origin) -> httpcore2.ConnectionInterface:
        """Make a connection that is not shared."""
        return _Exclusive(super().create_connection(origin), origin)


class ExclusiveProxy(httpcore2.HTTPProxy):
    """The connections to servers behind a proxy."""

    def create_connection(self, origin: httpcore2.Origin) -> httpcore2.ConnectionInterface:
        """Make a connection that is not shared."""
        return _Exclusive(super().create_connection(origin), origin)
