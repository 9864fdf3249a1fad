"""Hold the tokens for one server: renew them before they end, get new ones, and never do either twice at once.

Three names are held while that goes on. "look" covers finding out who gives tokens, and renewing those that were refused;
"login" the way to new ones, which may ask a user; "record" one renewal, or one change of what is stored. Whoever waited for one looks at what has come of it before doing the same
again. A refusal of the grant drops it; any other failure leaves it where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeVar

import msgspec

from dragoman.auth.addresses import Neighbourhood, shown
from dragoman.auth.challenges import Demand
from dragoman.auth.discovery import Place, Search, discover
from dragoman.auth.dpop import Nonces, choose_algorithm
from dragoman.auth.metadata import AuthorizationServer, Resource
from dragoman.auth.records import Book, Credentials, Record, record_key
from dragoman.auth.steps import Alone, Conversation, Now, Pause
from dragoman.auth.tokens import Refusal, Tokens
from dragoman.auth.ways import Errand, Way, union
from dragoman.errors import AuthError, ConfigError, McpError, McpTimeout

__all__ = ["Holder"]

T = TypeVar("T")

_PAUSES = (0.5, 2.0)
_LONGEST_PAUSE = 5.0
_WAIT_WHILE_GOOD = 2.0
"""Seconds that a request waits for a token to be renewed that still works: then it goes out with that."""
_REST = 15.0
"""Seconds for which a token that still works is used on, when it could not be renewed."""


class Holder:
    """The tokens for one server, got in one way. Owned by the authorizer of that server; used by many tasks.

    Attributes:
        url: the server's URL.
        way: how tokens are got.
        book: what is stored of them.
        nonces: what servers want in the proofs of a key.
        spurned: a token that the server did not take although it had just been given for it, None for none. Whoever
            asked the user for another one each time would ask for ever.
        failures: how often no tokens could be got.
    """

    def __init__(self, url: str, way: Way) -> None:
        self.url = url
        self.way = way
        self.book = Book(record_key(url, way.identity))
        self.nonces = Nonces()
        self.spurned: Tokens | None = None
        self._tried: set[frozenset[str]] = set()
        self.failures = 0
        self._failure: McpError | None = None
        self._renewals = 0
        self._rests_until = 0.0

    @property
    def credentials(self) -> Credentials | None:
        """What may be used: of the current issuer, and given to the client that the user has named, if any."""
        held = self.book.record.credentials
        own = self.way.own_id
        return None if held is None or (own is not None and held.client_id not in {None, own}) else held

    @property
    def tokens(self) -> Tokens | None:
        """The tokens that are held, fresh or not."""
        held = self.credentials
        return None if held is None else held.tokens

    def look(self) -> Conversation[None]:
        """See whether anything is stored. That it cannot be read is said only by who needs it: most servers want nothing."""
        try:
            # Without keeping anybody out: a record is whole at every moment, and nothing is changed here.
            yield from self.book.read()
        except ConfigError:
            self.book.is_read = True

    def is_due(self, tokens: Tokens, now: float) -> bool:
        """Whether tokens should be renewed before they are used."""
        can = tokens.refresh is not None or not self.way.needs_user
        if not can or not tokens.is_stale(now):
            return False
        # Nobody waits for another's renewal, and none is tried again at once, while the token still works.
        is_free = now >= self._rests_until and not self._renewals
        return is_free or tokens.is_expired(now)

    # ------------------------------------------------------------------------------------------------------- renewing

    def renew(self, old: Tokens, *, refused_by: AuthorizationServer | None = None) -> Conversation[bool]:
        """Get other tokens than the old ones without asking anybody; True if there are others now.

        `refused_by`: the MCP server no longer takes the old ones, whatever they said of their life; this is what its
        authorization server says of itself by now.

        Raises:
            McpError: that cannot be done now, and the old ones cannot be used. The grant stays.
        """
        now: float = yield Now()
        can_wait = refused_by is None and not old.is_expired(now)
        longest = _WAIT_WHILE_GOOD if can_wait else inf
        renewed = self._counted(self._renewed(old, refused_by))
        try:
            # The server may have exchanged the refresh token by the time that nobody waits any more: hence whole.
            return (yield from self._counted(self.book.alone(renewed, is_whole=True, longest=longest)))
        except McpTimeout:
            if not can_wait:
                raise
            return False

    def _counted(self, conversation: Conversation[bool]) -> Conversation[bool]:
        self._renewals += 1
        try:
            return (yield from conversation)
        finally:
            self._renewals -= 1

    def _renewed(self, old: Tokens, refused_by: AuthorizationServer | None) -> Conversation[bool]:
        if self.tokens == old:
            yield from self.book.read()
        held = self.credentials
        if held is None or held.tokens != old:
            return self.tokens is not None
        now: float = yield Now()
        is_needed = refused_by is not None or old.is_expired(now)
        held = held if refused_by is None else msgspec.structs.replace(held, server=refused_by)
        outcome = yield from self._asked(held, old, now, is_needed=is_needed)
        if isinstance(outcome, Credentials):
            yield from self.book.change(lambda record: record.with_credentials(outcome))
            return True
        if isinstance(outcome, Refusal) and outcome.is_final:
            return (yield from self._dropped(old, outcome))
        if is_needed and (isinstance(outcome, McpError) or (outcome is not None and outcome.is_passing)):
            raise _as_error(outcome)
        self._rests_until = now + _REST
        return False

    def _asked(
        self, held: Credentials, old: Tokens, now: float, *, is_needed: bool
    ) -> Conversation[Credentials | Refusal | McpError | None]:
        """Ask for new tokens; again after a while, if it has to be now and the trouble seems to pass."""
        pauses = iter(_PAUSES if is_needed else ())
        while True:
            outcome = yield from self._asked_once(held, old, now)
            pause = next(pauses, None)
            if pause is None or not isinstance(outcome, Refusal) or not outcome.is_passing:
                return outcome
            yield Pause(min(max(pause, outcome.retry_after or 0.0), _LONGEST_PAUSE))

    def _asked_once(
        self, held: Credentials, old: Tokens, now: float
    ) -> Conversation[Credentials | Refusal | McpError | None]:
        place = Place(Resource(held.resource), held.server)
        errand = self._errand(place, held.requested, held.key.algorithm if held.key is not None else None)
        try:
            return (yield from self.way.renew(errand, old, now))
        except McpError as error:
            return error

    def _dropped(self, old: Tokens, refusal: Refusal) -> Conversation[bool]:
        """Drop a grant that is gone, unless somebody else has renewed it in the meantime."""
        yield from self.book.read()
        if self.tokens == old:
            yield from self.book.change(
                lambda record: _without(record, forgets_client=refusal.error != "invalid_grant")
            )
        return self.tokens is not None

    # ------------------------------------------------------------------------------------------------------ obtaining

    def settle(
        self, conversation: Callable[[], Conversation[T]], failures: int, *, asks_user: bool = False
    ) -> Conversation[T]:
        """Go a part of the way to new tokens, one at a time.

        Who waited while that failed for another is told the same, and asks nobody: `failures` is how many there were
        when they began. `asks_user`: this part may ask a user, if the way has any. No other waits as long as that.
        """
        name = "login" if asks_user else "look"
        part = self._settled(conversation, failures)
        settled: T = yield Alone(f"{name} {self.book.key}", part, asks_user=asks_user and self.way.needs_user)
        return settled

    def _settled(self, conversation: Callable[[], Conversation[T]], seen: int) -> Conversation[T]:
        if self._failure is not None and self.failures > seen:
            raise _told_again(self._failure)
        try:
            return (yield from conversation())
        except McpError as error:
            self.failures, self._failure = self.failures + 1, error
            raise

    def search(self) -> Search:
        """Say what to look for to find who gives tokens for the server."""
        named = (self.way.issuer, self.book.record.current)
        return Search(
            Neighbourhood(self.url, self.way.trusted_hosts),
            tuple(each for each in named if each is not None),
            self.way.trusted_issuers,
            self.way.resource,
        )

    def find(self, demand: Demand) -> Conversation[Place]:
        """Find who gives tokens for the server now."""
        return (yield from discover(self.search(), demand))

    def wanted(self, place: Place, demand: Demand) -> tuple[str, ...]:
        """Choose the scopes (2025-11-25, Scope Selection Strategy); what was asked for earlier is not given up."""
        named = union(self.way.scopes, demand.scope) or place.resource.scopes
        held = self.book.record.of(place.server.issuer)
        return union(held.requested if held is not None else (), named)

    def obtain(self, place: Place, scopes: tuple[str, ...], demand: Demand) -> Conversation[None]:
        """Get new tokens, for these scopes, and store them.

        Raises:
            AuthError: they are refused, or cannot be had in this way.
        """
        errand = self._errand(place, scopes or None, self._algorithm(place, demand))
        outcome = yield from self.way.obtain(errand)
        if isinstance(outcome, Refusal):
            raise outcome.as_error(f"the authorization server {shown(place.server.issuer)} gives no token")
        yield from self.book.write(lambda record: record.with_credentials(outcome))
        self._tried.add(frozenset(scopes))

    def has_tried(self, scopes: tuple[str, ...]) -> bool:
        """Whether these scopes have been asked for already, and something was given."""
        return frozenset(scopes) in self._tried

    def _algorithm(self, place: Place, demand: Demand) -> str | None:
        is_asked = (demand.wants_dpop or place.resource.requires_dpop) and bool(place.server.dpop_algorithms)
        wants = is_asked if self.way.dpop is None else self.way.dpop
        return choose_algorithm(place.server.dpop_algorithms, demand.dpop_algorithms) if wants else None

    def _errand(self, place: Place, scopes: tuple[str, ...] | None, dpop: str | None) -> Errand:
        return Errand(place.resource, place.server, scopes, self.book, self.nonces, self.url, dpop)


def _without(record: Record, *, forgets_client: bool) -> Record:
    held = record.credentials
    assert held is not None
    client = None if forgets_client else held.client
    return record.with_credentials(msgspec.structs.replace(held, tokens=None, client=client))


def _as_error(outcome: Refusal | McpError) -> McpError:
    if isinstance(outcome, McpError):
        return outcome
    return outcome.as_error("the token cannot be renewed now", hint="what was granted is kept; try again later")


def _told_again(error: McpError) -> AuthError:
    """Tell another caller of a failure; each gets an exception of its own, as each adds its traceback to it."""
    known = error if isinstance(error, AuthError) else AuthError(error.message, hint=error.hint)
    again = AuthError(
        known.message, status=known.status, challenge=known.challenge, scope=known.scope, url=known.url, hint=known.hint
    )
    again.__cause__ = error
    return again
