"""The tokens of one server: renewed in time, dropped only when they are gone, never got twice at once."""

from math import inf
from typing import Any

import msgspec
import pytest

from dragoman.auth.challenges import Demand
from dragoman.auth.consent import OAuth
from dragoman.auth.discovery import Place
from dragoman.auth.endpoint import Client
from dragoman.auth.grants import ClientCredentials
from dragoman.auth.holder import Holder
from dragoman.auth.metadata import AuthorizationServer, Resource
from dragoman.auth.records import Credentials
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Alone, Conversation, KeyPair, MakeKey, Pause, Step
from dragoman.auth.tokens import Tokens
from dragoman.auth.ways import Way
from dragoman.errors import AuthError, ConfigError, ConnectFailed, ConnectionLost, McpTimeout
from tests.auth.playing import ISSUER, NOW, RESOURCE, SERVER, URL, World, answer, form, token

TOKEN = SERVER.token_endpoint
OLD = Tokens(Secret("old"), refresh=Secret("r1"), expires_at=NOW + 50, renew_at=NOW - 10)
ENDED = msgspec.structs.replace(OLD, expires_at=NOW - 1)
CLIENT = Client("c", redirect_uri="x", is_registered=True)
KEY = KeyPair("ES256", Secret("private"), {"kty": "EC"})


def holder(world: World, tokens: Tokens | None = OLD, way: Way | None = None, **members: Any) -> Holder:
    """A holder of tokens that are stored."""
    made = Holder(URL, way or OAuth())
    held = Credentials(SERVER, URL, CLIENT, tokens, "c", ("a",))
    held = msgspec.structs.replace(held, **members)
    world.play(made.book.read())
    world.play(made.book.change(lambda record: record.with_credentials(held)))
    world.steps.clear()
    world.names.clear()
    return made


def access(made: Holder) -> str | None:
    return made.tokens.access.reveal() if made.tokens is not None else None


def stored(world: World) -> Tokens | None:
    fresh = Holder(URL, OAuth())
    world.play(fresh.book.read())
    return fresh.tokens


# -------------------------------------------------------------------------------------------------------- what is held


def test_tokens_of_another_client_are_not_ours() -> None:
    world = World()

    assert access(holder(world)) == "old"
    assert access(holder(world, way=OAuth(client_id="c"))) == "old"
    assert access(holder(world, way=OAuth(client_id="other"))) is None
    assert access(holder(world, way=OAuth(client_id="other"), client_id=None)) == "old"
    assert Holder(URL, OAuth()).tokens is None


@pytest.mark.edge("B68")
@pytest.mark.parametrize(
    ("tokens", "way", "expected"),
    [
        (OLD, OAuth(), True),
        (msgspec.structs.replace(OLD, renew_at=NOW + 1), OAuth(), False),
        (msgspec.structs.replace(OLD, refresh=None), OAuth(), False),
        (msgspec.structs.replace(OLD, refresh=None), ClientCredentials("id", "s"), True),
        (msgspec.structs.replace(OLD, renew_at=None), OAuth(), False),
    ],
)
def test_tokens_are_renewed_ahead_of_their_end(tokens: Tokens, way: Way, expected: bool) -> None:
    assert Holder(URL, way).is_due(tokens, NOW) is expected


# ------------------------------------------------------------------------------------------------------------ renewing


def test_tokens_are_renewed_and_stored() -> None:
    world = World({TOKEN: token("new", refresh_token="r2")})
    made = holder(world)

    assert world.play(made.renew(OLD)) is True
    assert access(made) == "new"
    assert stored(world) == made.tokens
    assert world.names == [f"record default {URL}"]
    assert form(world.fetched[0])["refresh_token"] == "r1"


def test_tokens_that_others_renewed_are_taken() -> None:
    world = World({TOKEN: token("new")})
    mine, theirs = holder(world), holder(world)
    world.play(theirs.renew(OLD))

    assert world.play(mine.renew(OLD)) is True
    assert access(mine) == "new"
    assert world.play(mine.renew(OLD)) is True
    assert len(world.fetched) == 1


def test_tokens_that_others_dropped_are_gone() -> None:
    world = World()
    mine, theirs = holder(world), holder(world)
    world.play(theirs.book.change(lambda record: record.with_credentials(Credentials(SERVER, URL))))

    assert world.play(mine.renew(OLD)) is False
    assert world.fetched == []


