"""What all ways of getting tokens have in common: their options, the errand they are sent on, and renewing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from dragoman.auth.dpop import Nonces, make_key
from dragoman.auth.endpoint import Client, Endpoint, request_tokens
from dragoman.auth.metadata import AuthorizationServer, Resource
from dragoman.auth.records import Book, Credentials
from dragoman.auth.steps import Conversation, KeyPair
from dragoman.auth.tokens import Refusal, Tokens, words
from dragoman.errors import UsageError

__all__ = ["Errand", "Way", "combined", "union"]


class Errand(Struct, frozen=True):
    """What tokens are wanted for: the resource, at which server, with which scopes (None: none in particular).

    `near` is the MCP server's URL; `dpop` the algorithm of the key that the tokens are to be bound to, None for none.
    """

    resource: Resource
    server: AuthorizationServer
    scopes: tuple[str, ...] | None
    book: Book
    nonces: Nonces
    near: str
    dpop: str | None = None

    @property
    def held(self) -> Credentials:
        """What this authorization server has given us so far."""
        return self.book.record.of(self.server.issuer) or Credentials(self.server, self.resource.name)

    @property
    def scope(self) -> str | None:
        """The scopes as one parameter."""
        return " ".join(self.scopes) if self.scopes else None

    def key(self) -> Conversation[KeyPair | None]:
        """Give the key that the tokens are to be bound to, if they are."""
        if self.dpop is None:
            return None
        return (yield from make_key(self.dpop, self.held.key))

    def remember(self, client: Client | None) -> Conversation[None]:
        """Store who we are to the server, before anything else can go wrong."""
        yield from self.book.write(
            lambda record: record.with_credentials(msgspec.structs.replace(self.held, client=client))
        )

    def redeem(self, client: Client, parameters: Mapping[str, str | None]) -> Conversation[Credentials | Refusal]:
        """Exchange a grant for tokens; the resource goes with it, verbatim (RFC 8707)."""
        key = yield from self.key()
        endpoint = Endpoint(
            self.server.token_endpoint, self.server.issuer, client, self.nonces, near=self.near, key=key
        )
        outcome = yield from request_tokens(endpoint, {**parameters, "resource": self.resource.name})
        if isinstance(outcome, Refusal):
            return outcome
        return msgspec.structs.replace(
            self.held,
            server=self.server,
            resource=self.resource.name,
            client=client if client.is_registered else self.held.client,
            tokens=outcome,
            client_id=client.id,
            requested=self.scopes,
            key=key,
        )


class Way(Struct, frozen=True, kw_only=True):
    """The options that all ways of getting tokens have.

    Attributes:
        scope: the scopes to ask for from the start, separated by spaces; None: those that the server names.
        issuer: the only authorization server that may be used; None: whichever the MCP server names.
        identity: tells several sets of tokens for one server apart in the store.
        resource: the name of the server to its authorization server, where it is not what the metadata says.
        dpop: whether tokens are bound to a key (RFC 9449); None: where the server asks for it. Needs the extra `jose`.
        trusted_hosts: hosts that a server may name although they are in a private network, or not reached by https.
        trusted_issuers: issuers that are used although their metadata breaks a rule.
        store: where tokens are kept; None: in the user's own files what a user granted, and in memory all else.
    """

    needs_user: ClassVar[bool] = False

    scope: str | None = None
    issuer: str | None = None
    identity: str = "default"
    resource: str | None = None
    dpop: bool | None = None
    trusted_hosts: frozenset[str] = frozenset()
    trusted_issuers: frozenset[str] = frozenset()
    store: Any = None

    def __post_init__(self) -> None:
        for name in ("trusted_hosts", "trusted_issuers"):
            value: Any = getattr(self, name)
            # One alone is a text, in which others could be found as a part of it; a configuration has lists.
            msgspec.structs.force_setattr(self, name, frozenset({value} if isinstance(value, str) else value))

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes to ask for from the start."""
        return words(self.scope)

    @property
    def own_id(self) -> str | None:
        """The client id that tokens have to belong to, where the user has named one."""
        return None

    def client(self, server: AuthorizationServer, held: Client | None, now: float) -> Client | None:
        """Give who we are to a server, as far as we are anybody there; see `known_client`."""
        raise NotImplementedError

    def obtain(self, errand: Errand) -> Conversation[Credentials | Refusal]:
        """Get tokens that were not there before."""
        raise NotImplementedError

    def renew(self, errand: Errand, tokens: Tokens, now: float) -> Conversation[Credentials | Refusal | None]:
        """Get new tokens in place of some, without asking a user; None where that cannot be.

        A refresh token goes only to who gave it, and only from who got it.
        """
        held = errand.held
        client = self.client(errand.server, held.client, now)
        if tokens.refresh is not None and client is not None and client.id == (held.client_id or client.id):
            return (yield from _refreshed(errand, client, tokens))
        if self.needs_user:
            return None
        return (yield from self.obtain(errand))


def _refreshed(errand: Errand, client: Client, tokens: Tokens) -> Conversation[Credentials | Refusal]:
    held = errand.held
    assert tokens.refresh is not None
    endpoint = Endpoint(
        errand.server.token_endpoint, errand.server.issuer, client, errand.nonces, near=errand.near, key=held.key
    )
    parameters = {
        "grant_type": "refresh_token",
        "refresh_token": tokens.refresh.reveal(),
        "resource": held.resource,
    }
    outcome = yield from request_tokens(endpoint, parameters, tokens)
    if isinstance(outcome, Refusal):
        return outcome
    return msgspec.structs.replace(held, server=errand.server, tokens=outcome)


def union(*scopes: tuple[str, ...] | None) -> tuple[str, ...]:
    """Put scopes together, each once, in order."""
    return tuple(dict.fromkeys(each for some in scopes for each in some or ()))


def combined(base: Way, top: Way) -> Way:
    """Give one way that is as `top` says, and as `base` says where `top` says nothing, which is where it is as by default.

    A way that cannot do without something of its own says all there is to say.

    Raises:
        UsageError: `top` says something that `base` knows nothing of.
    """
    fields = msgspec.structs.fields(top)
    if any(field.required for field in fields):
        return top
    changes: dict[str, Any] = {}
    for field in fields:
        value = getattr(top, field.name)
        if value == field.default:
            continue
        if not hasattr(base, field.name):
            raise UsageError(f"{type(base).__name__} has no {field.name!r}", hint="give it all that is to be used")
        # Who trusts one host more trusts the others still.
        changes[field.name] = getattr(base, field.name) | value if isinstance(value, frozenset) else value
    return msgspec.structs.replace(base, **changes)
