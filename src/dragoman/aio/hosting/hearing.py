"""Tell whoever listens what happens in a host."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from dragoman.aio._runtime import Courier, call_foreign
from dragoman.host.news import HostEvent

__all__ = ["Hearing"]

log = logging.getLogger("dragoman.aio")


class Hearing:
    """Passes on events, in order, one at a time; owns who is called."""

    def __init__(self, on_event: Callable[[HostEvent], Any] | None) -> None:
        self._on_event = on_event
        self._courier = Courier("host")

    def tell(self, event: HostEvent) -> None:
        """Tell of an event; never waits."""
        log.debug("%s: %s %s", event.server or "host", event.kind, event.message)
        if self._on_event is not None:
            self._courier.send(call_foreign, self._on_event, event)

    async def end(self) -> None:
        """Deliver what waits, and nothing after it."""
        await self._courier.end()
