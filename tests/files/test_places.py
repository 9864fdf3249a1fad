"""Where a user's own things are."""

import sys
from pathlib import Path

import pytest

from dragoman.files.places import home, state_folder


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DRAGOMAN_STATE", str(tmp_path))

    assert state_folder() == tmp_path


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_STATE_HOME": "/state"}, "/state/dragoman"),
        ("linux", {"XDG_STATE_HOME": ""}, "{home}/.local/state/dragoman"),
        ("darwin", {}, "{home}/Library/Application Support/dragoman"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/dragoman"),
        ("win32", {"LOCALAPPDATA": ""}, "{home}/AppData/Local/dragoman"),
    ],
)
def test_each_platform_has_its_folder(
    platform: str, variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DRAGOMAN_STATE", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert state_folder() == Path(expected.format(home=home()))


def test_without_a_home_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    for name in ("DRAGOMAN_STATE", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)

    assert home() == ""
    assert state_folder() is None


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_what_depends_on_where_one_is_is_not_the_users(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv("DRAGOMAN_STATE", raising=False)
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE"):
        monkeypatch.setenv(name, "here")

    assert home() == ""
    assert state_folder() is None
