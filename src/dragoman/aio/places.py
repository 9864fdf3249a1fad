"""The places that a server may work in: the roots, which may change while it runs."""

from __future__ import annotations

from dragoman.aio.connection import Connection
from dragoman.aio.handlers import read_root
from dragoman.errors import UsageError
from dragoman.protocol.steps import Notice, Tell
from dragoman.types import Root

__all__ = ["Places"]


class Places:
    """The roots of one client; the list itself belongs to its handlers, who answer for it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> tuple[Root, ...]:
        """List the roots as they are now."""
        return tuple(self._connection.handlers.roots or ())

    async def add(self, root: Root | str, name: str | None) -> None:
        """Add a root, in place of one of the same URI, and tell the server."""
        added = read_root(root, name)
        roots = self._declared()
        roots[:] = [*(each for each in roots if each.uri != added.uri), added]
        await self._changed()

    async def remove(self, uri: str) -> None:
        """Remove a root, and tell the server."""
        roots = self._declared()
        if all(each.uri != uri for each in roots):
            raise UsageError(f"there is no root {uri!r}", server=self._connection.name, hint="see `roots`")
        roots[:] = [each for each in roots if each.uri != uri]
        await self._changed()

    async def tell(self) -> None:
        """Tell the server that the roots are others now, where its era has such a notification."""
        await self._connection.tell(Tell(Notice("notifications/roots/list_changed")))

    def _declared(self) -> list[Root]:
        roots = self._connection.handlers.roots
        if roots is None:
            raise UsageError(
                "roots were not declared to the server", server=self._connection.name, hint="connect with `roots=[]`"
            )
        return roots

    async def _changed(self) -> None:
        declared = self._connection.era.identity.capabilities.roots
        if declared is not None and declared.list_changed:
            await self.tell()
