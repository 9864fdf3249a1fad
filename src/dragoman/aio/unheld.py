"""Let others call a method of something without keeping it alive by that."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec
from weakref import WeakMethod

__all__ = ["unheld"]

P = ParamSpec("P")


def unheld(method: Callable[P, None]) -> Callable[P, None]:
    """Give a function that calls a bound method as long as its object lives, and does nothing afterwards.

    Threads and event loops live on: what they hold a client by would never be collected, nor closed.
    """
    reference = WeakMethod(method)

    def call(*arguments: P.args, **options: P.kwargs) -> None:
        found = reference()
        if found is not None:
            found(*arguments, **options)

    return call
