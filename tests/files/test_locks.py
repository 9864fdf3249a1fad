"""Keeping the lockfile."""

from pathlib import Path

import pytest

from dragoman.errors import ConfigError
from dragoman.files.locks import load_lock, save_lock
from dragoman.host.lockfile import Lock, Surface

LOCK = Lock().with_server("a", Surface.of(instructions="x"))


def test_a_lock_is_kept(tmp_path: Path) -> None:
    save_lock(tmp_path / "mcp.lock", LOCK)

    assert load_lock(tmp_path / "mcp.lock") == LOCK


def test_where_there_is_none_there_is_none(tmp_path: Path) -> None:
    assert load_lock(tmp_path / "mcp.lock") is None


def test_what_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "mcp.lock").mkdir()

    with pytest.raises(ConfigError, match=r"mcp\.lock cannot be read: [A-Z][^:]*$"):
        load_lock(tmp_path / "mcp.lock")
    with pytest.raises(ConfigError, match=r"mcp\.lock cannot be written: [A-Z][^:]*$"):
        save_lock(tmp_path / "mcp.lock", LOCK)
