"""Where a text came from."""

import pytest

from dragoman.host.provenance import Provenance, texts_in


def test_every_text_is_found() -> None:
    assert list(texts_in({"a": ["b", {"c": 1, "d": "e"}], "f": None})) == ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("said", "given", "origins"),
    [
        ("the key is 8f3a9c27d1e4b605", {"body": "send 8F3A9C27D1E4B605 there"}, {"crm"}),
        ("the meeting is at ten o'clock", ["so the meeting is at ten"], {"crm"}),
        ("the meeting is at ten", "a meeting at nine", set()),
        ("short words", "short words", set()),
        ({"id": 7}, {"id": 7}, set()),
    ],
)
def test_what_was_seen_is_recognized(said: object, given: object, origins: set[str]) -> None:
    provenance = Provenance()
    provenance.saw("crm", said)

    assert provenance.origins(given) == origins


def test_two_servers_may_have_said_one_thing() -> None:
    provenance = Provenance()
    provenance.saw("a", "customer-4711-smith")
    provenance.saw("b", "customer-4711-smith")

    assert provenance.origins("customer-4711-smith") == {"a", "b"}


def test_the_oldest_is_forgotten() -> None:
    provenance = Provenance(most=1)
    provenance.saw("a", "customer-4711-smith")
    provenance.saw("b", "customer-4712-jones")

    assert provenance.origins("customer-4711-smith") == frozenset()
    assert provenance.origins("customer-4712-jones") == {"b"}
