"""Stores: changed only from what was read, whole at every moment, readable by their user alone."""

import os
import stat
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import McpTimeout, UsageError
from dragoman.local import stores
from dragoman.local.stores import FileStore, KeyringStore, MemoryStore, Store, default_folder


class Ring:
    """A keyring, as the library shows one."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.entries.get((service, name))

    def set_password(self, service: str, name: str, value: str) -> None:
        assert len(value.encode("utf-16-le")) <= 2560, "more than the keyring of Windows takes"
        self.entries[service, name] = value

    def delete_password(self, service: str, name: str) -> None:
        del self.entries[service, name]


@pytest.fixture(params=["memory", "file", "keyring"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    kinds: dict[str, Callable[[], Store]] = {
        "memory": MemoryStore,
        "file": lambda: FileStore(tmp_path / "new/store"),
        "keyring": lambda: KeyringStore(backend=Ring(), folder=tmp_path),
    }
    return kinds[request.param]()


def test_value_is_read_again(store: Store) -> None:
    assert store.read("k") is None
    assert store.swap("k", b"one", None)
    assert store.swap("other", b"{}", None)

    assert (store.read("k"), store.read("other")) == (b"one", b"{}")


def test_value_is_changed_only_from_what_was_read(store: Store) -> None:
    store.swap("k", b"one", None)

    assert not store.swap("k", b"two", None)
    assert not store.swap("k", b"two", b"else")
    assert not store.swap("k", None, b"else")
    assert store.read("k") == b"one"
    assert store.swap("k", b"two", b"one")
    assert store.read("k") == b"two"


def test_value_that_is_another_has_another_stamp(store: Any) -> None:
    stamps = [store.stamp("k"), store.stamp("k")]
    store.swap("k", b"one", None)
    stamps += [store.stamp("k"), store.stamp("k")]
    store.swap("k", b"two", b"one")
    stamps += [store.stamp("k"), store.stamp("k")]
    store.swap("other", b"two", None)
    stamps.append(store.stamp("k"))
    store.swap("k", None, b"two")

    assert stamps[0::2][:3] == stamps[1::2]
    assert len({*stamps, store.stamp("k")}) >= 3
    assert stamps[5] == stamps[6] != store.stamp("k")


def test_value_is_removed(store: Store) -> None:
    store.swap("k", b"one", None)

    assert store.swap("k", None, b"one")
    assert store.read("k") is None
    assert store.swap("k", None, None)


def test_long_values_are_kept_whole(store: Store) -> None:
    first, second = b"a" * 10_000, b"b" * 2_500
    store.swap("k", first, None)

    assert store.read("k") == first
    assert store.swap("k", second, first)
    assert store.read("k") == second


def test_writing_the_same_again_keeps_it(store: Store) -> None:
    store.swap("k", b"one", None)

    assert store.swap("k", b"one", b"one")
    assert store.read("k") == b"one"


def test_of_many_writers_one_wins(store: Store) -> None:
    outcomes: list[bool] = []
    threads = [
        threading.Thread(target=lambda number=number: outcomes.append(store.swap("k", b"%d" % number, None)))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(40)

    assert sorted(outcomes) == [False] * 7 + [True]


def test_store_keeps_others_out(store: Store) -> None:
    lock = store.lock("login k")

    assert lock.acquire(1.0)
    assert not store.lock("login k").acquire(0.05)
    assert store.lock("another").acquire(1.0)
    lock.release()


def test_keys_are_listed(tmp_path: Path) -> None:
    for store in (MemoryStore(), FileStore(tmp_path)):
        store.swap("b", b"1", None)
        store.swap("a https://x", b"1", None)

        assert store.keys() == ["a https://x", "b"]
    assert KeyringStore(backend=Ring(), folder=tmp_path).keys() == []


# -------------------------------------------------------------------------------------------------------------- files


def test_files_are_for_their_user_alone(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "store")
    old = os.umask(0)
    try:
        store.swap("k", b"secret", None)
    finally:
        os.umask(old)

    if os.name == "posix":  # elsewhere the folder's own rights see to it
        assert {stat.S_IMODE(path.stat().st_mode) for path in store.folder.iterdir()} == {0o600}
        assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


FAILING = ["mkstemp", "fdopen", "fsync", "replace", "interrupted"]


@pytest.mark.parametrize("what", FAILING)
@pytest.mark.parametrize("before", [None, b"old"])
def test_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, before: bytes | None
) -> None:
    store = FileStore(tmp_path)
    if before is not None:
        store.swap("k", before, None)
    fail(monkeypatch, what)
    with pytest.raises((OSError, KeyboardInterrupt)):
        store.swap("k", b"new", before)
    monkeypatch.undo()

    assert store.read("k") == before
    assert list(tmp_path.glob(".*.tmp")) == []
    assert store.swap("k", b"new", before)


def fail(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        if what == "interrupted":
            raise KeyboardInterrupt
        raise OSError(28, "no space left on device")

    owners: dict[str, tuple[Any, str]] = {
        "mkstemp": (tempfile, "mkstemp"),
        "fdopen": (os, "fdopen"),
        "fsync": (os, "fsync"),
        "replace": (Path, "replace"),
        "interrupted": (os, "fsync"),
    }
    monkeypatch.setattr(*owners[what], failing)


@pytest.mark.parametrize("left", [b"", b"k", b"k\n", b"another\nvalue"])
def test_what_a_power_cut_can_leave_is_no_value(tmp_path: Path, left: bytes) -> None:
    store = FileStore(tmp_path)
    store.swap("k", b"old", None)
    next(tmp_path.glob("*.json")).write_bytes(left)

    assert store.read("k") is None
    assert store.swap("k", b"new", None)
    assert store.read("k") == b"new"


def test_file_that_cannot_be_read_is_not_listed(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    (tmp_path / "x.json").mkdir()

    assert store.keys() == []


def test_store_that_is_in_use_all_the_time_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_PATIENCE", 0.05)
    store = FileStore(tmp_path)
    store.lock("write k").acquire(1.0)

    with pytest.raises(McpTimeout, match="in use all the time"):
        store.swap("k", b"new", None)


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"DRAGOMAN_HOME": "/x"}, "/x/credentials"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/dragoman/credentials"),
        ("linux", {}, "/home/me/.local/share/dragoman/credentials"),
        ("darwin", {}, "/home/me/Library/Application Support/dragoman/credentials"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/dragoman/credentials"),
        ("win32", {}, "/home/me/AppData/Local/dragoman/credentials"),
    ],
)
def test_users_own_folder(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], expected: str
) -> None:
    for name in ("DRAGOMAN_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))

    assert default_folder().as_posix() == expected


# ------------------------------------------------------------------------------------------------------------ keyrings


def test_keyring_keeps_nothing_of_what_was_replaced(tmp_path: Path) -> None:
    ring = Ring()
    store = KeyringStore("mine", backend=ring, folder=tmp_path)
    store.swap("k", b"a" * 5_000, None)
    store.swap("k", b"b", b"a" * 5_000)

    assert len(ring.entries) == 2
    store.swap("k", None, b"b")
    assert ring.entries == {}


@pytest.mark.parametrize("entry", ["", "nonsense", "digest 2", "digest many"])
def test_keyring_entry_that_is_not_whole_is_no_value(tmp_path: Path, entry: str) -> None:
    ring = Ring()
    ring.set_password("dragoman", "k", entry)
    store = KeyringStore(backend=ring, folder=tmp_path)

    assert store.read("k") is None
    assert store.swap("k", b"new", None)
    assert store.read("k") == b"new"


def test_keyring_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)

    with pytest.raises(UsageError, match=r"pip install 'dragoman\[keyring\]'"):
        KeyringStore()


def test_keyring_library_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ring = Ring()
    monkeypatch.setitem(sys.modules, "keyring", ring)
    KeyringStore(folder=tmp_path).swap("k", b"v", None)

    assert len(ring.entries) == 2


def test_store_of_a_user_without_a_home_has_nothing_and_says_so_when_it_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("DRAGOMAN_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", nowhere)
    store = FileStore()

    assert (store.read("k"), store.keys()) == (None, [])
    with pytest.raises(OSError, match="set DRAGOMAN_HOME"):
        store.swap("k", b"1", None)


def test_store_whose_folder_cannot_be_has_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = FileStore(tmp_path / "file/store")

    assert (store.read("k"), store.keys()) == (None, [])
