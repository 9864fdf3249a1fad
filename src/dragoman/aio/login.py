"""Perform conversations about authorization: their requests, their user, their store."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from ipaddress import ip_address
from math import inf
from time import time
from typing import Any, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from dragoman.aio._runtime import call_foreign, in_time, pause
from dragoman.aio.engines import Engine, HttpRequest, Wire
from dragoman.aio.keeping import Keeper
from dragoman.aio.run import run
from dragoman.auth.addresses import address_kind, host_kind, shown
from dragoman.auth.secret import Secret
from dragoman.auth.steps import (
    Alone,
    Browse,
    Consult,
    Conversation,
    Fetch,
    FetchReply,
    Keep,
    KeyPair,
    Listen,
    MakeKey,
    Now,
    Pause,
    Random,
    Recall,
    Sign,
    Step,
)
from dragoman.deadline import Deadline
from dragoman.errors import AuthError, ConnectionClosed, McpError, McpTimeout, UsageError
from dragoman.local.browser import has_browser, has_user, open_page, read_lines, say
from dragoman.local.jose import make_key, sign
from dragoman.local.loopback import Loopback, is_loopback
from dragoman.local.stores import FileStore, MemoryStore, Store

__all__ = ["Login", "store_for"]

log = logging.getLogger("dragoman.aio")

T = TypeVar("T")

_FETCH_PATIENCE = 15.0
_LONGEST_REPLY = 1024 * 1024
_LOGIN_TIMEOUT = 300.0


def store_for(way: Any) -> Store:
    """Give the store that a way names; else the user's own files for what a user granted, and memory for the rest."""
    store: Store | None = getattr(way, "store", None)
    if store is not None:
        return store
    return FileStore() if getattr(way, "needs_user", False) else MemoryStore()


class Login:
    """Performs all conversations about the authorization to one server. Owned by the transport to that server.

    `way` is what tokens are got by; `name` the server's, for what is logged and said.

    Attributes:
        is_closed: whether `close` was called; nobody waits for a browser any more.
    """

    def __init__(self, engine: Engine, way: Any, name: str, store: Store | None = None) -> None:
        self.engine = engine
        self.way = way
        self.name = name
        self.is_closed = False
        self.keeper = Keeper(store if store is not None else store_for(way), name, self.patience, self.run)
        self._worlds: set[_World] = set()

    @property
    def patience(self) -> float:
        """Seconds that a user has to log in."""
        return float(getattr(self.way, "login_timeout", _LOGIN_TIMEOUT))

    async def run(self, conversation: Conversation[T], deadline: Deadline) -> T:
        """Perform a conversation. The deadline stands still while a user is asked, who has a time of their own.

        Raises:
            McpError: what the conversation raises, or could not be performed for it.
        """
        world = _World(self, deadline)
        self._worlds.add(world)
        try:
            result = await world.play(conversation)
        except BaseException as error:
            world.close(error.message if isinstance(error, McpError) else "it was interrupted")
            raise
        else:
            world.close()
            return result
        finally:
            self._worlds.discard(world)

    def close(self) -> None:
        """End every wait for a user; harmless when that is done."""
        self.is_closed = True
        for world in list(self._worlds):
            world.close("it was closed")

    async def end(self) -> None:
        """Close, and see to it that what was given is kept, within a bounded time."""
        self.close()
        await self.keeper.end(self._cut)

    def _cut(self) -> None:
        for world in list(self._worlds):
            world.wire.cut()


