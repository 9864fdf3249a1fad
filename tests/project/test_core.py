"""What is installed without any extra is enough to speak with every kind of server."""

import subprocess
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project.sources import ROOT
from tests.servers.rude import Rude

CORE_ALONE = """
import asyncio, sys

class Core:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if path is None and name not in sys.stdlib_module_names and name not in {allowed!r}:
            return None
        return self.finder.find_spec(name, path, target)

sys.meta_path[:] = map(Core, sys.meta_path)
from dragoman import AsyncClient, Client

async def call(target):
    async with AsyncClient.connect(target) as client:
        print("async", (await client.list_tools())[0].name)

with Client.connect({target!r}) as client:
    print("sync", client.list_tools()[0].name)
asyncio.run(call({target!r}))
"""


def core() -> set[str]:
    """Name the modules that the core install brings, this library's and those of all that it depends on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    brought = closure(project["dependencies"])
    modules = packages_distributions()
    return {"dragoman"} | {name for name, owners in modules.items() if brought & set(map(canonicalize_name, owners))}


def closure(requirements: list[str]) -> set[str]:
    """Name what is required, and what that requires, without extras."""
    waiting, names = [Requirement(each) for each in requirements], set[str]()
    while waiting:
        required = waiting.pop()
        name = canonicalize_name(required.name)
        if name not in names and (required.marker is None or required.marker.evaluate({"extra": ""})):
            names.add(name)
            waiting += [Requirement(each) for each in distribution(name).requires or []]
    return names


def spoken_with(target: str | list[str]) -> list[str]:
    """List the first tool of a server, in both colours, in a process that has the core alone."""
    code = CORE_ALONE.format(allowed=core(), target=target)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_what_is_refused_is_everything_but_the_core() -> None:
    assert {"aiohttp", "dragoman", "msgspec", "multidict", "urllib3", "yaml"} <= core()
    assert not core() & {"cryptography", "fastmcp", "httpx2", "mcp", "pydantic", "rich", "starlette"}


@pytest.mark.feature(37)
def test_the_core_speaks_over_pipes() -> None:
    assert spoken_with([sys.executable, "-m", "dragoman.demo.modern"]) == ["sync echo", "async echo"]


@pytest.mark.feature(37)
@pytest.mark.parametrize(("era", "is_sse"), [("modern", False), ("legacy", False), ("legacy", True)])
def test_the_core_speaks_over_http(era: str, is_sse: bool) -> None:
    with Rude(era, is_sse=is_sse) as server:
        assert spoken_with(server.url) == ["sync echo", "async echo"]
