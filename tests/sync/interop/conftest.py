# generated from tests/aio/interop/conftest.py by tools/unasync.py; do not edit
"""Connections that several modules have, each its own."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tests.servers.installed import npm_server
from tests.servers.serving import Serving
from tests.sync.interop._runtime import shared, shared_ways
from tests.sync.interop.application import Party, party
from tests.sync.interop.variants import Connected, Variant

EVERYTHING = 17
"""How many tools server-everything has for a client that serves all it may ask."""


def everything_over(transport: str) -> Serving:
    """Serve server-everything over HTTP, in the way of some version."""
    path = "/sse" if transport == "sse" else "/mcp"
    return Serving(lambda port: npm_server("server-everything", transport), path, lambda port: {"PORT": str(port)})


@shared_ways("stdio", "streamableHttp default", "streamableHttp httpx", "sse default", "sse httpx")
def everything(request: pytest.FixtureRequest) -> Iterator[Party]:
    transport, _, engine = request.param.partition(" ")
    with ExitStack() as stack:
        target: Any = npm_server("server-everything")
        options: dict[str, Any] = {"env": {"ASKED_FOR": "yes"}}
        if transport != "stdio":
            target = stack.enter_context(everything_over(transport)).url
            options = {"engine": engine}
        with welcome(target, **options) as connected:
            yield connected


@contextmanager
def welcome(target: Any, **options: Any) -> Generator[Party, None]:
    with party(target, **options) as connected:
        # It adds the tools that need something of the client one by one, after the handshake; who has no stream of
        # events at that moment is not told.
        while len(connected.client.list_tools()) < EVERYTHING:
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
def each(request: pytest.FixtureRequest, served: Callable[[Variant], str]) -> Iterator[Connected]:
    variant: Variant = request.param
    target = served(variant) if variant.is_served else variant.target()
    with party(target, versions=variant.version, **variant.options) as plain:
        connected = Connected(plain.client, plain.application)
        connected.variant = variant
        yield connected
