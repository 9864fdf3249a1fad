"""Let a framework that only awaits call what is here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

__all__ = ["awaited"]

T = TypeVar("T")


def awaited(function: Callable[..., Awaitable[T]]) -> Callable[..., Awaitable[T]]:
    """Give what can be awaited: here that is the function itself."""
    return function
