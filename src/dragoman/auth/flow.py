"""The authorization of each request: which headers it carries, and what to do when the server refuses it.

first request   goes out with the token that is held, or with none
401             the record is read again: somebody else may have got a token. Then discovery; then, if the authorization
server is still the same, one renewal; then the whole way, which may ask a user. Once a request
403             where scopes are missing: the whole way, with all that was asked for before and what is missing
"""

from __future__ import annotations

from typing import Protocol

from dragoman.auth.addresses import may_carry
from dragoman.auth.challenges import Demand, read_demand
from dragoman.auth.discovery import Place
from dragoman.auth.dpop import prove
from dragoman.auth.holder import Holder
from dragoman.auth.records import Credentials
from dragoman.auth.steps import Conversation, Now, Pairs
from dragoman.auth.tokens import Tokens, plain_text
from dragoman.auth.ways import Way, union
from dragoman.errors import AuthError

__all__ = ["Authorization", "Authorizer", "Headers", "WayAuthorizer"]

Headers = dict[str, str]

_MOST_STEP_UPS = 3
_MOST_NONCES = 5


class Authorization(Protocol):
    """The authorization of one request. Owned by whoever sends it, for all the times that it is sent."""

    def headers(self, now: float) -> Headers | None:
        """Give the headers for the request, at Unix time `now`; None: `prepare` has to be performed for them."""
        ...

    def prepare(self) -> Conversation[Headers]:
        """Give the headers for the request, renewing a token where that is due.

        Raises:
            McpError: the token has ended and cannot be renewed now.
        """
        ...

    def learn(self, headers: Pairs) -> None:
        """Take note of the headers of an answer, whatever its status."""
        ...

    def answer(self, status: int, headers: Pairs) -> Conversation[bool]:
        """See what can be done about a 401 or 403. True: send the request again, with new headers.

        Raises:
            AuthError: nothing more can be done, and it says why. TransportError, McpTimeout: it cannot be done now.
        """
        ...


class Authorizer(Protocol):
    """Gives each request to one server its authorization."""

    def begin(self, method: str, url: str, *, may_ask: bool = True) -> Authorization:
        """Begin the authorization of one HTTP request; `may_ask`: a user may be asked for it."""
        ...


class WayAuthorizer:
    """Gives the requests to one server the tokens that are got for it in one way. Owned by that server's transport."""

    def __init__(self, url: str, way: Way) -> None:
        self.holder = Holder(url, way)

    def begin(self, method: str, url: str, *, may_ask: bool = True) -> Authorization:
        """Begin the authorization of one HTTP request; `may_ask`: a user may be asked for it."""
        return _Request(self.holder, method, url, may_obtain=may_ask or not self.holder.way.needs_user)


