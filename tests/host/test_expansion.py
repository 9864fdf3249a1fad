"""Variables in configurations."""

from typing import Any

import pytest

from dragoman.host.entries import Entry, Problem
from dragoman.host.expansion import EXPANDED, expand, expand_text

KNOWN = {
    ("env", "TOKEN"): "secret",
    ("env", "EMPTY"): "",
    ("keyring", "github"): "kept",
    ("input", "key"): "typed",
    ("place", "workspaceFolder"): "/src",
    ("place", "/"): "/",
}


def look(kind: str, name: str) -> str | None:
    return KNOWN.get((kind, name))


@pytest.mark.edge("B119")
@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("Bearer ${TOKEN}", "Bearer secret"),
        ("${env:TOKEN}", "secret"),
        ("${TOKEN:-other}", "secret"),
        ("${UNSET:-other}", "other"),
        ("${UNSET:-}", ""),
        ("${EMPTY:-other}", "other"),
        ("${env:UNSET:-http://x:1}", "http://x:1"),
        ("${keyring:github}", "kept"),
        ("${input:key}", "typed"),
        ("${workspaceFolder}${/}x", "/src/x"),
        ("$${TOKEN} $TOKEN", "${TOKEN} $TOKEN"),
        ("$(touch canary) `touch canary` !touch canary", "$(touch canary) `touch canary` !touch canary"),
        ("${TOKEN}${TOKEN}", "secretsecret"),
        ("${UNSET:-${TOKEN}}!", "secret!"),
        ("${UNSET:-a${EMPTY:-b${input:key}}}", "abtyped"),
        ('${UNSET:-{"a": {}}}', '{"a": {}}'),
        ("${TOKEN:-${UNSET}}", "secret"),
        ("Bearer ${{ secrets.TOKEN }}", "Bearer secret"),
        ("${{secrets.TOKEN}}", "secret"),
        ("${{ other.TOKEN }} ${a{b}} ${TOKEN", "${{ other.TOKEN }} ${a{b}} ${TOKEN"),
    ],
)
def test_variables_are_filled_in(text: str, filled: str) -> None:
    assert expand_text(text, look) == filled


def test_what_was_filled_in_is_not_looked_at_again() -> None:
    assert expand_text("${A}", lambda *_: "${B}") == "${B}"


@pytest.mark.edge("B119")
@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("command", "${UNSET}", "command"),
        ("args", ("x", "${UNSET}"), "args.1"),
        ("env", {"A": "b", "TOKEN": "${UNSET}"}, "env.TOKEN"),
        ("env_file", "${UNSET}", "env_file"),
        ("cwd", "${UNSET}", "cwd"),
        ("url", "https://${UNSET}/", "url"),
        ("message_url", "${UNSET}", "message_url"),
        ("headers", {"Authorization": "Bearer ${UNSET}"}, "headers.Authorization"),
        ("auth", {"scopes": ["${UNSET}"]}, "auth.scopes.0"),
        ("ca_file", "${UNSET}", "ca_file"),
        ("client_cert", "${UNSET}", "client_cert"),
        ("proxy", "${UNSET}", "proxy"),
        ("roots", ("${UNSET}",), "roots.0"),
    ],
)
def test_one_that_is_not_set_names_its_field(field: str, value: Any, place: str) -> None:
    assert field in EXPANDED
    found = expand(Entry(name="x", file="mcp.json", line=1, **{field: value}), look, {place: 7}.get)

    assert isinstance(found, Problem)
    assert (found.field, found.line, found.server) == (place, 7, "x")
    assert str(found) == f"mcp.json:7: {place}: the variable UNSET is not set"


def test_the_line_is_the_entrys_where_the_field_has_none() -> None:
    found = expand(Entry(name="x", command="${UNSET}", line=4), look)

    assert isinstance(found, Problem)
    assert found.line == 4


def test_a_whole_entry_is_filled_in() -> None:
    entry = Entry(name="x", command="${TOKEN}", args=("a", "${TOKEN}"), env={"T": "${TOKEN}"}, timeout=5.0)

    assert expand(entry, look) == Entry(
        name="x", command="secret", args=("a", "secret"), env={"T": "secret"}, timeout=5.0
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("${EMPTY}", "the variable EMPTY is empty"),
        ("${keyring:other}", "the keyring has no other"),
        ("${input:other}", "the input other has no value"),
        ("${userHome}", "${userHome} is not known here"),
        ("${not a name}", "${not a name} is no variable"),
        ("${command:run}", "${command:run} is no variable"),
        ("${}", "${} is no variable"),
        ("${env:}", "${env:} is no variable"),
    ],
)
def test_what_cannot_be_filled_in_is_told(text: str, what: str) -> None:
    found = expand(Entry(name="x", url=text), look)

    assert isinstance(found, Problem)
    assert found.message == what
    assert found.hint
