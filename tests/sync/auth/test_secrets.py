# generated from tests/aio/auth/test_secrets.py by tools/unasync.py; do not edit
"""Nothing that is secret is seen in logs, errors or shown values."""

import logging
import traceback

import pytest

from dragoman.auth.consent import OAuth
from dragoman.auth.grants import ClientCredentials
from dragoman.errors import AuthError
from dragoman.local.stores import MemoryStore
from tests.servers.oauth.server import Answer, Protected
from tests.sync.auth.support import Visitor, consent


def test_no_secret_is_seen_anywhere(
    protected: Protected, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    protected.resource = {"scopes_supported": ["read"]}
    store = MemoryStore()
    seen: list[object] = []
    with Visitor(protected.url, OAuth(browse=consent, client_name="planted-not-secret"), store) as visitor:
        seen.append(visitor.visit())
        protected.scope = "write"
        seen.append(visitor.visit())
        holder = getattr(visitor.authorizer, "holder")  # noqa: B009 - only this kind of authorizer has one
        seen += [holder.book.record, holder.tokens, holder.credentials, visitor.login, visitor.login.way]
        protected.authority.access = {}
        protected.authority.trouble = [Answer({}, 503)] * 3
        with pytest.raises(AuthError) as caught:
            visitor.visit()
    seen += [caught.value, *traceback.format_exception(caught.value)]
    with Visitor(protected.url, ClientCredentials("id", "planted-own-secret"), store) as visitor:
        seen.append(visitor.login.way)
    text = "\n".join([*map(repr, seen), *map(str, seen), caplog.text, *capfd.readouterr()])
    stored = b"".join(store.read(key) or b"" for key in store.keys())  # noqa: SIM118 - it is a store's

    assert b"planted-access" in stored
    assert b"planted-refresh" in stored
    assert [line for line in text.splitlines() if "planted" in line and "planted-not-secret" not in line] == []
    assert "POST" in caplog.text
