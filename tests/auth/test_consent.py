"""The authorization code flow, from the question to the tokens."""

from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from dragoman.auth.consent import OAuth, authorization_url, read_redirect
from dragoman.auth.dpop import Nonces
from dragoman.auth.endpoint import Client
from dragoman.auth.metadata import AuthorizationServer, Resource
from dragoman.auth.records import Credentials
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Listen
from dragoman.auth.tokens import Refusal, Tokens
from dragoman.auth.ways import Errand
from dragoman.errors import AuthError, UsageError
from tests.auth.playing import ISSUER, NOW, REDIRECT, RESOURCE, SERVER, URL, World, answer, book, form, query, token

HELD = Client("held", redirect_uri=REDIRECT, is_registered=True)
MINE = OAuth(client_id="mine")


def errand(
    world: World,
    *,
    client: Client | None = None,
    scopes: tuple[str, ...] | None = None,
    resource: Resource = RESOURCE,
    **members: Any,
) -> Errand:
    server = msgspec.structs.replace(SERVER, **members)
    mine = book(world)
    if client is not None:
        world.play(mine.write(lambda old: old.with_credentials(Credentials(server, URL, client))))
    return Errand(resource, server, scopes, mine, Nonces(), URL)


def world_that_registers(client_id: str = "new", **members: Any) -> World:
    return World(
        {
            f"{ISSUER}/register": answer({"client_id": client_id, **members}, 201),
            SERVER.token_endpoint: token(refresh_token="r1"),
        }
    )


def obtained(world: World, way: OAuth, mine: Errand) -> Credentials:
    outcome = world.play(way.obtain(mine))
    assert isinstance(outcome, Credentials)
    return outcome


# --------------------------------------------------------------------------------------------------------- the whole


def test_user_is_asked_and_tokens_are_got() -> None:
    world = world_that_registers()
    outcome = obtained(world, OAuth(), errand(world, scopes=("a", "b")))
    asked, redeemed = query(world.browsed[0]), form(world.fetched[-1])

    assert outcome.tokens is not None
    assert outcome.tokens.refresh == Secret("r1")
    assert outcome.client == Client("new", redirect_uri=REDIRECT, is_registered=True)
    assert world.browsed[0].startswith(f"{ISSUER}/authorize?")
    assert asked.pop("state")
    assert asked.pop("code_challenge")
    assert asked == {
        "response_type": "code",
        "client_id": "new",
        "redirect_uri": REDIRECT,
        "code_challenge_method": "S256",
        "resource": URL,
        "scope": "a b",
    }
    assert redeemed.pop("code_verifier")
    assert redeemed == {
        "grant_type": "authorization_code",
        "code": "code-1",
        "redirect_uri": REDIRECT,
        "client_id": "new",
        "resource": URL,
    }


def test_registration_is_stored_before_the_user_is_asked() -> None:
    world = world_that_registers()
    world.comes_back = lambda _: AuthError("the user went away")
    world.fail(OAuth().obtain(errand(world)))

    held = book(world).record.of(ISSUER)
    assert held is not None
    assert held.client == Client("new", redirect_uri=REDIRECT, is_registered=True)


def test_scopes_that_may_be_needed_are_registered() -> None:
    world = world_that_registers()
    resource = msgspec.structs.replace(RESOURCE, scopes=("b", "c"))
    obtained(world, OAuth(), errand(world, scopes=("a", "b"), resource=resource))

    assert b'"scope":"a b c"' in (world.fetched[0].body or b"")
    assert query(world.browsed[0])["scope"] == "a b"


def test_refused_code_is_handed_on() -> None:
    world = World({SERVER.token_endpoint: answer({"error": "invalid_grant"}, 400)})

    assert world.play(MINE.obtain(errand(world))) == Refusal(400, "invalid_grant")
    assert len(world.browsed) == 1


# -------------------------------------------------------------------------------------------------- coming back to us


def test_address_of_the_registration_is_preferred() -> None:
    world = World({SERVER.token_endpoint: token()})
    obtained(world, OAuth(), errand(world, client=HELD))

    assert Listen(REDIRECT) in world.steps
    assert query(world.browsed[0])["client_id"] == "held"
    assert len(world.fetched) == 1


@pytest.mark.edge("B71")
def test_other_address_makes_another_registration() -> None:
    world = world_that_registers()
    world.redirect_uri = "http://127.0.0.1:9/callback"
    outcome = obtained(world, OAuth(), errand(world, client=HELD))

    assert outcome.client == Client("new", redirect_uri="http://127.0.0.1:9/callback", is_registered=True)
    assert query(world.browsed[0])["redirect_uri"] == "http://127.0.0.1:9/callback"


def test_address_may_be_fixed() -> None:
    world = world_that_registers()
    world.redirect_uri = "http://localhost:3000/callback"
    obtained(world, OAuth(redirect_uri="http://localhost:3000/callback"), errand(world, client=HELD))

    assert Listen("http://localhost:3000/callback", is_fixed=True) in world.steps


def test_first_login_has_no_preference() -> None:
    world = world_that_registers()
    obtained(world, OAuth(), errand(world))

    assert Listen() in world.steps


