"""Verifiers and challenges."""

from base64 import urlsafe_b64encode
from hashlib import sha256

from dragoman.auth.pkce import base64url, make_proof, random_text
from tests.auth.playing import World


def test_challenge_is_the_digest_of_the_verifier() -> None:
    proof = World().play(make_proof())

    digest = sha256(proof.verifier.reveal().encode()).digest()
    assert proof.challenge == urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert len(proof.verifier.reveal()) == 43


def test_example_of_the_rfc() -> None:
    verifier = b"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    assert base64url(sha256(verifier).digest()) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_random_text_can_stand_in_a_url() -> None:
    world = World()
    texts = [world.play(random_text(16)) for _ in range(200)]

    assert all(set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") for text in texts)
    assert len(set(texts)) == 200
