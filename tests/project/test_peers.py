"""The library stands on its own: what the official one and the others do next does not matter here."""

import subprocess
import sys
import tomllib

import pytest

from tests.project.sources import ROOT

PEERS = ("mcp", "fastmcp", "anyio", "httpx", "pydantic", "starlette")


@pytest.mark.edge("B127")
def test_no_peer_is_depended_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {each.partition(">")[0].partition("[")[0].lower() for each in project["dependencies"]}

    assert not named & set(PEERS)


@pytest.mark.edge("B127")
@pytest.mark.feature(37)
def test_everything_loads_where_no_peer_is_installed() -> None:
    code = f"""
import sys
for name in {PEERS!r}:
    sys.modules[name] = None
import dragoman
for name in dragoman.__all__:
    getattr(dragoman, name)
servers = {{"demo": [sys.executable, "-m", "dragoman.demo.modern"]}}
with dragoman.Host.open(servers, approvals=None) as host:
    print(len(host.list_tools()) > 0)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert found.stdout.strip() == "True"