@pytest.mark.edge("B76")
@pytest.mark.parametrize("interactive", [None, False])
def test_without_a_user_the_error_says_where_and_what_for(interactive: bool | None) -> None:
    world = World()
    world.redirect_uri = None
    error = world.fail(OAuth(interactive=interactive).obtain(errand(world, scopes=("a", "b"))))

    assert (error.url, error.scope, error.status) == (f"{ISSUER}/authorize", "a b", 401)
    assert world.fetched == []
    assert any(isinstance(step, Listen) for step in world.steps) is (interactive is None)
    assert f'`dragoman login {URL} --scope "a b"` does it' in str(error)


def test_command_is_named_only_where_it_writes_to_the_same_store() -> None:
    world = World()
    error = world.fail(OAuth(interactive=False, store=object()).obtain(errand(world)))

    assert "with the same store" in str(error)
    assert "dragoman login" not in str(error)


# ---------------------------------------------------------------------------------------------------- what is arranged


def test_arranged_client_is_kept_for_who_comes_later() -> None:
    world = World({SERVER.token_endpoint: token(refresh_token="r1")})
    way = OAuth(client_id="mine", client_secret="hush", redirect_uri="http://localhost:3000/back")
    outcome = obtained(world, way, errand(world))

    assert outcome.client == Client(
        "mine", Secret("hush"), "client_secret_basic", redirect_uri="http://localhost:3000/back"
    )
    assert OAuth().client(SERVER, outcome.client, NOW) == outcome.client


def test_private_key_is_not_kept() -> None:
    world = World({SERVER.token_endpoint: token()})
    outcome = obtained(world, OAuth(client_id="mine", private_key="hush"), errand(world))

    assert outcome.client is None


def test_address_that_was_arranged_is_not_changed() -> None:
    world = World({SERVER.token_endpoint: token()})
    arranged = Client("mine", redirect_uri="http://localhost:3000/back")
    world.redirect_uri = "http://localhost:3000/back"
    obtained(world, OAuth(), errand(world, client=arranged))

    assert Listen("http://localhost:3000/back", is_fixed=True) in world.steps
    assert query(world.browsed[0])["client_id"] == "mine"


def test_arranged_client_that_is_refused_does_not_register() -> None:
    world = World({SERVER.token_endpoint: answer({"error": "invalid_client"}, 401)})
    outcome = world.play(MINE.obtain(errand(world, client=Client("mine"))))

    assert outcome == Refusal(401, "invalid_client")
    assert len(world.browsed) == 1


# ------------------------------------------------------------------------------------------------------------ clients


def test_registration_for_fewer_scopes_is_made_again() -> None:
    world = world_that_registers()
    narrow = msgspec.structs.replace(HELD, scope=("a",))
    obtained(world, OAuth(), errand(world, client=narrow, scopes=("a", "b")))

    assert query(world.browsed[0])["client_id"] == "new"


def test_registration_for_enough_scopes_stays() -> None:
    world = World({SERVER.token_endpoint: token()})
    wide = msgspec.structs.replace(HELD, scope=("a", "b"))
    obtained(world, OAuth(), errand(world, client=wide, scopes=("a",)))

    assert query(world.browsed[0])["client_id"] == "held"


def test_client_that_was_forgotten_registers_again() -> None:
    world = world_that_registers()
    world.replies[SERVER.token_endpoint] = [answer({"error": "invalid_client"}, 401), token()]
    outcome = obtained(world, OAuth(), errand(world, client=HELD))

    assert [query(each)["client_id"] for each in world.browsed] == ["held", "new"]
    assert outcome.client_id == "new"


def test_new_client_that_is_not_known_is_a_failure() -> None:
    world = world_that_registers()
    world.replies[SERVER.token_endpoint] = answer({"error": "invalid_client"}, 401)

    assert world.play(OAuth().obtain(errand(world))) == Refusal(401, "invalid_client")


def test_options_say_who_the_client_is() -> None:
    way = OAuth(
        client_id="mine",
        client_secret="hush",
        private_key="pem",
        auth_method="client_secret_post",
        issuer=ISSUER,
        client_name="App",
        client_metadata_url="https://app/c.json",
    )

    assert "hush" not in repr(way)
    assert way.own_id == "mine"
    assert (way.profile.client_secret, way.profile.name, way.profile.issuer) == (Secret("hush"), "App", ISSUER)
    assert way.client(SERVER, None, NOW) == Client("mine", Secret("hush"), "client_secret_post", key=Secret("pem"))


# --------------------------------------------------------------------------------------------------- the question


def asked(world: World | None = None, **members: Any) -> dict[str, str]:
    return query(authorization_url(errand(world or World(), **members), "c", REDIRECT, "s", "x"))


def test_no_scope_is_asked_for_where_none_is_known() -> None:
    assert "scope" not in asked()


