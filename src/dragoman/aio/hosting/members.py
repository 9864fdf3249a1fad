"""All servers of a host: begun at once, waited for no longer than they are worth, added, removed, ended."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import partial

from dragoman.aio._runtime import Crew, Guard
from dragoman.aio.hosting.house import House
from dragoman.aio.hosting.member import Member
from dragoman.aio.hosting.plan import Plan
from dragoman.aio.hosting.together import together
from dragoman.deadline import Deadline
from dragoman.errors import ConnectFailed, ConnectionClosed, McpError, UsageError
from dragoman.host.lockfile import ItemKind
from dragoman.host.news import ServerState

__all__ = ["Members"]

log = logging.getLogger("dragoman.aio")

_CLOSING = 20.0
"""Seconds that closing may take; each server has its own, shorter, patience."""


class Members:
    """The servers of one host, in the order of the configuration; owns who they are."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._guard = Guard()
        self._members: dict[str, Member] = {}
        self._crew = Crew("host")
        self._is_closed = False

    def __iter__(self) -> Iterator[Member]:
        with self._guard:
            return iter(tuple(self._members.values()))

    def get(self, name: str) -> Member:
        """Give a server by its name.

        Raises:
            UsageError: there is none.
        """
        with self._guard:
            member, names = self._members.get(name), ", ".join(self._members) or "none"
        if member is None:
            raise UsageError(f"the host has no server {name!r}", hint=f"there are {names}")
        return member

    def has(self, name: str) -> bool:
        """Whether there is a server of this name."""
        return name in self._members

    def start(self, plans: Mapping[str, Plan]) -> None:
        """Begin to connect to servers, all at once; never waits.

        Raises:
            ConnectionClosed: the host is closed.
        """
        made = [Member(plan, self._house) for plan in plans.values()]
        with self._guard:
            self._must_be_open()
            self._members |= {member.name: member for member in made}
        for member in made:
            member.start()

    async def settle(self, patience: float) -> None:
        """Wait until the required ones are connected, and for `patience` seconds at most for the others.

        Raises:
            McpError: a required one cannot be used.
        """
        deadline = Deadline(patience)
        missing: list[Member] = []

        async def is_there(member: Member) -> bool:
            await member.settled.wait(Deadline.never())
            if not member.is_usable:
                missing.append(member)
            return member.is_usable

        required = [member for member in self if member.plan.is_required]
        await together(self._crew, [partial(is_there, member) for member in required], Deadline.never())
        if missing:
            raise _missing(missing[0])
        for member in self:
            await member.settled.wait(deadline)

    async def relist(self, kind: ItemKind, patience: float) -> None:
        """Ask every server for one kind of list anew; who has not answered after `patience` seconds does so later.

        Raises:
            ConnectionClosed: the host is closed.
        """
        self._must_be_open()
        # Whoever was waited for in vain, and is still at it, is not waited for again.
        asked = [member for member in self if member.is_usable and not member.lists.is_late(kind)]
        if len(asked) == 1 and patience >= asked[0].timeout:
            await asked[0].relist(kind)
        elif not await together(self._crew, [partial(member.relist, kind) for member in asked], Deadline(patience)):
            for member in asked:
                member.lists.note_late(kind)

    async def replace(self, plans: Mapping[str, Plan]) -> tuple[list[str], list[str], list[str]]:
        """Become the servers of these plans; gives the names of those that came, went, and are others now.

        Who has not changed is left in peace.

        Raises:
            ConnectionClosed: the host is closed.
        """
        with self._guard:
            self._must_be_open()
            old = dict(self._members)
        gone = [name for name in old if name not in plans]
        changed = [name for name in old if name in plans and plans[name].key != old[name].plan.key]
        added = [name for name in plans if name not in old]
        fresh = {name: Member(plans[name], self._house) for name in [*added, *changed]}
        with self._guard:
            self._must_be_open()
            self._members = {name: fresh[name] if name in fresh else old[name] for name in plans}
        for name in added:
            fresh[name].start()
        await self._close([old[name] for name in [*gone, *changed]])
        for name in changed:
            fresh[name].start()
        self._house.changed(None)
        return added, gone, changed

    async def remove(self, name: str) -> None:
        """End a server, and know it no longer.

        Raises:
            UsageError: there is none of that name.
        """
        member = self.get(name)
        with self._guard:
            self._members.pop(name, None)
        await self._close([member])
        self._house.changed(None)

    async def close(self) -> None:
        """End them all, at once; there will be no others."""
        with self._guard:
            self._is_closed = True
        await self._close(list(self))
        await self._crew.end()

    def _must_be_open(self) -> None:
        if self._is_closed:
            raise ConnectionClosed("the host is closed", was_sent=False, hint="open another one")

    async def _close(self, members: list[Member]) -> None:
        closers = Crew("host closing")
        if not await together(closers, [member.close for member in members], Deadline(_CLOSING)):
            log.warning("not all servers have ended in %g s", _CLOSING)
        await closers.end()


def _missing(member: Member) -> McpError:
    """Say that a server is required and not there: by its own error, or what else is known."""
    if member.error is not None:
        return member.error
    if member.state is ServerState.DISABLED:
        return UsageError("it is required and disabled at once", server=member.name)
    return ConnectFailed(f"it is required, and is {member.state}", was_sent=False, server=member.name)
