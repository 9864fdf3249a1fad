"""What the tests of the runner share: a server that plays a script, and a client of it."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.aio.runner.support import SCRIPT
from tests.servers.scripts.play import Puppet, Puppeteer


@pytest.fixture
def puppet(tmp_path: Path) -> Puppeteer:
    numbers = count()

    def make(era: str = "legacy", **script: Any) -> Puppet:
        return Puppet(tmp_path / f"puppet-{next(numbers)}", era, **script)

    return make


@pytest.fixture
def server(puppet: Puppeteer) -> Puppet:
    return puppet(**SCRIPT)
