"""What was approved of each server, against what it says now."""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import gettempdir
from typing import Literal, TypeAlias

from dragoman.aio._runtime import Guard
from dragoman.aio.hosting.hearing import Hearing
from dragoman.errors import ConfigError, ToolChanged
from dragoman.files.locks import load_lock, save_lock
from dragoman.files.places import state_folder
from dragoman.files.reading import stamp
from dragoman.host.drift import Difference, differences, written
from dragoman.host.lockfile import Lock, Surface
from dragoman.host.news import HostEvent
from dragoman.local.apart import alone_with

__all__ = ["OnDrift", "Pinning"]

log = logging.getLogger("dragoman.aio")

OnDrift: TypeAlias = Literal["block", "ask", "report"]


class Pinning:
    """The lock of one host; owns what is different from it, and what was let pass all the same.

    Without a file nothing is pinned.
    """

    def __init__(self, file: Path | None, on_drift: OnDrift, *, pins_new: bool, hearing: Hearing) -> None:
        self._file = file
        self._on_drift = on_drift
        self._pins_new = pins_new
        self._hearing = hearing
        self._guard = Guard()
        self._seen = None if file is None else stamp(file)
        self._lock = Lock() if file is None else load_lock(file) or Lock()
        self._found: dict[str, tuple[Difference, ...]] = {}
        self._let_pass: list[tuple[str, Difference]] = []
        self._answered: list[tuple[str, Difference]] = []

    @property
    def is_used(self) -> bool:
        """Whether anything is pinned, so that all that servers offer has to be listed."""
        return self._file is not None

    def required(self) -> Path:
        """Give the lockfile.

        Raises:
            ConfigError: there is none.
        """
        if self._file is None:
            raise ConfigError("there is no lockfile", hint="open the host with `lock`")
        return self._file

    def check(self, server: str, surface: Surface, kinds: frozenset[str]) -> None:
        """Compare what a server says now, as far as it has been listed, with what was approved, and tell the difference."""
        if self._file is None:
            return
        self._refresh(self._file)
        approved = self._lock.servers.get(server)
        if approved is None:
            if self._pins_new and len(kinds) == len(_ALL):
                self.pin(server, surface)
            return
        found = differences(approved, surface, kinds)
        with self._guard:
            is_news = found != self._found.get(server, ())
            others = tuple(each for each in self._found.get(server, ()) if each.kind not in kinds)
            self._found[server] = others + found
        if is_news and found:
            log.warning("%s: it is not as it was pinned:\n%s", server, written(found))
            self._hearing.tell(HostEvent("drift", server, differences=found, message=written(found)))

    def pin(self, server: str, surface: Surface) -> None:
        """Approve what a server says now.

        Raises:
            ConfigError: the lockfile cannot be written, or there is none.
        """
        file = self.required()
        with self._guard, alone_with(file, _locks()):
            # Another process may have pinned another server meanwhile.
            self._lock = (load_lock(file) or self._lock).with_server(server, surface)
            save_lock(file, self._lock)
            self._seen = stamp(file)
            self._found.pop(server, None)

    def _refresh(self, file: Path) -> None:
        """Take what another process has approved meanwhile; a lockfile that is gone, or spoilt, changes nothing."""
        seen = stamp(file)
        if seen in (None, self._seen):
            return
        try:
            found = load_lock(file)
        except ConfigError as error:
            log.warning("what was pinned is kept as it was: %s", error)
            found = None
        with self._guard:
            self._seen, self._lock = seen, found or self._lock

    @property
    def servers(self) -> tuple[str, ...]:
        """The servers of which anything was approved."""
        return tuple(self._lock.servers)

    def is_pinned(self, server: str) -> bool:
        """Whether anything was approved of a server."""
        return server in self._lock.servers

    def different(self, server: str) -> tuple[Difference, ...]:
        """Give all that is different of a server."""
        return self._found.get(server, ())

    def difference(self, server: str, kind: str, name: str) -> Difference | None:
        """Give what is different of one thing, unless it is merely gone, or was let pass."""
        if self._on_drift == "report":
            return None
        for each in self._found.get(server, ()):
            if (each.kind, each.name) == (kind, name) and each.what != "removed":
                return None if (server, each) in self._let_pass else each
        return None

    def formerly(self, kind: str, name: str) -> tuple[str, ...]:
        """Say what has become of what was approved by a name, and is not there any more."""
        gone = [each for found in self._found.values() for each in found if each.kind == kind]
        return tuple(each.heading for each in gone if name == (each.former or (each.what == "removed" and each.name)))

    def open_questions(self, server: str, kind: str) -> tuple[Difference, ...]:
        """Give what somebody is to be asked about before it is used."""
        if self._on_drift != "ask":
            return ()
        return tuple(
            each
            for each in self._found.get(server, ())
            if each.kind == kind and each.what != "removed" and (server, each) not in self._answered
        )

    def refuse(self, server: str, difference: Difference) -> None:
        """Ask no more about a thing, as long as it stays as it is now."""
        self._answered.append((server, difference))

    def let_pass(self, server: str, difference: Difference) -> None:
        """Use a thing although it is different, as long as it stays as it is now."""
        self._answered.append((server, difference))
        self._let_pass.append((server, difference))

    def require(self, server: str, kind: str, name: str) -> None:
        """See to it that a thing is as it was approved.

        Raises:
            ToolChanged: it is not; the difference is told.
        """
        found = self.difference(server, kind, name)
        if found is not None:
            raise ToolChanged(
                f"it is not as it was pinned, and is not used:\n{found}",
                server=server,
                hint=f"look at it, and accept it by `dragoman lock {server}`",
            )


def _locks() -> Path:
    return (state_folder() or Path(gettempdir()) / "dragoman") / "locks"


_ALL = ("instructions", "tool", "prompt", "resource", "template")
