"""Requests to a token endpoint: who the client is, and proofs of its key."""

import json
from base64 import b64decode
from typing import Any

import pytest

from dragoman.auth.dpop import Nonces
from dragoman.auth.endpoint import Client, Endpoint, request_tokens
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Fetch, KeyPair
from dragoman.auth.tokens import Refusal, Tokens
from tests.auth.playing import ISSUER, NOW, URL, World, answer, form, token

ENDPOINT = f"{ISSUER}/token"
KEY = KeyPair("ES256", Secret("private"), {"kty": "EC"})


def ask(client: Client, reply: Any = None, **options: Any) -> tuple[Fetch, Tokens | Refusal]:
    world = World({ENDPOINT: reply or token()})
    endpoint = Endpoint(ENDPOINT, ISSUER, client, Nonces(), URL, **options)
    outcome = world.play(request_tokens(endpoint, {"grant_type": "g", "scope": None}))
    return world.fetched[-1], outcome


def header(request: Fetch, name: str) -> str | None:
    return dict(request.headers).get(name)


def test_public_client_gives_its_id() -> None:
    request, outcome = ask(Client("id"))

    assert (request.method, request.url, request.near) == ("POST", ENDPOINT, URL)
    assert header(request, "content-type") == "application/x-www-form-urlencoded"
    assert form(request) == {"grant_type": "g", "client_id": "id"}
    assert header(request, "authorization") is None
    assert isinstance(outcome, Tokens)


def test_client_without_an_id_gives_none() -> None:
    assert form(ask(Client(""))[0]) == {"grant_type": "g"}


def test_secret_goes_into_the_header() -> None:
    request, _ = ask(Client("a b:c", Secret("s/%"), "client_secret_basic"))

    encoded = (header(request, "authorization") or "").removeprefix("Basic ")
    assert b64decode(encoded) == b"a+b%3Ac:s%2F%25"
    assert form(request) == {"grant_type": "g"}


def test_secret_goes_into_the_body() -> None:
    request, _ = ask(Client("id", Secret("s"), "client_secret_post"))

    assert form(request) == {"grant_type": "g", "client_id": "id", "client_secret": "s"}
    assert header(request, "authorization") is None


@pytest.mark.parametrize(
    "client",
    [Client("id", Secret("s")), Client("id", None, "client_secret_basic"), Client("id", None, "private_key_jwt")],
)
def test_client_that_has_nothing_to_show_shows_nothing(client: Client) -> None:
    assert form(ask(client)[0]) == {"grant_type": "g", "client_id": "id"}


def test_private_key_signs_who_the_client_is() -> None:
    client = Client("id", None, "private_key_jwt", key=Secret("pem"), key_id="k1", algorithm="RS256")
    request, _ = ask(client)
    sent = form(request)
    head, claims = json.loads(sent.pop("client_assertion"))

    assert sent == {
        "grant_type": "g",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    }
    assert head == {"typ": "JWT", "alg": "RS256", "kid": "k1"}
    assert claims.pop("jti")
    assert claims == {"iss": "id", "sub": "id", "aud": ISSUER, "iat": int(NOW), "exp": int(NOW) + 300}


def test_key_without_a_name_is_not_named() -> None:
    request, _ = ask(Client("id", None, "private_key_jwt", key=Secret("pem")))

    assert json.loads(form(request)["client_assertion"])[0] == {"typ": "JWT", "alg": "ES256"}


def test_key_is_proved() -> None:
    request, outcome = ask(Client("id"), token(token_type="DPoP"), key=KEY)
    head, claims = json.loads(header(request, "dpop") or "")

    assert (head["jwk"], claims["htm"], claims["htu"]) == ({"kty": "EC"}, "POST", ENDPOINT)
    assert not {"ath", "nonce"} & claims.keys()
    assert isinstance(outcome, Tokens)
    assert outcome.kind == "DPoP"


def wants_nonce(nonce: str) -> Any:
    return answer({"error": "use_dpop_nonce"}, 400, (("DPoP-Nonce", nonce),))


def test_nonce_is_used_in_a_new_proof() -> None:
    nonces = Nonces()
    world = World({ENDPOINT: [wants_nonce("n1"), answer({"access_token": "a"}, 200, (("dpop-nonce", "n2"),))]})
    outcome = world.play(request_tokens(Endpoint(ENDPOINT, ISSUER, Client("id"), nonces, key=KEY), {}))
    first, second = (json.loads(header(each, "dpop") or "")[1] for each in world.fetched)

    assert isinstance(outcome, Tokens)
    assert ("nonce" in first, second["nonce"]) == (False, "n1")
    assert first["jti"] != second["jti"]
    assert nonces.get(ENDPOINT) == "n2"


def test_server_that_always_wants_another_nonce_is_left() -> None:
    world = World({ENDPOINT: [wants_nonce("n1"), wants_nonce("n2"), wants_nonce("n3"), wants_nonce("n4")]})
    outcome = world.play(request_tokens(Endpoint(ENDPOINT, ISSUER, Client("id"), Nonces(), key=KEY), {}))

    assert outcome == Refusal(400, "use_dpop_nonce")
    assert len(world.fetched) == 3


@pytest.mark.parametrize("options", [{}, {"key": KEY}])
def test_nonce_that_cannot_be_used_is_a_refusal(options: Any) -> None:
    reply = wants_nonce("n") if not options else answer({"error": "use_dpop_nonce"}, 400)

    assert ask(Client("id"), reply, **options)[1] == Refusal(400, "use_dpop_nonce")
