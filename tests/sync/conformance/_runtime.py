"""Start the driver."""

from collections.abc import Callable

__all__ = ["start"]


def start(main: Callable[[], int]) -> int:
    return main()
