"""Get tokens without a browser: for programs, for what an enterprise manages, for workloads with an identity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from dragoman.auth.addresses import shown
from dragoman.auth.dpop import Nonces
from dragoman.auth.endpoint import Client, Endpoint, request_tokens
from dragoman.auth.metadata import AuthorizationServer
from dragoman.auth.records import Credentials
from dragoman.auth.registration import Profile, known_client
from dragoman.auth.secret import Secret, as_secret, hide
from dragoman.auth.steps import Consult, Conversation
from dragoman.auth.tokens import Refusal
from dragoman.auth.ways import Errand, Way
from dragoman.errors import UsageError

__all__ = [
    "Assertion",
    "ClientCredentials",
    "IdentityAssertion",
    "PrivateKeyJwt",
    "WorkloadIdentity",
    "stripped",
    "told",
]

Assertion: TypeAlias = Secret | str | Callable[[], Any]
"""A token of somebody else's: itself, or a function, plain or a coroutine function, that returns it when it is wanted."""

_JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_KIND = "urn:ietf:params:oauth:token-type:"


def told(source: Assertion) -> Conversation[Secret]:
    """Give a token of somebody else's, asking the application for it where it has given a function.

    Raises:
        UsageError: it is no text, or an empty one.
    """
    value: Any = source
    if not isinstance(source, Secret | str):
        value = yield Consult(source)
    if not isinstance(value, Secret | str):
        raise UsageError(f"a token was asked for, and {type(value).__name__} is what came: it has to be a text")
    return stripped(value)


def stripped(token: Secret | str) -> Secret:
    """Take off the white space around a token, such as the end of the line that it was read from.

    Raises:
        UsageError: there is nothing else.
    """
    text = (token.reveal() if isinstance(token, Secret) else token).strip()
    if not text:
        raise UsageError("the token is empty", hint="is the variable or the file that it comes from filled?")
    return Secret(text)


class _Arranged(Way, frozen=True, kw_only=True):
    """What ways for a client have in common that is known to the authorization server beforehand."""

    @property
    def profile(self) -> Profile:
        """Who this client is."""
        raise NotImplementedError

    @property
    def own_id(self) -> str | None:
        return self.profile.client_id

    def client(self, server: AuthorizationServer, held: Client | None, now: float) -> Client | None:
        return known_client(self.profile, server, held, now)

    def redeem(self, errand: Errand, parameters: Mapping[str, str | None]) -> Conversation[Credentials | Refusal]:
        """Exchange a grant for tokens, as this client."""
        client = self.client(errand.server, None, 0.0) or Client("")
        return (yield from errand.redeem(client, {**parameters, "scope": errand.scope}))


class ClientCredentials(_Arranged, frozen=True):
    """Get tokens for a program that has an id and a secret of its own (RFC 6749, section 4.4).

    `auth_method` is client_secret_basic or client_secret_post; None: what the server supports. See also `Way`.
    """

    client_id: str
    client_secret: Secret | str
    auth_method: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        hide(self, "client_secret")

    @property
    def profile(self) -> Profile:
        return Profile(
            client_id=self.client_id,
            client_secret=as_secret(self.client_secret),
            auth_method=self.auth_method,
            issuer=self.issuer,
        )

    def obtain(self, errand: Errand) -> Conversation[Credentials | Refusal]:
        return (yield from self.redeem(errand, {"grant_type": "client_credentials"}))


class PrivateKeyJwt(_Arranged, frozen=True):
    """Get tokens for a program that shows who it is with a private key (RFC 7523, section 2.2).

    `private_key` is a JWK in JSON, or PEM; `key_id` tells the server which one it is. Needs the extra `jose`. See also
    `Way`.
    """

    client_id: str
    private_key: Secret | str
    algorithm: str = "ES256"
    key_id: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        hide(self, "private_key")

    @property
    def profile(self) -> Profile:
        return Profile(
            client_id=self.client_id,
            private_key=as_secret(self.private_key),
            algorithm=self.algorithm,
            key_id=self.key_id,
            issuer=self.issuer,
        )

    def obtain(self, errand: Errand) -> Conversation[Credentials | Refusal]:
        return (yield from self.redeem(errand, {"grant_type": "client_credentials"}))


class WorkloadIdentity(_Arranged, frozen=True):
    """Get tokens for a workload with the JWT that its platform gives it (RFC 7523, section 2.1).

    `assertion` is that JWT, or a function that returns the current one. A refused one is not tried again.
    """

    assertion: Assertion
    client_id: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        hide(self, "assertion")

    @property
    def profile(self) -> Profile:
        return Profile(client_id=self.client_id, issuer=self.issuer)

    def obtain(self, errand: Errand) -> Conversation[Credentials | Refusal]:
        assertion = yield from told(self.assertion)
        return (yield from self.redeem(errand, {"grant_type": _JWT_BEARER, "assertion": assertion.reveal()}))


class IdentityAssertion(_Arranged, frozen=True, kw_only=True):
    """Get tokens for a user whom an enterprise's identity provider knows already (ID-JAG).

    The provider exchanges what it said of the user for a grant that is addressed to the server's authorization server,
    which gives tokens for it: RFC 8693, then RFC 7523.

    Attributes:
        assertion: the ID token (or SAML assertion) of the user, or a function that returns it.
        assertion_type: "id_token" or "saml2". idp_token_endpoint: where the provider exchanges it.
        idp_client_id: who the application is to the provider; `idp_client_secret`, if there is one.
        client_id: who the application is to the authorization server; `client_secret`, if there is one.
    """

    assertion: Assertion
    idp_token_endpoint: str
    idp_client_id: str
    client_id: str
    idp_client_secret: Secret | str | None = None
    client_secret: Secret | str | None = None
    assertion_type: str = "id_token"
    auth_method: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        hide(self, "assertion", "idp_client_secret", "client_secret")

    @property
    def profile(self) -> Profile:
        return Profile(
            client_id=self.client_id,
            client_secret=as_secret(self.client_secret),
            auth_method=self.auth_method,
            issuer=self.issuer,
        )

    def obtain(self, errand: Errand) -> Conversation[Credentials | Refusal]:
        grant = yield from self._exchanged(errand)
        if isinstance(grant, Refusal):
            raise grant.as_error(f"the identity provider at {shown(self.idp_token_endpoint)} gives no grant")
        return (yield from self.redeem(errand, {"grant_type": _JWT_BEARER, "assertion": grant.reveal()}))

    def _exchanged(self, errand: Errand) -> Conversation[Secret | Refusal]:
        assertion = yield from told(self.assertion)
        secret = as_secret(self.idp_client_secret)
        client = Client(self.idp_client_id, secret, "none" if secret is None else "client_secret_post")
        parameters: Mapping[str, str | None] = {
            "grant_type": _EXCHANGE,
            "requested_token_type": f"{_KIND}id-jag",
            "audience": errand.server.issuer,
            "resource": errand.resource.name,
            "scope": errand.scope,
            "subject_token": assertion.reveal(),
            "subject_token_type": f"{_KIND}{self.assertion_type}",
        }
        endpoint = Endpoint(self.idp_token_endpoint, self.idp_token_endpoint, client, Nonces())
        outcome = yield from request_tokens(endpoint, parameters)
        return outcome if isinstance(outcome, Refusal) else outcome.access
