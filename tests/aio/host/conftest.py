"""What the tests of the host share: servers that play a script, and a machine on which nothing was approved before."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.servers.scripts.play import Puppet, Puppeteer


@pytest.fixture
def puppet(tmp_path: Path) -> Puppeteer:
    numbers = count()

    def make(era: str = "legacy", **script: Any) -> Puppet:
        return Puppet(tmp_path / f"puppet-{next(numbers)}", era, **script)

    return make


@pytest.fixture(autouse=True)
def _nothing_approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_STATE", str(tmp_path / "state"))
