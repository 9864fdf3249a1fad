"""What is taken for a secret, by its name and by its looks."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.secrecy import CONCEALED, is_secret_name, without_secrets

SECRET_NAMES = [
    "API_KEY",
    "apiKey",
    "APIKey",
    "api-keys",
    "X-Api-Key",
    "accesskey",
    "private_key",
    "secret_key",
    "signingKey",
    "key",
    "KEY",
    "GITHUB_TOKEN",
    "accessToken",
    "tokens",
    "token_value",
    "password",
    "passwords",
    "PGPASSWORD",
    "MYSQL_PWD",
    "pass",
    "passphrase",
    "client_secret",
    "secrets",
    "Authorization",
    "auth",
    "authentication",
    "oauth2",
    "bearer",
    "bearer_token",
    "jwt",
    "session_id",
    "sessionId",
    "connection_string",
    "ConnectionString",
    "dsn",
    "PAT",
    "Cookie",
    "Set-Cookie",
    "credentials",
]
OTHER_NAMES = [
    "author",
    "keyboard",
    "PATH",
    "path",
    "monkey",
    "query",
    "title",
    "compat",
    "compass",
    "tokenizer",
    "progressToken",
    "progress_token",
    "token_type",
    "authUrl",
    "token_count",
    "max_token_count",
    "keys",
    "primary_key",
    "publicKey",
    "session",
    "passed",
    "___",
    "5",
]


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_names_of_secrets_are_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_other_names_are_not(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.edge("B118")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Bearer hunter2", "Bearer ***"),
        ("Authorization: Bearer hunter2, next", "Authorization: ***, next"),
        ("Basic dTpodW50ZXIy", "Basic ***"),
        ("Basic facts about bearers", "Basic facts about bearers"),
        ("https://u:hunter2@host/path", "https://***@host/path"),
        ("https://host/?page=2&access_token=hunter2#top", "https://host/?page=2&access_token=***"),
        ("API_KEY=hunter2 run; PORT=80", "API_KEY=*** run; PORT=80"),
        ('see {"password": "hunter2", "n": 1}', 'see {"password": "***", "n": 1}'),
        (r"see {\"password\": \"hunter2\"}", r"see {\"password\": \"***\"}"),
        ("serve --token hunter2 --port 80", "serve --token *** --port 80"),
        ("serve --token --port", "serve --token --port"),
        ("curl -u me:hunter2 https://x", "curl -u me:*** https://x"),
        ("sudo -u me id", "sudo -u me id"),
        ("password:", "password:"),
        ("https://example.com/a:b", "https://example.com/a:b"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "***"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdef", "***"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "***"),
        ("the weather in Venice: sunny", "the weather in Venice: sunny"),
        ("", ""),
    ],
)
def test_what_looks_like_a_secret_is_concealed(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@given(st.text())
def test_concealing_twice_conceals_no_more(text: str) -> None:
    once = without_secrets(text)

    assert without_secrets(once) == once


@pytest.mark.parametrize(
    "piece",
    [
        "a=",
        "a:",
        "://",
        "://a",
        "a ",
        "a",
        " ",
        "Bearer ",
        "Basic a",
        "sk-",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "token=",
        "--token ",
        "-u a",
        "-u ",
    ],
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    began = time.process_time()
    without_secrets(piece * (200_000 // len(piece)))

    assert time.process_time() - began < 5


def test_the_sign_for_a_secret_is_none_itself() -> None:
    assert without_secrets(f"token={CONCEALED}") == f"token={CONCEALED}"
