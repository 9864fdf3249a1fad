"""Take what a framework is to get its tools from: something open already, or what opens it when it is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from dragoman.aio.client import AsyncClient
from dragoman.aio.host import AsyncHost
from dragoman.aio.runner import AsyncToolRunner
from dragoman.errors import UsageError
from dragoman.host.policy import Policy

__all__ = ["Lease", "Opened", "Source", "instructions_of"]

Opened: TypeAlias = AsyncClient | AsyncHost | AsyncToolRunner
"""What has tools, and is open."""

Source: TypeAlias = Opened | Callable[[], Awaitable[AsyncClient] | Awaitable[AsyncHost]]
"""What has tools, or a function that opens it: `lambda: AsyncClient.connect("...")`."""


class Lease:
    """The use of a source by any number of users, for as long as any of them is there.

    What is opened here is closed when the last one leaves; what came open stays so, for its owner to close.

    Args:
        source: a client, a host, a runner, or a function that opens a client or a host.
        policy: what may happen, beside what a host's own policy says; where it asks, the framework has asked already.
    """

    def __init__(self, source: Source, policy: Policy | None = None) -> None:
        if isinstance(source, AsyncToolRunner) and policy is not None:
            raise UsageError("the runner has a policy of its own", hint="give the policy to the runner")
        _check_kind(source)
        self._source = source
        self._policy = policy
        self._users = 0
        self._lock = asyncio.Lock()
        self._opened: Opened | None = None
        self._runner: AsyncToolRunner | None = None

    @property
    def name(self) -> str:
        """What the tools come from, as far as that is known before it is opened."""
        known = self._opened or self._source
        return known.name if isinstance(known, AsyncClient) else "dragoman"

    @property
    def is_guarded(self) -> bool:
        """Whether there is a policy, which the framework has to ask for."""
        return self._policy is not None

    @property
    def opened(self) -> Opened:
        """What is open.

        Raises:
            UsageError: nothing is yet.
        """
        found = self._opened if callable(self._source) else self._source
        if found is None:
            raise UsageError("the tools' source is not open yet", hint="enter it first: `async with ...`")
        return found

    @property
    def runner(self) -> AsyncToolRunner:
        """What runs the tools.

        Raises:
            UsageError: their source is not open yet.
        """
        opened = self.opened
        if isinstance(opened, AsyncToolRunner):
            return opened
        if self._runner is None:
            approve = None if self._policy is None else _asked_already
            self._runner = AsyncToolRunner(opened, policy=self._policy, approve=approve, on_protocol_error="message")
        return self._runner

    async def enter(self) -> None:
        """Come to use the source, which the first user opens."""
        async with self._lock:
            if self._users == 0 and callable(self._source):
                self._opened = await self._source()
            self._users += 1

    async def leave(self) -> None:
        """Use it no longer; the last one to go closes what was opened here. Harmless when nobody is there."""
        async with self._lock:
            if self._users == 0:
                return
            self._users -= 1
            if self._users == 0 and callable(self._source):
                closing, self._opened, self._runner = self._opened, None, None
                assert isinstance(closing, AsyncClient | AsyncHost)
                await closing.close()


def _check_kind(given: object) -> None:
    """See to it that a source can be awaited, as those of the sync colour cannot be; their tools run in threads."""
    if isinstance(given, Opened) or (callable(given) and not isinstance(given, type)):
        return
    kind = given.__name__ if isinstance(given, type) else f"a {type(given).__name__}"
    raise UsageError(
        f"{kind} is no source of tools here",
        hint="give an AsyncClient, an AsyncHost, an AsyncToolRunner, or a function that opens one of the first two;"
        " the tools of sync ones are given by their `tools_for`",
    )


def _asked_already(_: Any) -> bool:
    return True


def instructions_of(opened: Opened) -> str | None:
    """Give how servers want to be used, in their words; of several each under its name, None if none says anything."""
    if isinstance(opened, AsyncClient):
        return opened.instructions
    clients: Mapping[str, AsyncClient] = opened.clients if isinstance(opened, AsyncHost) else {}
    said = [f"{name}:\n{client.instructions}" for name, client in clients.items() if client.instructions]
    return "\n\n".join(said) or None
