"""The benchmark as a program, with contenders that are quick."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MINE = ["dragoman", "dragoman sync", "floor", "floor sync"]


def bench(*options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "bench", "--quick", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_contenders_are_measured_on_servers_of_both_eras(era: str) -> None:
    contenders = ["mcp", *MINE]
    run = bench("--rows", "call", "--json", "--era", era, "--contenders", *contenders)

    assert [found["contender"] for found in json.loads(run.stdout)] == contenders
    assert run.returncode == 0


def test_every_row_can_be_measured() -> None:
    rows = ["import", "memory", "connect", "call-16", "structured", "tools", "text-10", "connection"]
    run = bench("--rows", *rows, "--json", "--contenders", *MINE)

    assert [(found["row"], found["contender"]) for found in json.loads(run.stdout)] == [
        (row, name) for row in rows for name in MINE
    ]
    assert all(found["amount"] > 0 for found in json.loads(run.stdout) if found["row"] != "connection")


def test_the_check_passes_when_nothing_is_missed() -> None:
    run = bench("--rows", "memory", "--check", "--contenders", "floor")

    assert (run.returncode, "missed" in run.stdout) == (0, False)
