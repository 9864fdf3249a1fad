"""What the application may say of the way: whom to trust, by which proxy, with which client of its own."""

import logging
from pathlib import Path
from typing import Any

import pytest

from dragoman import AsyncClient
from dragoman.errors import ConfigError, ConnectFailed, UsageError
from tests.aio.engines._runtime import own_client
from tests.aio.http.support import Ruder, connect, refused
from tests.servers.rude import Rude
from tests.servers.web.authority import Authority
from tests.servers.web.proxy import proxy, refusing_proxy
from tests.servers.web.server import WebServer


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.make(Path(tmp_path_factory.mktemp("authority")))


async def used(client: AsyncClient) -> str:
    """Use all that there is of a connection."""
    await client.list_tools()
    return (await client.call_tool("echo", {"n": 1})).text


@pytest.mark.edge("B123")
async def test_an_authority_of_ones_own_is_trusted(rude: Ruder, engine: str, era: str, authority: Authority) -> None:
    server = rude(era, stands=True, tls=authority.server("localhost"))
    async with connect(server, engine=engine, ca_file=authority.file) as client:
        assert await used(client) == 'echo {"n": 1}'


async def test_another_authority_is_not_trusted(rude: Ruder, engine: str, authority: Authority) -> None:
    error = await refused(rude(tls=authority.server("localhost")), engine=engine)

    assert isinstance(error, ConnectFailed)
    assert "its certificate is not trusted" in str(error)
    assert "`ca_file`" in str(error)


async def test_whoever_it_is_can_be_trusted(
    rude: Ruder, engine: str, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with connect(rude(tls=authority.server("localhost")), engine=engine, verify=False) as client:
        assert await used(client) == 'echo {"n": 1}'


async def test_one_can_prove_who_one_is(rude: Ruder, engine: str, authority: Authority) -> None:
    server = rude(tls=authority.server("localhost", asks_for_client=True))
    mine = authority.issue("client.example")
    async with connect(server, engine=engine, ca_file=authority.file, client_cert=mine) as client:
        assert await used(client) == 'echo {"n": 1}'


async def test_a_file_that_is_not_there_is_named(rude: Ruder, engine: str, authority: Authority) -> None:
    error = await refused(rude(tls=authority.server("localhost")), engine=engine, ca_file="/nowhere/ca.pem")

    assert isinstance(error, ConfigError)
    assert "/nowhere/ca.pem" in str(error)


async def test_a_server_is_reached_through_a_proxy(rude: Ruder, engine: str, authority: Authority) -> None:
    server = rude("modern", tls=authority.server("server.example"))
    with WebServer(proxy) as between:
        url = f"https://server.example:{server.web.port}/mcp"
        way = f"http://me:safe@127.0.0.1:{between.port}"
        async with connect(url, engine=engine, ca_file=authority.file, proxy=way) as client:
            assert await used(client) == 'echo {"n": 1}'

        assert {each.target for each in between.requests} == {f"server.example:{server.web.port}"}


async def test_a_proxy_that_wants_to_know_who_one_is_says_so(engine: str) -> None:
    with WebServer(refusing_proxy) as between:
        way = f"http://127.0.0.1:{between.port}"
        error = await refused("https://server.example/mcp", engine=engine, proxy=way)

        assert isinstance(error, ConnectFailed)
        assert f"the proxy {way}" in str(error)
        assert "`proxy`" in str(error)


@pytest.mark.feature(42)
async def test_a_client_of_ones_own_is_used_and_stays_open(rude: Ruder, engine: str, era: str) -> None:
    server: Rude = rude(era)
    async with own_client(engine, {"X-Mine": "yes"}) as own:
        for _ in range(2):
            async with connect(server, http_client=own) as client:
                assert await used(client) == 'echo {"n": 1}'

    assert {each.header("X-Mine") for each in server.exchanges} == {"yes"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": "curl"}, "there is no engine 'curl'"),
        ({"http2": True}, "set engine='httpx'"),
        ({"http_client": object()}, "cannot be used as http_client"),
        ({"proxy": "socks5://127.0.0.1"}, "cannot be used as a proxy"),
    ],
)
async def test_what_cannot_be_is_said_before_anything_is_sent(rude: Ruder, options: dict[str, Any], words: str) -> None:
    server = rude()
    error = await refused(server, **options)

    assert isinstance(error, UsageError)
    assert words in str(error)
    assert server.exchanges == []
