# generated from src/dragoman/aio/accounts.py by tools/unasync.py; do not edit
"""Log in at a server, see what is stored for it and what discovery finds there, and log out."""

from __future__ import annotations

from dragoman.auth.account import Account, enter, examine, forget
from dragoman.auth.consent import OAuth
from dragoman.auth.holder import Holder
from dragoman.auth.ways import Way
from dragoman.deadline import Deadline
from dragoman.local.stores import Store
from dragoman.sync.engines import engine_for
from dragoman.sync.login import Login
from dragoman.web.options import HttpOptions

__all__ = ["account_at", "log_in", "log_out"]

_PATIENCE = 60.0


def account_at(
    url: str, way: Way | None = None, *, options: HttpOptions | None = None, timeout: float = 30.0
) -> Account:
    """Say what is known of the authorization at a server, without using it.

    `way` is what is used there, None for `OAuth()`; `timeout`, in seconds, is for all of it.

    Raises:
        ConfigError: what is stored cannot be read.
    """
    used = way or OAuth()
    engine = engine_for(options or HttpOptions())
    try:
        return Login(engine, used, url).run(examine(Holder(url, used)), Deadline(timeout))
    finally:
        engine.close()


def log_in(url: str, way: Way | None = None, *, options: HttpOptions | None = None) -> Account:
    """Get new tokens for a server and store them, whatever there is already; gives what is known then.

    `way` is how, None for `OAuth()`, which asks a user.

    Raises:
        AuthError: they cannot be had, and it says why. McpTimeout: the user did not come back in time.
    """
    used = way or OAuth()
    engine = engine_for(options or HttpOptions())
    try:
        login, holder = Login(engine, used, url), Holder(url, used)
        login.run(enter(holder), Deadline(_PATIENCE))
        return login.run(examine(holder), Deadline(_PATIENCE))
    finally:
        engine.close()


def log_out(url: str, way: Way | None = None, *, store: Store | None = None) -> bool:
    """Remove all that is stored for a server; False: there was nothing. The server is not told."""
    used = way or OAuth()
    engine = engine_for(HttpOptions())
    try:
        return Login(engine, used, url, store).run(forget(Holder(url, used)), Deadline.never())
    finally:
        engine.close()
