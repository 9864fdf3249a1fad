"""Demand of each pure module that its own tests alone cover every branch of it.

    python tools/pure_coverage.py                  all of them
    python tools/pure_coverage.py jsonrpc legacy   those whose path contains one of these words

The tests of src/dragoman/protocol/jsonrpc.py are tests/protocol/test_jsonrpc.py, those of src/dragoman/errors.py are
tests/test_errors.py, those of a folder's __init__.py are all in the matching folder. The modules of `types` are values
that refer to each other, so they are measured together. The tests of a folder run together, and coverage notes which
file ran which line (coverage_contexts.py). Needs coverage and pytest.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from coverage import Coverage
from coverage.exceptions import NoDataError

__all__ = ["TOGETHER", "Job", "jobs", "main"]

ROOT = Path(__file__).resolve().parent.parent
ALONE = ("errors.py", "secrecy.py", "deadline.py")
FOLDERS = ("protocol", "auth", "host", "models")
TOGETHER = ("types",)


@dataclass(frozen=True)
class Job:
    """Sources with the tests that have to cover them; both relative to the checkout."""

    sources: tuple[str, ...]
    tests: str

    @property
    def name(self) -> str:
        return self.sources[0] if len(self.sources) == 1 else str(Path(self.sources[0]).parent)


def jobs(root: Path = ROOT) -> list[Job]:
    """Pair every pure source below `root` with its tests, whether those exist or not."""
    package = root / "src/dragoman"
    alone = [package / name for name in ALONE]
    alone += [path for folder in FOLDERS for path in sorted((package / folder).rglob("*.py"))]
    found = [
        Job((path.relative_to(root).as_posix(),), _tests(path.relative_to(package)))
        for path in alone
        if path.exists() and _has_code(path)
    ]
    for folder in TOGETHER:
        sources = tuple(path.relative_to(root).as_posix() for path in sorted((package / folder).rglob("*.py")))
        found += [Job(sources, f"tests/{folder}")] if sources else []
    return found


def _tests(path: Path) -> str:
    folder = Path("tests") / path.parent
    return (folder if path.stem == "__init__" else folder / f"test_{path.stem}.py").as_posix()


def _has_code(path: Path) -> bool:
    """Say whether there is anything to run: a folder's __init__ is often its docstring and an empty `__all__`."""
    text = path.read_text("utf-8")
    return path.stem != "__init__" or "def " in text or "class " in text


def measure(chosen: list[Job]) -> list[str]:
    """Run the tests of jobs of one folder; gives what is wrong."""
    missing = [job for job in chosen if not (ROOT / job.tests).exists()]
    present = [job for job in chosen if job not in missing]
    complaints = [f"{job.name} has no tests of its own: {job.tests} is missing" for job in missing]
    if not present:
        return complaints
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder, "coverage"))
        failure = _run(sorted({job.tests for job in present}), data)
        coverage = Coverage(data_file=data, config_file=str(ROOT / "pyproject.toml"))
        coverage.load()
        return [*complaints, *failure, *(report for job in present if (report := _uncovered(job, coverage)))]


def _run(tests: list[str], data: str) -> list[str]:
    command = ["coverage", "run", "-m", "pytest", "-p", "tools.coverage_contexts", "--quiet", "--no-header", *tests]
    outcome = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, "COVERAGE_FILE": data},
        capture_output=True,
        text=True,
        check=False,
    )
    return [_essence(outcome.stdout) + outcome.stderr] if outcome.returncode else []


def _uncovered(job: Job, coverage: Coverage) -> str | None:
    """Say what of a job's sources its own tests do not reach, or None."""
    table = io.StringIO()
    own = f"^{re.escape(job.tests)}" + ("/" if not job.tests.endswith(".py") else "$")
    try:
        covered = coverage.report(include=[*job.sources], contexts=["^$", own], file=table, precision=2)
    except NoDataError:
        covered = 0.0
    return None if covered == 100 else f"{job.name}, tested by {job.tests} alone:\n{table.getvalue()}"


def _essence(output: str) -> str:
    lines = output.rstrip().splitlines()
    return "\n".join(lines[-30:]) + "\n"


def _folder(job: Job) -> str:
    return Path(job.sources[0]).parts[2]


def main(words: list[str]) -> int:
    """Measure everything that the words choose; gives the exit code."""
    os.chdir(ROOT)  # coverage knows its files by their paths from here
    chosen = [job for job in jobs() if not words or any(word in job.name for word in words)]
    alone = [job for job in chosen if _folder(job) in ALONE]
    folders = [list(group) for _, group in groupby((job for job in chosen if job not in alone), _folder)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = pool.map(measure, [each for each in [*folders, alone] if each])
        complaints = [complaint for several in found for complaint in several]
    for complaint in complaints:
        print(complaint, end="\n\n")
    print(f"{len(chosen)} pure modules were looked at; {len(complaints) or 'no'} complaints")
    return bool(complaints) or not chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
