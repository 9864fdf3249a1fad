"""Put one question to the application at a time, and notice when its answer would have to wait for itself."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from dragoman.aio._runtime import CutOff, Event, Lock, call_before, call_foreign
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed

__all__ = ["Asking"]

_asked: ContextVar[tuple[object, ...]] = ContextVar("dragoman is asking", default=())
"""The questions that are being answered where this is looked at."""
_GLANCE = 0.2
"""Seconds between two looks at whether there is still anything to wait for."""


class Asking:
    """Held while somebody is asked; owns which question that is."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._ended = Event()
        self._question: object | None = None
        self._before: tuple[object, ...] = ()

    @property
    def is_within(self) -> bool:
        """Whether this is done by whoever is being asked: a further question would wait for the answer to the first."""
        return self._question is not None and self._question in _asked.get()

    def end(self) -> None:
        """Wait for no answers any more, and ask nobody."""
        self._ended.set()

    async def put(self, function: Callable[..., Any], question: object) -> Any:
        """Put a question, whose turn it has to be. A plain function of a sync program returns when it does.

        Raises:
            ConnectionClosed: the host was closed before there was an answer.
        """
        try:
            return await call_before(self._ended, call_foreign, function, question)
        except CutOff:
            raise _closed() from None

    async def __aenter__(self) -> None:
        while not await self._turn.acquire(Deadline(_GLANCE)):
            self._must_go_on()
        try:
            self._must_go_on()
        except ConnectionClosed:
            self._turn.release()
            raise
        self._question, self._before = object(), _asked.get()
        _asked.set((*self._before, self._question))

    def _must_go_on(self) -> None:
        if self._ended.is_set():
            raise _closed()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _asked.set(self._before)
        self._question = None
        self._turn.release()


def _closed() -> ConnectionClosed:
    return ConnectionClosed("the host was closed while somebody was to be asked", was_sent=False)
