"""What the tests of the HTTP transports share: rude servers, and each test with both engines where it matters."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.servers.rude import Rude


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def rude() -> Iterator[Callable[..., Rude]]:
    """Make servers, which end with the test."""
    with ExitStack() as stack:

        def make(era: str = "legacy", **manners: Any) -> Rude:
            return stack.enter_context(Rude(era, **manners))

        yield make


@pytest.fixture(params=["default", "httpx"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)
