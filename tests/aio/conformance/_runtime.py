"""Start the driver."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

__all__ = ["start"]


def start(main: Callable[[], Coroutine[Any, Any, int]]) -> int:
    return asyncio.run(main())
