"""Changing a file while nobody else does."""

from pathlib import Path
from threading import Thread

import pytest

from dragoman.local import apart
from dragoman.local.apart import alone_with


def test_one_changes_a_file_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "count"
    file.write_text("0")

    def count() -> None:
        for _ in range(20):
            with alone_with(file, tmp_path / "locks"):
                file.write_text(str(int(file.read_text()) + 1))

    threads = [Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert file.read_text() == "80"
    assert {each.name for each in tmp_path.iterdir()} == {"count", "locks"}


def test_where_there_are_no_locks_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "locks").write_text("")
    with alone_with(tmp_path / "x", tmp_path / "locks"):
        pass


def test_nobody_is_waited_for_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_PATIENCE", 0.05)
    with alone_with(tmp_path / "x", tmp_path), alone_with(tmp_path / "x", tmp_path):
        pass