class _World:
    """What the steps of one conversation are performed in; owns the address that the browser comes back to.

    Attributes:
        name: the server's. wire: what its requests travel on.
    """

    def __init__(self, login: Login, deadline: Deadline) -> None:
        self.name = login.name
        self._login = login
        self._deadline = deadline
        self._loopback: Loopback | None = None
        self.wire = Wire()
        self._performers: dict[type[Any], Callable[[Any], Any]] = {
            Fetch: self._fetch,
            Alone: self._alone,
            Recall: self._recall,
            Keep: self._keep,
            Listen: self._listen,
            Browse: self._browse,
            Consult: self._consult,
            MakeKey: self._make_key,
            Sign: self._sign,
            Pause: self._pause,
        }

    async def play(self, conversation: Conversation[T]) -> T:
        """Perform the steps one after the other."""
        # The runner is the same for steps of all kinds: it looks at none.
        played: T = await run(cast("Any", conversation), cast("Any", self))
        return played

    async def perform(self, step: Step) -> Any:
        """Do what the step asks for, and return its answer."""
        if isinstance(step, Now):
            return time()
        if isinstance(step, Random):
            return os.urandom(step.size)
        return await self._performers[type(step)](step)

    def close(self, failure: str | None = None) -> None:
        """Stop listening for the browser, and let it tell the user what has come of it."""
        if self._loopback is not None:
            self._loopback.close(failure)

    async def _pause(self, step: Pause) -> None:
        await pause(step.seconds)

    async def _consult(self, step: Consult) -> Any:
        return await _in_time(self._deadline, step.function, method="token", what="the function that gives the token")

    # ------------------------------------------------------------------------------------------------------- requests

    async def _fetch(self, step: Fetch) -> FetchReply:
        # What is looked for may lie elsewhere: one silent place must not take the time of all others.
        share = self._deadline.remaining / 2 if step.method == "GET" else inf
        deadline = self._deadline.within(min(_FETCH_PATIENCE, share))
        if step.near is not None:
            await self._check_network(step.url, step.near)
        request = HttpRequest(step.method, step.url, step.headers, step.body)
        # Of each request its own: closing an answer cuts that.
        wire = Wire()
        self.wire.hold(wire.cut)
        reply = await self._login.engine.send(request, deadline, wire)
        body = await reply.read(_LONGEST_REPLY, deadline)
        log.debug("%s: %s %s: %d", self._login.name, step.method, shown(step.url), reply.status)
        return FetchReply(reply.status, tuple(reply.headers), body)

    async def _check_network(self, url: str, near: str) -> None:
        """Refuse a public name that leads into a private network, unless the server's own does so, too."""
        if await _kind(url) != "public" and await _kind(near) == "public":
            host = urlsplit(url).hostname
            if host not in getattr(self._login.way, "trusted_hosts", ()) and host != urlsplit(near).hostname:
                raise AuthError(
                    f"{shown(url)}, which the server names, leads into a private network",
                    hint=f"if that is right, allow it with trusted_hosts={{{host!r}}}",
                )

    # ---------------------------------------------------------------------------------------------------------- store

    async def _recall(self, step: Recall) -> bytes | None:
        return await self._login.keeper.recall(step.key)

    async def _keep(self, step: Keep) -> bool:
        return await self._login.keeper.keep(step)

    async def _alone(self, step: Alone) -> Any:
        return await self._login.keeper.alone(step, self._deadline, self.play)

    # ------------------------------------------------------------------------------------------------------- the user

    async def _listen(self, step: Listen) -> str | None:
        way = self._login.way
        if way.browse is not None or (step.preferred is not None and step.is_fixed and not is_loopback(step.preferred)):
            return step.preferred if step.preferred is not None else "http://localhost:3000/callback"
        if way.interactive is None and not has_user():
            return None
        self._loopback = Loopback(step.preferred, is_fixed=step.is_fixed)
        if self._login.is_closed:
            self.close()
        return self._loopback.redirect_uri

    async def _browse(self, step: Browse) -> str:
        self._deadline.hold()
        try:
            returned = await self._returned(step)
        finally:
            self._deadline.release()
            self._deadline.extend()  # who has had a user come back has not done nothing
        if returned is None and self._login.is_closed:
            raise ConnectionClosed("the client was closed while its user was logging in", was_sent=False)
        if returned is None:
            hint = "try again, and give the user more time with login_timeout=..."
            raise McpTimeout("the user has not logged in", method="login", waited=self._login.patience, hint=hint)
        return returned

    async def _returned(self, step: Browse) -> str | None:
        if self._login.way.browse is not None:
            patience = Deadline(self._login.patience)
            given = await _in_time(patience, self._login.way.browse, step.url, method="login", what="`browse`")
            if not isinstance(given, str):
                raise UsageError(
                    f"`browse` has to return the URL that the browser came back to, not {type(given).__name__}"
                )
            return given
        if self._loopback is None:
            raise AuthError("nobody can bring the browser back to the program", hint="give `browse`", url=step.url)
        loopback = self._loopback
        loopback.expect(parse_qs(urlsplit(step.url).query)["state"][0])
        self._show(step.url, loopback)
        arrived: str | None = await call_foreign(loopback.wait, self._login.patience)
        return arrived

    def _show(self, url: str, loopback: Loopback) -> None:
        host = urlsplit(url).hostname
        if self._login.way.headless or not has_browser():
            say(f"{self.name}: log in at {host}.")
            _tell_where_to_go(url, loopback)
        else:
            say(f"{self.name}: log in at {host}; a page opens in your browser.")
            open_page(url, lambda: _tell_no_browser(url, loopback))

    # --------------------------------------------------------------------------------------------------------- signing

    async def _make_key(self, step: MakeKey) -> KeyPair:
        private, public = await call_foreign(make_key, step.algorithm)
        return KeyPair(step.algorithm, Secret(private), public)

    async def _sign(self, step: Sign) -> str:
        return sign(step.key.reveal(), step.header, step.claims)


async def _in_time(deadline: Deadline, function: Callable[..., Any], *arguments: Any, method: str, what: str) -> Any:
    """Call a function of the application's.

    Raises:
        McpTimeout: it did not return in time. Whatever it raises.
    """
    try:
        result = await in_time(deadline, call_foreign, function, *arguments)
    except TimeoutError:
        if not deadline.expired:
            raise  # it is the function's own
    else:
        if not deadline.expired or deadline.waits_on():
            return result
    waited = deadline.waited
    raise McpTimeout(f"{what} did not return in {waited:.3g} s", method=method, waited=waited, was_sent=False)


def _tell_no_browser(url: str, loopback: Loopback) -> None:
    say("No browser can be opened from here.")
    _tell_where_to_go(url, loopback)


def _tell_where_to_go(url: str, loopback: Loopback) -> None:
    say(f"Open this page, wherever you have a browser:\n\n  {url}\n")
    say("If the browser then cannot show a page of this machine, paste the address that it stands at here:")

    def take(line: str) -> None:
        if line and not loopback.bring(line):
            say("That is not the address that the browser comes back to. Paste it whole:")

    read_lines(take, lambda: loopback.is_over)


async def _kind(url: str) -> str:
    """Say whether a host is public, by its name, and then by all addresses that its name stands for."""
    host = urlsplit(url).hostname or ""
    if host_kind(host) != "public":
        return "private"
    try:
        found = await call_foreign(socket.getaddrinfo, host, None)
    except OSError:
        return "public"  # a proxy may know the name, and where it leads is then the proxy's business
    kinds = {address_kind(ip_address(str(each[4][0]).partition("%")[0])) for each in found}
    return "public" if kinds <= {"public"} else "private"
