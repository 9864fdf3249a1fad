"""Wait, at an address of this very machine, for the browser to come back (RFC 8252, section 7.3)."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
from collections.abc import Iterator
from html import escape
from time import monotonic
from typing import Final
from urllib.parse import SplitResult, parse_qs, urlsplit

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
_CONCLUSION = 20.0
"""Seconds that the browser waits to be told what has come of its answer."""
_ATTEMPTS = 20
# Windows delivers Ctrl-C only between waits.
_SLICE = 0.2 if sys.platform == "win32" else 3600.0


def is_loopback(uri: str) -> bool:
    """Whether one can listen at a redirect URI."""
    parts = urlsplit(uri)
    return parts.scheme == "http" and parts.hostname in _FAMILIES


class _Question:
    """One question that the user was sent away with, and what came back. Owned by its loopback."""

    def __init__(self, state: str | None) -> None:
        self.state = state
        self.url: str | None = None
        self.is_over = threading.Event()
        self.is_concluded = threading.Event()
        self.failure: str | None = None

    def conclude(self, failure: str | None) -> None:
        """Say what has come of it, unless that is said."""
        if not self.is_concluded.is_set():
            self.failure = failure
            self.is_concluded.set()

    def page(self) -> bytes:
        """Tell the user what has come of it, as soon as that is known."""
        if not self.is_concluded.wait(_CONCLUSION):
            return _page(200, "The answer was taken. You can close this window, and go on in the program.")
        if self.failure is not None:
            return _page(200, f"The program has no access: {escape(self.failure)}. You can close this window.")
        return _page(200, "The access was given. You can close this window, and go on in the program.")


class Loopback:
    """Listens until `close`. Owned by one login.

    A browser that has come back is shown its page when `conclude` or `close` has said what came of it.

    `localhost` is both 127.0.0.1 and ::1, so that no other program can sit at the one that the browser tries first.

    Attributes:
        redirect_uri: where the browser is to come back to.
    """

    def __init__(self, preferred: str | None = None, *, is_fixed: bool = False) -> None:
        parts = urlsplit(preferred or f"http://localhost:0{DEFAULT_PATH}")
        self._host = parts.hostname or "localhost"
        self._path = parts.path or "/"
        self._guard = threading.Lock()
        self._question = _Question(None)
        self._is_closed = False
        self._listeners = _listen(self._host, parts.port or (80 if is_fixed else 0), is_fixed=is_fixed)
        port = self._listeners[0].getsockname()[1]
        host = f"[{self._host}]" if ":" in self._host else self._host
        # What was given is given back unchanged, as it was registered so.
        is_same = preferred is not None and port == (parts.port or 80)
        self.redirect_uri = preferred if is_same and preferred else f"http://{host}:{port}{self._path}"
        for listener in self._listeners:
            threading.Thread(target=self._accept, args=(listener,), name="dragoman login", daemon=True).start()

    @property
    def is_over(self) -> bool:
        """Whether nothing is waited for any more."""
        return self._question.is_over.is_set()

    def expect(self, state: str | None) -> None:
        """Take only the answer to this request from now on; any page that is open in a browser can knock here."""
        self._question.conclude("the program has to ask once more, in another window")
        self._question = _Question(state)
        if self._is_closed:
            self._question.is_over.set()

    def bring(self, url: str) -> bool:
        """Take the URL that the browser came back to; False: it is no answer, or not to this request."""
        return self._taken(url) is not None

    def _taken(self, url: str) -> _Question | None:
        question, parts = self._question, _split(url)
        members = parse_qs(parts.query) if parts is not None else {}
        is_answer = bool(members.keys() & {"code", "error"})
        if not is_answer or (question.state is not None and members.get("state") != [question.state]):
            return None
        with self._guard:
            question.url = question.url or url
        question.is_over.set()
        return question

    def wait(self, timeout: float) -> str | None:
        """Wait until the browser comes back; None: `timeout` seconds went by, or this was closed."""
        question, ends = self._question, monotonic() + timeout
        while not question.is_over.wait(max(0.0, min(_SLICE, ends - monotonic()))) and monotonic() < ends:
            pass
        return question.url

    def close(self, failure: str | None = None) -> None:
        """Stop listening, and wake whoever waits; `failure`: why the program has no access. Harmless when closed."""
        self._is_closed = True
        self._question.is_over.set()
        self._question.conclude(failure)
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
        path, _, query = target.partition("?")
        if path != self._path:
            return _page(404, "There is nothing here.")
        question = self._taken(f"{self.redirect_uri.partition('?')[0]}?{query.partition('#')[0]}")
        if question is None:
            return _page(400, "This is not the answer that is waited for. Start again from the program.")
        return question.page()


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


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
