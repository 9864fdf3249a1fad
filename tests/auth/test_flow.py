"""From a refusal to a token: the whole flow, as one request sees it."""

import json
from typing import Any

import msgspec
import pytest

from dragoman.auth.consent import OAuth
from dragoman.auth.flow import Authorization, WayAuthorizer
from dragoman.auth.grants import ClientCredentials
from dragoman.auth.records import Credentials
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Alone, KeyPair, Pairs
from dragoman.auth.tokens import Tokens
from dragoman.auth.ways import Way
from dragoman.errors import AuthError
from tests.auth.playing import ISSUER, NOW, RESOURCE, SERVER, URL, World, answer, form, query, token

TOKEN = SERVER.token_endpoint
METADATA = f"{ISSUER}/.well-known/oauth-authorization-server"
WELL_KNOWN = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
KEY = KeyPair("ES256", Secret("private"), {"kty": "EC"})
PROGRAM = ClientCredentials("c", "s")


def metadata(issuer: str = ISSUER, **members: Any) -> Any:
    return answer(
        {
            "issuer": issuer,
            "token_endpoint": f"{issuer}/token",
            "authorization_endpoint": f"{issuer}/authorize",
            "registration_endpoint": f"{issuer}/register",
            "code_challenge_methods_supported": ["S256"],
            **members,
        }
    )


def servers(**replies: Any) -> World:
    """A world with a protected server and its authorization server."""
    return World(
        {
            WELL_KNOWN: answer({"resource": URL, "authorization_servers": [ISSUER]}),
            METADATA: metadata(),
            f"{ISSUER}/register": answer({"client_id": "new"}, 201),
            TOKEN: replies.get("token", token("at-1", refresh_token="r1")),
        }
    )


def challenge(text: str = "Bearer") -> Pairs:
    return (("www-authenticate", text),)


def authorizer(world: World, tokens: Tokens | None = None, way: Way | None = None, **members: Any) -> WayAuthorizer:
    """An authorizer that finds these tokens stored."""
    made = WayAuthorizer(URL, way or OAuth(client_id="c"))
    if tokens is not None:
        held = msgspec.structs.replace(Credentials(SERVER, URL, None, tokens, "c"), **members)
        other = WayAuthorizer(URL, way or OAuth(client_id="c")).holder.book
        world.play(other.read())
        world.play(other.change(lambda record: record.with_credentials(held)))
        world.steps.clear()
    return made


def prepared(world: World, made: WayAuthorizer) -> tuple[Authorization, dict[str, str]]:
    request = made.begin("POST", URL)
    return request, world.play(request.prepare())


def tokens(access: str = "old", *, left: float | None = 3600, refresh: str | None = "r0", **members: Any) -> Tokens:
    made = Tokens(
        Secret(access),
        refresh=Secret(refresh) if refresh else None,
        expires_at=None if left is None else NOW + left,
        renew_at=None if left is None else NOW + left - 60,
    )
    return msgspec.structs.replace(made, **members)


# ------------------------------------------------------------------------------------------------------------ headers


def test_store_is_looked_at_before_the_first_request() -> None:
    world = World()
    made = authorizer(world, tokens())
    request = made.begin("POST", URL)

    assert request.headers(NOW) is None
    assert world.play(request.prepare()) == {"authorization": "Bearer old"}
    assert made.begin("POST", URL).headers(NOW) == {"authorization": "Bearer old"}
    assert world.fetched == []


def test_request_without_a_token_carries_nothing() -> None:
    world = World()
    made = authorizer(world)
    _, headers = prepared(world, made)

    assert headers == {}
    assert made.begin("POST", URL).headers(NOW) == {}


@pytest.mark.edge("B68")
def test_ended_token_is_renewed_before_it_is_sent() -> None:
    world = servers()
    made = authorizer(world, tokens(left=-5))
    _, headers = prepared(world, made)

    assert headers == {"authorization": "Bearer at-1"}
    assert world.urls == [f"POST {TOKEN}"]
    assert form(world.fetched[0])["refresh_token"] == "r0"


def test_token_is_renewed_ahead_of_its_end() -> None:
    world = servers()
    made = authorizer(world, tokens(left=30))
    world.play(made.holder.book.read())

    assert made.begin("POST", URL).headers(NOW) is None
    assert prepared(world, made)[1] == {"authorization": "Bearer at-1"}


