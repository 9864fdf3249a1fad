"""What all ways of getting tokens share."""

from typing import Any

import msgspec
import pytest

from dragoman.auth.consent import OAuth
from dragoman.auth.dpop import Nonces
from dragoman.auth.endpoint import Client
from dragoman.auth.grants import ClientCredentials
from dragoman.auth.metadata import AuthorizationServer
from dragoman.auth.records import Credentials, Record
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Conversation, KeyPair
from dragoman.auth.tokens import Refusal, Tokens
from dragoman.auth.ways import Errand, Way, combined, union
from dragoman.errors import UsageError
from tests.auth.playing import NOW, RESOURCE, SERVER, URL, World, answer, book, form, token

OLD = Tokens(Secret("old"), refresh=Secret("r1"))
CLIENT = Client("c", redirect_uri="x", is_registered=True)


def errand(world: World, held: Credentials | None = None, **options: Any) -> Errand:
    mine = book(world)
    if held is not None:
        world.play(mine.write(lambda old: old.with_credentials(held)))
    return Errand(RESOURCE, SERVER, options.pop("scopes", None), mine, Nonces(), URL, **options)


class Obtaining(Way, frozen=True):
    """A way that gives what it was made with."""

    gives: Any = None
    known: Client | None = CLIENT

    def client(self, server: AuthorizationServer, held: Client | None, now: float) -> Client | None:
        return self.known

    def obtain(self, errand: Errand) -> Conversation[Credentials | Refusal]:
        yield from ()
        return self.gives  # type: ignore[no-any-return]


class Asking(Obtaining, frozen=True):
    """One that would ask a user."""

    needs_user = True


# ------------------------------------------------------------------------------------------------------------ errands


def test_nothing_is_held_at_first() -> None:
    assert errand(World()).held == Credentials(SERVER, URL)


def test_what_another_issuer_gave_is_not_held() -> None:
    other = msgspec.structs.replace(SERVER, issuer="https://other")

    assert errand(World(), Credentials(other, URL, tokens=OLD)).held.tokens is None


def test_scopes_are_one_text() -> None:
    assert errand(World(), scopes=("a", "b")).scope == "a b"
    assert errand(World()).scope is None


def test_key_is_made_where_one_is_wanted() -> None:
    world = World()

    assert world.play(errand(world).key()) is None
    assert world.play(errand(world, dpop="ES256").key()) == KeyPair(
        "ES256", Secret("private-ES256"), {"kty": "EC", "x": "public"}
    )


def test_client_is_remembered_with_the_rest() -> None:
    world = World()
    mine = errand(world, Credentials(SERVER, URL, tokens=OLD))
    world.play(mine.remember(CLIENT))

    assert book(world).record.credentials == Credentials(SERVER, URL, CLIENT, OLD)


def test_tokens_are_for_the_resource() -> None:
    world = World({SERVER.token_endpoint: token("new")})
    outcome = world.play(errand(world, scopes=("a",)).redeem(CLIENT, {"grant_type": "g"}))

    assert form(world.fetched[0]) == {"grant_type": "g", "client_id": "c", "resource": URL}
    assert isinstance(outcome, Credentials)
    assert outcome.tokens is not None
    assert outcome.tokens.access == Secret("new")
    assert (outcome.client, outcome.client_id, outcome.requested, outcome.key) == (CLIENT, "c", ("a",), None)


def test_arranged_client_is_not_stored() -> None:
    world = World({SERVER.token_endpoint: token()})
    outcome = world.play(errand(world).redeem(Client("mine", Secret("s"), "client_secret_post"), {}))

    assert isinstance(outcome, Credentials)
    assert (outcome.client, outcome.client_id) == (None, "mine")


def test_refusal_is_handed_on() -> None:
    world = World({SERVER.token_endpoint: answer({"error": "invalid_scope"}, 400)})

    assert world.play(errand(world).redeem(CLIENT, {})) == Refusal(400, "invalid_scope")


# ------------------------------------------------------------------------------------------------------------ renewing


