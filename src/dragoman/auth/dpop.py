"""Show with each request that a token is used by whom it was given to: DPoP (RFC 9449)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import urlsplit, urlunsplit

from dragoman.auth.pkce import base64url, random_text
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Conversation, KeyPair, MakeKey, Now, Sign
from dragoman.errors import AuthError

__all__ = ["ALGORITHMS", "Nonces", "choose_algorithm", "make_key", "prove"]

ALGORITHMS = ("ES256", "ES384", "ES512", "PS256", "RS256")
"""The JWS algorithms that proofs are made with, the preferred one first."""


class Nonces:
    """What each server wants to find in the next proof (section 8). Owned by one authorizer."""

    def __init__(self) -> None:
        self._by_origin: dict[str, str] = {}

    def get(self, url: str) -> str | None:
        """Return the nonce that the server of a URL gave last."""
        return self._by_origin.get(_origin(url))

    def learn(self, url: str, nonce: str | None) -> None:
        """Remember a nonce, if there is one."""
        if nonce:
            self._by_origin[_origin(url)] = nonce


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def choose_algorithm(*accepted: Sequence[str]) -> str:
    """Choose what to sign proofs with; each list is one server's, and an empty one accepts anything.

    Raises:
        AuthError: there is none that all accept.
    """
    for algorithm in ALGORITHMS:
        if all(not each or algorithm in each for each in accepted):
            return algorithm
    named = ", ".join(dict.fromkeys(each for some in accepted for each in some))
    raise AuthError(f"DPoP is asked for with algorithms that cannot be had together here: {named[:200]!r}")


def make_key(algorithm: str, held: KeyPair | None) -> Conversation[KeyPair]:
    """Make a key, unless the one that is held will do: what was bound to it stays usable."""
    if held is not None and held.algorithm == algorithm:
        return held
    key: KeyPair = yield MakeKey(algorithm)
    return key


def prove(
    key: KeyPair, method: str, url: str, *, nonce: str | None = None, token: Secret | None = None
) -> Conversation[str]:
    """Make the proof for one request; it is good for this one alone (section 4.2).

    `token` is the access token that goes with it, None where one is asked for.
    """
    identifier = yield from random_text(16)
    now: float = yield Now()
    parts = urlsplit(url)
    claims = {
        "jti": identifier,
        "htm": method,
        "htu": urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
        "iat": int(now),
    }
    if token is not None:
        claims["ath"] = base64url(sha256(token.reveal().encode()).digest())
    if nonce is not None:
        claims["nonce"] = nonce
    header = {"typ": "dpop+jwt", "alg": key.algorithm, "jwk": key.public}
    proof: str = yield Sign(key.private, header, claims)
    return proof
