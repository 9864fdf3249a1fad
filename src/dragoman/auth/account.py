"""Log in at a server, show what is stored for it and what discovery finds there step by step, and forget it."""

from __future__ import annotations

from msgspec import Struct

from dragoman.auth.challenges import Demand, read_demand
from dragoman.auth.discovery import Rung, discover
from dragoman.auth.holder import Holder
from dragoman.auth.records import Record
from dragoman.auth.steps import Conversation, Fetch, FetchReply
from dragoman.errors import AuthError, McpError

__all__ = ["Account", "enter", "examine", "forget"]

_PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
_HEADERS = (("accept", "application/json, text/event-stream"), ("content-type", "application/json"))


class Account(Struct, frozen=True, kw_only=True):
    """What is known of the authorization at one server, without a secret in it.

    Attributes:
        url, identity: which server, and which of the user's identities there.
        issuer: who gave the tokens that are stored, or None. client_id: to whom.
        scopes: what was asked for. expires_at: when the token ends, in Unix seconds; None: nobody said.
        has_token, can_renew, is_bound: whether there is one, it can be renewed without a user, and it is bound to a key.
        challenge: what the server answers to a request without a token, or None. is_reached: whether it answers at all.
        trail: each URL that discovery looked at, with what was there. found: the issuer that it came to, or None.
        problem: why it came to none, or why the server does not answer; None if all is well.
    """

    url: str
    identity: str
    issuer: str | None = None
    client_id: str | None = None
    scopes: tuple[str, ...] = ()
    expires_at: float | None = None
    has_token: bool = False
    can_renew: bool = False
    is_bound: bool = False
    challenge: str | None = None
    is_reached: bool = True
    trail: tuple[Rung, ...] = ()
    found: str | None = None
    problem: str | None = None


def examine(holder: Holder) -> Conversation[Account]:
    """Look at what is stored, ask the server what it wants, and follow that to its authorization server."""
    yield from holder.book.reread()
    found, problem, trouble = None, None, None
    try:
        demand = yield from _demand(holder.url)
    except McpError as error:
        demand, trouble = Demand(401), str(error)
    search = holder.search()
    try:
        place = yield from discover(search, demand)
        found = place.server.issuer
    except McpError as error:
        problem = str(error)
    held, tokens = holder.credentials, holder.tokens
    return Account(
        url=holder.url,
        identity=holder.way.identity,
        issuer=held.server.issuer if held is not None else None,
        client_id=held.client_id if held is not None else None,
        scopes=(held.requested if held is not None else None) or (),
        expires_at=tokens.expires_at if tokens is not None else None,
        has_token=tokens is not None,
        can_renew=tokens is not None and (tokens.refresh is not None or not holder.way.needs_user),
        is_bound=tokens is not None and tokens.kind != "Bearer",
        challenge=demand.text,
        is_reached=trouble is None,
        trail=tuple(search.trail),
        found=found,
        problem=trouble or problem,
    )


def enter(holder: Holder) -> Conversation[None]:
    """Get new tokens, whatever there is already, with all that was asked for before.

    Raises:
        AuthError: they cannot be had, or the server wants none. TransportError, McpTimeout: it does not answer.
    """
    demand = yield from _demand(holder.url)
    yield from holder.settle(lambda: _entered(holder, demand), holder.failures, asks_user=True)


def _entered(holder: Holder, demand: Demand) -> Conversation[None]:
    yield from holder.book.reread()
    place = yield from holder.find(demand)
    if demand.status not in {401, 403} and not place.resource.issuers:
        raise AuthError("the server asks for no authorization, and names nobody who gives any")
    yield from holder.obtain(place, holder.wanted(place, demand), demand)


def _demand(url: str) -> Conversation[Demand]:
    reply: FetchReply = yield Fetch("POST", url, _HEADERS, _PING)
    return read_demand(reply.status, reply.headers)


def forget(holder: Holder) -> Conversation[bool]:
    """Remove all that is stored for the server, registrations included; False: there was nothing."""
    record = yield from holder.book.reread()
    yield from holder.book.write(lambda _: Record())
    return bool(record.by_issuer)
