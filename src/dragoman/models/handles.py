"""Keep the texts that were too long for a model, so that it can read on where it wants to."""

from __future__ import annotations

from itertools import count

__all__ = ["Shelf"]

_MOST_CHARACTERS = 64 * 1024 * 1024


class Shelf:
    """Texts by handle; owned by one runner. When there are too many, the oldest go."""

    def __init__(self, most: int = _MOST_CHARACTERS) -> None:
        self._most = most
        self._texts: dict[str, str] = {}
        self._numbers = count(1)

    def next_handle(self) -> str:
        """Give a handle that no text has had."""
        return f"result-{next(self._numbers)}"

    def keep(self, handle: str, text: str) -> None:
        """Keep a text."""
        self._texts[handle] = text
        while len(self._texts) > 1 and sum(map(len, self._texts.values())) > self._most:
            del self._texts[next(iter(self._texts))]

    def read(self, handle: str, offset: int, length: int) -> str:
        """Give a piece of a text and say what is left of it.

        Raises:
            LookupError: no text is kept under this handle.
        """
        text = self._texts.get(handle)
        if text is None:
            raise LookupError(f"nothing is kept under {handle!r}; call the tool again")
        start = max(0, offset)
        piece = text[start : start + max(1, length)]
        left = len(text) - start - len(piece)
        return f"{piece}\n[{left:,} characters follow, from offset {start + len(piece)}]" if left > 0 else piece
