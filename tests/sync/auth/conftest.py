# generated from tests/aio/auth/conftest.py by tools/unasync.py; do not edit
"""Protected servers, and a home of the test's own."""

import shutil
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.servers.oauth.gated import Gated
from tests.servers.oauth.server import Protected

BROWSER = f"{sys.executable} {Path(__file__).parents[2] / 'servers/oauth/browser.py'} %s"
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
HEADLESS = f"{CHROMIUM} --headless --no-sandbox --disable-gpu --virtual-time-budget=10000 --dump-dom %s"


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


@pytest.fixture
def gated() -> Iterator[Callable[..., Gated]]:
    """Make MCP servers behind a gate, which end with the test."""
    with ExitStack() as stack:

        def make(era: str = "legacy", **manners: Any) -> Gated:
            return stack.enter_context(Gated(era, **manners))

        yield make


@pytest.fixture(params=[BROWSER, *([HEADLESS] if CHROMIUM else [])])
def browser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each browser that there is: one that is a program of the tests' own, and Chromium where it is installed."""
    use(monkeypatch, request.param)


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    use(monkeypatch, "")


def use(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("BROWSER", command)
    # The library looks at the variable once.
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    monkeypatch.setattr(webbrowser, "_browsers", {})
