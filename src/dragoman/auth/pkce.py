"""Prove that who redeems a code is who asked for it (RFC 7636)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256

from msgspec import Struct

from dragoman.auth.secret import Secret
from dragoman.auth.steps import Conversation, Random

__all__ = ["Proof", "base64url", "make_proof", "random_text"]


class Proof(Struct, frozen=True):
    """A verifier, secret until the code is redeemed, and its S256 challenge, shown beforehand."""

    verifier: Secret
    challenge: str


def base64url(data: bytes) -> str:
    """Write bytes as base64url without padding (RFC 7515, section 2)."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def random_text(size: int = 32) -> Conversation[str]:
    """Make a text of `size` unpredictable bytes that may stand in a URL."""
    data: bytes = yield Random(size)
    return base64url(data)


def make_proof() -> Conversation[Proof]:
    """Make a verifier of 256 bits and its challenge (RFC 7636, sections 4.1 and 4.2)."""
    verifier = yield from random_text()
    return Proof(Secret(verifier), base64url(sha256(verifier.encode()).digest()))
