"""Connections that several modules have, each its own."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pytest

from tests.aio.interop._runtime import shared, shared_ways
from tests.aio.interop.application import Party, party
from tests.aio.interop.variants import Connected, Variant
from tests.servers.installed import npm_server
from tests.servers.serving import Serving

EVERYTHING = 17
"""How many tools server-everything has for a client that serves all it may ask."""


def everything_over(transport: str) -> Serving:
    """Serve server-everything over HTTP, in the way of some version."""
    path = "/sse" if transport == "sse" else "/mcp"
    return Serving(lambda port: npm_server("server-everything", transport), path, lambda port: {"PORT": str(port)})


@shared_ways("stdio", "streamableHttp default", "streamableHttp httpx", "sse default", "sse httpx")
async def everything(request: pytest.FixtureRequest) -> AsyncIterator[Party]:
    transport, _, engine = request.param.partition(" ")
    with ExitStack() as stack:
        target: Any = npm_server("server-everything")
        options: dict[str, Any] = {"env": {"ASKED_FOR": "yes"}}
        if transport != "stdio":
            target = stack.enter_context(everything_over(transport)).url
            options = {"engine": engine}
        async with welcome(target, **options) as connected:
            yield connected


@asynccontextmanager
async def welcome(target: Any, **options: Any) -> AsyncGenerator[Party, None]:
    async with party(target, **options) as connected:
        # It adds the tools that need something of the client one by one, after the handshake; who has no stream of
        # events at that moment is not told.
        while len(await connected.client.list_tools()) < EVERYTHING:
            pass
        yield connected


@pytest.fixture(scope="session")
def served() -> Iterator[Callable[[Variant], str]]:
    """Serve over HTTP, by one process for each library."""
    with ExitStack() as stack:
        serving: dict[str, Serving] = {}

        def url(variant: Variant) -> str:
            if variant.library not in serving:
                serving[variant.library] = stack.enter_context(Serving(variant.target))
            return serving[variant.library].url

        yield url


@shared
async def each(request: pytest.FixtureRequest, served: Callable[[Variant], str]) -> AsyncIterator[Connected]:
    variant: Variant = request.param
    target = served(variant) if variant.is_served else variant.target()
    async with party(target, versions=variant.version, **variant.options) as plain:
        connected = Connected(plain.client, plain.application)
        connected.variant = variant
        yield connected
