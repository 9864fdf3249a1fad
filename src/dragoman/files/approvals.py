"""Remember to which entries leave was given, and which answers hold for good."""

from __future__ import annotations

import contextlib
import logging
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from dragoman.files.places import state_folder
from dragoman.files.writing import append_line
from dragoman.host.entries import Entry, entry_hash

__all__ = ["Approvals"]

log = logging.getLogger("dragoman.files")


class _Line(Struct, omit_defaults=True):
    key: str
    is_allowed: bool
    what: str = ""
    at: str = ""


class Approvals:
    """Leave and answers, by hashes, in a file to which lines are added: the last one about a thing holds.

    Without a file, they are remembered for this object's life. Several processes may add to one file.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, bool] = {}
        self._read = 0

    @classmethod
    def of_user(cls) -> Approvals:
        """Open those of this machine's user."""
        return cls(state_folder() / "approvals.jsonl")

    def get(self, key: str) -> bool | None:
        """Give what was said of a thing; None where nothing was."""
        self._refresh()
        return self._known.get(key)

    def put(self, key: str, what: str, *, is_allowed: bool) -> None:
        """Remember what was said of a thing; `what` is for people who look into the file.

        Where the file cannot be written, it holds for this run alone.
        """
        self._known[key] = is_allowed
        if self._file is None:
            return
        line = _Line(key, is_allowed, what, datetime.now(UTC).isoformat(timespec="seconds"))
        try:
            append_line(self._file, msgspec.json.encode(line))
        except OSError as error:
            log.warning("what was answered cannot be remembered in %s: %s", self._file, error)

    def has_approved(self, entry: Entry) -> bool | None:
        """Whether leave was given to exactly this entry, with all its variables filled in."""
        return self.get(entry_hash(entry))

    def approve(self, entry: Entry, *, is_allowed: bool = True) -> None:
        """Remember leave for exactly this entry, or that it was refused."""
        self.put(entry_hash(entry), f"server {entry.name} of {entry.file or 'a program'}", is_allowed=is_allowed)

    def _refresh(self) -> None:
        """Read what has been added since, by whichever process."""
        if self._file is None:
            return
        try:
            with self._file.open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            log.warning("%s cannot be read: %s", self._file, error)
            return
        whole, end, _ = data.rpartition(b"\n")
        self._read += len(whole) + len(end)
        for line in whole.splitlines():
            with contextlib.suppress(msgspec.MsgspecError):
                said = msgspec.json.decode(line, type=_Line)
                self._known[said.key] = said.is_allowed
