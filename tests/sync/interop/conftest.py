# generated from tests/aio/interop/conftest.py by tools/unasync.py; do not edit
"""Connections that several modules have, each its own."""

from collections.abc import Iterator

import pytest

from tests.servers.installed import npm_server
from tests.sync.interop._runtime import shared
from tests.sync.interop.application import Party, party
from tests.sync.interop.variants import Connected, Variant

EVERYTHING = 17
"""How many tools server-everything has for a client that serves all it may ask."""


@shared
def everything() -> Iterator[Party]:
    with party(npm_server("server-everything"), env={"ASKED_FOR": "yes"}) as connected:
        # It adds the tools that need something of the client one by one, after the handshake.
        connected.application.hears("on_tools_changed", lambda tools: len(tools) == EVERYTHING)
        yield connected


@shared
def each(request: pytest.FixtureRequest) -> Iterator[Connected]:
    variant: Variant = request.param
    with party(variant.target(), versions=variant.version) as plain:
        connected = Connected(plain.client, plain.application)
        connected.variant = variant
        yield connected
