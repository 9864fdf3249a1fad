"""Finding the configurations of this machine."""

from pathlib import Path

import pytest

from dragoman.files import discovered
from dragoman.files.discovered import discover, existing


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, project = tmp_path / "home", tmp_path / "project"
    for path, text in {
        home / ".cursor/mcp.json": '{"mcpServers": {"mine": {"command": "x"}, "both": {"command": "mine"}}}',
        home / ".claude.json": '{"theme": "dark"}',
        home / ".codex/config.toml": "broken = [",
        project / ".mcp.json": '{"mcpServers": {"theirs": {"command": "y"}, "both": {"command": "theirs"}}}',
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for name in ("XDG_CONFIG_HOME", "APPDATA", "DRAGOMAN_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(discovered, "home", lambda: str(home))
    monkeypatch.chdir(project)
    return project


@pytest.mark.edge("B117")
def test_the_users_own_files_come_first(machine: Path) -> None:
    found, config = discover()

    assert [each.place.application for each in found] == ["Claude Code", "Cursor", "Codex", "Claude Code"]
    assert [(each.name, each.command, each.is_project) for each in config.entries] == [
        ("mine", "x", False),
        ("both", "mine", False),
        ("theirs", "y", True),
    ]


def test_a_file_that_cannot_be_read_costs_the_others_nothing(machine: Path) -> None:
    _, config = discover(machine)

    (broken,) = [each for each in config.problems if each.is_fatal]
    assert "it is not TOML" in broken.message
    assert broken.file is not None
    assert broken.file.endswith("config.toml")


def test_only_what_is_there_is_found(machine: Path, tmp_path: Path) -> None:
    assert [place.is_project for place in existing(tmp_path)] == [False, False, False]
