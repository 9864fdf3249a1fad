"""Each program in examples/ runs to its end, on a reader's machine, without a warning."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.programs import environment
from tests.project.sources import ROOT


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    outcome = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout
