"""Being known to an authorization server."""

from typing import Any

import msgspec
import pytest

from dragoman.auth.endpoint import Client
from dragoman.auth.metadata import AuthorizationServer
from dragoman.auth.registration import Profile, known_client, register
from dragoman.auth.secret import Secret
from dragoman.errors import AuthError
from tests.auth.playing import ISSUER, NOW, REDIRECT, SERVER, URL, World, answer

REGISTER = f"{ISSUER}/register"
HELD = Client("held", redirect_uri=REDIRECT, is_registered=True)
DOCUMENTS = msgspec.structs.replace(SERVER, takes_metadata_documents=True)
METADATA_URL = "https://app.example.com/client.json"


def supporting(*methods: str) -> AuthorizationServer:
    return msgspec.structs.replace(SERVER, auth_methods=methods)


def known(server: AuthorizationServer = SERVER, held: Client | None = None, **options: Any) -> Client | None:
    return known_client(Profile(**options), server, held, NOW)


# ------------------------------------------------------------------------------------------------------------- known


@pytest.mark.edge("B78")
def test_arranged_id_goes_before_all_else() -> None:
    assert known(DOCUMENTS, HELD, client_id="mine", metadata_url=METADATA_URL) == Client("mine")


def test_metadata_document_goes_before_what_was_registered() -> None:
    assert known(DOCUMENTS, HELD, metadata_url=METADATA_URL) == Client(METADATA_URL)


def test_what_was_registered_is_used_again() -> None:
    assert known(SERVER, HELD, metadata_url=METADATA_URL) == HELD
    assert known(SERVER, HELD) == HELD


def test_nobody_is_known() -> None:
    assert known() is None


def test_registration_ends_with_its_secret() -> None:
    assert known(held=msgspec.structs.replace(HELD, secret_expires_at=NOW)) is None
    assert known(held=msgspec.structs.replace(HELD, secret_expires_at=NOW + 1)) is not None


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        ((), "client_secret_basic"),
        (("client_secret_post", "client_secret_basic"), "client_secret_basic"),
        (("client_secret_post",), "client_secret_post"),
        (("none",), "client_secret_basic"),
    ],
)
def test_secret_is_shown_as_the_server_supports(methods: tuple[str, ...], expected: str) -> None:
    client = known(supporting(*methods), client_id="mine", client_secret=Secret("s"))

    assert client == Client("mine", Secret("s"), expected)


def test_method_may_be_stated() -> None:
    client = known(client_id="mine", client_secret=Secret("s"), auth_method="client_secret_post")

    assert client == Client("mine", Secret("s"), "client_secret_post")


def test_private_key_is_used_where_there_is_one() -> None:
    client = known(client_id="mine", private_key=Secret("pem"), key_id="k", algorithm="RS256")

    assert client == Client("mine", auth_method="private_key_jwt", key=Secret("pem"), key_id="k", algorithm="RS256")


def test_issuer_that_was_named_is_the_only_one() -> None:
    assert known(client_id="mine", issuer=ISSUER) == Client("mine")
    named: list[dict[str, Any]] = [{"client_id": "mine"}, {"metadata_url": METADATA_URL}, {}]
    for options in named:
        with pytest.raises(AuthError, match=r"was to be 'https://old'.*names 'https://as\.example\.com'"):
            known(issuer="https://old", **options)


# ------------------------------------------------------------------------------------------------------- registering


def registered(reply: Any, server: AuthorizationServer = SERVER, **options: Any) -> tuple[World, Client]:
    world = World({REGISTER: reply})
    return world, world.play(register(Profile(**options), server, REDIRECT, ("a", "b"), URL))


def sent(world: World, index: int = -1) -> Any:
    return msgspec.json.decode(world.fetched[index].body or b"")


def test_client_says_who_it_is() -> None:
    world, client = registered(answer({"client_id": "c"}, 201), uri="https://app", name="App", application_type="web")

    assert sent(world) == {
        "client_name": "App",
        "client_uri": "https://app",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "web",
        "scope": "a b",
    }
    assert world.fetched[0].near == URL
    assert client == Client("c", redirect_uri=REDIRECT, is_registered=True)


def test_client_without_wishes_is_a_native_one() -> None:
    world = World({REGISTER: answer({"client_id": "c"})})
    world.play(register(Profile(), SERVER, REDIRECT, None, URL))

    assert sent(world)["application_type"] == "native"
    assert not {"scope", "client_uri"} & sent(world).keys()


def test_answer_is_read_whole() -> None:
    reply = {
        "client_id": "c",
        "client_secret": "s",
        "client_secret_expires_at": NOW + 5,
        "token_endpoint_auth_method": "client_secret_post",
        "scope": "a",
    }
    _, client = registered(answer(reply))

    assert client == Client("c", Secret("s"), "client_secret_post", REDIRECT, ("a",), NOW + 5, is_registered=True)


@pytest.mark.parametrize("value", [0, None, "never", -1])
def test_secret_that_does_not_end_has_no_end(value: Any) -> None:
    assert registered(answer({"client_id": "c", "client_secret_expires_at": value}))[1].secret_expires_at is None


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        (("client_secret_basic", "none"), "none"),
        (("client_secret_post", "client_secret_basic"), "client_secret_basic"),
        (("client_secret_post",), "client_secret_post"),
        (("tls_client_auth",), "client_secret_basic"),
    ],
)
@pytest.mark.parametrize("said", [None, "tls_client_auth", 5])
def test_method_is_one_that_the_server_supports(methods: tuple[str, ...], expected: str, said: Any) -> None:
    reply = answer({"client_id": "c", "client_secret": "", "token_endpoint_auth_method": said})
    world, client = registered(reply, supporting(*methods))

    assert sent(world)["token_endpoint_auth_method"] == expected
    assert (client.auth_method, client.secret) == (expected, None)


def test_scopes_that_are_not_taken_are_left_out() -> None:
    refused = answer({"error": "invalid_client_metadata"}, 400)
    world, client = registered([refused, answer({"client_id": "c"})])

    assert client.id == "c"
    assert ["scope" in sent(world, index) for index in (0, 1)] == [True, False]


@pytest.mark.edge("B71")
def test_refused_registration_names_the_address() -> None:
    reply = answer({"error": "invalid_redirect_uri", "error_description": "no loopback"}, 400)
    world = World({REGISTER: reply})
    error = world.fail(register(Profile(), SERVER, REDIRECT, ("a",), URL))

    assert f"{REDIRECT} to come back to (400: invalid_redirect_uri: no loopback)" in str(error)
    assert "client_id" in str(error)
    assert len(world.fetched) == 2


@pytest.mark.parametrize("reply", [answer({}), answer({"client_id": 5}), answer({"client_id": ""}), answer(b"x", 500)])
def test_answer_without_an_id_registers_nobody(reply: Any) -> None:
    assert "does not register this client" in str(
        World({REGISTER: reply}).fail(register(Profile(), SERVER, REDIRECT, None, URL))
    )


def test_server_without_registration_is_told() -> None:
    server = msgspec.structs.replace(SERVER, registration_endpoint=None)
    error = World().fail(register(Profile(), server, REDIRECT, None, URL))

    assert str(error).endswith("(register one there, and give its `client_id`)")
