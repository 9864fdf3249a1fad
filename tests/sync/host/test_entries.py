# generated from tests/aio/host/test_entries.py by tools/unasync.py; do not edit
"""Entries of a configuration as something to connect to."""

from typing import Any

import pytest

from dragoman import Client, ClientCredentials, IdentityAssertion, OAuth, PrivateKeyJwt, WorkloadIdentity
from dragoman.errors import ConfigError, UsageError
from dragoman.host.entries import Entry
from dragoman.sync.entries import connection_of
from tests.servers.scripts.play import Puppeteer
from tests.sync.client.support import failure


def entry_of(command: list[str], **fields: Any) -> Entry:
    return Entry(name="mine", command=command[0], args=tuple(command[1:]), **fields)


def test_a_client_connects_to_an_entry(puppet: Puppeteer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANTED", "x")
    entry = entry_of(puppet().command, env={"A": "${WANTED}"}, timeout=3.0)
    with Client.connect(entry, env={"B": "y"}) as client:
        assert (client.name, client.timeout) == ("mine", 3.0)
        assert client.call_tool("echo").text == "echo {}"
    with Client.connect(entry, timeout=5, name="other") as client:
        assert (client.name, client.timeout) == ("other", 5.0)


def test_an_entry_with_a_variable_that_is_not_set_is_refused() -> None:
    error = failure(Client.connect, Entry(name="a", command="x", env={"T": "${UNSET_HERE}"}))

    assert isinstance(error, ConfigError)


def test_an_address_has_its_options() -> None:
    entry = Entry(name="w", url="https://x", headers={"A": "b"}, verify=False, restart=False, startup=4.0)

    assert connection_of(entry) == (
        "https://x",
        {
            "name": "w",
            "headers": {"A": "b"},
            "verify": False,
            "restart": False,
            "connect_timeout": 4.0,
            "handshake_timeout": 4.0,
        },
    )


@pytest.mark.parametrize(
    ("auth", "expected"),
    [
        ("oauth", True),
        (True, True),
        ("none", False),
        ({"token": "t"}, "t"),
        ({"type": "oauth", "scopes": ["a", "b"], "clientId": "me"}, OAuth(scope="a b", client_id="me")),
        ({"scope": "a"}, OAuth(scope="a")),
        ({"enabled": True, "clientId": "me", "authorizationUrl": "https://a"}, OAuth(client_id="me")),
        ({"enabled": False, "clientId": "me"}, False),
        (
            {"clientId": "me", "callbackPort": 8080},
            OAuth(client_id="me", redirect_uri="http://localhost:8080/callback"),
        ),
        (
            {"type": "client_credentials", "client_id": "me", "client_secret": "s"},
            ClientCredentials(client_id="me", client_secret="s"),
        ),
        (
            {"type": "workload_identity", "assertion": "t", "scope": "a"},
            WorkloadIdentity("t", scope="a"),
        ),
        (
            {
                "type": "identity-assertion",
                "assertion": "t",
                "idpTokenEndpoint": "https://idp/token",
                "idpClientId": "a",
                "clientId": "b",
            },
            IdentityAssertion(assertion="t", idp_token_endpoint="https://idp/token", idp_client_id="a", client_id="b"),
        ),
    ],
)
def test_how_to_be_authorized_is_read(auth: Any, expected: Any) -> None:
    assert connection_of(Entry(name="w", url="https://x", auth=auth))[1].get("auth") == expected


def test_a_key_of_ones_own_authorizes() -> None:
    auth = {"type": "private-key-jwt", "client_id": "me", "private_key": "k"}

    assert isinstance(connection_of(Entry(name="w", url="https://x", auth=auth))[1].get("auth"), PrivateKeyJwt)


@pytest.mark.parametrize("auth", ["secret", 7, {"type": "magic"}, {"colour": 1}, {"type": "client_credentials"}])
def test_what_authorizes_nobody_is_refused(auth: Any) -> None:
    with pytest.raises(UsageError):
        connection_of(Entry(name="w", url="https://x", auth=auth))
