"""The lists of one server as a host keeps them, and how each is asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from dragoman.aio._runtime import Guard, Lock
from dragoman.aio.client import AsyncClient
from dragoman.deadline import now
from dragoman.errors import McpError, NotOffered
from dragoman.host.lockfile import ItemKind, Surface

__all__ = ["KINDS", "Lists"]

_ASK: dict[ItemKind, Callable[[AsyncClient], Awaitable[Any]]] = {
    "tool": lambda client: client.list_tools(),
    "prompt": lambda client: client.list_prompts(),
    "resource": lambda client: client.list_resources(),
    "template": lambda client: client.list_resource_templates(),
}
KINDS: tuple[ItemKind, ...] = tuple(_ASK)

Learned: TypeAlias = Callable[[ItemKind], None]


class Lists:
    """What one server offers; owns what was listed last, which stays when a later listing fails.

    Attributes:
        latency: the seconds that the first listing took, which nothing can have been remembered for; None before it.
    """

    def __init__(self, learned: Learned) -> None:
        self.latency: float | None = None
        self._errors: dict[ItemKind, McpError] = {}
        self._learned = learned
        self._guard = Guard()
        self._asking: list[ItemKind] = []
        self._late: list[ItemKind] = []
        self._items: dict[ItemKind, tuple[Any, ...]] = {}
        self._turns = {kind: Lock() for kind in KINDS}
        self._begun = dict.fromkeys(KINDS, 0)

    @property
    def error(self) -> McpError | None:
        """Why a list could not be listed last; None when all could."""
        return next(iter(self._errors.values()), None)

    def items(self, kind: ItemKind) -> tuple[Any, ...]:
        """Give what was listed last; nothing where nothing was."""
        return self._items.get(kind, ())

    def has(self, kind: ItemKind) -> bool:
        """Whether there has been a listing."""
        return kind in self._items

    @property
    def kinds(self) -> frozenset[str]:
        """What has been listed."""
        return frozenset(self._items)

    def surface(self, version: str | None = None, instructions: str | None = None) -> Surface:
        """Give all that has been listed."""
        return Surface.of(
            version=version,
            instructions=instructions,
            tools=self.items("tool"),
            prompts=self.items("prompt"),
            resources=self.items("resource"),
            templates=self.items("template"),
        )

    async def take(self, kind: ItemKind, items: tuple[Any, ...]) -> None:
        """Take a list that came because something had changed."""
        async with self._turns[kind]:
            self._keep(kind, items)

    async def relist(self, kind: ItemKind, client: AsyncClient) -> None:
        """List anew; whoever asks while somebody else waits to do so shares that listing."""
        asked = self._begun[kind]
        async with self._turns[kind]:
            if self._begun[kind] > asked:
                return
            self._begun[kind] += 1
            await self._ask(kind, client)

    async def _ask(self, kind: ItemKind, client: AsyncClient) -> None:
        self._asking.append(kind)
        began = now()
        try:
            listed = await _ASK[kind](client)
        except NotOffered:
            self._keep(kind, ())
        except McpError as error:
            self._errors[kind] = error
        else:
            self.latency = now() - began if self.latency is None else self.latency
            self._keep(kind, listed.items)
        finally:
            with self._guard:
                self._asking.remove(kind)
                self._late = [each for each in self._late if each != kind]

    def note_late(self, kind: ItemKind) -> None:
        """Note that a listing was waited for in vain, if it is still under way."""
        with self._guard:
            if kind in self._asking:
                self._late.append(kind)

    def is_late(self, kind: ItemKind) -> bool:
        """Whether a listing is under way that was waited for in vain."""
        return kind in self._late

    def _keep(self, kind: ItemKind, items: tuple[Any, ...]) -> None:
        self._items[kind] = items
        self._errors.pop(kind, None)
        self._learned(kind)