def test_token_that_could_not_be_renewed_ahead_is_sent() -> None:
    world = servers(token=answer({}, 503))
    made = authorizer(world, tokens(left=30))

    assert prepared(world, made)[1] == {"authorization": "Bearer old"}
    assert made.begin("POST", URL).headers(NOW) == {"authorization": "Bearer old"}


def test_ended_token_that_cannot_be_renewed_is_not_sent() -> None:
    world = World()
    made = authorizer(world, tokens(left=-5, refresh=None))

    assert prepared(world, made)[1] == {}
    assert made.begin("POST", URL).headers(NOW) == {}


def test_grant_that_is_gone_leaves_the_request_bare() -> None:
    world = servers(token=answer({"error": "invalid_grant"}, 400))
    made = authorizer(world, tokens(left=-5))

    assert prepared(world, made)[1] == {}


def test_token_goes_to_no_other_server() -> None:
    world = World()
    made = authorizer(world, tokens())
    request = made.begin("POST", "https://evil.example.com/mcp")

    assert request.headers(NOW) == {}
    assert world.play(request.answer(401, challenge())) is False


# ---------------------------------------------------------------------------------------------------------------- 401


def test_user_is_asked_once() -> None:
    world = servers()
    made = authorizer(world)
    request, _ = prepared(world, made)

    assert world.play(request.answer(401, challenge(f'Bearer scope="b a", resource_metadata="{WELL_KNOWN}"'))) is True
    assert world.play(request.prepare()) == {"authorization": "Bearer at-1"}
    assert query(world.browsed[0])["scope"] == "b a"
    assert world.urls == [f"GET {WELL_KNOWN}", f"GET {METADATA}", f"POST {TOKEN}"]


def test_token_that_was_just_given_and_is_refused_ends_it() -> None:
    world = servers(token=token("at-1"))
    request, _ = prepared(world, authorizer(world))
    world.play(request.answer(401, challenge()))
    world.play(request.prepare())
    error = world.fail(request.answer(401, challenge('Bearer error_description="wrong audience", scope="a"')))

    assert "does not take the token that was just given for it: wrong audience" in str(error)
    assert (error.status, error.scope) == (401, "a")
    assert error.challenge == 'Bearer error_description="wrong audience", scope="a"'


def test_refused_token_is_renewed_once() -> None:
    world = servers(token=token("at-1"))
    request, _ = prepared(world, authorizer(world, tokens(), requested=("a",)))

    assert world.play(request.answer(401, challenge())) is True
    assert world.play(request.prepare()) == {"authorization": "Bearer at-1"}
    assert world.browsed == []
    assert world.play(request.answer(401, challenge())) is True
    assert len(world.browsed) == 1
    assert query(world.browsed[0])["scope"] == "a"


def test_user_is_asked_where_the_grant_is_gone() -> None:
    world = servers(token=[answer({"error": "invalid_grant"}, 400), token("at-1")])
    request, _ = prepared(world, authorizer(world, tokens()))

    assert world.play(request.answer(401, challenge())) is True
    assert len(world.browsed) == 1


@pytest.mark.edge("B69")
def test_user_is_not_asked_while_the_authorization_server_is_away() -> None:
    world = servers(token=answer({}, 503))
    request, _ = prepared(world, authorizer(world, tokens()))
    error = world.fail(request.answer(401, challenge()))

    assert "cannot be renewed now" in str(error)
    assert world.browsed == []


def test_token_that_somebody_else_renewed_during_the_search_is_not_renewed_again() -> None:
    world = servers()
    made = authorizer(world, tokens(left=-5))
    request = made.begin("POST", URL)
    other = made.begin("POST", URL)
    found = world.replies[METADATA]

    def meanwhile(_: object) -> Any:
        world.play(other.prepare())
        return found

    world.replies[METADATA] = meanwhile
    world.replies[TOKEN] = [token("at-1", refresh_token="r1"), token("at-2")]

    assert world.play(request.answer(401, challenge())) is True
    assert made.holder.tokens is not None
    assert made.holder.tokens.access == Secret("at-1")


def test_program_gets_a_new_token_without_a_refresh_token() -> None:
    world = servers(token=token("at-1"))
    request, _ = prepared(world, authorizer(world, tokens(refresh=None), PROGRAM))

    assert world.play(request.answer(401, challenge())) is True
    assert [form(each)["grant_type"] for each in world.fetched if each.method == "POST"] == ["client_credentials"]


