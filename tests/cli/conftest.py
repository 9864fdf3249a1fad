"""A cache of the tests' own for what commands remember, and which tests need what only POSIX has."""

import sys

import pytest

collect_ignore = ["test_terminal.py", "terminal.py"] if sys.platform == "win32" else []


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path}/cache")
    monkeypatch.setenv("LOCALAPPDATA", f"{tmp_path}/cache")
