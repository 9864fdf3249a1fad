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


def test_every_row_over_http_can_be_measured() -> None:
    rows = ["web-connect", "json", "json-128", "sse", "sse-128", "lines", "web-connection", "events"]
    run = bench("--rows", *rows, "--json", "--contenders", *MINE)

    assert [(found["row"], found["contender"]) for found in json.loads(run.stdout)] == [
        (row, name) for row in rows for name in MINE
    ]


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_every_engine_and_peer_is_measured_over_http(era: str) -> None:
    contenders = ["mcp", "fastmcp", "dragoman httpx", "dragoman sync httpx"]
    run = bench("--rows", "sse", "--json", "--era", era, "--contenders", *contenders)

    assert [found["contender"] for found in json.loads(run.stdout)] == contenders


def test_a_busy_machine_is_judged_by_cpu_time() -> None:
    run = bench("--rows", "call", "call-128", "--cpu", "--contenders", "floor")

    call, at_once = run.stdout.splitlines()[2:]
    wall, cpu = call.rsplit("|", 2)[1].strip().removesuffix(" us").split(" / ")
    assert wall == cpu
    assert at_once.rstrip(" |").endswith("/s")


def test_a_contender_without_an_adapter_is_left_out() -> None:
    run = bench("--rows", "import", "call", "--json", "--contenders", "dragoman httpx")

    assert json.loads(run.stdout) == []


def test_calls_one_after_another_share_a_connection() -> None:
    run = bench("--rows", "lines", "--check", "--contenders", "dragoman", "dragoman sync")

    assert run.returncode == 0


def test_the_check_passes_when_nothing_is_missed() -> None:
    run = bench("--rows", "memory", "--check", "--contenders", "floor")

    assert (run.returncode, "missed" in run.stdout) == (0, False)
