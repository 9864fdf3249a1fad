"""Tokens that the application has."""

from typing import Any

import pytest

from dragoman.auth.bearer import BearerAuthorizer, BearerToken
from dragoman.auth.flow import Authorization
from dragoman.errors import UsageError
from tests.auth.playing import NOW, URL, World


def begin(token: Any, url: str = URL) -> Authorization:
    return BearerAuthorizer(URL, BearerToken(token)).begin("POST", url)


def test_token_is_shown_at_once() -> None:
    request = begin("hush")

    assert request.headers(NOW) == {"authorization": "Bearer hush"}
    assert World().play(request.prepare()) == {"authorization": "Bearer hush"}


def test_end_of_the_line_that_a_token_was_read_from_is_none_of_it() -> None:
    assert begin("hush\n").headers(NOW) == {"authorization": "Bearer hush"}


def test_empty_token_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="the token is empty"):
        BearerToken("")


def test_refusal_of_a_fixed_token_stays_one() -> None:
    assert World().play(begin("hush").answer(401, ())) is False


def test_function_is_asked_before_each_request() -> None:
    tokens = iter(["a", "b"])
    world = World()
    seen = [world.play(begin(lambda: next(tokens)).prepare()) for _ in range(2)]

    assert begin(lambda: "a").headers(NOW) is None
    assert seen == [{"authorization": "Bearer a"}, {"authorization": "Bearer b"}]


def test_function_is_asked_again_after_a_refusal() -> None:
    tokens = iter(["old", "new", "new"])
    world = World()
    request = begin(lambda: next(tokens))
    world.play(request.prepare())

    assert world.play(request.answer(401, ())) is True
    assert world.play(request.prepare()) == {"authorization": "Bearer new"}
    assert world.play(request.answer(401, ())) is False


def test_function_with_nothing_new_ends_the_matter() -> None:
    world = World()
    request = begin(lambda: "same")
    world.play(request.prepare())

    assert world.play(request.answer(401, ())) is False
    assert world.play(begin(lambda: "same").answer(403, ())) is False


def test_token_goes_to_no_other_server() -> None:
    assert begin("hush", "https://evil.example.com/mcp").headers(NOW) == {}
    assert World().play(begin(lambda: "hush", "https://evil.example.com/").answer(401, ())) is False


def test_token_is_not_shown() -> None:
    begin("hush").learn((("dpop-nonce", "n"),))

    assert "hush" not in repr(BearerToken("hush"))
