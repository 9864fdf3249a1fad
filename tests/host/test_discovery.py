"""Where configurations are."""

import pytest

from dragoman.host.discovery import PlaceOfConfig, is_project_file, well_known


def paths(platform: str, **variables: str) -> list[str]:
    return [place.path for place in well_known(platform, "/home/me", "/src/p", variables)]


@pytest.mark.parametrize(
    ("platform", "variables", "path"),
    [
        ("linux", {}, "/home/me/.config/Claude/claude_desktop_config.json"),
        ("linux", {"XDG_CONFIG_HOME": "/cfg"}, "/cfg/Code/User/mcp.json"),
        ("darwin", {}, "/home/me/Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", {"APPDATA": "C:/Roaming"}, "C:/Roaming/Claude/claude_desktop_config.json"),
        ("win32", {}, "/home/me/AppData/Roaming/Code/User/mcp.json"),
        ("linux", {}, "/home/me/.cursor/mcp.json"),
        ("linux", {}, "/src/p/.mcp.json"),
        ("linux", {"DRAGOMAN_CONFIG": "/mine.json"}, "/mine.json"),
    ],
)
def test_each_platform_has_its_places(platform: str, variables: dict[str, str], path: str) -> None:
    assert path in paths(platform, **variables)


@pytest.mark.edge("B117")
def test_what_is_the_users_comes_before_what_is_the_projects() -> None:
    kinds = [place.is_project for place in well_known("linux", "/home/me", "/src/p", {})]

    assert kinds == sorted(kinds)
    assert PlaceOfConfig("/src/p/.mcp.json", "Claude Code", True) in well_known("linux", "/home/me", "/src/p", {})


def test_at_home_nothing_is_a_projects() -> None:
    assert not any(place.is_project for place in well_known("linux", "/home/me", "/home/me", {}))


@pytest.mark.parametrize(
    ("path", "is_project"),
    [
        ("/src/p/.mcp.json", True),
        ("/src/p/.vscode/mcp.json", True),
        ("/src/p/.MCP.json", True),
        ("/src/p/.vscode/x/../mcp.json", True),
        ("C:\\src\\p\\.cursor\\mcp.json", True),
        ("/home/me/.cursor/mcp.json", False),
        ("/home/me/.codex/config.toml", False),
        ("/home/me/p/.codex/config.toml", True),
        ("/src/p/mcp.json", False),
        ("/src/p/opencode.json", False),
        ("/src/p/x.mcp.json", False),
    ],
)
def test_a_projects_files_are_known_by_where_they_lie(path: str, is_project: bool) -> None:
    assert is_project_file(path, "/home/me") is is_project
