"""What a token endpoint may answer, and how long a token is good."""

from typing import Any

import pytest

from dragoman.auth.secret import Secret
from dragoman.auth.steps import FetchReply, Pairs
from dragoman.auth.tokens import Refusal, Tokens, plain_text, read_object, read_tokens, words
from tests.auth.playing import NOW, answer, token


def read(body: Any, status: int = 200, before: Tokens | None = None, headers: Pairs = ()) -> Tokens | Refusal:
    return read_tokens(answer(body, status, headers), NOW, before)


def good(body: Any, **options: Any) -> Tokens:
    tokens = read(body, **options)
    assert isinstance(tokens, Tokens)
    return tokens


def bad(body: Any, status: int = 400, headers: Pairs = ()) -> Refusal:
    refusal = read(body, status, headers=headers)
    assert isinstance(refusal, Refusal)
    return refusal


def test_tokens_are_read() -> None:
    tokens = good(
        {"access_token": "a", "token_type": "bearer", "expires_in": 3600, "refresh_token": "r", "scope": "x y"}
    )

    assert tokens == Tokens(Secret("a"), "Bearer", Secret("r"), NOW + 3600, NOW + 3540, ("x", "y"))


@pytest.mark.edge("B68")
def test_end_of_a_token_is_a_point_in_time() -> None:
    tokens = good({"access_token": "a", "expires_in": 100})

    assert (tokens.is_stale(NOW + 89), tokens.is_stale(NOW + 90)) == (False, True)
    assert (tokens.is_expired(NOW + 99), tokens.is_expired(NOW + 100)) == (False, True)


def test_token_without_an_end_has_none() -> None:
    tokens = good({"access_token": "a"})

    assert not tokens.is_stale(NOW * 2)
    assert not tokens.is_expired(NOW * 2)


@pytest.mark.parametrize(
    ("value", "lifetime"),
    [("3600", 3600), (60.5, 60.5), (0, None), (None, None), (-1, None), ("soon", None), ("nan", None), ([], None)],
)
def test_lifetime_is_read_however_it_is_written(value: Any, lifetime: float | None) -> None:
    tokens = good({"access_token": "a", "expires_in": value})

    assert tokens.expires_at == (None if lifetime is None else NOW + lifetime)


def test_lifetime_beyond_all_numbers_is_none() -> None:
    assert good({"access_token": "a", "expires_in": "1e999"}).expires_at is None


def test_form_encoded_answer_is_read() -> None:
    tokens = good(b"access_token=a%2Bb&expires_in=60&token_type=bearer&refresh_token=r&scope=x+y")

    assert tokens == Tokens(Secret("a+b"), "Bearer", Secret("r"), NOW + 60, NOW + 54, ("x", "y"))


@pytest.mark.parametrize("kind", ["DPoP", "dpop", "DPOP"])
def test_bound_token_is_known_by_its_kind(kind: str) -> None:
    assert good({"access_token": "a", "token_type": kind}).header == "DPoP a"


@pytest.mark.parametrize("kind", ["Bearer", "BEARER", "N_A", None, 5])
def test_any_other_token_is_a_bearers(kind: Any) -> None:
    assert good({"access_token": " a\n", "token_type": kind}).header == "Bearer a"


def test_what_is_not_renewed_goes_on() -> None:
    before = Tokens(Secret("old"), refresh=Secret("r1"), expires_at=1.0, scope=("x",))

    assert good({"access_token": "a"}, before=before) == Tokens(Secret("a"), refresh=Secret("r1"), scope=("x",))
    assert good({"access_token": "a", "refresh_token": "r2"}, before=before).refresh == Secret("r2")
    assert good({"access_token": "a", "refresh_token": None, "scope": "z"}, before=before).scope == ("z",)


# ---------------------------------------------------------------------------------------------------------- refusals


