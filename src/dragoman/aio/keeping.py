"""Keep what authorization gives: in a store, which may fail, by one at a time, here and in all other processes.

A store is foreign code, and what it raises is no reason to lose a grant: what cannot be written is kept here, and written
as soon as that can be done. What has begun to change a grant goes on although nobody waits for it any more: the
authorization server may have changed it already, and takes the old one for stolen.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from msgspec import Struct

from dragoman.aio._runtime import Crew, Event, Lock, call_foreign
from dragoman.auth.steps import Alone, Conversation, Keep
from dragoman.deadline import Deadline, Unattended
from dragoman.errors import ConfigError, ConnectionClosed, McpTimeout, UsageError
from dragoman.local.locks import StoreLock
from dragoman.local.stores import Store

__all__ = ["Keeper"]

log = logging.getLogger("dragoman.aio")

Play: TypeAlias = Callable[[Conversation[Any]], Awaitable[Any]]

_LOCK_PATIENCE = 30.0
"""Seconds that others have to change a record; and what nobody waits for leaves to a login that is under way."""

_WHOLE = 60.0
"""Seconds that a change has which goes on whoever waits for it."""

_GRACE = 2.0
"""Seconds that such a change has left when the client is closed."""


class _Unstored(Struct, frozen=True):
    """A value that could not be written, the one that the store has instead, and why."""

    value: bytes | None
    stored: bytes | None
    error: Exception


class Keeper:
    """The store of one login, with what it could not take. Owned by that login.

    `name` is the server's, for what is logged and said; `user_patience` the seconds that a user has to log in; `play`
    performs a conversation that goes on by itself.
    """

    def __init__(
        self, store: Store, name: str, user_patience: float, play: Callable[[Conversation[Any], Deadline], Any]
    ) -> None:
        self.store = store
        self._name = name
        self._user_patience = user_patience
        self._play = play
        self._crew = Crew(name)
        self._locks: dict[str, Lock] = {}
        self._errands: set[_Errand] = set()
        self._unstored: dict[str, _Unstored] = {}
        self._warned: set[str] = set()

    # ---------------------------------------------------------------------------------------------------------- values

    async def recall(self, key: str) -> bytes | None:
        """Give what is stored, or what could not be.

        Raises:
            ConfigError: the store cannot be read.
        """
        if key in self._unstored and not await self._has_written(key):
            return self._unstored[key].value
        try:
            value: bytes | None = await self._read(key)
        except UsageError:
            raise
        except Exception as error:
            named = error.filename if isinstance(error, OSError) else None
            raise ConfigError(f"the stored credentials cannot be read: {error}", file=named) from error
        return value

    async def _read(self, key: str) -> bytes | None:
        # Every client that connects reads: a thread would take longer than looking for a file, which mostly is not there.
        if getattr(self.store, "reads_at_once", False):
            return self.store.read(key)
        value: bytes | None = await call_foreign(self.store.read, key)
        return value

    async def keep(self, step: Keep) -> bool:
        """Store a value in place of the expected one, or keep it here if it cannot be; False: another one is there."""
        held = self._unstored.get(step.key)
        if held is None:
            return await self._written(step.key, step.value, step.expected)
        if held.value != step.expected:
            return False
        return await self._written(step.key, step.value, held.stored)

    async def _written(self, key: str, value: bytes | None, stored: bytes | None) -> bool:
        try:
            was_kept: bool = await call_foreign(self.store.swap, key, value, stored)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - a store is foreign code
            self._warn("credentials cannot be stored, and are kept in memory", error)
            self._unstored[key] = _Unstored(value, stored, error)
            return True
        self._unstored.pop(key, None)
        return was_kept

    async def _has_written(self, key: str) -> bool:
        held = self._unstored[key]
        await self._written(key, held.value, held.stored)
        return key not in self._unstored

    def check(self) -> None:
        """Make sure that all is stored.

        Raises:
            ConfigError: something could not be written.
        """
        for held in self._unstored.values():
            named = held.error.filename if isinstance(held.error, OSError) else None
            hint = "make room for it, set DRAGOMAN_HOME, or give a `store`"
            raise ConfigError(f"the credentials cannot be stored: {held.error}", file=named, hint=hint) from held.error

    def _warn(self, what: str, error: Exception) -> None:
        """Say once each thing that is the matter with the store: it will be so every time."""
        log.log(logging.DEBUG if what in self._warned else logging.WARNING, "%s: %s: %s", self._name, what, error)
        self._warned.add(what)

    # ------------------------------------------------------------------------------------------------------------ turns

    async def alone(self, step: Alone, deadline: Deadline, play: Play) -> Any:
        """Perform a step's conversation while nobody else does so under its name; `play` does it for who waits.

        Raises:
            McpTimeout: others are at it all the time, or it takes too long. And whatever the conversation raises.
        """
        patience = self._patience(step, deadline)
        turn = _Turn(self._locks.setdefault(step.name, Lock()), self._warn)
        try:
            is_taken = await self._take(turn, step, deadline, patience)
        except BaseException:
            turn.release()
            raise
        if not is_taken:
            turn.release()
            raise _gave_up(step, patience)
        if step.is_whole:
            return await self._whole(step, turn, patience)
        try:
            return await play(step.conversation)
        finally:
            turn.release()

    def _patience(self, step: Alone, deadline: Deadline) -> Deadline:
        if step.asks_user and deadline.is_attended:
            # Whoever has the lock may be waiting for a user, who has a time of their own.
            return Deadline(self._user_patience)
        return deadline.within(min(_LOCK_PATIENCE, step.longest))

    async def _take(self, turn: _Turn, step: Alone, deadline: Deadline, patience: Deadline) -> bool:
        """Keep out the other tasks first, which is cheap, and then all others who use the store."""
        if step.asks_user:
            deadline.hold()
        try:
            return await turn.take_here(patience) and await turn.take_everywhere(self.store, step.name, patience)
        finally:
            if step.asks_user:
                deadline.release()

    async def _whole(self, step: Alone, turn: _Turn, patience: Deadline) -> Any:
        errand = _Errand(turn)
        self._errands.add(errand)
        self._crew.start(self._run, errand, step.conversation)
        if self._crew.closing.is_set():
            turn.release()
            raise _closed()
        if not await errand.done.wait(patience):
            raise _gave_up(step, patience)
        if errand.error is not None:
            raise errand.error
        return errand.result

    async def _run(self, errand: _Errand, conversation: Conversation[Any]) -> None:
        errand.error = _closed()
        try:
            errand.result = await self._play(conversation, Unattended(_WHOLE))
            errand.error = None
        except Exception as error:  # noqa: BLE001 - it is raised where the result is waited for
            errand.error = error
        finally:
            errand.turn.release()
            self._errands.discard(errand)
            errand.done.set()

    async def end(self, cut: Callable[[], None]) -> None:
        """See off what goes on by itself, within a bounded time, and write what could not be written before.

        `cut` breaks the requests that are still under way then.
        """
        patience = Deadline(_GRACE)
        for errand in list(self._errands):
            await errand.done.wait(patience)
        cut()
        await self._crew.end()
        for errand in list(self._errands):
            errand.turn.release()
        for key in list(self._unstored):
            await self._has_written(key)


class _Errand:
    """A conversation that goes on by itself, and what comes of it. Owned by whoever performs it."""

    def __init__(self, turn: _Turn) -> None:
        self.turn = turn
        self.done = Event()
        self.result: Any = None
        self.error: Exception | None = None


class _Turn:
    """The locks that keep others out; owned by whoever's turn it is."""

    def __init__(self, lock: Lock, warn: Callable[[str, Exception], None]) -> None:
        self._lock = lock
        self._warn = warn
        self._theirs: StoreLock | None = None
        self._is_held = False

    async def take_here(self, patience: Deadline) -> bool:
        """Keep out the other tasks of this login."""
        self._is_held = await self._lock.acquire(patience)
        return self._is_held

    async def take_everywhere(self, store: Store, name: str, patience: Deadline) -> bool:
        """Keep out all others who use the store, as far as that can be done."""
        try:
            self._theirs = store.lock(name)
            is_held: bool = await call_foreign(self._theirs.acquire, patience.remaining)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - a store is foreign code
            self._warn("other processes cannot be kept out", error)
            return True
        return is_held

    def release(self) -> None:
        """Let the next one have its turn. Harmless when that is done."""
        theirs, self._theirs = self._theirs, None
        try:
            if theirs is not None:
                theirs.release()
        except Exception as error:  # noqa: BLE001 - a store is foreign code
            self._warn("the lock of the credentials cannot be given back", error)
        if self._is_held:
            self._is_held = False
            self._lock.release()


def _gave_up(step: Alone, patience: Deadline) -> McpTimeout:
    what = "somebody else is logging in, and has not finished" if step.asks_user else "the token is not renewed yet"
    return McpTimeout(what, method="login", waited=patience.waited, was_sent=False)


def _closed() -> ConnectionClosed:
    return ConnectionClosed("the client was closed while its token was being renewed", was_sent=False)
