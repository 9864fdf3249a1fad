"""Send a token that the application has: the same one for ever, or whatever its function returns."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import force_setattr

from dragoman.auth.addresses import may_carry
from dragoman.auth.flow import Authorization, Headers
from dragoman.auth.grants import Assertion, stripped, told
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Conversation, Pairs

__all__ = ["BearerAuthorizer", "BearerToken"]


class BearerToken(Struct, frozen=True):
    """Show a token that the application has.

    `token` is the token, or a function, plain or a coroutine function, that is asked for it before every request; one that
    returns another one after a 401 has its request sent again.

    Raises:
        UsageError: the token is empty.
    """

    token: Assertion

    def __post_init__(self) -> None:
        if isinstance(self.token, Secret | str):
            force_setattr(self, "token", stripped(self.token))


class BearerAuthorizer:
    """Gives the requests to one server the application's token. Owned by that server's transport."""

    def __init__(self, url: str, way: BearerToken) -> None:
        self._url = url
        self._way = way

    def begin(self, method: str, url: str, *, may_ask: bool = True) -> Authorization:  # noqa: ARG002 - the interface's
        """Begin the authorization of one HTTP request."""
        return _Request(self._way.token, is_ours=may_carry(self._url, url))


class _Request:
    def __init__(self, source: Assertion, *, is_ours: bool) -> None:
        self._source = source
        self._is_ours = is_ours
        self._sent: Secret | None = None
        self._has_asked_again = False

    def headers(self, now: float) -> Headers | None:  # noqa: ARG002 - the interface's: this token's end is not known
        if not self._is_ours:
            return {}
        return _header(self._source) if isinstance(self._source, Secret) else None

    def prepare(self) -> Conversation[Headers]:
        self._sent = yield from told(self._source)
        return _header(self._sent)

    def learn(self, headers: Pairs) -> None:
        """Learn nothing: no key goes with the token."""

    def answer(self, status: int, headers: Pairs) -> Conversation[bool]:  # noqa: ARG002 - the interface's
        if status != 401 or not self._is_ours or isinstance(self._source, Secret) or self._has_asked_again:
            return False
        self._has_asked_again = True
        return (yield from told(self._source)) != self._sent


def _header(token: Secret) -> Headers:
    return {"authorization": f"Bearer {token.reveal()}"}
