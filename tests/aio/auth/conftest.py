"""Protected servers, and a home of the test's own."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.oauth.server import Protected


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("DRAGOMAN_HOME", str(tmp_path / "home"))


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("dragoman login"):
            thread.join(6)

    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("dragoman login")] == []


@pytest.fixture
def protected() -> Iterator[Protected]:
    with Protected() as server:
        yield server
