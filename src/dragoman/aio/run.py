"""Perform a conversation: the one place where the protocol's steps meet the world."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol, TypeVar

from dragoman.errors import McpError
from dragoman.protocol.steps import Conversation, Step

__all__ = ["World", "run"]

T = TypeVar("T")


class World(Protocol):
    """What steps are performed in."""

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        ...

    def perform(self, step: Step) -> Awaitable[Any]:
        """Do what the step asks for and return its answer; a failure is raised."""
        ...


async def run(conversation: Conversation[T], world: World) -> T:
    """Perform a conversation's steps one after the other, and return what it returns.

    A step that fails is thrown into the conversation, which may know what to do; so is a cancellation, which ends it.
    What the conversation raises names the server.
    """
    answer: Any = None
    failure: BaseException | None = None
    while True:
        try:
            step = conversation.send(answer) if failure is None else conversation.throw(failure)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        except McpError as error:
            error.server = error.server or world.name
            raise
        answer, failure = None, None
        try:
            answer = await world.perform(step)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the conversation has to hear of it, and end
            failure = error
