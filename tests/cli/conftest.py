"""A cache of the test's own for what commands remember."""

import pytest


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path}/cache")
    monkeypatch.setenv("LOCALAPPDATA", f"{tmp_path}/cache")
