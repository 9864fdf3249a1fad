"""Choose who authorizes the requests to a server, by what the user has given as `auth`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from dragoman.auth.bearer import BearerAuthorizer, BearerToken
from dragoman.auth.consent import OAuth
from dragoman.auth.flow import Authorizer, WayAuthorizer
from dragoman.auth.secret import Secret
from dragoman.auth.ways import Way
from dragoman.errors import UsageError

__all__ = ["Auth", "authorizer_for"]

Auth: TypeAlias = Way | BearerToken | Secret | str | Callable[[], Any] | bool | None
"""What `auth` may be: a way of getting tokens, a token, a function that returns one; None for `OAuth()`, False for none."""


def authorizer_for(auth: Auth, url: str) -> Authorizer | None:
    """Make the authorizer of the requests to a server; None: they carry nothing, and a refusal stays one.

    Raises:
        UsageError: `auth` is nothing that can be used.
    """
    if auth is False:
        return None
    if auth is None or auth is True:
        return WayAuthorizer(url, OAuth())
    if isinstance(auth, Way):
        return WayAuthorizer(url, auth)
    if isinstance(auth, Secret | str) or (callable(auth) and not isinstance(auth, type | BearerToken)):
        auth = BearerToken(auth)
    if isinstance(auth, BearerToken):
        return BearerAuthorizer(url, auth)
    hint = "give a token, a function that returns one, or OAuth(...) and the like"
    raise UsageError(f"auth cannot be {getattr(auth, '__name__', type(auth).__name__)}", hint=hint)
