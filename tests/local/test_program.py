"""Starting programs, and ending what was never closed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dragoman.errors import ConnectFailed, UsageError
from dragoman.local.environment import environment
from dragoman.local.program import Program, living_members, start

NEVER_CLOSED = """
import subprocess, sys
from dragoman.local.environment import environment
from dragoman.local.program import Program, start

code = "import signal, subprocess, sys, time; signal.signal(15, signal.SIG_IGN); " \\
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); print(child.pid, flush=True); time.sleep(600)"
child = start(Program((sys.executable, "-c", code), environment()))
print(child.pid, child.stdout.readline().decode().strip(), flush=True)
{then}
"""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in {b"Z", b"X"}
    except OSError:
        return False


def run(then: str) -> list[int]:
    """Run a program that starts a server and never closes it; return the server's processes."""
    done = subprocess.run(
        [sys.executable, "-c", NEVER_CLOSED.format(then=then)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        env={**os.environ, "PYTHONPATH": "src"},
    )
    assert done.stderr == ""
    return [int(word) for word in done.stdout.split()]


def test_servers_that_were_never_closed_end_with_the_interpreter() -> None:
    pids = run("")

    assert len(pids) == 2
    assert [is_running(pid) for pid in pids] == [False, False]


def test_forked_process_does_not_end_its_parents_servers() -> None:
    pids = run(
        "import os\nif os.fork() == 0: sys.exit()\nos.wait()\nprint(int(child.exit_status() is None))\nchild.kill()"
    )

    assert pids[2] == 1


def test_group_is_seen_to_live_and_to_die() -> None:
    code = "import subprocess, sys; subprocess.Popen(['sleep', '600'])"
    child = start(Program((sys.executable, "-c", code), environment()))
    child.popen.wait(10)
    assert living_members(child.pid)
    assert not child.is_gone()
    child.kill()
    end = time.monotonic() + 5
    while not child.is_gone() and time.monotonic() < end:
        time.sleep(0.01)

    assert child.is_gone()
    child.terminate()
    child.close_pipes()
    child.release()


def test_missing_path_says_where_ours_would_have_found_the_command() -> None:
    with pytest.raises(ConnectFailed, match="the server was given none"):
        start(Program(("a-command-that-is-missing",), {}))
    with pytest.raises(ConnectFailed, match=r"no such file: \./missing"):
        start(Program(("./missing",), {}))


@pytest.mark.parametrize(
    ("words", "variables", "folder"),
    [
        (("\ud800",), {}, None),
        ((sys.executable, "\ud800"), {}, None),
        ((sys.executable,), {"A": "\ud800"}, None),
        ((sys.executable,), {"\ud800": "a"}, None),
        ((sys.executable,), {}, "\ud800"),
        ((sys.executable,), {}, "a\0b"),
    ],
)
def test_what_no_program_can_be_given_is_said(
    words: tuple[str, ...], variables: dict[str, str], folder: str | None
) -> None:
    with pytest.raises(UsageError, match="no program can be given"):
        start(Program(words, {**environment(), **variables}, folder))


def test_an_empty_folder_is_none() -> None:
    with pytest.raises(ConnectFailed, match="there is no folder ''"):
        start(Program((sys.executable,), environment(), ""))
