"""What a server said that is none of the protocol's: counted, the first of it kept, and said once."""

from __future__ import annotations

import logging

from dragoman.protocol.jsonrpc import excerpt

__all__ = ["Diagnostics"]

log = logging.getLogger("dragoman.aio")


class Diagnostics:
    """What a server said that is none of the protocol's; reported once, and the first of it kept.

    Attributes:
        count: how many lines.
        strays: how many answers to requests that were not made.
        excerpts: how the first of them begin.
    """

    MOST = 20

    def __init__(self, name: str) -> None:
        self._name = name
        self.count = 0
        self.strays = 0
        self.excerpts: list[str] = []

    @property
    def hint(self) -> str | None:
        """What may be the reason that an answer is missing; None where nothing points to one."""
        if not self.count:
            return None
        lines = "a line" if self.count == 1 else f"{self.count:,} lines"
        return f"it wrote {lines} to its standard output that are no messages, first: {self.excerpts[0]}"

    def add(self, line: bytes) -> None:
        """Take a line that is no message."""
        self.count += 1
        if len(self.excerpts) < self.MOST:
            self.excerpts.append(excerpt(line))
        if self.count == 1:
            log.warning(
                "%s writes to its standard output what is no message; it is skipped: %s", self._name, excerpt(line)
            )

    def stray(self, request_id: object) -> None:
        """Take an answer to a request that was not made."""
        self.strays += 1
        if self.strays == 1:
            log.warning(
                "%s: an answer to no request is dropped, as further ones will be: id %r", self._name, request_id
            )