def test_refusal_is_read() -> None:
    refusal = bad(
        {"error": "invalid_grant", "error_description": "gone\x1b[31m\nfor good"}, headers=(("Retry-After", "7"),)
    )

    assert refusal == Refusal(400, "invalid_grant", "gone [31m for good", 7.0)


@pytest.mark.parametrize(
    ("body", "error", "description"),
    [
        (b"error=invalid_grant&error_description=x", "invalid_grant", "x"),
        ({"error": {"code": "invalid_grant"}, "message": "m"}, "invalid_grant", "m"),
        ({"error": {"type": "t"}}, "t", ""),
        ({"error": 5, "error_description": {}}, "", ""),
        (b"<html>", "", ""),
        ([], "", ""),
        (b"\xff\xfe", "", ""),
        (b'"\xff"', "", ""),
    ],
)
def test_refusal_is_read_however_it_is_written(body: Any, error: str, description: str) -> None:
    refusal = bad(body)

    assert (refusal.error, refusal.description) == (error, description)


@pytest.mark.parametrize("body", [{}, {"access_token": ""}, {"access_token": " "}, {"access_token": 5}, b""])
def test_success_without_a_token_is_a_refusal(body: Any) -> None:
    refusal = bad(body, 200)

    assert (refusal.error, refusal.description) == ("", "no access_token that can be used")


@pytest.mark.parametrize("access", ["a\r\nX-Evil: 1", "a b", "t\u00f6ken", "a\u2028b", "a\x00"])
def test_token_that_no_header_can_carry_is_none(access: str) -> None:
    assert bad({"access_token": access, "refresh_token": "r"}, 200).is_passing


@pytest.mark.parametrize(("status", "expected"), [(200, True), (302, True), (403, True), (400, False), (401, False)])
def test_answer_without_a_word_of_oauth_is_of_something_in_between(status: int, expected: bool) -> None:
    refusal = bad(b"<html>Please log in to the network</html>", status)

    assert (refusal.is_passing, refusal.is_final) == (expected, False)


def test_refusal_that_calls_itself_a_success_is_one() -> None:
    assert bad({"error": "bad_verification_code"}, 200).error == "bad_verification_code"


def test_token_in_a_refusal_is_none() -> None:
    assert bad({"access_token": "a"}, 400) == Refusal(400)


@pytest.mark.edge("B69")
def test_refusals_are_final_or_pass_or_neither() -> None:
    assert [
        each for each in ("invalid_grant", "invalid_client", "unauthorized_client") if not Refusal(400, each).is_final
    ] == []
    assert not Refusal(503, "invalid_grant").is_passing
    assert Refusal(503).is_passing
    assert Refusal(429).is_passing
    assert Refusal(400, "temporarily_unavailable").is_passing
    assert not Refusal(400, "invalid_request").is_passing
    assert not Refusal(503).is_final


def test_refusal_becomes_an_error() -> None:
    error = Refusal(400, "invalid_grant", "gone").as_error("no token", hint="log in")

    assert str(error) == "no token (400, invalid_grant: gone) (log in)"
    assert str(Refusal(503).as_error("no token")) == "no token (503)"


# ------------------------------------------------------------------------------------------------------------ members


def test_members_are_read() -> None:
    assert read_object(answer({"a": 1})) == {"a": 1}
    assert read_object(FetchReply(200, (), b"a=1&b=")) == {"a": "1"}
    assert read_object(answer(5)) == {}


def test_scope_is_words() -> None:
    assert words(" b a  b ") == ("b", "a")
    assert words(["a", 5, "", "b"]) == ("a", "b")
    assert words(None) == ()


def test_text_is_fit_to_be_shown() -> None:
    assert plain_text("a\x00\x1b\u202eb") == "a   b"
    assert plain_text("x" * 999) == "x" * 200
    assert plain_text(None) == ""


def test_tokens_show_no_secret() -> None:
    assert "at-1" not in repr(read_tokens(token(), NOW))
