"""Processes and sockets, as the engines meet them with threads; what has a twin in the async colour means the same."""

from __future__ import annotations

import atexit
import os
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from email.errors import MissingHeaderBodySeparatorDefect
from http.client import HTTPException, HTTPResponse, RemoteDisconnected, parse_headers
from ipaddress import ip_address
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dragoman.deadline import Deadline, now
from dragoman.sync._runtime import Guard, Mailbox, slice_of
from dragoman.web.keepalive import KEEPALIVE

if TYPE_CHECKING:
    import httpcore2

__all__ = [
    "Ending",
    "PatientSocket",
    "PatientTlsSocket",
    "WholeResponse",
    "connected",
    "here",
    "is_over",
    "network_backend",
    "patience",
    "shut",
    "span_of",
    "through",
    "within",
]

# Windows delivers Ctrl-C only between waits. Elsewhere it interrupts them, but a deadline may be moved while it is
# waited for: the server's question is answered by another thread.
_SLICE = 0.1 if sys.platform == "win32" else 1.0

# -------------------------------------------------------------------------------------------------- places and their ends


def here() -> Hashable:
    """Return what connections belong to: this process."""
    return os.getpid()


def is_over(place: Hashable) -> bool:
    """Whether nobody can be in a place any more: never of a process, whose fork leaves it what it has."""
    return False


class Ending:
    """Something to be closed when it is no longer needed, or when the process ends before that."""

    def __init__(self, close: Callable[[], None]) -> None:
        self._close = close

    def begin(self) -> None:
        """Watch for the end of the process."""
        atexit.register(self._close)

    def reach(self) -> None:
        """Close it now."""
        atexit.unregister(self._close)
        self._close()


# ------------------------------------------------------------------------------------------------------------- waiting


def patience(deadline: Deadline) -> float | None:
    """Return the seconds to wait before the deadline is looked at again, more than none; None for ever.

    Raises:
        Interrupted: this thread was called off.
    """
    span = slice_of(deadline)
    if deadline.at == inf and span > _SLICE:
        return None
    return max(0.001, min(span, _SLICE))


def span_of(deadline: Deadline) -> float | None:
    """Return the seconds to give to what cannot be told later that it may wait longer; None for ever."""
    until = deadline.cap if deadline.holds else deadline.at
    return None if until == inf else max(0.001, until - now())


class within:  # noqa: N801 - used like a function
    """Raise TimeoutError in the block when the deadline comes, where there is a way to wake whoever waits in it.

    Where there is none, the waits look at the deadline themselves.
    """

    __slots__ = ("_deadline", "_rang", "_timer", "_wake")

    def __init__(self, deadline: Deadline, wake: Callable[[], None] | None = None) -> None:
        self._deadline = deadline
        self._wake = wake
        self._rang = False
        self._timer: threading.Timer | None = None

    def __enter__(self) -> None:
        if self._wake is not None and self._deadline.at < inf:
            self._arm()

    def _arm(self) -> None:
        self._timer = timer = threading.Timer(self._deadline.remaining, self._ring)
        timer.daemon = True
        timer.start()

    def _ring(self) -> None:
        if not self._deadline.expired or self._deadline.waits_on():
            self._arm()
        elif self._wake is not None:
            self._rang = True
            self._wake()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._rang and (error is None or isinstance(error, Exception)):
            raise TimeoutError from error


# ----------------------------------------------------------------------------------------------------------- httpcore2


def network_backend() -> httpcore2.NetworkBackend:
    """Return what connects for httpcore2."""
    import httpcore2

    return httpcore2.SyncBackend()


def through(pool: httpcore2.ConnectionPool, request: httpcore2.Request) -> httpcore2.Response:
    """Send a request through a pool."""
    return pool.handle_request(request)


# ------------------------------------------------------------------------------------------------------------- sockets


