"""Tokens without a browser."""

from base64 import b64decode
from typing import Any

import pytest

from dragoman.auth.dpop import Nonces
from dragoman.auth.endpoint import Client
from dragoman.auth.grants import ClientCredentials, IdentityAssertion, PrivateKeyJwt, WorkloadIdentity, _Arranged, told
from dragoman.auth.records import Credentials
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Fetch
from dragoman.auth.tokens import Refusal
from dragoman.auth.ways import Errand, Way
from dragoman.errors import AuthError, UsageError
from tests.auth.playing import ISSUER, NOW, RESOURCE, SERVER, URL, World, answer, book, form, token

IDP = "http://idp.internal/token"
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"


def obtain(way: Way, reply: Any = None, scopes: tuple[str, ...] | None = None) -> tuple[World, Credentials | Refusal]:
    world = World({SERVER.token_endpoint: reply or token("cc")})
    errand = Errand(RESOURCE, SERVER, scopes, book(world), Nonces(), URL)
    return world, world.play(way.obtain(errand))


def basic(request: Fetch) -> bytes:
    return b64decode(dict(request.headers)["authorization"].removeprefix("Basic "))


def test_program_shows_its_secret() -> None:
    way = ClientCredentials("id", "hush", scope="a")
    world, outcome = obtain(way, scopes=("a", "b"))

    assert form(world.fetched[0]) == {"grant_type": "client_credentials", "scope": "a b", "resource": URL}
    assert basic(world.fetched[0]) == b"id:hush"
    assert isinstance(outcome, Credentials)
    assert (outcome.client_id, outcome.client) == ("id", None)
    assert (way.own_id, way.scopes, way.needs_user) == ("id", ("a",), False)
    assert "hush" not in repr(way)


def test_program_may_show_its_secret_in_the_body() -> None:
    world, _ = obtain(ClientCredentials("id", Secret("hush"), auth_method="client_secret_post"))

    assert form(world.fetched[0])["client_secret"] == "hush"


def test_program_signs_who_it_is() -> None:
    way = PrivateKeyJwt("id", "pem", key_id="k")
    world, _ = obtain(way)

    assert form(world.fetched[0]).keys() == {"grant_type", "client_assertion_type", "client_assertion", "resource"}
    assert world.signed[0].key == Secret("pem")
    assert (world.signed[0].header["kid"], world.signed[0].claims["aud"]) == ("k", ISSUER)
    assert "pem" not in repr(way)


def test_secret_goes_only_to_the_server_it_was_arranged_with() -> None:
    world = World()
    errand = Errand(RESOURCE, SERVER, None, book(world), Nonces(), URL)
    error = world.fail(ClientCredentials("id", "hush", issuer="https://old").obtain(errand))

    assert isinstance(error, AuthError)
    assert world.fetched == []


def test_workload_shows_what_its_platform_gave_it() -> None:
    way = WorkloadIdentity(lambda: "jwt\n", client_id="w")
    world, _ = obtain(way)

    assert form(world.fetched[0]) == {"grant_type": JWT_BEARER, "assertion": "jwt", "client_id": "w", "resource": URL}
    assert way.own_id == "w"


def test_workload_may_have_no_id() -> None:
    world, outcome = obtain(WorkloadIdentity("jwt"))

    assert form(world.fetched[0]) == {"grant_type": JWT_BEARER, "assertion": "jwt", "resource": URL}
    assert isinstance(outcome, Credentials)
    assert outcome.client_id == ""
    assert WorkloadIdentity("jwt").client(SERVER, None, NOW) is None
    assert "jwt" not in repr(WorkloadIdentity("jwt"))


def test_refused_workload_is_not_tried_again() -> None:
    world, outcome = obtain(WorkloadIdentity("jwt"), answer({"error": "invalid_grant"}, 400))

    assert outcome == Refusal(400, "invalid_grant")
    assert len(world.fetched) == 1


# --------------------------------------------------------------------------------------------------------- enterprises


def enterprise(**options: Any) -> IdentityAssertion:
    return IdentityAssertion(
        assertion="id-token", idp_token_endpoint=IDP, idp_client_id="at-idp", client_id="at-as", **options
    )


def exchanged(reply: Any = None, way: IdentityAssertion | None = None) -> World:
    world = World(
        {IDP: reply or answer({"access_token": "jag", "token_type": "N_A"}), SERVER.token_endpoint: token("mcp")}
    )
    errand = Errand(RESOURCE, SERVER, ("a",), book(world), Nonces(), URL)
    outcome = world.play((way or enterprise(client_secret="hush")).obtain(errand))
    assert isinstance(outcome, Credentials)
    return world


def test_what_the_enterprise_says_is_exchanged_twice() -> None:
    world = exchanged()
    first, second = world.fetched

    assert form(first) == {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
        "audience": ISSUER,
        "resource": URL,
        "scope": "a",
        "subject_token": "id-token",
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "client_id": "at-idp",
    }
    # The user has named the provider: it may be in any network.
    assert (first.url, first.near) == (IDP, None)
    assert form(second) == {"grant_type": JWT_BEARER, "assertion": "jag", "scope": "a", "resource": URL}
    assert basic(second) == b"at-as:hush"


def test_provider_may_want_a_secret_and_another_assertion() -> None:
    world = exchanged(way=enterprise(idp_client_secret="idp-hush", assertion_type="saml2"))

    assert form(world.fetched[0])["client_secret"] == "idp-hush"
    assert form(world.fetched[0])["subject_token_type"].endswith(":saml2")
    assert form(world.fetched[1])["client_id"] == "at-as"


def test_providers_no_is_told() -> None:
    world = World({IDP: answer({"error": "invalid_grant", "error_description": "policy"}, 400)})
    error = world.fail(enterprise().obtain(Errand(RESOURCE, SERVER, None, book(world), Nonces(), URL)))

    assert f"the identity provider at '{IDP}' gives no grant (400, invalid_grant: policy)" in str(error)


def test_enterprise_shows_no_secret() -> None:
    way = enterprise(client_secret="hush-1", idp_client_secret="hush-2")

    assert not [each for each in ("hush-1", "hush-2", "id-token") if each in repr(way)]
    assert way.own_id == "at-as"


# ---------------------------------------------------------------------------------------------------- others' tokens


def test_token_is_told() -> None:
    world = World()

    assert world.play(told("a ")) == Secret("a")
    assert world.play(told(Secret("a"))) == Secret("a")
    assert world.play(told(lambda: Secret("b"))) == Secret("b")


@pytest.mark.parametrize("value", [None, 5, b"bytes"])
def test_what_is_no_token_is_a_mistake(value: Any) -> None:
    with pytest.raises(UsageError, match="it has to be a text"):
        World().play(told(lambda: value))


@pytest.mark.parametrize("value", ["", " \n", Secret("")])
def test_empty_token_is_a_mistake(value: Any) -> None:
    with pytest.raises(UsageError, match="the token is empty"):
        World().play(told(lambda: value))


def test_arranged_ways_say_who_they_are() -> None:
    with pytest.raises(NotImplementedError):
        _Arranged().own_id  # noqa: B018
    assert ClientCredentials("id", "s").client(SERVER, None, NOW) == Client("id", Secret("s"), "client_secret_basic")
