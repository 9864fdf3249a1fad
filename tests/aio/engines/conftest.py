"""Every test here is run with both engines."""

import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.aio.engines.support import Sender
from tests.servers.web.authority import Authority

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield

    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("dragoman ")] == []


@pytest.fixture(params=["default", "httpx"])
def engine_name(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
async def sender(engine_name: Any) -> AsyncIterator[Sender]:
    async with Sender(engine=engine_name) as sender:
        yield sender


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.make(Path(tmp_path_factory.mktemp("authority")))
