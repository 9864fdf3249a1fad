# generated from tests/aio/auth/test_ways.py by tools/unasync.py; do not edit
"""Every form that `auth` may have, with a client."""

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from dragoman import (
    AuthError,
    BearerToken,
    ClientCredentials,
    IdentityAssertion,
    PrivateKeyJwt,
    WorkloadIdentity,
)
from dragoman.local.jose import make_key
from tests.servers.oauth.gated import Gated
from tests.servers.oauth.server import Answer, Heard
from tests.sync.auth.support import connect
from tests.sync.client.support import failure

Gates: TypeAlias = Callable[..., Gated]


@pytest.fixture(params=["legacy", "modern"])
def server(request: pytest.FixtureRequest, gated: Gates) -> Gated:
    made = gated(request.param)
    made.takes = {"planted"}
    return made


def echoed(server: Gated, auth: Any, **options: Any) -> str:
    with connect(server, auth, **options) as client:
        return str(client.call_tool("echo").text)


def tokens_asked_for(server: Gated) -> list[Heard]:
    return [each for each in server.authority.heard if each.path == "/token"]


def eventually() -> str:
    return "planted"


@pytest.mark.parametrize("auth", ["planted", BearerToken("planted"), lambda: "planted", eventually])
def test_token_of_the_applications_is_shown(server: Gated, auth: Any) -> None:
    assert echoed(server, auth) == "echo {}"
    assert set(server.tokens("tools/call")) == {"planted"}
    assert server.authority.heard == []


@pytest.mark.feature(95)
def test_function_is_asked_again_when_its_token_is_refused(server: Gated) -> None:
    given = iter(["old", "planted"])
    current = [next(given)]

    def token() -> str:
        return current[0]

    server.takes = {"old"}
    with connect(server, token) as client:
        client.call_tool("echo")
        server.takes, current[0] = {"planted"}, next(given)
        client.call_tool("echo")
        server.takes = set()
        error = failure(client.call_tool, "echo")

    assert isinstance(error, AuthError)
    assert (error.status, error.server, server.ran["echo"]) == (401, "gated", 2)


def test_token_that_is_refused_is_told(server: Gated) -> None:
    error = failure(echoed, server, "wrong")

    assert isinstance(error, AuthError)
    assert (error.status, error.challenge) == (401, "Bearer")
    assert "wrong" not in str(error)


def test_program_shows_its_secret(server: Gated) -> None:
    assert echoed(server, ClientCredentials("me", "planted-secret", scope="read")) == "echo {}"
    (asked,) = tokens_asked_for(server)

    assert (asked.form["grant_type"], asked.form["scope"]) == ("client_credentials", "read")
    assert asked.form["resource"] == server.url
    assert asked.headers["authorization"].startswith("Basic ")


def test_program_signs_with_its_key(server: Gated) -> None:
    key, _ = make_key("ES256")

    assert echoed(server, PrivateKeyJwt("me", key, key_id="k1")) == "echo {}"
    (asked,) = tokens_asked_for(server)
    assert asked.form["client_assertion_type"].endswith(":jwt-bearer")
    assert asked.form["client_assertion"].count(".") == 2


def test_workload_shows_what_its_platform_gave_it(server: Gated) -> None:
    assert echoed(server, WorkloadIdentity(eventually, "me")) == "echo {}"
    (asked,) = tokens_asked_for(server)

    assert asked.form["assertion"] == "planted"
    assert asked.form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"


def test_enterprise_exchanges_what_it_knows_of_the_user(server: Gated) -> None:
    way = IdentityAssertion(
        assertion="planted", idp_token_endpoint=f"{server.authority.base}/token", idp_client_id="us", client_id="me"
    )

    assert echoed(server, way) == "echo {}"
    exchanged, redeemed = tokens_asked_for(server)
    assert (exchanged.form["audience"], exchanged.form["resource"]) == (server.authority.base, server.url)
    assert redeemed.form["assertion"].startswith("planted-access-")


def test_program_gets_a_new_token_by_itself_when_one_has_ended(server: Gated) -> None:
    with connect(server, ClientCredentials("me", "planted-secret")) as client:
        client.call_tool("echo")
        server.authority.revoke()
        client.call_tool("echo")

    assert server.ran["echo"] == 2
    assert server.authority.logins == 0


def test_program_that_is_refused_is_told_why(server: Gated) -> None:
    server.authority.trouble = [Answer({"error": "invalid_client", "error_description": "who is this"}, 401)]
    error = failure(echoed, server, ClientCredentials("me", "planted-secret"))

    assert isinstance(error, AuthError)
    assert "invalid_client: who is this" in str(error)
    assert "planted" not in json.dumps([str(error), repr(error)])
