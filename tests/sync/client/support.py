# generated from tests/aio/client/support.py by tools/unasync.py; do not edit
"""Waiting for facts, and doing things meanwhile, in tests of the client."""

from collections.abc import Callable
from typing import Any

from dragoman import Client
from dragoman.deadline import Deadline
from dragoman.sync._runtime import Crew, Mailbox, pause
from tests.servers.scripts.play import Puppet

__all__ = ["Background", "Seen", "failure", "is_phase", "saw", "until"]


def until(fact: Callable[[], Any], seconds: float = 15.0) -> Any:
    """Wait until something is so, and return it."""
    deadline = Deadline(seconds)
    while not (found := fact()):
        assert not deadline.expired, "it did not come to be so"
        pause(0.005)
    return found


def failure(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return what a call raises."""
    try:
        result = function(*arguments, **options)
    except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
        return error
    raise AssertionError(f"nothing was raised, but {result!r} returned")


def is_phase(client: Client, phase: str) -> None:
    """Wait until a connection is in a phase of its life."""
    until(lambda: client.state.phase == phase)


class Background:
    """A call that goes on while the test does something else; `wait` returns its result, or raises what it raised."""

    def __init__(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        self._crew = Crew("test")
        self._done: Mailbox[tuple[Any, BaseException | None]] = Mailbox()
        self._crew.start(self._run, function, arguments, options)

    def _run(self, function: Callable[..., Any], arguments: Any, options: Any) -> None:
        try:
            self._done.put((function(*arguments, **options), None))
        except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
            self._done.put((None, error))

    def wait(self, seconds: float = 30.0) -> Any:
        result, error = self._done.get(Deadline(seconds))
        self._crew.end()
        if error is not None:
            raise error
        return result

    def failure(self) -> Any:
        return failure(self.wait)


class Seen:
    """A handler that remembers what it was given, and gives one answer to all of it."""

    def __init__(self, answer: Any = None) -> None:
        self.values: list[Any] = []
        self._answer = answer

    def __call__(self, value: Any) -> Any:
        self.values.append(value)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def __len__(self) -> int:
        return len(self.values)

    def first(self) -> Any:
        """Wait for the first."""
        until(lambda: self.values)
        return self.values[0]

    def at_least(self, count: int) -> list[Any]:
        """Wait for so many."""
        until(lambda: len(self.values) >= count)
        return self.values


def saw(puppet: Puppet, method: str, count: int = 1) -> Callable[[], bool]:
    """Tell whether a server has heard something so often, for `until`."""
    return lambda: len(puppet.heard(method)) >= count
