"""Put one question to the application at a time, and notice when its answer would have to wait for itself."""

from __future__ import annotations

from contextvars import ContextVar
from types import TracebackType

from dragoman.aio._runtime import Lock

__all__ = ["Asking"]

_asked: ContextVar[tuple[object, ...]] = ContextVar("dragoman is asking", default=())
"""The questions that are being answered where this is looked at."""


class Asking:
    """Held while somebody is asked; owns which question that is."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._question: object | None = None
        self._before: tuple[object, ...] = ()

    @property
    def is_within(self) -> bool:
        """Whether this is done by whoever is being asked: a further question would wait for the answer to the first."""
        return self._question is not None and self._question in _asked.get()

    async def __aenter__(self) -> None:
        await self._turn.__aenter__()
        self._question, self._before = object(), _asked.get()
        _asked.set((*self._before, self._question))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _asked.set(self._before)
        self._question = None
        await self._turn.__aexit__(kind, error, trace)
