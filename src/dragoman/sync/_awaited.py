"""Let a framework that only awaits call what is here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["awaited"]

T = TypeVar("T")


def awaited(function: Callable[..., T]) -> Callable[..., Coroutine[Any, Any, T]]:
    """Give what can be awaited: it calls the function in a thread, so that the framework's loop goes on meanwhile."""

    async def called(*arguments: Any, **options: Any) -> T:
        return await asyncio.to_thread(function, *arguments, **options)

    return called