class _Patient(socket.socket):
    """A socket that waits for as long as the request that uses it may, and that only the one who uses it can shut.

    Attributes:
        deadline: how long to wait; None leaves it to the socket's own time-out.
        used_at: when something was last received.
        held: writes kept back to leave as one; None where they leave at once.
        taken: how many bytes the system has taken of what was flushed.
    """

    deadline: Deadline | None = None
    used_at = inf
    held: list[bytes] | None = None
    taken = 0
    _user: object = None
    _guard = Guard()  # of all of them: it is held for a moment, to change or to act on `_user`

    def recv_into(self, *arguments: Any) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] - both bases'
        size = self._patiently(super().recv_into, *arguments)
        self.used_at = now()
        return size

    def sendall(self, data: Any, flags: int = 0) -> None:
        if self.held is not None:
            self.held.append(bytes(data))
            return
        view = memoryview(data)
        while view:
            size = self._patiently(super().send, view)
            self.taken += size
            view = view[size:]

    def flush(self) -> None:
        """Let go what was held."""
        held, self.held = self.held or [], None
        self.taken = 0
        self.sendall(b"".join(held))

    def _patiently(self, wait: Callable[..., int], *arguments: Any) -> int:
        deadline = self.deadline
        if deadline is None:
            return wait(*arguments)
        while True:
            self.settimeout(patience(deadline))
            try:
                return wait(*arguments)
            except TimeoutError:
                if deadline.expired and not deadline.waits_on():
                    raise

    def use(self, user: object, deadline: Deadline) -> None:
        """Begin a request: from now on it is its user who may hang up."""
        self.deadline = deadline
        with self._guard:
            self._user = user

    def hang_up(self, user: object) -> None:
        """Wake whoever waits on the socket, for good; nothing happens when somebody else uses it by now."""
        with self._guard:
            if self._user is user:
                shut(self)


class PatientSocket(_Patient):
    """A patient TCP socket."""


class PatientTlsSocket(_Patient, ssl.SSLSocket):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A patient TCP socket with TLS."""


def shut(connection: socket.socket) -> None:
    """Shut a socket down, so that whoever waits on it wakes; from any thread."""
    with suppress(OSError):  # it is closed already
        # Not the TLS socket's own: that forgets its keys first, and whoever reads would take ciphertext for text.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


# ------------------------------------------------------------------------------------------------------------- answers


class _Head:
    """The lines of a head, of which http.client would take what came before the connection broke for the whole."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.close = file.close

    def readline(self, limit: int = -1) -> bytes:
        line: bytes = self.file.readline(limit)
        if not line.endswith(b"\n") and len(line) != limit:
            raise RemoteDisconnected("the connection ended in the middle of an answer's head")
        return line


class WholeResponse(HTTPResponse):
    """An answer whose head has come whole, and before which any number of interim ones may come.

    http.client takes every interim one but 100 for the answer itself.
    """

    def begin(self) -> None:
        file = self.fp
        self.fp = _Head(file)  # type: ignore[assignment] # it is read by lines
        try:
            super().begin()
        finally:
            if not self.isclosed():  # as it is where there is no body
                self.fp = file
        if any(isinstance(each, MissingHeaderBodySeparatorDefect) for each in self.msg.defects):
            # What stands below a line that is no header is lost, and with it perhaps where the body ends.
            raise HTTPException("a line of the head is no header")

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc] # not in the stubs
            if not 100 < status < 200 or status == 101:
                return version, status, reason
            parse_headers(self.fp)


# ----------------------------------------------------------------------------------------------------------- connecting


_NO_DELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def connected(host: str, port: int, deadline: Deadline) -> PatientSocket:
    """Connect to the first address of a host that answers.

    Raises:
        TimeoutError: the deadline came first. OSError: the last address's failure, or there is no such host.
    """
    failure: OSError | None = None
    for family, kind, protocol, _, address in _addresses(host, port, deadline):
        connection = PatientSocket(family, kind, protocol)
        try:
            for option in (_NO_DELAY, *KEEPALIVE):
                connection.setsockopt(*option)
            connection.settimeout(None if deadline.at == inf else max(0.001, deadline.remaining))
            connection.connect(address)
        except BaseException as error:
            connection.close()
            if not isinstance(error, OSError) or deadline.expired:
                raise
            failure = error
        else:
            connection.settimeout(None if deadline.at == inf else max(0.001, deadline.remaining))  # for TLS
            return connection
    raise failure or socket.gaierror(socket.EAI_NONAME, "no address")


def _addresses(host: str, port: int, deadline: Deadline) -> list[tuple[Any, ...]]:
    """Look a host up, in a thread unless it is at hand: the system's resolver knows no deadline and hears no Ctrl-C."""
    if host == "localhost" or _is_address(host):
        return _look_up(host, port)
    answers: Mailbox[list[tuple[Any, ...]] | OSError] = Mailbox()

    def ask() -> None:
        try:
            answers.put(_look_up(host, port))
        except OSError as error:
            answers.put(error)

    threading.Thread(target=ask, name=f"dragoman resolver {host}", daemon=True).start()
    answer = answers.get(deadline)
    if isinstance(answer, OSError):
        raise answer
    return answer


def _look_up(host: str, port: int) -> list[tuple[Any, ...]]:
    try:
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except UnicodeError:
        raise socket.gaierror(socket.EAI_NONAME, "this cannot be a host's name") from None


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