def test_token_that_somebody_else_got_is_taken() -> None:
    world = servers()
    made = authorizer(world, tokens())
    request, _ = prepared(world, made)
    authorizer(world, tokens("theirs"))

    assert world.play(request.answer(401, challenge())) is True
    assert world.play(request.prepare()) == {"authorization": "Bearer theirs"}
    assert world.fetched == []


def test_user_is_not_asked_for_what_somebody_else_got_while_one_waited_to_ask() -> None:
    world = servers()
    made = authorizer(world)
    request, _ = prepared(world, made)
    answering = request.answer(401, challenge())
    looked = world.perform(next(answering))
    asking = answering.send(looked)
    authorizer(world, tokens("theirs"))

    assert isinstance(asking, Alone)
    assert asking.asks_user
    assert world.perform(asking) is True
    assert world.browsed == []
    answering.close()


def test_ended_token_of_somebody_else_is_of_no_use() -> None:
    world = servers()
    made = authorizer(world, tokens())
    request, _ = prepared(world, made)
    authorizer(world, tokens("theirs", left=-5, refresh="r9"))

    assert world.play(request.answer(401, challenge())) is True
    assert form(world.fetched[-1])["refresh_token"] == "r9"


def test_request_that_was_sent_bare_takes_what_is_there_now() -> None:
    world = servers()
    made = authorizer(world)
    request, _ = prepared(world, made)
    authorizer(world, tokens("theirs"))

    assert world.play(request.answer(401, challenge())) is True
    assert world.fetched == []


def test_new_authorization_server_hears_nothing_of_the_old_one() -> None:
    second = "https://as2.example.com"
    world = servers()
    world.replies |= {
        WELL_KNOWN: answer({"resource": URL, "authorization_servers": [second]}),
        f"{second}/.well-known/oauth-authorization-server": metadata(second),
        f"{second}/register": answer({"client_id": "second"}, 201),
        f"{second}/token": token("at-2"),
    }
    made = authorizer(world, tokens(), OAuth(), requested=("old-scope",))
    request, _ = prepared(world, made)

    assert world.play(request.answer(401, challenge())) is True
    assert world.play(request.prepare()) == {"authorization": "Bearer at-2"}
    assert query(world.browsed[0])["client_id"] == "second"
    assert "scope" not in query(world.browsed[0])
    assert not [each for each in world.urls if ISSUER in each]
    old = made.holder.book.record.of(ISSUER)
    assert old is not None
    assert old.tokens is None


@pytest.mark.edge("B76")
def test_without_a_user_the_error_says_what_for() -> None:
    world = servers()
    world.redirect_uri = None
    request, _ = prepared(world, authorizer(world))
    error = world.fail(request.answer(401, challenge('Bearer scope="a"')))

    assert (error.scope, error.url) == ("a", f"{ISSUER}/authorize")


def test_user_is_not_asked_again_for_what_helps_nothing() -> None:
    world = servers(token=token("at-1"))
    made = authorizer(world)
    request, _ = prepared(world, made)
    world.play(request.answer(401, challenge()))
    world.play(request.prepare())
    world.fail(request.answer(401, challenge()))
    next_request, _ = prepared(world, made)
    error = world.fail(next_request.answer(401, challenge()))

    assert "does not take the token that was just given" in str(error)
    assert len(world.browsed) == 1


def test_user_is_not_asked_for_what_nobody_waits_for() -> None:
    world = servers()
    made = authorizer(world, tokens(refresh=None, scope=("read",)))
    world.play(made.holder.book.read())
    request = made.begin("DELETE", URL, may_ask=False)
    request.headers(NOW)

    assert world.play(request.answer(401, challenge())) is False
    assert world.play(request.answer(403, MORE)) is False
    assert world.browsed == []


def test_token_is_renewed_for_what_nobody_waits_for() -> None:
    world = servers()
    made = authorizer(world, tokens())
    request = made.begin("DELETE", URL, may_ask=False)
    world.play(request.prepare())

    assert world.play(request.answer(401, challenge())) is True


def test_program_gets_a_token_for_what_nobody_waits_for() -> None:
    world = servers()
    request = authorizer(world, way=PROGRAM).begin("DELETE", URL, may_ask=False)
    world.play(request.prepare())

    assert world.play(request.answer(401, challenge())) is True


