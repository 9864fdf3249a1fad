# generated from tests/aio/chat/conftest.py by tools/unasync.py; do not edit
"""What the tests of chats share: a provider of each kind, played on this machine, and keys that open nothing."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from dragoman.models.chat.choices import Choice
from tests.servers.providers import INTERFACES
from tests.servers.providers.playing import Provider
from tests.servers.scripts.play import Puppet, Puppeteer


@pytest.fixture
def puppet(tmp_path: Path) -> Puppeteer:
    numbers = count()

    def make(era: str = "legacy", **script: Any) -> Puppet:
        return Puppet(tmp_path / f"puppet-{next(numbers)}", era, **script)

    return make


@pytest.fixture(params=list(INTERFACES))
def provider(request: pytest.FixtureRequest) -> Provider:
    return Provider(INTERFACES[request.param])


@pytest.fixture
def choice(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Iterator[Choice]:
    """The model that the provider plays."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "key-of-the-tests")
    with provider.serving() as server:
        yield provider.interface.choice(f"http://127.0.0.1:{server.port}", None)