@pytest.mark.edge("B69")
@pytest.mark.parametrize(
    "trouble",
    [answer({}, 503), ConnectFailed("refused"), ConnectionLost("reset"), McpTimeout("slow", method="POST", waited=1.0)],
)
def test_trouble_leaves_tokens_that_still_work(trouble: Any) -> None:
    world = World({TOKEN: trouble})
    made = holder(world)

    assert world.play(made.renew(OLD)) is False
    assert (access(made), stored(world)) == ("old", OLD)
    assert len(world.fetched) == 1
    assert not made.is_due(OLD, world.now + 14)
    assert made.is_due(OLD, world.now + 16)
    assert made.is_due(ENDED, world.now)


@pytest.mark.parametrize(("tokens", "longest"), [(OLD, 2.0), (ENDED, inf)])
def test_renewal_goes_on_whoever_waits_for_it(tokens: Tokens, longest: float) -> None:
    world = World()
    renewing = holder(world, tokens).renew(tokens)
    renewing.send(None)
    step = renewing.send(NOW)

    assert isinstance(step, Alone)
    assert (step.is_whole, step.longest) == (True, longest)
    renewing.close()


def test_token_that_still_works_is_used_on_while_another_is_waited_for() -> None:
    world = Late()

    assert world.play(holder(World()).renew(OLD)) is False
    with pytest.raises(McpTimeout):
        world.play(holder(World(), ENDED).renew(ENDED))
    with pytest.raises(McpTimeout):
        world.play(holder(World()).renew(OLD, refused_by=SERVER))


class Late(World):
    """A world where nobody's turn comes in time."""

    def perform(self, step: Step) -> Any:
        if isinstance(step, Alone):
            raise McpTimeout("late", method="login", waited=2.0)
        return super().perform(step)


def test_refused_token_is_renewed_where_its_authorization_server_is_now() -> None:
    moved = msgspec.structs.replace(SERVER, token_endpoint=f"{ISSUER}/moved")
    world = World({f"{ISSUER}/moved": token("new")})
    made = holder(world)

    assert world.play(made.renew(OLD, refused_by=moved)) is True
    assert world.urls == [f"POST {ISSUER}/moved"]
    assert made.credentials is not None
    assert made.credentials.server == moved


def test_store_that_cannot_be_read_is_nobodys_trouble_until_it_is_needed() -> None:
    world = Unreadable()
    made = Holder(URL, OAuth())
    world.play(made.look())

    assert (made.tokens, made.book.is_read) == (None, True)
    with pytest.raises(ConfigError):
        world.play(made.book.read())


class Unreadable(World):
    """A world without a store that can be used."""

    def perform(self, step: Step) -> Any:
        raise ConfigError("no")


@pytest.mark.edge("B69")
def test_trouble_that_passes_is_waited_out_when_it_has_to_be_now() -> None:
    busy = answer({}, 503, (("retry-after", "3"),))
    world = World({TOKEN: [busy, answer({}, 429, (("retry-after", "900"),)), token("new")]})
    made = holder(world, ENDED)

    assert world.play(made.renew(ENDED)) is True
    assert [step.seconds for step in world.steps if isinstance(step, Pause)] == [3.0, 5.0]


@pytest.mark.edge("B69")
def test_trouble_that_stays_is_told_and_the_grant_is_kept() -> None:
    world = World({TOKEN: answer({"error": "temporarily_unavailable"}, 503)})
    made = holder(world)
    error = world.fail(made.renew(OLD, refused_by=SERVER))

    assert "the token cannot be renewed now (503, temporarily_unavailable)" in str(error)
    assert stored(world) == OLD
    assert [step.seconds for step in world.steps if isinstance(step, Pause)] == [0.5, 2.0]


@pytest.mark.edge("B69")
def test_broken_line_is_told_as_it_is_and_the_grant_is_kept() -> None:
    world = World({TOKEN: ConnectFailed("refused")})
    made = holder(world, ENDED)
    with pytest.raises(ConnectFailed):
        world.play(made.renew(ENDED))

    assert stored(world) == ENDED


def test_refusal_without_a_known_reason_drops_nothing() -> None:
    world = World({TOKEN: answer({"error": "invalid_request"}, 400)})
    made = holder(world, ENDED)

    assert world.play(made.renew(ENDED)) is False
    assert stored(world) == ENDED
    assert len(world.fetched) == 1


