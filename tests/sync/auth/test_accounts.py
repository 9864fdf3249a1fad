# generated from tests/aio/auth/test_accounts.py by tools/unasync.py; do not edit
"""Seeing what is stored, and logging out."""

from dragoman.auth.consent import OAuth
from dragoman.local.stores import MemoryStore
from dragoman.sync.accounts import account_at, log_out
from tests.servers.oauth.server import Protected
from tests.sync.auth.support import Visitor, consent


def test_account_is_seen_and_left(protected: Protected) -> None:
    with Visitor(protected.url, OAuth(browse=consent)) as visitor:
        visitor.visit()
    account = account_at(protected.url, proxy=False)

    assert (account.issuer, account.found, account.has_token, account.can_renew) == (
        protected.authority.base,
        protected.authority.base,
        True,
        True,
    )
    assert [rung.outcome for rung in account.trail] == ["found", "found"]
    assert "planted" not in repr(account)
    assert log_out(protected.url) is True
    assert log_out(protected.url) is False
    assert not account_at(protected.url, OAuth(), proxy=False).has_token


def test_identities_are_told_apart(protected: Protected) -> None:
    store = MemoryStore()
    for identity in ("work", "home"):
        with Visitor(protected.url, OAuth(browse=consent, identity=identity), store) as visitor:
            visitor.visit()
    protected.authority.access = {}

    assert log_out(protected.url, OAuth(identity="work", store=store)) is True
    assert store.keys() == [f"home {protected.url}"]
