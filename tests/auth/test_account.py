"""What people see of an authorization, and its end."""

from typing import Any

import msgspec

from dragoman.auth.account import Account, enter, examine, forget
from dragoman.auth.consent import OAuth
from dragoman.auth.discovery import Rung
from dragoman.auth.grants import ClientCredentials
from dragoman.auth.holder import Holder
from dragoman.auth.records import Credentials
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Fetch
from dragoman.auth.tokens import Tokens
from dragoman.auth.ways import Way
from dragoman.errors import ConnectFailed
from tests.auth.playing import ISSUER, NOW, SERVER, URL, World, answer, query, token

NAMED = "https://mcp.example.com/named"
METADATA = f"{ISSUER}/.well-known/oauth-authorization-server"
CHALLENGE = f'Bearer resource_metadata="{NAMED}"'


def servers() -> World:
    return World(
        {
            URL: answer({}, 401, (("WWW-Authenticate", CHALLENGE),)),
            NAMED: answer({"resource": URL, "authorization_servers": [ISSUER]}),
            METADATA: answer({"issuer": ISSUER, "token_endpoint": f"{ISSUER}/token"}),
        }
    )


def holder(world: World, way: Way | None = None, **members: Any) -> Holder:
    made = Holder(URL, way or OAuth(identity="work"))
    tokens = msgspec.structs.replace(Tokens(Secret("hush"), refresh=Secret("hush"), expires_at=NOW), **members)
    held = Credentials(SERVER, URL, None, tokens, "c", ("a",))
    world.play(made.book.read())
    world.play(made.book.change(lambda record: record.with_credentials(held)))
    return made


def test_all_is_shown_but_what_is_secret() -> None:
    world = servers()
    account = world.play(examine(holder(world)))

    assert account == Account(
        url=URL,
        identity="work",
        issuer=ISSUER,
        client_id="c",
        scopes=("a",),
        expires_at=NOW,
        has_token=True,
        can_renew=True,
        challenge=CHALLENGE,
        trail=(Rung(NAMED, "found"), Rung(METADATA, "found")),
        found=ISSUER,
    )
    assert "hush" not in repr(account)


def test_nothing_stored_is_shown_as_such() -> None:
    account = servers().play(examine(Holder(URL, OAuth())))

    assert (account.issuer, account.client_id, account.scopes, account.has_token) == (None, None, (), False)
    assert account.found == ISSUER


def test_kinds_of_tokens_are_told_apart() -> None:
    world = servers()
    bound = world.play(examine(holder(world, kind="DPoP", refresh=None)))
    program = world.play(examine(holder(world, ClientCredentials("c", "s"), refresh=None)))

    assert (bound.is_bound, bound.can_renew) == (True, False)
    assert (program.is_bound, program.can_renew) == (False, True)


def test_problem_is_shown_with_its_trail() -> None:
    world = servers()
    world.replies[METADATA] = answer({"issuer": "https://evil.example.com"})
    account = world.play(examine(Holder(URL, OAuth())))

    assert account.found is None
    assert "https://evil.example.com" in (account.problem or "")
    assert account.trail == (Rung(NAMED, "found"), Rung(METADATA, "found"))


def test_server_that_does_not_answer_is_looked_for_all_the_same() -> None:
    def fail(_: Fetch) -> Any:
        raise ConnectFailed("refused")

    world = servers()
    world.replies[URL] = fail
    account = world.play(examine(Holder(URL, OAuth())))

    assert (account.challenge, account.is_reached) == (None, False)
    assert "refused" in (account.problem or "")
    assert account.trail[0].url.endswith("/.well-known/oauth-protected-resource/mcp")


def with_a_login_page() -> World:
    world = servers()
    world.replies[METADATA] = answer(
        {
            "issuer": ISSUER,
            "token_endpoint": f"{ISSUER}/token",
            "authorization_endpoint": f"{ISSUER}/authorize",
            "code_challenge_methods_supported": ["S256"],
        }
    )
    world.replies[f"{ISSUER}/token"] = token("new")
    return world


def test_user_logs_in_whatever_there_is() -> None:
    world = with_a_login_page()
    made = holder(world, OAuth(client_id="c", scope="b"))
    world.play(enter(made))

    assert made.tokens is not None
    assert made.tokens.access == Secret("new")
    assert query(world.browsed[0])["scope"] == "a b"


def test_user_may_log_in_at_a_server_that_lets_some_in_without() -> None:
    world = with_a_login_page()
    world.replies[URL] = answer({})
    world.replies["https://mcp.example.com/.well-known/oauth-protected-resource/mcp"] = world.replies[NAMED]
    made = Holder(URL, OAuth(client_id="c"))
    world.play(enter(made))

    assert made.tokens is not None


def test_nobody_logs_in_where_nobody_has_to() -> None:
    world = World({URL: answer({})})
    error = world.fail(enter(Holder(URL, OAuth(client_id="c"))))

    assert "asks for no authorization" in str(error)
    assert world.browsed == []


def test_all_is_forgotten() -> None:
    world = World()
    made = holder(world)

    assert world.play(forget(made)) is True
    assert world.stored == {}
    assert made.tokens is None
    assert world.play(forget(made)) is False
