"""Where results are kept for as long as their server said that they hold."""

from __future__ import annotations

from typing import Any

from dragoman.deadline import now
from dragoman.protocol.cache import Cache
from dragoman.protocol.eras import Era
from dragoman.types import CacheableResult

__all__ = ["Shelf"]


class Shelf:
    """The results of one client that are still good."""

    def __init__(self, *, is_used: bool) -> None:
        self._cache = Cache() if is_used else None
