# generated from src/dragoman/aio/transports/requests.py by tools/unasync.py; do not edit
"""Send HTTP requests to one endpoint: with the application's headers, and as far as redirects may be followed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast
from urllib.parse import urlsplit, urlunsplit

from dragoman.auth.flow import Headers
from dragoman.deadline import Deadline
from dragoman.errors import AuthError, ConnectionClosed, ConnectionLost, HttpError, McpError, McpTimeout, UsageError
from dragoman.protocol.eras import Outgoing
from dragoman.protocol.refusals import REDIRECTS, redirected
from dragoman.sync._runtime import call_foreign, in_time
from dragoman.sync.authorized import Authorized
from dragoman.sync.engines import Engine, HttpReply, HttpRequest, Wire
from dragoman.views import Context
from dragoman.web.messages import without_user

__all__ = ["HeaderSource", "Requests", "without_secrets"]

log = logging.getLogger("dragoman.sync")

HeaderSource: TypeAlias = Mapping[str, str] | Callable[[Context], Mapping[str, str]]
"""Headers for every request: the same ones, or made for each by a function that is given the call's context."""

_MOST_REDIRECTS = 5
_FRAMING = frozenset({"content-length", "transfer-encoding"})
"""Headers that say where a request ends, which is for who writes it."""


class Requests:
    """The requests to one endpoint; owns its URL, which a redirect may move, and knows which are under way.

    Attributes:
        url: where requests go.
    """

    def __init__(
        self, url: str, engine: Engine, headers: HeaderSource | None, name: str, authorized: Authorized | None = None
    ) -> None:
        self.url, proof = without_user(url)
        # A user and a password in the URL are used unless other proof was given.
        self._proof = {} if proof is None else {"authorization": proof}
        self._authorized = authorized
        self._engine = engine
        self._headers = headers
        self._name = name
        self._under_way: dict[Wire, Outgoing | None] = {}
        self._lost: set[Wire] = set()
        self._is_closed = False

    def send(
        self,
        method: str,
        headers: Mapping[str, str],
        deadline: Deadline,
        *,
        body: bytes | None = None,
        outgoing: Outgoing | None = None,
        url: str | None = None,
        wire: Wire | None = None,
    ) -> HttpReply:
        """Send a request and return its answer, whose body is still to be read.

        `outgoing` is what the request is for, where it is for a request of ours; `url` is where it goes, if not to the
        endpoint; `wire` can cut it short.

        Raises:
            TransportError, McpTimeout: there is no answer; `was_sent` says how far it got.
            HttpError: it is redirected to where it may not follow.
            AuthError: the server wants an authorization that cannot be had.
        """
        own = {**self._proof} if self._headers is None else self._own_headers(self._headers, outgoing, deadline)
        for name, value in headers.items():
            own[name.lower()] = value
        # Whoever says themselves who they are is not spoken for.
        if self._authorized is None or "authorization" in own:
            return self._followed(method, own, deadline, body, url, wire, outgoing)

        def send(proof: Headers) -> HttpReply:
            return self._followed(method, {**own, **dict(proof)}, deadline, body, url, wire, outgoing)

        try:
            return self._authorized.send(method, url or self.url, deadline, send)
        except AuthError as error:
            error.server = error.server or self._name
            raise

    def _followed(
        self,
        method: str,
        headers: Mapping[str, str],
        deadline: Deadline,
        body: bytes | None,
        url: str | None,
        wire: Wire | None,
        outgoing: Outgoing | None,
    ) -> HttpReply:
        target = url or self.url
        status = 0
        for _ in range(_MOST_REDIRECTS):
            request = HttpRequest(method, target, tuple(headers.items()), body)
            reply = self._send(request, deadline, wire, outgoing)
            if reply.status not in REDIRECTS:
                return reply
            status, location = reply.status, reply.headers.get("location")
            reply.close()
            target = self._redirected(target, status, location)
            if url is None:
                self.url = target
        raise HttpError(f"the server redirected {_MOST_REDIRECTS} times", status=status, server=self._name)

    def _send(
        self, request: HttpRequest, deadline: Deadline, wire: Wire | None, outgoing: Outgoing | None
    ) -> HttpReply:
        # Of each request its own: closing an answer cuts that, and a caller's may have to serve several.
        own = Wire()
        if wire is not None:
            wire.hold(own.cut)
        self._under_way[own] = outgoing
        try:
            if self._is_closed:
                raise ConnectionClosed("the client is closed", was_sent=False)
            return self._engine.send(request, deadline, own)
        except McpError as error:
            error.server = error.server or self._name
            if isinstance(error, ConnectionClosed) and own in self._lost:
                raise ConnectionLost("the server was lost meanwhile", server=self._name) from error
            raise
        finally:
            del self._under_way[own]
            self._lost.discard(own)

    def lose(self) -> None:
        """End what is under way and tied to a session or a stream that is lost; requests that stand alone go on."""
        for wire, outgoing in list(self._under_way.items()):
            if outgoing is None:
                self._lost.add(wire)
                wire.cut()

    def cut(self) -> None:
        """End all that is under way."""
        for wire in list(self._under_way):
            wire.cut()

    def close(self) -> None:
        """End all that is under way, and send nothing any more."""
        self._is_closed = True
        self.cut()

    def _redirected(self, url: str, status: int, location: str | None) -> str:
        try:
            target = redirected(url, status, location)
        except HttpError as error:
            error.server = self._name
            raise
        log.info("%s: redirected to %s", self._name, without_secrets(target))
        return target

    def _own_headers(self, source: HeaderSource, outgoing: Outgoing | None, deadline: Deadline) -> dict[str, str]:
        if callable(source):
            request, token = (outgoing.request, outgoing.id) if outgoing is not None else (None, None)
            source = self._made(source, Context(self._name, request, token), deadline)
        if not isinstance(source, Mapping):
            raise UsageError(f"`headers` made {type(source).__name__}, not a mapping", server=self._name)
        own, given = {**self._proof}, cast(Mapping[object, object], source)
        for name, value in given.items():
            if not isinstance(name, str) or not isinstance(value, str):
                wrong = f"`headers` has {type(value).__name__} for {name!r}, and not text"
                raise UsageError(wrong, server=self._name)
            # White space around a value is none of it (RFC 9110, section 5.5), and one engine shows a value that has any.
            own[name.lower()] = value.strip(" \t")
        if not _FRAMING.isdisjoint(own):
            raise UsageError("`headers` cannot say how long a request is", hint="leave that out", server=self._name)
        return own

    def _made(self, source: Callable[[Context], object], context: Context, deadline: Deadline) -> Any:
        """Have the application make headers, within the time that the call has."""
        try:
            made = in_time(deadline, call_foreign, source, context)
        except TimeoutError:
            if not deadline.expired:
                raise
        else:
            if not deadline.expired or deadline.waits_on():
                return made
        raise McpTimeout(
            f"`headers` were not made in {deadline.waited:.3g} s",
            method="headers",
            waited=deadline.waited,
            phase="connecting",
            was_sent=False,
            server=self._name,
        )


def without_secrets(url: str) -> str:
    """Show a URL without a user, a password, a query or a fragment, in which secrets may stand."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
