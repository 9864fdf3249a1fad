"""Protected servers of a host."""

from collections.abc import Callable
from typing import Any

import pytest

from dragoman import AsyncHost, AuthError, McpTimeout, MemoryStore, OAuth, ServerState, UsageError, async_log_in
from dragoman.aio.hosting.absence import is_hopeless
from tests.aio.auth.support import consent
from tests.aio.client.support import failure, until
from tests.servers.oauth.gated import Gated


def servers(server: Gated) -> Any:
    return {"mcpServers": {"gated": {"url": server.url}}}


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_user_is_asked_once_for_a_server_of_a_host(gated: Callable[..., Gated], era: str) -> None:
    server = gated(era)
    for _ in range(2):
        async with AsyncHost.open(servers(server), auth=OAuth(browse=consent)) as host:
            assert (await host.call_tool("echo")).text == "echo {}"

    assert server.authority.logins == 1


async def test_user_who_did_not_come_back_is_not_asked_again_by_a_host(
    gated: Callable[..., Gated], no_browser: None, capfd: pytest.CaptureFixture[str]
) -> None:
    server = gated()
    async with AsyncHost.open(servers(server), auth=OAuth(interactive=True, login_timeout=0.1)) as host:
        await until(lambda: host.status()[0].state is ServerState.FAILED)
        error = host.status()[0].error

    assert isinstance(error, McpTimeout)
    assert is_hopeless(error)
    assert capfd.readouterr().err.count("log in at") == 1


async def test_login_elsewhere_is_noticed_by_a_host(
    gated: Callable[..., Gated], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.aio.hosting.lookout._LOOK", 0.02)
    server = gated()
    async with AsyncHost.open(servers(server), auth=OAuth(interactive=False)) as host:
        await until(lambda: host.status()[0].state is ServerState.FAILED)
        assert isinstance(host.status()[0].error, AuthError)
        await async_log_in(server.url, OAuth(browse=consent), proxy=False)
        await until(lambda: host.status()[0].state is ServerState.READY)

        assert (await host.call_tool("echo")).text == "echo {}"
    assert server.authority.logins == 1


async def test_what_is_stored_and_is_no_login_changes_nothing_for_a_host(
    gated: Callable[..., Gated], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.aio.hosting.lookout._LOOK", 0.02)
    server, store = gated(), MemoryStore()
    asked: list[str] = []

    def refuse(url: str) -> str:
        asked.append(url)
        raise AuthError("not now")

    async with AsyncHost.open(servers(server), auth=OAuth(browse=refuse, store=store)) as host:
        await until(lambda: host.status()[0].state is ServerState.FAILED)
        for key in store.keys():  # noqa: SIM118 - it is a store's
            store.swap(key, b"{}", store.read(key))
        await async_log_in(server.url, OAuth(browse=consent, store=store), proxy=False)
        await until(lambda: host.status()[0].state is ServerState.READY)

    assert len(asked) == 1


async def test_what_an_entry_says_of_its_way_in_comes_on_top_of_the_hosts(gated: Callable[..., Gated]) -> None:
    server = gated()
    configured: Any = servers(server)
    configured["mcpServers"]["gated"]["auth"] = {"scope": "read", "identity": "work"}
    store = MemoryStore()
    async with AsyncHost.open(configured, auth=OAuth(browse=consent, store=store)) as host:
        await host.call_tool("echo")

    assert list(server.authority.access.values()) == ["read"]
    assert store.keys() == [f"work {server.url}"]


async def test_token_is_of_no_use_for_all_servers_of_a_host(gated: Callable[..., Gated]) -> None:
    token: Any = "token"
    error = await failure(opened, gated(), token)

    assert isinstance(error, UsageError)
    assert "one server's token is none of another's" in str(error)


async def opened(server: Gated, auth: Any) -> None:
    async with AsyncHost.open(servers(server), auth=auth):
        pass
