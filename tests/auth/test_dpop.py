"""Proofs of a key."""

import json
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any

import pytest

from dragoman.auth.dpop import Nonces, choose_algorithm, make_key, prove
from dragoman.auth.secret import Secret
from dragoman.auth.steps import KeyPair
from dragoman.errors import AuthError
from tests.auth.playing import NOW, World

KEY = KeyPair("ES256", Secret("private"), {"kty": "EC", "crv": "P-256", "x": "x", "y": "y"})


def proof(world: World, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    header, claims = json.loads(world.play(prove(KEY, "POST", "https://as.example.com/token?x=1#y", **options)))
    return header, claims


def test_proof_is_for_one_request() -> None:
    world = World()
    header, claims = proof(world)

    assert header == {"typ": "dpop+jwt", "alg": "ES256", "jwk": KEY.public}
    assert claims == {"jti": claims["jti"], "htm": "POST", "htu": "https://as.example.com/token", "iat": int(NOW)}
    assert world.signed[0].key == Secret("private")
    assert proof(world)[1]["jti"] != claims["jti"]


def test_proof_is_tied_to_the_token_and_the_nonce() -> None:
    _, claims = proof(World(), token=Secret("at"), nonce="n1")

    assert claims["ath"] == urlsafe_b64encode(sha256(b"at").digest()).rstrip(b"=").decode()
    assert claims["nonce"] == "n1"


def test_each_server_has_its_own_nonce() -> None:
    nonces = Nonces()
    nonces.learn("https://a/token", "n1")
    nonces.learn("https://b/mcp", "n2")
    nonces.learn("https://a/other", None)

    assert (nonces.get("https://a/x?y"), nonces.get("https://b/mcp"), nonces.get("https://c")) == ("n1", "n2", None)


def test_algorithm_is_one_that_all_accept() -> None:
    assert choose_algorithm() == "ES256"
    assert choose_algorithm((), ()) == "ES256"
    assert choose_algorithm(("RS256", "ES384"), ()) == "ES384"
    assert choose_algorithm(("RS256", "ES256"), ("RS256",)) == "RS256"


@pytest.mark.parametrize("accepted", [(("HS256",),), (("ES256",), ("RS256",))])
def test_no_common_algorithm_is_told(accepted: tuple[tuple[str, ...], ...]) -> None:
    with pytest.raises(AuthError, match=accepted[0][0]):
        choose_algorithm(*accepted)


def test_key_is_made_once() -> None:
    world = World()

    assert world.play(make_key("ES256", KEY)) is KEY
    assert world.steps == []
    assert world.play(make_key("RS256", KEY)).algorithm == "RS256"
    assert world.play(make_key("ES256", None)).private == Secret("private-ES256")
