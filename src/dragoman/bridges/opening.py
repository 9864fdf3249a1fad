"""Connect as programs were written that answer what servers ask: in the older era, where a server knows both.

The libraries that most servers are made with ask in the way of that era alone, and refuse to in the other.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from dragoman.aio.client import AsyncClient
from dragoman.errors import UnsupportedProtocolVersion
from dragoman.protocol.eras import LEGACY_VERSIONS

__all__ = ["opened"]

_ANSWERS = frozenset({"elicitation", "roots", "sampling", "url_elicitation"})


async def opened(target: Any, **options: Any) -> AsyncClient:
    """Connect, with the options of `AsyncClient.connect`; a server that only knows the newer era is met in that."""
    if options.keys() & _ANSWERS:
        with suppress(UnsupportedProtocolVersion):
            return await AsyncClient.connect(target, versions=LEGACY_VERSIONS, **options)
    return await AsyncClient.connect(target, **options)