# -------------------------------------------------------------------------------------------------------------- scopes


@pytest.mark.parametrize(
    ("text", "resource", "way", "expected"),
    [
        ('Bearer scope="a b"', ["c"], OAuth(client_id="c"), "a b"),
        ("Bearer", ["c", "d"], OAuth(client_id="c"), "c d"),
        ("Bearer", None, OAuth(client_id="c"), None),
        ("Bearer", [], OAuth(client_id="c"), None),
        ("Bearer", ["c"], OAuth(client_id="c", scope="mine"), "mine"),
        ('Bearer scope="a"', ["c"], OAuth(client_id="c", scope="mine"), "mine a"),
    ],
)
def test_scopes_are_chosen(text: str, resource: list[str] | None, way: OAuth, expected: str | None) -> None:
    world = servers()
    members = {} if resource is None else {"scopes_supported": resource}
    world.replies[WELL_KNOWN] = answer({"resource": URL, "authorization_servers": [ISSUER], **members})
    request, _ = prepared(world, authorizer(world, way=way))
    world.play(request.answer(401, challenge(text)))

    assert query(world.browsed[0]).get("scope") == expected


MORE = challenge('Bearer error="insufficient_scope", scope="write"')


@pytest.mark.edge("B76")
def test_step_up_asks_for_all_and_does_not_renew() -> None:
    world = servers(token=token("at-1"))
    request, _ = prepared(world, authorizer(world, tokens(), requested=("read",)))

    assert world.play(request.answer(403, MORE)) is True
    assert query(world.browsed[0])["scope"] == "read write"
    assert [form(each)["grant_type"] for each in world.fetched if each.method == "POST"] == ["authorization_code"]


def test_step_up_keeps_what_was_granted() -> None:
    world = servers()
    request, _ = prepared(world, authorizer(world, tokens(scope=("given",))))
    world.play(request.answer(403, MORE))

    assert query(world.browsed[0])["scope"] == "given write"


def test_step_up_without_anything_before_asks_for_what_is_missing() -> None:
    world = servers()
    request, _ = prepared(world, authorizer(world, tokens()))
    world.play(request.answer(403, MORE))

    assert query(world.browsed[0])["scope"] == "write"


def test_scopes_that_were_granted_are_not_asked_for_again() -> None:
    world = servers()
    request, _ = prepared(world, authorizer(world, tokens(scope=("write",)), requested=("read",)))
    error = world.fail(request.answer(403, MORE))

    assert (error.status, error.scope) == (403, "write")
    assert world.browsed == []


def test_scope_that_never_suffices_is_asked_for_once() -> None:
    world = servers(token=token("at-1"))
    made = authorizer(world)
    request, _ = prepared(world, made)
    world.play(request.answer(401, MORE))
    world.play(request.prepare())
    error = world.fail(request.answer(403, MORE))
    again, _ = prepared(world, made)
    world.fail(again.answer(403, MORE))

    assert "asks for scopes that it was given already" in str(error)
    assert len(world.browsed) == 1


def test_scope_that_was_not_granted_is_asked_for_once() -> None:
    world = servers()
    world.replies[TOKEN] = lambda _: token(f"at-{len(world.steps)}", scope="read")
    made = authorizer(world, tokens(scope=("read",)), requested=("read", "write"))
    request, _ = prepared(world, made)

    assert world.play(request.answer(403, MORE)) is True
    world.play(request.prepare())
    assert isinstance(world.fail(request.answer(403, MORE)), AuthError)
    assert len(world.browsed) == 1


def test_server_that_asks_for_ever_more_is_left() -> None:
    world = servers()
    world.replies[TOKEN] = lambda _: token(f"at-{len(world.steps)}")
    request, _ = prepared(world, authorizer(world, tokens(), requested=("read",)))
    for scope in ("one", "two", "three"):
        assert world.play(request.answer(403, challenge(f'Bearer error="insufficient_scope", scope="{scope}"'))) is True
        world.play(request.prepare())
    world.fail(request.answer(403, challenge('Bearer error="insufficient_scope", scope="four"')))

    assert len(world.browsed) == 3


def test_step_up_that_somebody_else_made_is_taken() -> None:
    world = servers()
    made = authorizer(world, tokens())
    request, _ = prepared(world, made)
    authorizer(world, tokens("wider"))

    assert world.play(request.answer(403, MORE)) is True
    assert world.browsed == []


