"""Remember to which entries leave was given, and which answers hold for good."""

from __future__ import annotations

import contextlib
import logging
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from dragoman.files.places import state_folder
from dragoman.files.reading import Stamp, stamp
from dragoman.files.writing import append_line
from dragoman.host.entries import Entry, entry_hash

__all__ = ["Approvals"]

log = logging.getLogger("dragoman.files")


class _Line(Struct, omit_defaults=True):
    key: str
    is_allowed: bool
    what: str = ""
    at: str = ""


def _written(line: _Line) -> bytes:
    try:
        return msgspec.json.encode(line)
    except UnicodeEncodeError:
        # What a server calls its things may be no text; it is for people to read, and decides nothing.
        return msgspec.json.encode(_Line(line.key, line.is_allowed, ascii(line.what), line.at))


class Approvals:
    """Leave and answers, by hashes, in a file to which lines are added: the last one about a thing holds.

    Without a file, they are remembered for this object's life. Several processes may add to one file.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._kept: dict[str, bool] = {}
        self._not_kept: dict[str, bool] = {}
        self._seen: Stamp = None

    @classmethod
    def of_user(cls) -> Approvals:
        """Open those of this machine's user; a user without a folder has them for this run alone."""
        folder = state_folder()
        return cls(None if folder is None else folder / "approvals.jsonl")

    def get(self, key: str) -> bool | None:
        """Give what was said of a thing; None where nothing was."""
        self._refresh()
        known = self._not_kept.get(key)
        return self._kept.get(key) if known is None else known

    def put(self, key: str, what: str, *, is_allowed: bool) -> None:
        """Remember what was said of a thing; `what` is for people who look into the file.

        Where the file cannot be written, it holds for this run alone.
        """
        self._not_kept[key] = is_allowed
        if self._file is None:
            return
        line = _Line(key, is_allowed, what, datetime.now(UTC).isoformat(timespec="seconds"))
        try:
            append_line(self._file, _written(line))
        except OSError as error:
            log.warning("what was answered cannot be remembered in %s: %s", self._file, error)
        else:
            del self._not_kept[key]

    def has_approved(self, entry: Entry) -> bool | None:
        """Whether leave was given to exactly this entry, with all its variables filled in."""
        return self.get(entry_hash(entry))

    def approve(self, entry: Entry, *, is_allowed: bool = True) -> None:
        """Remember leave for exactly this entry, or that it was refused."""
        self.put(entry_hash(entry), f"server {entry.name} of {entry.file or 'a program'}", is_allowed=is_allowed)

    def _refresh(self) -> None:
        """Read what the file says now, whoever has changed it; what has been taken out holds no more."""
        if self._file is None:
            return
        seen = stamp(self._file)
        if seen == self._seen:
            return
        try:
            data = self._file.read_bytes() if seen is not None else b""
        except OSError as error:
            log.warning("%s cannot be read: %s", self._file, error)
            return
        self._seen, self._kept = seen, _read(data)


def _read(data: bytes) -> dict[str, bool]:
    """Read the lines; one that is half written, or no line of ours, is left out."""
    found: dict[str, bool] = {}
    for line in data.splitlines():
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            said = msgspec.json.decode(line, type=_Line)
            found[said.key] = said.is_allowed
    return found
