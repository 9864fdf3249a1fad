"""Where a user's own things are kept on this platform."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["home", "state_folder", "this_program"]


def home() -> str:
    """Give the user's folder; empty where there is none, or where it depends on where one is."""
    try:
        found = Path.home()
    except RuntimeError:
        return ""
    return str(found) if found.is_absolute() else ""


def this_program() -> str:
    """Give the file that was started, for what is remembered of this program alone; empty where there is none."""
    started = getattr(sys.modules.get("__main__"), "__file__", None) or sys.argv[0]
    return str(Path(started).absolute()) if started else ""


def state_folder() -> Path | None:
    """Give the folder for what must not be lost: DRAGOMAN_STATE, or where the platform has such things.

    None where the user has no folder: anything near where one is could have come with somebody's project.
    """
    named = os.environ.get("DRAGOMAN_STATE")
    if named:
        return Path(named)
    base = _absolute("LOCALAPPDATA") if sys.platform == "win32" else None
    if sys.platform not in ("win32", "darwin"):
        base = _absolute("XDG_STATE_HOME")
    if base is None and home():
        base = Path(home()) / _USUAL.get(sys.platform, ".local/state")
    return None if base is None else base / "dragoman"


_USUAL = {"win32": "AppData/Local", "darwin": "Library/Application Support"}


def _absolute(variable: str) -> Path | None:
    """Give the folder that a variable names; one that is relative is to be ignored (XDG Base Directory)."""
    named = Path(os.environ.get(variable) or ".")
    return named if named.is_absolute() else None