def test_tokens_that_are_gone_meanwhile_are_asked_for() -> None:
    world = servers()
    made = authorizer(world, tokens())
    request, _ = prepared(world, made)
    world.stored.clear()

    assert world.play(request.answer(403, MORE)) is True
    assert query(world.browsed[0])["scope"] == "write"


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (403, ()),
        (403, challenge('Bearer error="insufficient_scope"')),
        (403, challenge('Bearer error="access_denied", scope="a"')),
        (404, challenge()),
        (500, ()),
    ],
)
def test_other_refusals_stay(status: int, headers: Pairs) -> None:
    world = servers()
    request, _ = prepared(world, authorizer(world, tokens()))

    assert world.play(request.answer(status, headers)) is False


def test_bare_request_is_no_reason_for_more_scopes() -> None:
    world = servers()
    request, _ = prepared(world, authorizer(world))

    assert world.play(request.answer(403, MORE)) is False


# ---------------------------------------------------------------------------------------------------------------- keys


BOUND = tokens(kind="DPoP")


def test_bound_token_is_sent_with_a_proof() -> None:
    world = World()
    made = authorizer(world, BOUND, key=KEY)
    request, headers = prepared(world, made)
    claims = json.loads(headers["dpop"])[1]

    assert headers["authorization"] == "DPoP old"
    assert (claims["htm"], claims["htu"], "ath" in claims, "nonce" in claims) == ("POST", URL, True, False)
    assert made.begin("POST", URL).headers(NOW) is None
    assert json.loads(world.play(request.prepare())["dpop"])[1]["jti"] != claims["jti"]


def test_nonce_of_the_server_is_used_and_nobody_is_asked() -> None:
    world = World()
    request, _ = prepared(world, authorizer(world, BOUND, key=KEY))
    wants = (*challenge('DPoP error="use_dpop_nonce"'), ("DPoP-Nonce", "n1"))

    assert world.play(request.answer(401, wants)) is True
    assert json.loads(world.play(request.prepare())["dpop"])[1]["nonce"] == "n1"
    assert world.fetched == []


def test_nonce_may_come_with_any_answer() -> None:
    world = World()
    request, _ = prepared(world, authorizer(world, BOUND, key=KEY))
    request.learn((("DPoP-Nonce", "n2"),))
    request.learn(())

    assert json.loads(world.play(request.prepare())["dpop"])[1]["nonce"] == "n2"


def test_server_that_always_wants_another_nonce_is_left_and_nobody_is_asked() -> None:
    world = servers(token=token("at-1", token_type="DPoP"))
    request, _ = prepared(world, authorizer(world, BOUND, key=KEY))
    wants = (*challenge('DPoP error="use_dpop_nonce"'), ("dpop-nonce", "n1"))

    assert [world.play(request.answer(401, wants)) for _ in range(5)] == [True] * 5
    assert "wants another nonce each time" in str(world.fail(request.answer(401, wants)))
    assert (world.fetched, world.browsed) == ([], [])


def test_whole_flow_binds_the_token() -> None:
    world = servers(token=token("at-1", token_type="DPoP"))
    world.replies[METADATA] = metadata(dpop_signing_alg_values_supported=["ES256"])
    made = authorizer(world)
    request, _ = prepared(world, made)
    world.play(request.answer(401, challenge(f'DPoP resource_metadata="{WELL_KNOWN}"')))
    headers = world.play(request.prepare())

    assert headers["authorization"] == "DPoP at-1"
    assert dict(world.fetched[-1].headers)["dpop"]
    assert made.holder.credentials is not None
    assert made.holder.credentials.key == KeyPair("ES256", Secret("private-ES256"), {"kty": "EC", "x": "public"})


def test_bound_token_without_its_key_is_sent_as_it_is() -> None:
    world = World()

    assert prepared(world, authorizer(world, BOUND))[1] == {"authorization": "DPoP old"}


def test_resource_is_named_as_it_names_itself() -> None:
    world = servers()
    world.replies[WELL_KNOWN] = answer({"resource": "https://mcp.example.com", "authorization_servers": [ISSUER]})
    request, _ = prepared(world, authorizer(world))
    world.play(request.answer(401, challenge()))

    assert query(world.browsed[0])["resource"] == "https://mcp.example.com"
    assert form(world.fetched[-1])["resource"] == "https://mcp.example.com"
    assert RESOURCE.name == URL
