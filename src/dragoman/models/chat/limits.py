"""How much a chat may do in one turn, and spend in all."""

from __future__ import annotations

from msgspec import Struct

from dragoman.models.chat.events import Usage

__all__ = ["ChatLimits"]


class ChatLimits(Struct, frozen=True):
    """The limits of a chat; calls of single tools, and of all in the chat's life, are limited by `ToolLimits`.

    Attributes:
        rounds: how many replies of the model one turn may take.
        calls: how many calls one turn may make, None for any number; those beyond are told so.
        tokens: how many tokens the chat may use in all, None for any number; no reply is begun beyond.
    """

    rounds: int = 32
    calls: int | None = None
    tokens: int | None = None

    def reached(self, rounds: int, usage: Usage) -> str | None:
        """Say which limit lets no further reply be asked for, after so many rounds and tokens; None if none does."""
        if rounds >= self.rounds:
            return f"the limit of {self.rounds} replies in one turn is reached"
        if self.tokens is not None and usage.total >= self.tokens:
            return f"the limit of {self.tokens} tokens is reached: {usage.total} are used"
        return None

    def left(self, calls: int) -> int | None:
        """Tell how many more calls this turn may make after so many; None for any number."""
        return None if self.calls is None else max(0, self.calls - calls)
