"""Several processes with one store; the processes themselves speak synchronously."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.auth.consent import OAuth
from dragoman.local.stores import FileStore
from tests.aio.auth.support import Visitor, age, connect, consent
from tests.servers.oauth.gated import Gated
from tests.servers.oauth.server import Protected

PROGRAMS = Path(__file__).parents[2] / "servers/oauth"


async def granted(protected: Protected, folder: Path) -> FileStore:
    """A store with a grant whose token has ended."""
    store = FileStore(folder)
    async with Visitor(protected.url, OAuth(browse=consent), store) as visitor:
        await visitor.visit()
    age(store, 3700)
    return store


def started(
    protected: Protected | Gated, folder: Path, how_many: int, program: str = "visiting.py"
) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAMS / program), protected.url, str(folder), str(how_many)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("ready")
    return process


def finished(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=50)[0].strip()


def go(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


async def test_two_processes_with_many_threads_renew_once(protected: Protected, tmp_path: Path) -> None:
    await granted(protected, tmp_path)
    processes = [started(protected, tmp_path, 32) for _ in range(2)]
    go(*processes)

    assert [finished(process) for process in processes] == ["200", "200"]
    assert (protected.authority.logins, protected.authority.refreshes) == (1, 1)


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_two_programs_whose_token_ends_under_many_calls_renew_once(
    gated: Callable[..., Gated], era: str, tmp_path: Path
) -> None:
    server = gated(era)
    async with connect(server, OAuth(browse=consent, store=FileStore(tmp_path))) as client:
        await client.list_tools()
    processes = [started(server, tmp_path, 32, "calling.py") for _ in range(2)]
    server.authority.access = {}
    go(*processes)

    assert [finished(process) for process in processes] == ["echo {}", "echo {}"]
    assert (server.authority.logins, server.authority.refreshes, server.ran["echo"]) == (1, 1, 64)


async def test_process_that_dies_in_the_middle_leaves_the_other_working(protected: Protected, tmp_path: Path) -> None:
    await granted(protected, tmp_path)
    first, second = started(protected, tmp_path, 1), started(protected, tmp_path, 1)
    asked, is_dead = threading.Event(), threading.Event()

    def kill_the_first(_: object) -> None:
        if not asked.is_set():
            asked.set()
            is_dead.wait(20)
            # It never came to be used: the connection was gone with the process.
            raise ConnectionAbortedError

    protected.authority.before_token = kill_the_first
    go(first)
    assert asked.wait(20)
    go(second)
    first.kill()
    first.communicate(timeout=20)
    is_dead.set()

    assert finished(second) == "200"
    assert protected.authority.logins == 1
