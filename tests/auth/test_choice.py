"""What `auth` may be."""

from typing import Any

import pytest

from dragoman.auth.bearer import BearerAuthorizer, BearerToken
from dragoman.auth.choice import authorizer_for
from dragoman.auth.consent import OAuth
from dragoman.auth.flow import WayAuthorizer
from dragoman.auth.grants import ClientCredentials
from dragoman.auth.secret import Secret
from dragoman.errors import UsageError
from tests.auth.playing import NOW, URL


def test_nothing_authorizes_by_itself() -> None:
    for auth in (None, True):
        authorizer = authorizer_for(auth, URL)

        assert isinstance(authorizer, WayAuthorizer)
        assert authorizer.holder.way == OAuth()


def test_false_authorizes_not_at_all() -> None:
    assert authorizer_for(False, URL) is None


def test_way_is_gone() -> None:
    way = ClientCredentials("id", "s")
    authorizer = authorizer_for(way, URL)

    assert isinstance(authorizer, WayAuthorizer)
    assert authorizer.holder.way is way


@pytest.mark.parametrize("auth", ["hush", Secret("hush"), BearerToken("hush")])
def test_token_is_shown(auth: Any) -> None:
    authorizer = authorizer_for(auth, URL)

    assert isinstance(authorizer, BearerAuthorizer)
    assert authorizer.begin("POST", URL).headers(NOW) == {"authorization": "Bearer hush"}


def test_function_is_asked() -> None:
    authorizer = authorizer_for(lambda: "hush", URL)

    assert isinstance(authorizer, BearerAuthorizer)
    assert authorizer.begin("POST", URL).headers(NOW) is None


@pytest.mark.parametrize(("auth", "name"), [(OAuth, "OAuth"), (5, "int"), ({}, "dict")])
def test_anything_else_is_a_mistake(auth: Any, name: str) -> None:
    with pytest.raises(UsageError, match=f"auth cannot be {name}"):
        authorizer_for(auth, URL)
