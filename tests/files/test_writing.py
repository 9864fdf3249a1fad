"""Files that are whole or not at all."""

import os
import sys
from pathlib import Path

import pytest

from dragoman.files.writing import append_line, replace


def test_a_file_is_made_with_its_folders(tmp_path: Path) -> None:
    replace(tmp_path / "a" / "b.json", b"{}")

    assert (tmp_path / "a" / "b.json").read_bytes() == b"{}"


def test_when_writing_fails_the_old_contents_stay_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "b.json"
    file.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        replace(file, b"new")

    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_modes_and_links_stay(tmp_path: Path) -> None:
    if sys.platform == "win32":
        return  # it has no such modes, and links need a privilege
    file, link = tmp_path / "real.json", tmp_path / "link.json"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to(file)

    replace(link, b"new")

    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o640


def test_lines_are_added_to_a_private_file(tmp_path: Path) -> None:
    file = tmp_path / "x" / "log.jsonl"
    append_line(file, b"one")
    append_line(file, b"two")

    assert file.read_bytes() == b"one\ntwo\n"
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600


def test_half_a_line_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda handle, data: 1)

    with pytest.raises(OSError, match="only 1 of 4 bytes"):
        append_line(tmp_path / "log", b"one")


def test_half_a_line_spoils_none_that_follows(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"one\ntw")
    append_line(file, b"three")
    append_line(file, b"four")

    assert file.read_bytes() == b"one\ntw\nthree\nfour\n"


def test_lines_are_added_to_what_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "log"
    append_line(file, b"one")
    file.chmod(0o200)
    append_line(file, b"two")

    file.chmod(0o600)
    assert file.read_bytes() == b"one\ntwo\n"


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    append_line(Path(os.devnull), b"one")

    assert not list(tmp_path.iterdir())