@pytest.mark.edge("B69")
@pytest.mark.parametrize(("error", "client"), [("invalid_grant", CLIENT), ("invalid_client", None)])
def test_grant_that_is_gone_is_dropped(error: str, client: Client | None) -> None:
    world = World({TOKEN: answer({"error": error}, 400)})
    made = holder(world)

    assert world.play(made.renew(OLD)) is False
    assert stored(world) is None
    held = made.book.record.of(ISSUER)
    assert held is not None
    assert (held.client, held.requested) == (client, ("a",))


def test_grant_is_not_dropped_that_others_renewed() -> None:
    world = World()
    made, theirs = holder(world), holder(world)
    new = Tokens(Secret("new"), refresh=Secret("r2"))
    renewed = Credentials(SERVER, URL, CLIENT, new, "c")

    def refuse(_: Any) -> Any:
        world.play(theirs.book.change(lambda record: record.with_credentials(renewed)))
        return answer({"error": "invalid_grant"}, 400)

    world.replies[TOKEN] = refuse

    assert world.play(made.renew(OLD)) is True
    assert stored(world) == new


def test_way_that_cannot_renew_leaves_all_as_it_is() -> None:
    world = World()
    tokens = msgspec.structs.replace(ENDED, refresh=None)
    made = holder(world, tokens)

    assert world.play(made.renew(tokens, refused_by=SERVER)) is False
    assert stored(world) == tokens


def test_program_renews_by_asking_again() -> None:
    world = World({TOKEN: token("new")})
    tokens = msgspec.structs.replace(ENDED, refresh=None)
    made = holder(world, tokens, ClientCredentials("c", "s"))

    assert world.play(made.renew(tokens)) is True
    assert form(world.fetched[0]) == {"grant_type": "client_credentials", "scope": "a", "resource": URL}


def test_nobody_waits_for_anothers_renewal_while_the_token_works() -> None:
    world = World()
    made = holder(world)
    seen: list[bool] = []

    def renewing(_: Any) -> Any:
        seen.extend([made.is_due(OLD, NOW), made.is_due(ENDED, NOW)])
        return token("new")

    world.replies[TOKEN] = renewing
    world.play(made.renew(OLD))

    assert seen == [False, True]
    assert made.is_due(OLD, NOW)


def test_bound_tokens_are_renewed_with_their_key() -> None:
    world = World({TOKEN: token("new", token_type="DPoP")})
    made = holder(world, key=KEY)
    world.play(made.renew(OLD))

    assert world.signed[0].key == KEY.private
    assert made.credentials is not None
    assert made.credentials.key == KEY


# ----------------------------------------------------------------------------------------------------------- obtaining


def found(**members: Any) -> Place:
    return Place(RESOURCE, msgspec.structs.replace(SERVER, **members))


def obtain(world: World, way: Way, place: Place, demand: Demand | None = None) -> Holder:
    made = Holder(URL, way)
    world.play(made.obtain(place, ("a",), demand or Demand(401)))
    return made


def test_tokens_are_got_and_stored() -> None:
    world = World({TOKEN: token("cc")})
    made = obtain(world, ClientCredentials("id", "s"), found())

    assert access(made) == "cc"
    assert (made.has_tried(("a",)), made.has_tried(("a", "b"))) == (True, False)
    assert world.stored.keys() == {f"default {URL}"}


@pytest.mark.parametrize(
    ("resource", "challenge", "way", "expected"),
    [
        ((), None, OAuth(), ("a",)),
        (("b",), None, OAuth(), ("a", "b")),
        (("b",), ("c",), OAuth(), ("a", "c")),
        (("b",), ("c",), OAuth(scope="d"), ("a", "d", "c")),
    ],
)
def test_scopes_add_up(
    resource: tuple[str, ...], challenge: tuple[str, ...] | None, way: OAuth, expected: tuple[str, ...]
) -> None:
    world = World()
    place = Place(Resource(URL, (ISSUER,), resource), SERVER)
    demand = Demand(401, scope=challenge)

    assert holder(world, way=way).wanted(place, demand) == expected
    assert Holder(URL, way).wanted(place, demand) == expected[1:]


def test_no_scopes_are_none() -> None:
    world = World({TOKEN: token("cc")})
    made = Holder(URL, ClientCredentials("id", "s"))
    world.play(made.obtain(found(), (), Demand(401)))

    assert "scope" not in form(world.fetched[0])


