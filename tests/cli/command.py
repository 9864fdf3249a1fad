"""Run the command as a script does, in pipes: as a process, or quicker in this one."""

import io
import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from dragoman.cli import main
from tests.project.sources import ROOT

__all__ = ["CHANGING", "LEGACY", "MODERN", "ODD", "PROGRAM", "Outcome", "dragoman", "here", "surroundings"]

PROGRAM = (sys.executable, "-m", "dragoman.cli")
MODERN = f"{sys.executable} -m dragoman.demo.modern"
LEGACY = f"{sys.executable} -m dragoman.demo.legacy"
ODD = f"{sys.executable} {ROOT / 'tests/cli/odd_server.py'}"
CHANGING = f"{sys.executable} {ROOT / 'tests/cli/changing_server.py'}"


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


def surroundings(**more: str) -> dict[str, str]:
    """Give the environment of a run: nothing in it that decides about colours, and no cache but the test's own."""
    unwanted = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"}
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "PYTHONPATH": str(ROOT / "src"), **more}


def dragoman(*words: str, given: str = "", env: dict[str, str] | None = None, cwd: Any = None) -> Outcome:
    """Run `dragoman` with these words to its end."""
    done = subprocess.run(
        [*PROGRAM, *words],
        input=given.encode(),
        capture_output=True,
        env=surroundings(**(env or {})),
        cwd=cwd,
        timeout=30,
        check=False,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def here(*words: str, given: str = "") -> Outcome:
    """Run `dragoman` with these words in this process, where a test is about what is shown, not about the process."""
    library = logging.getLogger("dragoman")
    before = library.handlers, library.propagate, library.level
    streams = sys.stdin, sys.stdout, sys.stderr
    given_in, out, err = (io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (given.encode(), b"", b""))
    sys.stdin, sys.stdout, sys.stderr = given_in, out, err
    try:
        code = main(words)
        out.flush()
        err.flush()
        return Outcome(code, _written(out), _written(err))
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        library.handlers, library.propagate = before[:2]
        library.setLevel(before[2])


def _written(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()
