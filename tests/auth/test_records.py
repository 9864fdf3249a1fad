"""What is remembered of a server, bound to who gave it."""

import msgspec
import pytest

from dragoman.auth.metadata import AuthorizationServer, fallback_server
from dragoman.auth.records import Book, Credentials, Record, record_key
from dragoman.auth.secret import Secret
from dragoman.auth.steps import KeyPair
from dragoman.auth.tokens import Tokens
from tests.auth.playing import SERVER, URL, World, book

OTHER = fallback_server("https://other")


def credentials(access: str = "a", server: AuthorizationServer = SERVER) -> Credentials:
    return Credentials(server, URL, tokens=Tokens(Secret(access)), key=KeyPair("ES256", Secret("k"), {}))


def record(access: str = "a") -> Record:
    return Record().with_credentials(credentials(access))


# ------------------------------------------------------------------------------------------------------------ records


def test_credentials_belong_to_their_issuer() -> None:
    held = record()

    assert held.credentials == credentials()
    assert held.of(SERVER.issuer) == credentials()
    assert held.of("https://other") is None
    assert Record().credentials is None


def test_new_issuer_ends_the_tokens_of_the_old_one() -> None:
    held = record().with_credentials(credentials("b", OTHER))

    assert held.credentials == credentials("b", OTHER)
    assert held.of(SERVER.issuer) == Credentials(SERVER, URL)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://A.example.com/mcp/", "me https://a.example.com/mcp"),
        ("https://user:hush@a:1/", "me https://a:1"),
        ("https://a/x?key=hush", "me https://a/x?a0c1e4b1b1a0a1f8"),
    ],
)
def test_record_is_named_without_secrets(url: str, expected: str) -> None:
    key = record_key(url, "me")

    assert key.partition("?")[0] == expected.partition("?")[0]
    assert "hush" not in key


def test_records_are_told_apart() -> None:
    keys = {
        record_key(url, who) for url in ("https://a", "https://a/x", "https://a/?k=1", "https://a/?k=2") for who in "ab"
    }

    assert len(keys) == 8


# -------------------------------------------------------------------------------------------------------------- books


def test_what_is_written_is_read_again() -> None:
    world = World()
    world.play(book(world).write(lambda old: old.with_credentials(credentials())))

    fresh = Book("k")
    was_read = fresh.is_read
    assert world.play(fresh.reread()) == record()
    assert (was_read, fresh.is_read) == (False, True)
    assert world.names == ["record k", "record k"]


def test_what_does_not_change_is_not_written() -> None:
    world = World()
    world.play(book(world).write(lambda old: old))

    assert world.stored == {}


def test_empty_record_is_removed() -> None:
    world = World()
    mine = book(world)
    world.play(mine.write(lambda old: old.with_credentials(credentials())))
    world.play(mine.write(lambda _: Record()))

    assert world.stored == {}


@pytest.mark.parametrize("stored", [b"", b"{", b"\xff", b'"\xff"', b"[]", b'{"by_issuer": 5}', b'{"format": 99}'])
def test_what_cannot_be_understood_is_written_over(stored: bytes) -> None:
    world = World()
    world.stored["k"] = stored
    mine = book(world)

    assert mine.record == Record()
    world.play(mine.write(lambda old: old.with_credentials(credentials())))
    assert book(world).record == record()


def test_change_is_made_to_what_others_wrote() -> None:
    world = World()
    mine, theirs = book(world), book(world)
    world.on_keep = [lambda: world.play(theirs.change(lambda old: old.with_credentials(credentials("b", OTHER))))]
    world.play(mine.write(lambda old: old.with_credentials(credentials())))

    assert set(book(world).record.by_issuer) == {SERVER.issuer, "https://other"}
    assert mine.record == book(world).record


def test_change_that_cannot_be_stored_is_kept() -> None:
    world = World()
    mine = book(world)

    def interfere() -> None:
        world.stored["k"] = b"%d" % len(world.steps)

    world.on_keep = [interfere] * 100
    world.play(mine.change(lambda old: old.with_credentials(credentials())))

    assert mine.record == record()
    assert len(world.on_keep) == 92


def test_record_shows_no_secret() -> None:
    assert "hush" not in repr(msgspec.structs.replace(credentials("hush")))
