"""Where a user's own things are kept on this platform."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["home", "state_folder"]


def home() -> str:
    """Give the user's folder; empty where there is none."""
    try:
        return str(Path.home())
    except RuntimeError:
        return ""


def state_folder() -> Path:
    """Give the folder for what must not be lost: DRAGOMAN_STATE, or where the platform has such things."""
    named = os.environ.get("DRAGOMAN_STATE")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path(home()) / "AppData" / "Local") / "dragoman"
    if sys.platform == "darwin":
        return Path(home()) / "Library" / "Application Support" / "dragoman"
    return Path(os.environ.get("XDG_STATE_HOME") or Path(home()) / ".local" / "state") / "dragoman"
