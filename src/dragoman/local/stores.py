"""Where secrets are kept: in memory, in files that only the user can read, in the system's keyring.

A store maps keys to bytes that are secret. It can be used from any thread; a value is changed only if it is still the one
that was read. Further kinds of stores have the methods of `Store`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator, Hashable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from dragoman.errors import McpTimeout, UsageError
from dragoman.local.locks import FileLock, StoreLock, ThreadLock

__all__ = ["FileStore", "KeyringStore", "MemoryStore", "Store", "default_folder"]

_PATIENCE = 10.0
"""Seconds that one change may wait for others to be made."""

_PIECE = 1000
"""Characters in one entry of a keyring: that of Windows takes 2,560 bytes, two to a character."""


class Store(Protocol):
    """What keeps records. Its methods block for a moment, and are called in a thread where that matters.

    A store that has `reads_at_once` set promises that `read` takes no longer than opening a small file: then it is called
    where it is needed. One that has `stamp(key)` tells by it, at once and without reading a secret, whether a value is
    another than before: it gives something else then.
    """

    def read(self, key: str) -> bytes | None:
        """Return the value of a key, or None."""
        ...

    def swap(self, key: str, value: bytes | None, expected: bytes | None) -> bool:
        """Set a value, or remove it with None, if it is `expected` still; False: it is not, and nothing was changed."""
        ...

    def keys(self) -> list[str]:
        """List the keys, as far as the store can."""
        ...

    def lock(self, name: str) -> StoreLock:
        """Make a lock that keeps out everybody who uses this store, under this name."""
        ...


class MemoryStore:
    """Keeps records for as long as this process lives."""

    reads_at_once = True

    def __init__(self) -> None:
        self._guard = Lock()
        self._values: dict[str, bytes] = {}
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)

    def read(self, key: str) -> bytes | None:
        """Return the value of a key, or None; see `Store`."""
        return self._values.get(key)

    def swap(self, key: str, value: bytes | None, expected: bytes | None) -> bool:
        """Set a value if it is still the expected one; see `Store`."""
        with self._guard:
            if self._values.get(key) != expected:
                return False
            if value is None:
                self._values.pop(key, None)
            else:
                self._values[key] = value
            return True

    def stamp(self, key: str) -> Hashable:
        """Give something else whenever the value is another; see `Store`."""
        return hash(self._values.get(key))

    def keys(self) -> list[str]:
        """List the keys; see `Store`."""
        return sorted(self._values)

    def lock(self, name: str) -> StoreLock:
        """Make a lock that all who use this store share; see `Store`."""
        with self._guard:
            return ThreadLock(self._locks[name])


def default_folder() -> Path:
    """Say where the user's records are: DRAGOMAN_HOME, or where the system wants such things to be.

    Raises:
        FileNotFoundError: the user has no home, as in many a container.
    """
    return _default_folder(sys.platform, *map(os.environ.get, _DECIDING))


_DECIDING = ("DRAGOMAN_HOME", "XDG_DATA_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE")


@lru_cache(maxsize=1)
def _default_folder(platform: str, home: str | None, *others: str | None) -> Path:  # noqa: ARG001 - it is found by them
    if home:
        return Path(home) / "credentials"
    try:
        return _folder_of_system()
    except RuntimeError as error:
        raise FileNotFoundError("this user has no home: set DRAGOMAN_HOME, or give a store") from error


def _folder_of_system() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "dragoman" / "credentials"
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/dragoman/credentials"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "dragoman" / "credentials"


class FileStore:
    """Keeps each record in a file of its own that only the user can read, and that is whole at every moment.

    `folder` is where; None: the user's own one. It may be shared by any number of processes on this machine. A folder that
    cannot be has nothing in it.
    """

    reads_at_once = True

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = Path(folder) if folder is not None else None

    @property
    def folder(self) -> Path:
        """Where the files are.

        Raises:
            FileNotFoundError: no folder was given, and the user has no home.
        """
        return self._folder if self._folder is not None else default_folder()

    def read(self, key: str) -> bytes | None:
        """Return the value of a key, or None; see `Store`."""
        try:
            with open(self.path_of(key, ".json"), "rb") as file:  # noqa: PTH123 - by a text, as `path_of` says
                named, _, value = file.read().partition(b"\n")
        except (FileNotFoundError, NotADirectoryError):
            return None
        # Empty: what a file system can leave of a file when the power goes.
        return value if named == key.encode() and value else None

    def swap(self, key: str, value: bytes | None, expected: bytes | None) -> bool:
        """Set a value if it is still the expected one; see `Store`.

        Raises:
            OSError: it cannot be written. What was there is there still.
            McpTimeout: others are writing all the time.
        """
        with _held(self.lock(f"write {key}")):
            if self.read(key) != expected:
                return False
            path = Path(self.path_of(key, ".json"))
            if value is None:
                path.unlink(missing_ok=True)
            else:
                _write(path, key.encode() + b"\n" + value)
            return True

    def stamp(self, key: str) -> Hashable:
        """Give something else whenever the value is another; see `Store`."""
        return _looks(self, key, ".json")

    def keys(self) -> list[str]:
        """List the keys; see `Store`."""
        try:
            firsts = [_first_line(path) for path in self.folder.glob("*.json")]
        except FileNotFoundError:
            return []
        return sorted(first for first in firsts if first)

    def lock(self, name: str) -> StoreLock:
        """Make a lock that all who use this store share; see `Store`."""
        return FileLock(Path(self.path_of(name, ".lock")))

    def path_of(self, key: str, suffix: str) -> str:
        """Say where something of a key is."""
        # A text: every client that connects over HTTP looks whether there is such a file, and paths take their time.
        return f"{self.folder}{os.sep}{sha256(key.encode()).hexdigest()[:32]}{suffix}"


def _looks(files: FileStore, key: str, suffix: str) -> Hashable:
    """Look at a file from outside; None where there is none."""
    try:
        facts = os.stat(files.path_of(key, suffix))  # noqa: PTH116 - by a text, as `path_of` says
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def _first_line(path: Path) -> str:
    try:
        return path.read_bytes().partition(b"\n")[0].decode("utf-8", "replace")
    except OSError:
        return ""


def _write(path: Path, data: bytes) -> None:
    """Replace a file by another one at once: whoever reads, even after a power cut, sees the old one or the new one."""
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)  # made with mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    # The new name has to reach the disk as well; Windows opens no folders, and some file systems do not know how.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _held(lock: StoreLock) -> Generator[None]:
    if not lock.acquire(_PATIENCE):
        raise McpTimeout("the store of credentials is in use all the time", method="store", waited=_PATIENCE)
    try:
        yield
    finally:
        lock.release()


class KeyringStore:
    """Keeps records in the system's keyring. Needs the extra `keyring`.

    `service` is the name under which they stand there. `backend` has the functions of the `keyring` library; None: that
    library. A keyring knows no locks and does not compare before it writes: `folder`, None for the user's own one, has
    the files that see to it. It cannot be listed.

    Raises:
        UsageError: the library is not installed.
    """

    def __init__(
        self, service: str = "dragoman", *, backend: Any = None, folder: str | os.PathLike[str] | None = None
    ) -> None:
        self._service = service
        self._backend = backend if backend is not None else _keyring()
        self._files = FileStore(folder)

    def read(self, key: str) -> bytes | None:
        """Return the value of a key, or None; see `Store`."""
        entry: str | None = self._backend.get_password(self._service, key)
        digest, _, count = (entry or "").partition(" ")
        if not count.isdigit():
            return None
        pieces = [self._backend.get_password(self._service, f"{key} {digest} {index}") for index in range(int(count))]
        text = "".join(piece or "" for piece in pieces)
        # Another process may be in the middle of a change.
        return text.encode() if _digest(text) == digest else None

    def swap(self, key: str, value: bytes | None, expected: bytes | None) -> bool:
        """Set a value if it is still the expected one; see `Store`."""
        with _held(self.lock(f"write {key}")):
            if self.read(key) != expected:
                return False
            old: str | None = self._backend.get_password(self._service, key)
            if value is None:
                self._delete(key)
            else:
                self._put(key, value.decode())
            self._clean(key, old, value)
            # A keyring may ask the user before it lets anybody look: a file says that there is something else in it.
            _write(Path(self._files.path_of(key, ".changed")), b"")
            return True

    def stamp(self, key: str) -> Hashable:
        """Give something else whenever the value has been changed by this library; see `Store`."""
        return _looks(self._files, key, ".changed")

    def _put(self, key: str, text: str) -> None:
        digest = _digest(text)
        pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
        for index, piece in enumerate(pieces):
            self._backend.set_password(self._service, f"{key} {digest} {index}", piece)
        # Last, so that it never names pieces that are not there yet.
        self._backend.set_password(self._service, key, f"{digest} {len(pieces)}")

    def _clean(self, key: str, old: str | None, value: bytes | None) -> None:
        digest, _, count = (old or "").partition(" ")
        if count.isdigit() and (value is None or digest != _digest(value.decode())):
            for index in range(int(count)):
                self._delete(f"{key} {digest} {index}")

    def _delete(self, key: str) -> None:
        if self._backend.get_password(self._service, key) is not None:
            self._backend.delete_password(self._service, key)

    def keys(self) -> list[str]:
        """List nothing: a keyring cannot be listed."""
        return []

    def lock(self, name: str) -> StoreLock:
        """Make a lock that all who use this store share; see `Store`."""
        return self._files.lock(f"{self._service} {name}")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _keyring() -> Any:
    try:
        import keyring
    except ImportError:
        raise UsageError("the keyring cannot be used", hint="pip install 'dragoman[keyring]'") from None
    return keyring
