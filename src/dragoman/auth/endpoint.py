"""Ask a token endpoint: show who the client is, prove its key, and read what comes back."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import quote_plus, urlencode

from msgspec import Struct

from dragoman.auth.dpop import Nonces, prove
from dragoman.auth.pkce import random_text
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Conversation, Fetch, FetchReply, KeyPair, Now, Sign
from dragoman.auth.tokens import Refusal, Tokens, read_tokens

__all__ = ["Client", "Endpoint", "request_tokens"]

_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_ASSERTION_LIFE = 300
_MOST_NONCES = 2


class Client(Struct, frozen=True):
    """Who we are to one authorization server, and how that is shown.

    `auth_method` is none, client_secret_basic, client_secret_post or private_key_jwt. `is_registered`: the server gave
    us this identity on our request, for `redirect_uri` and, where it said so, for `scope`.
    """

    id: str
    secret: Secret | None = None
    auth_method: str = "none"
    redirect_uri: str | None = None
    scope: tuple[str, ...] | None = None
    secret_expires_at: float | None = None
    is_registered: bool = False
    key: Secret | None = None
    key_id: str | None = None
    algorithm: str = "ES256"


class Endpoint(Struct, frozen=True):
    """A token endpoint as one client sees it.

    `audience` is what the client's own assertions are addressed to. `near`: see `Fetch`. `key`: what tokens are bound
    to, None for bearer tokens.
    """

    url: str
    audience: str
    client: Client
    nonces: Nonces
    near: str | None = None
    key: KeyPair | None = None


def request_tokens(
    endpoint: Endpoint, parameters: Mapping[str, str | None], before: Tokens | None = None
) -> Conversation[Tokens | Refusal]:
    """Make a token request, and read its answer; parameters that are None are not sent.

    A server that wants a nonce in the proof of the key is asked once more, with a new proof (RFC 9449, section 8).
    `before`: see `read_tokens`.
    """
    attempts = 0
    while True:
        now: float = yield Now()
        reply: FetchReply = yield from _post(endpoint, parameters)
        outcome = read_tokens(reply, now, before)
        nonce = reply.header("dpop-nonce")
        endpoint.nonces.learn(endpoint.url, nonce)
        wants_nonce = isinstance(outcome, Refusal) and outcome.error == "use_dpop_nonce" and nonce is not None
        if not wants_nonce or endpoint.key is None or attempts == _MOST_NONCES:
            return outcome
        attempts += 1


def _post(endpoint: Endpoint, parameters: Mapping[str, str | None]) -> Conversation[FetchReply]:
    shown, header = yield from _authenticated(endpoint)
    headers = [
        ("accept", "application/json"),
        ("content-type", "application/x-www-form-urlencoded"),
        *([("authorization", header)] if header else []),
    ]
    if endpoint.key is not None:
        proof = yield from prove(endpoint.key, "POST", endpoint.url, nonce=endpoint.nonces.get(endpoint.url))
        headers.append(("dpop", proof))
    sent = {name: value for name, value in {**parameters, **shown}.items() if value is not None}
    reply: FetchReply = yield Fetch("POST", endpoint.url, tuple(headers), urlencode(sent).encode(), near=endpoint.near)
    return reply


def _authenticated(endpoint: Endpoint) -> Conversation[tuple[dict[str, str], str | None]]:
    """Give the parameters, and the Authorization header, that show who the client is (RFC 6749, section 2.3)."""
    client = endpoint.client
    if client.auth_method == "private_key_jwt" and client.key is not None:
        assertion = yield from _assertion(endpoint, client.key)
        return {"client_assertion_type": _ASSERTION, "client_assertion": assertion}, None
    if client.secret is None or client.auth_method == "none":
        return ({"client_id": client.id} if client.id else {}), None
    if client.auth_method == "client_secret_post":
        return {"client_id": client.id, "client_secret": client.secret.reveal()}, None
    pair = f"{quote_plus(client.id)}:{quote_plus(client.secret.reveal())}"
    return {}, f"Basic {b64encode(pair.encode()).decode()}"


def _assertion(endpoint: Endpoint, key: Secret) -> Conversation[str]:
    """Sign who the client is (RFC 7523, section 2.2)."""
    client = endpoint.client
    identifier = yield from random_text(16)
    now: float = yield Now()
    header = {"typ": "JWT", "alg": client.algorithm, **({"kid": client.key_id} if client.key_id else {})}
    claims = {
        "iss": client.id,
        "sub": client.id,
        "aud": endpoint.audience,
        "jti": identifier,
        "iat": int(now),
        "exp": int(now) + _ASSERTION_LIFE,
    }
    assertion: str = yield Sign(key, header, claims)
    return assertion