def test_refresh_tokens_are_asked_for_where_they_are_offered() -> None:
    mine = msgspec.structs.replace(errand(World()), server=msgspec.structs.replace(SERVER, scopes=("offline_access",)))

    assert asked(scopes=("a",))["scope"] == "a"
    with_scope = query(authorization_url(msgspec.structs.replace(mine, scopes=("a",)), "c", REDIRECT, "s", "x"))
    assert (with_scope["scope"], with_scope["prompt"]) == ("a offline_access", "consent")
    assert "scope" not in query(authorization_url(mine, "c", REDIRECT, "s", "x"))


def test_resource_is_sent_as_it_is() -> None:
    assert asked(resource=Resource("HTTPS://A.example.com/"))["resource"] == "HTTPS://A.example.com/"


def test_endpoint_may_have_a_query_of_its_own() -> None:
    url = authorization_url(
        errand(World(), authorization_endpoint="https://as/authorize?tenant=1#part"), "c", REDIRECT, "s", "x"
    )

    assert url.startswith("https://as/authorize?tenant=1&response_type=code&")
    assert "#" not in url


def test_server_without_a_page_is_told() -> None:
    error = World().fail(MINE.obtain(errand(World(), authorization_endpoint=None)))

    assert "has no page where users could log in" in str(error)


def test_nobody_is_asked_where_codes_are_not_protected() -> None:
    world = World()
    error = world.fail(MINE.obtain(errand(world, challenge_methods=None)))

    assert "PKCE" in str(error)
    assert world.browsed == []


# ------------------------------------------------------------------------------------------------------ the answer


def back(server: AuthorizationServer = SERVER, **members: str) -> Secret:
    return read_redirect(f"{REDIRECT}?{urlencode({'state': 's', **members})}", "s", server)


SENDS = msgspec.structs.replace(SERVER, sends_iss=True)


def test_code_is_taken_out() -> None:
    assert back(code="c") == Secret("c")
    assert back(SENDS, code="c", iss=ISSUER) == Secret("c")
    assert back(code="c", iss=ISSUER) == Secret("c")


@pytest.mark.parametrize(
    "iss", ["https://evil.example.com", f"{ISSUER}/", "HTTPS://as.example.com", f"{ISSUER}:443", ""]
)
@pytest.mark.parametrize("server", [SERVER, SENDS])
def test_answer_of_another_server_is_refused(server: AuthorizationServer, iss: str) -> None:
    with pytest.raises(AuthError, match="with an answer that is from"):
        back(server, code="c", iss=iss)


@pytest.mark.edge("B74")
def test_answer_without_a_sender_is_refused_where_one_was_promised() -> None:
    with pytest.raises(AuthError, match="does not name its sender"):
        back(SENDS, code="c")


def test_error_of_another_server_is_not_shown() -> None:
    with pytest.raises(AuthError) as caught:
        back(error="access_denied", error_description="call 555", iss="https://evil")

    assert "555" not in str(caught.value)


@pytest.mark.parametrize("state", ["", "other", "s ", "\u00e9"])
def test_answer_to_another_request_is_refused(state: str) -> None:
    with pytest.raises(AuthError, match="another request"):
        back(state=state, code="c")


def test_no_is_told_with_its_reason() -> None:
    with pytest.raises(AuthError, match="not given: access_denied: the user  said no"):
        back(error="access_denied", error_description="the user\x1b said no")
    with pytest.raises(AuthError, match=r"not given: access_denied$"):
        back(error="access_denied")


@pytest.mark.parametrize("query_text", ["state=s", "state=s&code="])
def test_answer_without_a_code_is_refused(query_text: str) -> None:
    with pytest.raises(AuthError, match="without a code"):
        read_redirect(f"{REDIRECT}?{query_text}", "s", SERVER)


@pytest.mark.parametrize("query_text", ["state=s&code=a&code=b", "state=s&state=s&code=a", "", "nonsense"])
def test_answer_that_is_not_one_is_refused(query_text: str) -> None:
    with pytest.raises(AuthError):
        read_redirect(f"{REDIRECT}?{query_text}", "s", SERVER)


def test_nothing_secret_is_shown_by_the_tokens() -> None:
    world = world_that_registers(client_secret="hush-1", token_endpoint_auth_method="client_secret_post")
    outcome = obtained(world, OAuth(), errand(world))

    assert not {"hush-1", "at-1", "code-1"} & set(repr(outcome).split("'"))
    assert isinstance(outcome.tokens, Tokens)


def test_answer_that_is_no_url_is_refused() -> None:
    with pytest.raises(AuthError, match="what is no URL"):
        read_redirect("http://[oops", "s", SERVER)


@pytest.mark.parametrize(
    "uri",
    [
        "http://localhost:99999/cb",
        "http://localhost:abc/",
        "http://[::1",
        "callback",
        "",
        5,
        "http://a/#b",
        "http://localhost:0/cb",
    ],
)
def test_address_that_no_browser_could_come_back_to_is_a_mistake(uri: Any) -> None:
    with pytest.raises(UsageError, match="nothing that a browser could come back to"):
        OAuth(redirect_uri=uri)


@pytest.mark.parametrize("uri", ["http://localhost/cb", "https://app.example.com/back", "com.example.app:/back"])
def test_any_address_that_is_one_can_be_come_back_to(uri: str) -> None:
    assert OAuth(redirect_uri=uri).redirect_uri == uri
