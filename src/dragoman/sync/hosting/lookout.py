# generated from src/dragoman/aio/hosting/lookout.py by tools/unasync.py; do not edit
"""Notice that somebody has logged in elsewhere at a server that cannot be used without that."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from typing import Any, cast

from dragoman.auth.choice import authorizer_for
from dragoman.auth.flow import WayAuthorizer
from dragoman.auth.holder import Holder
from dragoman.auth.tokens import Tokens
from dragoman.deadline import Deadline
from dragoman.errors import AuthError, ConfigError, McpError
from dragoman.local.stores import Store
from dragoman.sync._runtime import Event, call_foreign
from dragoman.sync.login import store_for
from dragoman.sync.run import run
from dragoman.sync.unreached import is_the_users

__all__ = ["Lookout", "lookout_at", "wants_login"]

log = logging.getLogger("dragoman.sync")

_LOOK = 2.0
"""Seconds between two looks at the file of a record, from outside."""


def wants_login(error: McpError | None) -> bool:
    """Whether a login elsewhere can mend what has happened."""
    return isinstance(error, AuthError) or is_the_users(error)


def lookout_at(target: object, auth: Any) -> Lookout | None:
    """Make the lookout for a server; None where nobody logs in at such a one, or its store cannot be looked at."""
    if not isinstance(target, str) or not target.lower().startswith(("http://", "https://")):
        return None
    authorizer = authorizer_for(auth, target)
    if not isinstance(authorizer, WayAuthorizer) or not authorizer.holder.way.needs_user:
        return None
    store = store_for(authorizer.holder.way)
    stamp: Callable[[str], Hashable] | None = getattr(store, "stamp", None)
    return None if stamp is None else Lookout(authorizer.holder.url, authorizer.holder.way, store, stamp)


class Lookout:
    """Whether there are other tokens for one server than there were; owned by the server's member.

    What is looked at again and again is not the record, which is secret, but the stamp that its store puts on it.
    """

    def __init__(self, url: str, way: Any, store: Store, stamp: Callable[[str], Hashable]) -> None:
        self.name = url
        self._way = way
        self._store = store
        self._stamp = stamp

    def sees_login(self, closing: Event) -> bool:
        """Wait until there are tokens that were not there at first; False when it closes before."""
        key = Holder(self.name, self._way).book.key
        seen, first = self._stamp(key), self._tokens()
        while not closing.wait(Deadline(_LOOK)):
            now = self._stamp(key)
            if now != seen:
                seen, found = now, self._tokens()
                if found is not None and found != first:
                    return True
        return False

    def _tokens(self) -> Tokens | None:
        holder = Holder(self.name, self._way)
        run(cast(Any, holder.look()), self)
        return holder.tokens

    def perform(self, step: Any) -> Any:
        """Read what is stored, which is all that is asked for by who looks."""
        try:
            return call_foreign(self._store.read, step.key)
        except Exception as error:
            log.debug("what is stored for %s cannot be read: %s", self.name, error)
            raise ConfigError(f"the stored credentials cannot be read: {error}") from error
