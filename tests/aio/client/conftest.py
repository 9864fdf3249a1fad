"""What the tests of the client share: servers that play a script, of one era or of each."""

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


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)
