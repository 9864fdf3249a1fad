"""Seeing what is stored, and logging out."""

from dragoman.aio.accounts import account_at, log_out
from dragoman.auth.consent import OAuth
from dragoman.local.stores import MemoryStore
from tests.aio.auth.support import Visitor, consent
from tests.servers.oauth.server import Protected


async def test_account_is_seen_and_left(protected: Protected) -> None:
    async with Visitor(protected.url, OAuth(browse=consent)) as visitor:
        await visitor.visit()
    account = await account_at(protected.url, proxy=False)

    assert (account.issuer, account.found, account.has_token, account.can_renew) == (
        protected.authority.base,
        protected.authority.base,
        True,
        True,
    )
    assert [rung.outcome for rung in account.trail] == ["found", "found"]
    assert "planted" not in repr(account)
    assert await log_out(protected.url) is True
    assert await log_out(protected.url) is False
    assert not (await account_at(protected.url, OAuth(), proxy=False)).has_token


async def test_identities_are_told_apart(protected: Protected) -> None:
    store = MemoryStore()
    for identity in ("work", "home"):
        async with Visitor(protected.url, OAuth(browse=consent, identity=identity), store) as visitor:
            await visitor.visit()
    protected.authority.access = {}

    assert await log_out(protected.url, OAuth(identity="work", store=store)) is True
    assert store.keys() == [f"home {protected.url}"]
