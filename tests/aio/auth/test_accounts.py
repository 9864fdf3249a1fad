"""Seeing what is stored, and logging out."""

from typing import Any, cast

from dragoman import (
    ClientCredentials,
    Entry,
    MemoryStore,
    OAuth,
    UsageError,
    async_account_at,
    async_log_in,
    async_log_out,
)
from tests.aio.auth.support import Visitor, consent
from tests.aio.client.support import failure
from tests.servers.oauth.server import Protected


async def test_account_is_seen_and_left(protected: Protected) -> None:
    async with Visitor(protected.url, OAuth(browse=consent)) as visitor:
        await visitor.visit()
    account = await async_account_at(protected.url, proxy=False)

    assert (account.issuer, account.found, account.has_token, account.can_renew) == (
        protected.authority.base,
        protected.authority.base,
        True,
        True,
    )
    assert [rung.outcome for rung in account.trail] == ["found", "found"]
    assert "planted" not in repr(account)
    assert await async_log_out(protected.url) is True
    assert await async_log_out(protected.url) is False
    assert not (await async_account_at(protected.url, OAuth(), proxy=False)).has_token


async def test_identities_are_told_apart(protected: Protected) -> None:
    store = MemoryStore()
    for identity in ("work", "home"):
        async with Visitor(protected.url, OAuth(browse=consent, identity=identity), store) as visitor:
            await visitor.visit()
    protected.authority.access = {}

    assert await async_log_out(protected.url, OAuth(identity="work", store=store)) is True
    assert store.keys() == [f"home {protected.url}"]


async def test_options_of_a_login_come_on_top_of_what_an_entry_says(protected: Protected) -> None:
    protected.authority.arranged = {"me"}
    entry = Entry(name="work", url=protected.url, auth={"clientId": "me", "scope": "read", "trustedHosts": ["a"]})
    store = MemoryStore()
    way = OAuth(browse=consent, identity="me@work", trusted_hosts=frozenset({"b"}), store=store)
    account = await async_log_in(entry, way, proxy=False)

    assert (account.client_id, account.scopes, account.identity) == ("me", ("read",), "me@work")
    assert (await async_log_out(entry, OAuth(identity="me@work", store=store))) is True


async def test_options_that_an_entrys_way_in_has_not_are_said(protected: Protected) -> None:
    entry = Entry(
        name="job", url=protected.url, auth={"type": "client_credentials", "clientId": "me", "clientSecret": "x"}
    )
    error = await failure(async_log_in, entry, OAuth(headless=True), proxy=False)

    assert isinstance(error, UsageError)
    assert "ClientCredentials has no 'headless'" in str(error)
    assert (await async_log_in(entry, OAuth(scope="read"), proxy=False)).scopes == ("read",)


async def test_another_way_in_takes_the_place_of_an_entrys(protected: Protected) -> None:
    entry = Entry(name="work", url=protected.url, auth={"clientId": "me"})
    account = await async_log_in(entry, ClientCredentials("id", "secret", store=MemoryStore()), proxy=False)

    assert account.client_id == "id"


async def test_token_is_no_way_to_log_in(protected: Protected) -> None:
    error = await failure(async_log_in, protected.url, cast(Any, "token"))

    assert isinstance(error, UsageError)
    assert "nobody logs in by str" in str(error)
