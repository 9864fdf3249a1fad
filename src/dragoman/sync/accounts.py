# generated from src/dragoman/aio/accounts.py by tools/unasync.py; do not edit
"""Log in at a server, see what is stored for it and what discovery finds there, and log out."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, Unpack, cast

from msgspec import structs

from dragoman.auth.account import Account, enter, examine, forget
from dragoman.auth.consent import OAuth
from dragoman.auth.holder import Holder
from dragoman.auth.ways import Way, combined
from dragoman.deadline import Deadline, seconds
from dragoman.errors import UsageError
from dragoman.host.entries import Entry
from dragoman.sync.engines import engine_for
from dragoman.sync.entries import entry_as_target
from dragoman.sync.login import Login
from dragoman.sync.options import ConnectOptions, Duration
from dragoman.web.options import ClientCertificate, EngineName, HttpOptions

__all__ = ["Reach", "account_at", "log_in", "log_out"]

Server: TypeAlias = str | Entry

_REACH = frozenset({"verify", "ca_file", "client_cert", "proxy", "engine", "http2", "http_client"})
_TIMEOUT = 30.0


class Reach(TypedDict, total=False):
    """How a server is reached: as the options of `connect` that have the same names. `timeout` is for all of it."""

    timeout: Duration
    verify: bool
    ca_file: str | PathLike[str]
    client_cert: ClientCertificate
    proxy: str | Literal[False]
    engine: EngineName
    http2: bool
    http_client: Any


def account_at(server: Server, auth: Way | None = None, **reach: Unpack[Reach]) -> Account:
    """Say what is known of the authorization at a server, without using it.

    `server` is its URL, or an entry of a configuration; `auth` what is used there, by default `OAuth()`. What an entry says
    of that counts as well, except where `auth` says otherwise. `timeout` is 30 s by default.

    Raises:
        ConfigError: what is stored cannot be read. UsageError: it is no server at a URL, or `auth` no way in there.
    """
    with _visit(server, auth, {**reach}) as (login, holder, deadline):
        return login.run(examine(holder), deadline)


def log_in(server: Server, auth: Way | None = None, **reach: Unpack[Reach]) -> Account:
    """Get new tokens for a server and store them, whatever there is already; gives what is known then.

    The parameters are those of `account_at`. A user who has to be asked has the time that `OAuth` gives them.

    Raises:
        AuthError: they cannot be had, and it says why. McpTimeout: the user did not come back in time.
        ConfigError: they cannot be stored.
        TransportError: the server, or who gives tokens for it, cannot be reached.
    """
    with _visit(server, auth, {**reach}, asks=True) as (login, holder, deadline):
        login.run(enter(holder), deadline)
        login.keeper.check()
        return login.run(examine(holder), deadline)


def log_out(server: Server, auth: Way | None = None, **reach: Unpack[Reach]) -> bool:
    """Remove all that is stored for a server; False: there was nothing. The server is not told.

    The parameters are those of `account_at`.

    Raises:
        ConfigError: what is stored cannot be read, or not be removed.
    """
    with _visit(server, auth, {**reach}) as (login, holder, _):
        was_there = login.run(forget(holder), Deadline.never())
        login.keeper.check()
        return was_there


@contextmanager
def _visit(
    server: Server, auth: Way | None, reach: dict[str, Any], *, asks: bool = False
) -> Generator[tuple[Login, Holder, Deadline]]:
    url, way, options = _meant(server, auth, reach)
    if asks and isinstance(way, OAuth) and way.interactive is None:
        # Whoever wants to log in is there, whatever standard error is.
        way = structs.replace(way, interactive=True)
    engine = engine_for(HttpOptions(**{name: value for name, value in options.items() if name in _REACH}))
    login = Login(engine, way, url)
    try:
        yield login, Holder(url, way), Deadline(seconds(options.get("timeout", _TIMEOUT)))
    finally:
        login.end()
        engine.close()


def _meant(server: Server, auth: Way | None, reach: dict[str, Any]) -> tuple[str, Way, dict[str, Any]]:
    target: object = server
    if isinstance(server, Entry):
        target, options = entry_as_target(server, cast(ConnectOptions, reach))
        reach = {**options}
    if not isinstance(target, str) or not target.lower().startswith(("http://", "https://")):
        raise UsageError("nobody logs in at a server that is a process", hint="give a URL, or an entry that has one")
    return target, _way(reach.get("auth"), auth), reach


def _way(own: Any, given: Any) -> Way:
    """Give the way in that an entry has, changed by what is given besides."""
    if given is not None and not isinstance(given, Way):
        raise UsageError(
            f"nobody logs in by {type(given).__name__}", hint="give OAuth(...) or another way of that kind"
        )
    if not isinstance(own, Way):
        return given or OAuth()
    return own if given is None else combined(own, given)
