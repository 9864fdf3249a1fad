"""Redirects: followed within the origin, and nowhere else, since headers and bodies would go with them."""

from collections.abc import Callable
from typing import Any

import pytest

from dragoman.errors import HttpError
from tests.aio.http.support import Ruder, connect, refused
from tests.servers.rude import Exchange, acts

SECRET = {"Authorization": "Bearer hush"}


def moved(status: int, target: str) -> Callable[[Exchange], None]:
    """Send those who ask at one path to another, and serve there."""

    def act(exchange: Exchange) -> None:
        if exchange.received.target == "/mcp":
            acts.redirect(status, target)(exchange)
        else:
            acts.default(exchange)

    return act


@pytest.mark.edge("B36")
@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize("target", ["/mcp/", "elsewhere/?a=b", "mcp/"])
async def test_a_redirect_within_the_origin_is_followed_whole(
    rude: Ruder, engine: str, status: int, target: str
) -> None:
    server = rude(on={"*": moved(status, target)})
    async with connect(server, engine=engine, headers=SECRET) as client:
        result = await client.call_tool("echo", {"n": 1})

        assert result.text == 'echo {"n": 1}'
    assert {each.header("Authorization") for each in server.exchanges} == {"Bearer hush"}
    # Once, and from then on it is known.
    assert sum(each.received.target == "/mcp" for each in server.exchanges) == 1


@pytest.mark.edge("B36")
@pytest.mark.parametrize("status", [301, 302, 303])
async def test_a_redirect_that_makes_a_get_of_a_post_is_not_followed(rude: Ruder, engine: str, status: int) -> None:
    server = rude(on={"*": moved(status, "/mcp/")})
    error = await refused(server, engine=engine)

    assert isinstance(error, HttpError)
    assert error.status == status
    assert f"http://127.0.0.1:{server.web.port}/mcp/" in str(error)
    assert error.headers == {"location": "/mcp/"}


@pytest.mark.edge("B36")
@pytest.mark.parametrize("status", [301, 307, 308])
async def test_nothing_goes_to_another_origin(rude: Ruder, engine: str, status: int) -> None:
    other = rude()
    server = rude(on={"*": moved(status, other.url)})
    error: Any = await refused(server, engine=engine, headers=SECRET)

    assert isinstance(error, HttpError)
    assert other.url in str(error)
    assert error.hint == "if you trust it, connect to that URL"
    assert other.exchanges == []


@pytest.mark.edge("B36")
async def test_a_redirect_in_a_circle_ends(rude: Ruder, engine: str) -> None:
    server = rude(on={"*": acts.redirect(307, "/mcp")})
    error = await refused(server, engine=engine)

    assert isinstance(error, HttpError)
    assert "redirected 5 times" in str(error)


@pytest.mark.edge("B36")
async def test_a_redirect_to_what_is_no_url_is_told(rude: Ruder) -> None:
    error = await refused(rude(on={"*": acts.redirect(307, "http://127.0.0.1:99999/")}))

    assert isinstance(error, HttpError)
    assert "which is no URL" in str(error)


@pytest.mark.edge("B36")
async def test_a_redirect_to_nowhere_is_told(rude: Ruder) -> None:
    error = await refused(rude(on={"*": acts.body(b"", 307)}))

    assert isinstance(error, HttpError)
    assert "to nowhere" in str(error)
