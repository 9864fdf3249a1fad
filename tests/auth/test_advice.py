"""Commands that can be typed as they stand."""

from typing import Any

import pytest

from dragoman.auth.advice import login_command

URL = "https://mcp.example.com/mcp"


@pytest.mark.parametrize(
    ("url", "given", "expected"),
    [
        (URL, {}, f"dragoman login {URL}"),
        (URL, {"scopes": ("read", "files:write")}, f'dragoman login {URL} --scope "read files:write"'),
        (URL, {"scopes": ("read",)}, f"dragoman login {URL} --scope read"),
        (URL, {"identity": "work", "client_id": "me"}, f"dragoman login {URL} --client-id me --identity work"),
        (URL, {"client_id": "me", "has_secret": True}, f"dragoman login {URL} --client-id me --client-secret -"),
        (
            URL,
            {"redirect_uri": "http://localhost:3000/back"},
            f"dragoman login {URL} --redirect-uri http://localhost:3000/back",
        ),
        (
            URL,
            {"client_metadata_url": "https://app/c.json", "issuer": "https://as"},
            f"dragoman login {URL} --client-metadata-url https://app/c.json --issuer https://as",
        ),
        (URL, {"trusted_hosts": {"b.corp", "a.corp"}}, f"dragoman login {URL} --trust-host a.corp --trust-host b.corp"),
    ],
)
def test_command_has_what_was_given(url: str, given: dict[str, Any], expected: str) -> None:
    assert login_command(url, **given) == expected


def test_secrets_of_a_url_are_left_out() -> None:
    command = login_command("https://me:hush@mcp.example.com:8443/mcp?key=hush")

    assert command == 'dragoman login "https://mcp.example.com:8443/mcp?..."'


@pytest.mark.parametrize("scope", ["$(reboot)", "`reboot`", '";reboot', "a;b", "a|b", "a&b", "a\nb"])
def test_scope_that_a_shell_might_run_is_left_out(scope: str) -> None:
    assert login_command(URL, (scope, "read")) == f"dragoman login {URL} --scope read"
