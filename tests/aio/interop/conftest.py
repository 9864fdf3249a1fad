"""Connections that several modules have, each its own."""

from collections.abc import AsyncIterator

import pytest

from tests.aio.interop._runtime import shared
from tests.aio.interop.application import Party, party
from tests.aio.interop.variants import Connected, Variant
from tests.servers.installed import npm_server

EVERYTHING = 17
"""How many tools server-everything has for a client that serves all it may ask."""


@shared
async def everything() -> AsyncIterator[Party]:
    async with party(npm_server("server-everything"), env={"ASKED_FOR": "yes"}) as connected:
        # It adds the tools that need something of the client one by one, after the handshake.
        await connected.application.hears("on_tools_changed", lambda tools: len(tools) == EVERYTHING)
        yield connected


@shared
async def each(request: pytest.FixtureRequest) -> AsyncIterator[Connected]:
    variant: Variant = request.param
    async with party(variant.target(), versions=variant.version) as plain:
        connected = Connected(plain.client, plain.application)
        connected.variant = variant
        yield connected
