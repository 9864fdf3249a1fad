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

    monkeypatch.setattr(Path, "home", homeless)

    assert home() == ""