def test_refusal_is_an_error() -> None:
    world = World({TOKEN: answer({"error": "invalid_scope", "error_description": "no"}, 400)})
    error = world.fail(Holder(URL, ClientCredentials("id", "s")).obtain(found(), ("a",), Demand(401)))

    assert f"the authorization server '{ISSUER}' gives no token (400, invalid_scope: no)" in str(error)


@pytest.mark.parametrize(
    ("way", "place", "demand", "expected"),
    [
        (None, found(dpop_algorithms=("ES256",)), Demand(401, wants_dpop=True), "ES256"),
        (None, found(dpop_algorithms=("ES256",)), Demand(401), None),
        (None, found(), Demand(401, wants_dpop=True), None),
        (
            None,
            Place(Resource(URL, requires_dpop=True), found(dpop_algorithms=("RS256",)).server),
            Demand(401),
            "RS256",
        ),
        (True, found(), Demand(401), "ES256"),
        (True, found(dpop_algorithms=("RS256", "ES384")), Demand(401, dpop_algorithms=("RS256",)), "RS256"),
        (False, found(dpop_algorithms=("ES256",)), Demand(401, wants_dpop=True), None),
    ],
)
def test_tokens_are_bound_where_that_is_wanted(
    way: bool | None, place: Place, demand: Demand, expected: str | None
) -> None:
    world = World({TOKEN: token("cc")})
    obtain(world, ClientCredentials("id", "s", dpop=way), place, demand)

    assert [step.algorithm for step in world.steps if isinstance(step, MakeKey)] == [
        each for each in [expected] if each
    ]


def test_search_prefers_what_is_known() -> None:
    first, second = "https://first.example.com", "https://second.example.com"
    named = "https://mcp.example.com/named"
    replies = {named: answer({"resource": URL, "authorization_servers": [first, second]})}
    for issuer in (first, second):
        document = {"issuer": issuer, "token_endpoint": f"{issuer}/token"}
        replies[f"{issuer}/.well-known/oauth-authorization-server"] = answer(document)

    def chosen(way: Way, server: AuthorizationServer | None = None) -> str:
        world = World(replies)
        made = holder(world, server=server) if server is not None else Holder(URL, way)
        return world.play(made.find(Demand(401, resource_metadata=named))).server.issuer

    assert chosen(OAuth()) == first
    assert chosen(OAuth(issuer=second)) == second
    assert chosen(OAuth(), msgspec.structs.replace(SERVER, issuer=second)) == second


# -------------------------------------------------------------------------------------------------------- one at a time


def say(result: bool | Exception) -> Conversation[bool]:
    yield from ()
    if isinstance(result, Exception):
        raise result
    return result


def test_whole_way_is_gone_by_one_at_a_time() -> None:
    world = World()

    assert world.play(Holder(URL, OAuth()).settle(lambda: say(result=True), 0)) is True
    assert world.play(Holder(URL, OAuth()).settle(lambda: say(result=True), 0, asks_user=True)) is True
    assert world.names == [f"look default {URL}", f"login default {URL}"]
    world.play(Holder(URL, ClientCredentials("id", "s")).settle(lambda: say(result=True), 0, asks_user=True))
    assert [step.asks_user for step in world.steps if isinstance(step, Alone)] == [False, True, False]


@pytest.mark.parametrize(
    "failure", [AuthError("no", url="u", scope="s", status=401, challenge="c", hint="h"), ConnectFailed("no", hint="h")]
)
def test_who_waited_for_a_failure_is_told_of_it(failure: Any) -> None:
    world = World()
    made = Holder(URL, OAuth())
    waiting = made.settle(lambda: say(result=True), made.failures)
    lock = waiting.send(None)
    with pytest.raises(type(failure)):
        world.play(made.settle(lambda: say(failure), made.failures))

    with pytest.raises(AuthError, match="no") as caught:
        world.perform(lock)
    assert caught.value.__cause__ is failure
    assert (caught.value.hint, caught.value.url) == ("h", getattr(failure, "url", None))
    waiting.close()


def test_who_comes_later_tries_again() -> None:
    world = World()
    made = Holder(URL, OAuth())
    world.fail(made.settle(lambda: say(AuthError("no")), made.failures))

    assert world.play(made.settle(lambda: say(result=True), made.failures)) is True
