"""Concealing secrets."""

from typing import Any

import pytest

from dragoman.host.secrets import Concealer, plain_text
from dragoman.secrecy import CONCEALED, is_secret_name

TOKENS = [
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11AAAAAAA0abcdefghijkl",
    "sk-abcdefghijklmnopqrstuvwx",
    "xoxb-123456789012-abcdefghijkl",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdef",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY",
        "apiKey",
        "X-Api-Key",
        "GITHUB_TOKEN",
        "password",
        "Authorization",
        "client_secret",
        "key",
        "PAT",
        "Cookie",
    ],
)
def test_names_of_secrets_are_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["author", "keyboard", "PATH", "path", "monkey", "query", "title", "compat"])
def test_other_names_are_not(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize("token", TOKENS)
def test_what_looks_like_a_secret_is_concealed(token: str) -> None:
    assert Concealer().text(f"see {token} here") == f"see {CONCEALED} here"


@pytest.mark.edge("B118")
def test_credentials_in_a_url_and_in_a_header_are_concealed() -> None:
    concealer = Concealer()

    assert concealer.text("https://me:pass@host/x") == "https://***@host/x"
    assert concealer.text("Authorization: Bearer abcdefgh12345") == "Authorization: ***"
    assert concealer.text("it sent Bearer abcdefgh12345") == "it sent Bearer ***"


def test_known_values_are_concealed_the_longest_first() -> None:
    concealer = Concealer(["hunter2", "hunter2-and-more", "short"])

    assert concealer.text("hunter2-and-more hunter2 short") == "*** *** short"


def test_further_patterns_are_concealed() -> None:
    assert Concealer(patterns=[r"\d{4}"]).text("pin 1234") == "pin ***"


def test_json_is_concealed_by_names_and_by_looks() -> None:
    value: dict[str, Any] = {
        "token": "x",
        "password": 1234,
        "api_key": "",
        "secret": None,
        "nested": [{"authorization": {"a": 1}}, TOKENS[0], 7],
        "plain": ("a",),
    }

    assert Concealer().json(value) == {
        "token": CONCEALED,
        "password": CONCEALED,
        "api_key": "",
        "secret": None,
        "nested": [{"authorization": CONCEALED}, CONCEALED, 7],
        "plain": ["a"],
    }


@pytest.mark.parametrize(
    "value",
    [
        {"url": "https://x/?api_key=hunter2"},
        {"q": "password: hunter2"},
        {"q": '{"password": "hunter2"}'},
        {"q": "serve --token hunter2 --port 80"},
        {"env": ["GITHUB_TOKEN=hunter2"]},
        {"headers": [{"name": "Authorization", "value": "hunter2"}]},
        {"key": "API_TOKEN", "val": ["hunter2"]},
        {"args": ["--api-key", "hunter2"]},
        {"https://me:hunter2@x/": 1},
        "xapp-1-hunter2hunter2hunter2",
    ],
)
def test_json_is_concealed_wherever_a_secret_stands(value: Any) -> None:
    assert "hunter2" not in str(Concealer().json(value))


def test_what_is_no_secret_stays() -> None:
    value = {"name": "city", "value": "Rome", "args": ["--port", "80", "--auth=x", 7], "key": "k", 5: None}

    assert Concealer().json(value)["value"] == "Rome"
    assert Concealer().json(value)["args"] == ["--port", "80", "--auth=***", 7]
    assert Concealer().json(value)[5] is None


def test_texts_are_concealed_whatever_their_names() -> None:
    assert Concealer().texts({"token": "plain", "x": [TOKENS[0]]}) == {"token": "plain", "x": [CONCEALED]}


def test_what_a_terminal_would_obey_is_shown() -> None:
    assert plain_text("a\x1b[31m\u202eb\nc\t") == "a\\u{1b}[31m\\u{202e}b\nc\t"
