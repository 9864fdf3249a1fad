"""Run the command as a script does, in pipes."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from tests.project.sources import ROOT

__all__ = ["LEGACY", "MODERN", "ODD", "PROGRAM", "Outcome", "dragoman", "surroundings"]

PROGRAM = (sys.executable, "-m", "dragoman.cli")
MODERN = f"{sys.executable} -m dragoman.demo.modern"
LEGACY = f"{sys.executable} -m dragoman.demo.legacy"
ODD = f"{sys.executable} {ROOT / 'tests/cli/odd_server.py'}"


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