class _Request:
    """One request, with what it was sent with and what has been tried for it."""

    def __init__(self, holder: Holder, method: str, url: str, *, may_obtain: bool) -> None:
        self._holder = holder
        self._method = method
        self._url = url
        self._may_obtain = may_obtain
        self._is_ours = may_carry(holder.url, url)
        self._sent: Tokens | None = None
        self._has_renewed = False
        self._has_obtained = False
        self._step_ups = 0
        self._nonces = 0

    def headers(self, now: float) -> Headers | None:
        if not self._is_ours:
            return {}
        tokens = self._holder.tokens
        if tokens is None:
            return {} if self._holder.book.is_read else None
        if tokens.kind != "Bearer" or self._holder.is_due(tokens, now):
            return None
        self._sent = None if tokens.is_expired(now) else tokens
        return {} if self._sent is None else {"authorization": self._sent.header}

    def prepare(self) -> Conversation[Headers]:
        now: float = yield Now()
        if not self._holder.book.is_read:
            yield from self._holder.look()
        tokens = self._holder.tokens
        if tokens is not None and self._holder.is_due(tokens, now):
            yield from self._holder.renew(tokens)
            tokens = self._holder.tokens
        self._sent = None if tokens is None or tokens.is_expired(now) else tokens
        return (yield from self._dressed(self._sent))

    def _dressed(self, tokens: Tokens | None) -> Conversation[Headers]:
        held = self._holder.credentials
        if tokens is None or held is None:
            return {}
        if tokens.kind == "Bearer" or held.key is None:
            return {"authorization": tokens.header}
        nonce = self._holder.nonces.get(self._url)
        proof = yield from prove(held.key, self._method, self._url, nonce=nonce, token=tokens.access)
        return {"authorization": tokens.header, "dpop": proof}

    def learn(self, headers: Pairs) -> None:
        nonce = next((value for name, value in headers if name.lower() == "dpop-nonce"), None)
        self._holder.nonces.learn(self._url, nonce)

    def answer(self, status: int, headers: Pairs) -> Conversation[bool]:
        if not self._is_ours or status not in {401, 403}:
            return False
        self.learn(headers)
        demand = read_demand(status, headers)
        if demand.error == "use_dpop_nonce" and demand.nonce is not None:
            # The token is a good one: neither another nor a user would help.
            if self._nonces == _MOST_NONCES:
                raise _refused(demand, "the server wants another nonce each time")
            self._nonces += 1
            return True
        if status == 401:
            return (yield from self._authorized(demand))
        if demand.error == "insufficient_scope" and demand.scope is not None and self._sent is not None:
            stepping = self._holder.settle(lambda: self._stepped_up(demand), self._holder.failures, asks_user=True)
            return (yield from stepping)
        return False

    # ------------------------------------------------------------------------------------------------------------ 401

    def _authorized(self, demand: Demand) -> Conversation[bool]:
        failures = self._holder.failures
        place = yield from self._holder.settle(lambda: self._looked(demand), failures)
        if place is None:
            return True
        if not self._may_obtain:
            return False
        return (yield from self._holder.settle(lambda: self._obtained(place, demand), failures, asks_user=True))

    def _looked(self, demand: Demand) -> Conversation[Place | None]:
        """Find other tokens than those that were refused; where there are none, give the place to get some at."""
        yield from self._holder.book.reread()
        if (yield from self._has_other_tokens()):
            return None
        if self._has_obtained or (self._sent is not None and self._sent == self._holder.spurned):
            self._holder.spurned = self._sent
            raise _refused(demand, "the server does not take the token that was just given for it")
        held = self._holder.credentials
        place = yield from self._holder.find(demand)
        return None if (yield from self._renewed(held, place)) else place

    def _obtained(self, place: Place, demand: Demand) -> Conversation[bool]:
        yield from self._holder.book.reread()
        if not (yield from self._has_other_tokens()):
            self._has_obtained = True
            yield from self._holder.obtain(place, self._holder.wanted(place, demand), demand)
        return True

    def _has_other_tokens(self) -> Conversation[bool]:
        """Say whether there are tokens by now that this request was not sent with, and that may work."""
        tokens = self._holder.tokens
        if tokens is None or tokens == self._sent:
            return False
        now: float = yield Now()
        return not tokens.is_expired(now)

    def _renewed(self, held: Credentials | None, place: Place) -> Conversation[bool]:
        """Renew what was held before the search: somebody may have done so meanwhile, whose token is a good one."""
        # Not at another issuer: what the old one gave is of no use any more, and its names are not to be told to others.
        if held is None or held.tokens is None or held.server.issuer != place.server.issuer or self._has_renewed:
            return False
        self._has_renewed = True
        can = held.tokens.refresh is not None
        return can and (yield from self._holder.renew(held.tokens, refused_by=place.server))

    # ------------------------------------------------------------------------------------------------------------ 403

    def _stepped_up(self, demand: Demand) -> Conversation[bool]:
        yield from self._holder.book.reread()
        if (yield from self._has_other_tokens()):
            return True
        if not self._may_obtain:
            return False
        held = self._holder.credentials
        wanted = union(_earlier(held), demand.scope)
        is_granted = set(demand.scope or ()) <= set(_granted(held))
        if is_granted or self._holder.has_tried(wanted) or self._step_ups == _MOST_STEP_UPS:
            raise _refused(demand, "the server asks for scopes that it was given already")
        self._step_ups += 1
        place = yield from self._holder.find(demand)
        yield from self._holder.obtain(place, wanted, demand)
        return True


def _earlier(held: Credentials | None) -> tuple[str, ...]:
    """Give the scopes that were asked for, or, where none in particular were, those that were granted."""
    return (held.requested if held is not None else None) or _granted(held)


def _granted(held: Credentials | None) -> tuple[str, ...]:
    """Give the scopes that the tokens are known to have: without a word from the server, those that were asked for."""
    if held is None or held.tokens is None:
        return ()
    return held.tokens.scope or held.requested or ()


def _refused(demand: Demand, what: str) -> AuthError:
    said = f": {plain_text(demand.description)}" if demand.description else ""
    return AuthError(
        f"{what}{said}",
        status=demand.status,
        challenge=demand.text,
        scope=" ".join(demand.scope) if demand.scope else None,
        hint="ask who runs the server, or log out and in again",
    )
