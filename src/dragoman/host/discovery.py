"""Where the applications of this machine keep their configurations of servers."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from msgspec import Struct

__all__ = ["PlaceOfConfig", "is_own_file", "is_project_file", "well_known"]


class PlaceOfConfig(Struct, frozen=True):
    """A file that may name servers: whose it is, and whether it belongs to a project instead of the user."""

    path: str
    application: str
    is_project: bool = False


_IN_PROJECTS = (
    (".mcp.json", "Claude Code"),
    (".vscode/mcp.json", "VS Code"),
    (".cursor/mcp.json", "Cursor"),
    (".codex/config.toml", "Codex"),
    (".gemini/settings.json", "Gemini"),
    (".roo/mcp.json", "Roo Code"),
    (".zed/settings.json", "Zed"),
    (".amazonq/mcp.json", "Amazon Q"),
    (".kiro/settings/mcp.json", "Kiro"),
    (".junie/mcp/mcp.json", "Junie"),
    ("opencode.json", "OpenCode"),
    (".crush.json", "Crush"),
    ("mcp.json", "dragoman"),
)
_IN_HOME = (
    (".config/dragoman/mcp.json", "dragoman"),
    (".claude.json", "Claude Code"),
    (".cursor/mcp.json", "Cursor"),
    (".codeium/windsurf/mcp_config.json", "Windsurf"),
    (".codex/config.toml", "Codex"),
    (".gemini/settings.json", "Gemini"),
    (".aws/amazonq/mcp.json", "Amazon Q"),
    (".kiro/settings/mcp.json", "Kiro"),
    (".lmstudio/mcp.json", "LM Studio"),
    (".config/goose/config.yaml", "Goose"),
    (".config/zed/settings.json", "Zed"),
    (".config/opencode/opencode.json", "OpenCode"),
    (".config/crush/crush.json", "Crush"),
    (".continue/config.yaml", "Continue"),
    (".junie/mcp/mcp.json", "Junie"),
)
_IN_SETTINGS = (
    ("Claude/claude_desktop_config.json", "Claude Desktop"),
    ("Code/User/mcp.json", "VS Code"),
    ("Code/User/settings.json", "VS Code"),
    ("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "Cline"),
    ("Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", "Roo Code"),
)


def well_known(platform: str, home: str, project: str, variables: Mapping[str, str]) -> tuple[PlaceOfConfig, ...]:
    """Give the files where servers may be named, the user's own before the project's.

    `platform` is as `sys.platform` says; `variables` are those of the environment.
    """
    own = [PlaceOfConfig(f"{home}/{path}", application) for path, application in _IN_HOME]
    settings = _settings(platform, home, variables)
    own += [PlaceOfConfig(f"{settings}/{path}", application) for path, application in _IN_SETTINGS]
    named = variables.get("DRAGOMAN_CONFIG")
    first = [PlaceOfConfig(named, "dragoman")] if named else []
    shared = [PlaceOfConfig(f"{project}/{path}", application, True) for path, application in _IN_PROJECTS]
    # At home, a project's file is the user's own.
    return (*first, *own, *(each for each in shared if project != home))


def _settings(platform: str, home: str, variables: Mapping[str, str]) -> str:
    if platform == "win32":
        return variables.get("APPDATA") or f"{home}/AppData/Roaming"
    if platform == "darwin":
        return f"{home}/Library/Application Support"
    return variables.get("XDG_CONFIG_HOME") or f"{home}/.config"


def is_own_file(path: str, home: str) -> bool:
    """Whether a file is one of the user's own by where it lies, whatever it may be a link to; `path` is absolute."""
    plain = posixpath.normpath(path.replace("\\", "/"))
    base = home.replace("\\", "/").rstrip("/")
    return any(plain == f"{base}/{known}" for known, _ in _IN_HOME)


def is_project_file(path: str, home: str) -> bool:
    """Whether a file is one that comes with projects, by where it lies: `.mcp.json`, `.vscode/mcp.json` and the like.

    `path` is absolute. A file that is the user's own by its name, such as `mcp.json`, is none.
    """
    plain = posixpath.normpath(path.replace("\\", "/"))
    if is_own_file(path, home):
        return False
    # Some systems find a file whatever its capitals.
    return any(plain.lower().endswith(f"/{known}") for known, _ in _IN_PROJECTS if known.startswith("."))
