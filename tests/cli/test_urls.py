"""Commands whose server is a URL, whichever transport it speaks."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.cli.command import here
from tests.servers.rude import Rude, acts


@pytest.fixture(params=["legacy", "modern", "HTTP+SSE"])
def server(request: pytest.FixtureRequest) -> Iterator[Rude]:
    kind: str = request.param
    with Rude("modern" if kind == "modern" else "legacy", is_sse=kind == "HTTP+SSE") as rude:
        yield rude


def test_info_says_what_was_found(server: Rude) -> None:
    outcome = here("info", server.url)
    era = "modern" if server.era == "modern" else "legacy"

    assert (outcome.code, outcome.err) == (0, "")
    assert f"({era})" in outcome.out


def test_info_with_verbose_shows_each_step(server: Rude) -> None:
    outcome = here("info", server.url, "--verbose")

    assert outcome.code == 0
    assert '"method":"server/discover"' in outcome.err
    if server.era == "legacy":
        assert '"method":"initialize"' in outcome.err
    if server.is_sse:
        assert "server/discover: this URL does not take such requests (405)" in outcome.err
        assert "initialize: this URL does not take such requests (405)" in outcome.err


@pytest.mark.parametrize("words", [("tools",), ("call", "echo", "n=1"), ("read", "test://one")])
def test_other_commands_take_it_as_well(server: Rude, words: tuple[str, ...]) -> None:
    command, *rest = words
    outcome = here(command, server.url, *rest)

    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out != ""


@pytest.mark.parametrize(
    ("manners", "words"),
    [
        ({"on": {"*": acts.body(b"Not Found", 404)}}, "is the path right? It is often /mcp"),
        ({"on": {"*": acts.body(b"<title>Sign in</title>", 200, "Content-Type: text/html")}}, '"Sign in"'),
        ({"on": {"*": acts.body(b"down", 503)}}, "the server is not available now (503): down"),
    ],
)
def test_what_is_wrong_is_told_and_the_exit_code_says_so(manners: dict[str, Any], words: str) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(Rude(**manners))
        outcome = here("info", server.url)

        assert outcome.code != 0
        assert words in outcome.err
