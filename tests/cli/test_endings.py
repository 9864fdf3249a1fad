"""What ends a command from outside: signals, and outputs that are closed, full or left by their reader."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import LEGACY, ODD, PROGRAM, surroundings

DRAGOMAN = " ".join(PROGRAM)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").exists() or ") Z" not in Path(f"/proc/{pid}/stat").read_text()


def eventually(fact: Callable[[], bool]) -> bool:
    end = time.monotonic() + 15
    while not fact() and time.monotonic() < end:
        time.sleep(0.02)
    return fact()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_server_ends_with_the_command_whatever_ends_that(number: signal.Signals, tmp_path: Path) -> None:
    journal = tmp_path / "pid"
    with subprocess.Popen(
        [*PROGRAM, "call", ODD, "stick", "--env", f"JOURNAL={journal}"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=surroundings(),
    ) as process:
        assert eventually(lambda: journal.exists() and journal.read_text() != "")
        process.send_signal(number)
        _, said = process.communicate(timeout=15)

    assert (process.returncode, said) == (130, b"interrupted\n")
    assert eventually(lambda: not is_running(int(journal.read_text())))


INTERRUPTED_AT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from dragoman.cli import main

print(main(sys.argv[2:]), sys.argv[1] in sys.modules)
"""


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("dragoman.types.content", ("tools", LEGACY)),
        ("dragoman.sync.client", ("tools", LEGACY)),
        ("dragoman.sync.host", ("servers", "--config", os.devnull)),
        ("dragoman.sync.chat", ("chat", "--model", "x")),
    ],
)
def test_interrupt_waits_until_types_are_whole(module: str, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT, module, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=surroundings(),
        check=False,
    )

    assert (done.stdout, done.stderr) == (b"130 True\n", b"interrupted\n")


def test_interrupt_in_the_first_instant_is_no_traceback() -> None:
    words = [sys.executable, "-c", INTERRUPTED_AT, "dragoman.cli.entry", "tools", LEGACY]
    done = subprocess.run(words, capture_output=True, env=surroundings(), check=False)

    assert (done.stdout, done.stderr) == (b"130 False\n", b"")


def test_signal_that_is_to_be_ignored_is_ignored() -> None:
    line = f"trap '' TERM; {DRAGOMAN} watch '{LEGACY}' --for 1s --json & sleep 0.5; kill $!; wait $!"

    assert subprocess.run(["bash", "-c", line], env=surroundings(), check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (f"tools '{LEGACY}' >/dev/full", 2, "error: standard output cannot be written: No space left on device\n"),
        (
            f"tools '{LEGACY}' --json >/dev/full",
            2,
            "error: standard output cannot be written: No space left on device\n",
        ),
        ("--help >/dev/full", 2, "error: standard output cannot be written: No space left on device\n"),
        ("call --help >/dev/full", 2, "error: standard output cannot be written: No space left on device\n"),
        (f"tools '{LEGACY}' >&-", 2, "error: standard output cannot be written: it is closed\n"),
        (f"read '{LEGACY}' demo://guide >&-", 2, "error: standard output cannot be written: it is closed\n"),
        (f"call '{LEGACY}' fail >&-", 5, "the tool failed: the bridge is out\n"),
        (f"call '{LEGACY}' fail 2>&-", 5, ""),
        (f"call '{LEGACY}' fail 2>/dev/full", 5, ""),
        (f"call '{LEGACY}' echo text=hi <&- 2>&-", 0, ""),
        (
            f"call '{LEGACY}' echo --args - <&-",
            2,
            "error: the input is not JSON: Expecting value: line 1 column 1 (char 0)\n",
        ),
        ("frob 2>&-", 2, ""),
    ],
)
def test_outputs_that_cannot_be_used_cost_neither_the_code_nor_a_traceback(words: str, code: int, error: str) -> None:
    line = f"{DRAGOMAN} {words}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=surroundings(), check=False)

    assert (done.returncode, done.stderr) == (code, error)


def test_reader_that_leaves_is_no_failure_to_talk_about() -> None:
    line = f"{DRAGOMAN} read '{LEGACY}' demo://guide | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=surroundings(), check=False)

    assert done.stderr == ""
    assert done.stdout.strip() in {"0", "141"}