def renew(world: World, way: Way, held: Credentials, tokens: Tokens = OLD) -> Credentials | Refusal | None:
    return world.play(way.renew(errand(world, held), tokens, NOW))


def test_refresh_token_is_used() -> None:
    world = World({SERVER.token_endpoint: token("new", refresh_token="r2")})
    held = Credentials(SERVER, "https://verbatim/", CLIENT, OLD, "c", ("a",))
    outcome = renew(world, Asking(), held)

    assert form(world.fetched[0]) == {
        "grant_type": "refresh_token",
        "refresh_token": "r1",
        "resource": "https://verbatim/",
        "client_id": "c",
    }
    assert isinstance(outcome, Credentials)
    assert outcome == msgspec.structs.replace(held, tokens=outcome.tokens)
    assert outcome.tokens is not None
    assert outcome.tokens.refresh == Secret("r2")


def test_refused_refresh_is_handed_on() -> None:
    world = World({SERVER.token_endpoint: answer({"error": "invalid_grant"}, 400)})

    assert renew(world, Asking(), Credentials(SERVER, URL, CLIENT, OLD)) == Refusal(400, "invalid_grant")


@pytest.mark.parametrize("known", [None, Client("another")])
def test_refresh_token_is_shown_by_nobody_else(known: Client | None) -> None:
    world = World()

    assert renew(world, Asking(known=known), Credentials(SERVER, URL, CLIENT, OLD, "c")) is None
    assert world.fetched == []


def test_user_is_not_asked_for_renewal() -> None:
    assert renew(World(), Asking(gives="never"), Credentials(SERVER, URL), Tokens(Secret("a"))) is None


def test_program_gets_new_tokens_for_itself() -> None:
    gives = Credentials(SERVER, URL, tokens=Tokens(Secret("new")))

    assert renew(World(), Obtaining(gives=gives), Credentials(SERVER, URL), Tokens(Secret("a"))) == gives


# ------------------------------------------------------------------------------------------------------------ options


def test_interface_has_to_be_filled_in() -> None:
    with pytest.raises(NotImplementedError):
        Way().client(SERVER, None, NOW)
    with pytest.raises(NotImplementedError):
        Way().obtain(errand(World()))


def test_options_are_read() -> None:
    assert Way(scope="b a b").scopes == ("b", "a")
    assert Way().scopes == ()
    assert Way().own_id is None


def test_scopes_are_put_together() -> None:
    assert union(("b", "a"), None, ("a", "c")) == ("b", "a", "c")
    assert union() == ()


def test_record_of_an_errand_is_its_books() -> None:
    assert errand(World()).book.record == Record()


@pytest.mark.parametrize("given", ["login.corp.example", ["login.corp.example"], {"login.corp.example"}])
def test_trusted_hosts_are_whole_names_however_they_are_given(given: Any) -> None:
    way = Way(trusted_hosts=given, trusted_issuers=given)

    assert way.trusted_hosts == way.trusted_issuers == frozenset({"login.corp.example"})


def test_way_that_says_more_comes_on_top_of_another() -> None:
    base = OAuth(client_id="me", scope="read", trusted_hosts=frozenset({"a"}))
    top = OAuth(scope="write", trusted_hosts=frozenset({"b"}))

    assert combined(base, top) == OAuth(client_id="me", scope="write", trusted_hosts=frozenset({"a", "b"}))
    assert combined(base, OAuth()) == base
    assert combined(ClientCredentials("id", "s"), OAuth(scope="x")) == ClientCredentials("id", "s", scope="x")


def test_way_with_all_it_needs_takes_the_place_of_another() -> None:
    assert combined(OAuth(scope="read"), ClientCredentials("id", "s")) == ClientCredentials("id", "s")


def test_way_that_knows_nothing_of_what_comes_on_top_is_said() -> None:
    with pytest.raises(UsageError, match="ClientCredentials has no 'headless'"):
        combined(ClientCredentials("id", "s"), OAuth(headless=True))
