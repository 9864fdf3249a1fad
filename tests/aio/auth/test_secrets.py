"""Nothing that is secret is seen in logs, errors or shown values."""

import json
import logging
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from dragoman import (
    AuthError,
    BearerToken,
    ClientCredentials,
    MemoryStore,
    OAuth,
    PrivateKeyJwt,
    WorkloadIdentity,
)
from dragoman.local.jose import make_key
from tests.aio.auth.support import Visitor, connect, consent
from tests.servers.oauth.gated import Gated
from tests.servers.oauth.server import Answer, Authority, Protected


async def test_no_secret_is_seen_anywhere(
    protected: Protected, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    protected.resource = {"scopes_supported": ["read"]}
    store = MemoryStore()
    seen: list[object] = []
    async with Visitor(protected.url, OAuth(browse=consent, client_name="planted-not-secret"), store) as visitor:
        seen.append(await visitor.visit())
        protected.scope = "write"
        seen.append(await visitor.visit())
        holder = getattr(visitor.authorizer, "holder")  # noqa: B009 - only this kind of authorizer has one
        seen += [holder.book.record, holder.tokens, holder.credentials, visitor.login, visitor.login.way]
        protected.authority.access = {}
        protected.authority.trouble = [Answer({}, 503)] * 3
        with pytest.raises(AuthError) as caught:
            await visitor.visit()
    seen += [caught.value, *traceback.format_exception(caught.value)]
    async with Visitor(protected.url, ClientCredentials("id", "planted-own-secret"), store) as visitor:
        seen.append(visitor.login.way)
    text = "\n".join([*map(repr, seen), *map(str, seen), caplog.text, *capfd.readouterr()])
    stored = b"".join(store.read(key) or b"" for key in store.keys())  # noqa: SIM118 - it is a store's

    assert b"planted-access" in stored
    assert b"planted-refresh" in stored
    assert [line for line in text.splitlines() if "planted" in line and "planted-not-secret" not in line] == []
    assert "POST" in caplog.text


# ----------------------------------------------------------------------------------------------------- a whole client


def exchanged(authority: Authority) -> set[str]:
    """Everything secret that went to an authorization server, and what it gave."""
    forms = [each.form for each in authority.heard if each.path == "/token"]
    names = ("code", "code_verifier", "refresh_token", "client_secret", "client_assertion", "assertion")
    headers = {each.headers.get("authorization", "").rpartition(" ")[2] for each in authority.heard}
    return {form[name] for form in forms for name in names if name in form} | headers | {"planted"}


def shown(secrets: set[str], *texts: str) -> list[str]:
    return [line for text in texts for line in text.splitlines() for secret in secrets if secret and secret in line]


async def life(server: Gated, auth: Any, seen: list[object], **options: Any) -> None:
    """All that can happen to an authorization: got, used, refused, renewed, widened, kept from, gone."""
    server.authority.trouble = []
    try:
        async with connect(server, auth, on_tools_changed=lambda _: None, **options) as client:
            seen += [client, client.state, await client.list_tools(), await client.call_tool("echo")]
            server.authority.access = {}
            seen.append(await client.call_tool("echo"))
            server.scopes = {"tools/call write": "write"}
            seen.append(await client.call_tool("write"))
            server.authority.access = {}
            server.authority.trouble = [Answer({"error": "invalid_request", "error_description": "no"}, 400)] * 9
            await client.call_tool("echo")
    except AuthError as error:
        seen += [error, error.__cause__, vars(error), *traceback.format_exception(error)]
    seen += [] if isinstance(auth, str) else [auth]


@pytest.mark.parametrize("era", ["legacy", "modern", "sse"])
async def test_client_shows_no_secret(
    gated: Callable[..., Gated], era: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("dragoman", "dragoman.wire", "dragoman.aio", "dragoman.server"):
        caplog.set_level(logging.DEBUG, name)
    server = gated(is_sse=True) if era == "sse" else gated(era, stands=True)
    server.resource = {"scopes_supported": ["read"]}
    key, _ = make_key("ES256")
    ways: list[Any] = [
        OAuth(browse=consent, identity="user"),
        OAuth(browse=consent, identity="arranged", client_id="me", client_secret="planted-own-secret"),
        OAuth(interactive=False, identity="nobody", client_secret="planted-own-secret"),
        ClientCredentials("me", "planted-own-secret", scope="read write"),
        PrivateKeyJwt("me", key, scope="read write"),
        WorkloadIdentity("planted-assertion", "me", scope="read write"),
        "planted-token",
        lambda: "planted-token",
        BearerToken("planted-token"),
    ]
    server.authority.arranged = {"me"}
    seen: list[object] = []
    for way in ways:
        await life(server, way, seen)
    await life(server, None, seen, headers={"Authorization": "Bearer planted-header"})
    secrets = exchanged(server.authority) | {json.loads(key)["d"]}
    out, err = capfd.readouterr()

    assert shown(secrets, *map(repr, seen), *map(str, seen), caplog.text, out, err) == []
    assert len([each for each in seen if isinstance(each, AuthError)]) >= 8
    assert "tools/call" in caplog.text
    assert "/token" in caplog.text
