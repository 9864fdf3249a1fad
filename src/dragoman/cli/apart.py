"""Wait for something in such a way that Ctrl-C ends the wait at once."""

import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["apart"]

T = TypeVar("T")

_TICK = 0.2
"""Seconds of one wait: some systems do not let Ctrl-C end a longer one."""


def apart(name: str, function: Callable[[], T]) -> T:
    """Call a function in a thread of its own, and give what it returns, or raise what it raises."""
    outcome: list[T | Exception] = []

    def call() -> None:
        try:
            outcome.append(function())
        except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
            outcome.append(error)

    thread = threading.Thread(target=call, name=f"dragoman-cli-{name}", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_TICK)
    (came,) = outcome
    if isinstance(came, Exception):
        raise came
    return came
