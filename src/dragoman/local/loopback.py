"""Wait, at an address of this very machine, for the browser to come back (RFC 8252, section 7.3)."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qs, urlsplit

from dragoman.errors import AuthError

__all__ = ["DEFAULT_PATH", "Loopback", "is_loopback"]

DEFAULT_PATH: Final = "/callback"

_FAMILIES = {
    "localhost": ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")),
    "127.0.0.1": ((socket.AF_INET, "127.0.0.1"),),
    "::1": ((socket.AF_INET6, "::1"),),
}
_LONGEST_REQUEST = 16 * 1024
_PATIENCE = 5.0
_ATTEMPTS = 20


def is_loopback(uri: str) -> bool:
    """Whether one can listen at a redirect URI."""
    parts = urlsplit(uri)
    return parts.scheme == "http" and parts.hostname in _FAMILIES


class Loopback:
    """Listens until `close`. Owned by one login.

    `localhost` is both 127.0.0.1 and ::1, so that no other program can sit at the one that the browser tries first.

    Attributes:
        redirect_uri: where the browser is to come back to.
    """

    def __init__(self, preferred: str | None = None, *, is_fixed: bool = False) -> None:
        parts = urlsplit(preferred or f"http://localhost:0{DEFAULT_PATH}")
        self._host = parts.hostname or "localhost"
        self._path = parts.path or "/"
        self._arrived = threading.Event()
        self._guard = threading.Lock()
        self._state: str | None = None
        self._url: str | None = None
        self._is_closed = False
        self._listeners = _listen(self._host, parts.port or (80 if is_fixed else 0), is_fixed=is_fixed)
        port = self._listeners[0].getsockname()[1]
        host = f"[{self._host}]" if ":" in self._host else self._host
        # What was given is given back unchanged, as it was registered so.
        is_same = preferred is not None and port == (parts.port or 80)
        self.redirect_uri = preferred if is_same and preferred else f"http://{host}:{port}{self._path}"
        for listener in self._listeners:
            threading.Thread(target=self._accept, args=(listener,), name="dragoman login", daemon=True).start()

    def expect(self, state: str | None) -> None:
        """Take only the answer to this request; any page that is open in a browser can knock here."""
        self._state = state

    def bring(self, url: str) -> bool:
        """Take the URL that the browser came back to; False: it is no answer, or not to this request."""
        members = parse_qs(urlsplit(url).query)
        is_answer = bool(members.keys() & {"code", "error"})
        if not is_answer or (self._state is not None and members.get("state") != [self._state]):
            return False
        with self._guard:
            self._url = self._url or url
        self._arrived.set()
        return True

    def wait(self, timeout: float) -> str | None:
        """Wait until the browser comes back; None: `timeout` seconds went by, or this was closed."""
        self._arrived.wait(timeout)
        return self._url

    def close(self) -> None:
        """Stop listening, and wake whoever waits. Harmless when closed already."""
        self._is_closed = True
        self._arrived.set()
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                # Closing alone does not wake a thread that accepts.
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    # ------------------------------------------------------------------------------------------------------- serving

    def _accept(self, listener: socket.socket) -> None:
        while not self._is_closed:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), name="dragoman login page", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(_PATIENCE)
            connection.sendall(self._answer(_request_target(connection)))
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):  # what is not read would reset the connection, and with it the page
                pass

    def _answer(self, target: str | None) -> bytes:
        if target is None:
            return _page(400, "This is no request.")
        if urlsplit(target).path != self._path:
            return _page(404, "There is nothing here.")
        if not self.bring(f"{self.redirect_uri.partition('?')[0]}?{urlsplit(target).query}"):
            return _page(400, "This is not the answer that is waited for. Start again from the program.")
        if "error" in parse_qs(urlsplit(target).query):
            return _page(200, "The access was not given. You can close this window, and go on in the program.")
        return _page(200, "The access was given. You can close this window, and go on in the program.")


def _request_target(connection: socket.socket) -> str | None:
    data = b""
    while b"\r\n\r\n" not in data and len(data) < _LONGEST_REQUEST:
        chunk = connection.recv(4096)
        if not chunk:
            break
        data += chunk
    words = data.partition(b"\r\n")[0].decode("latin-1").split(" ")
    return words[1] if len(words) == 3 and words[0] == "GET" and words[1].startswith("/") else None


_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found"}


def _page(status: int, sentence: str) -> bytes:
    body = (
        "<!doctype html><html lang=en><meta charset=utf-8><title>dragoman</title>"
        "<style>body{font:1.2em/1.5 system-ui,sans-serif;margin:20vh auto;max-width:30em;padding:0 1em}</style>"
        f"<p>{sentence}</p></html>"
    ).encode()
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: text/html; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\nCache-Control: no-store\r\n"
        "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r\n\r\n"
    )
    return head.encode() + body


# ------------------------------------------------------------------------------------------------------------ listening


def _listen(host: str, port: int, *, is_fixed: bool) -> list[socket.socket]:
    families = [each for each in _FAMILIES.get(host, ()) if each[0] != socket.AF_INET6 or _has_ipv6()]
    if not families:
        raise AuthError(f"nobody can listen at the host {host!r} here", hint="use localhost, or give `browse`")
    for attempt in _ports(port, is_fixed=is_fixed):
        with contextlib.suppress(OSError):
            return _bound(families, attempt)
    raise AuthError(
        f"the browser could not come back: the port {port} of {host} is taken",
        hint="end the program that has it, or give another `redirect_uri`",
    )


def _ports(port: int, *, is_fixed: bool) -> Iterator[int]:
    yield port
    if not is_fixed:
        yield from [0] * _ATTEMPTS


def _bound(families: list[tuple[socket.AddressFamily, str]], port: int) -> list[socket.socket]:
    """Bind one port in all families, or in none."""
    listeners: list[socket.socket] = []
    try:
        for family, address in families:
            listener = socket.socket(family, socket.SOCK_STREAM)
            listeners.append(listener)
            # A port that was just in use is free again at once; on Windows that option would let a second program in.
            exclusive = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR if exclusive is None else exclusive, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind((address, port))
            listener.listen(8)
            port = listener.getsockname()[1]
    except OSError:
        for listener in listeners:
            listener.close()
        raise
    return listeners


def _has_ipv6() -> bool:
    if not socket.has_ipv6:
        return False
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True
