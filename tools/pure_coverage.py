"""Demand of each pure module that its own tests alone cover every branch of it.

    python tools/pure_coverage.py                  all of them
    python tools/pure_coverage.py jsonrpc legacy   those whose path contains one of these words

The tests of src/dragoman/protocol/jsonrpc.py are tests/protocol/test_jsonrpc.py, those of src/dragoman/errors.py are
tests/test_errors.py, those of a folder's __init__.py are all in the matching folder. The modules of `types` are values
that refer to each other, so they are measured together. Needs coverage and pytest.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

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


def measure(job: Job) -> str | None:
    """Run a job's tests; gives what is wrong, or None."""
    if not (ROOT / job.tests).exists():
        return f"{job.name} has no tests of its own: {job.tests} is missing"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "COVERAGE_FILE": str(Path(folder, "coverage"))}
        for command in _commands(job):
            outcome = subprocess.run(
                [sys.executable, "-m", *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
            )
            if outcome.returncode:
                return f"{job.name}, tested by {job.tests} alone:\n{_essence(outcome.stdout)}{outcome.stderr}"
    return None


def _commands(job: Job) -> Iterator[list[str]]:
    yield ["coverage", "run", "-m", "pytest", "--quiet", "--no-header", job.tests]
    yield ["coverage", "report", f"--include={','.join(job.sources)}", "--fail-under=100", "--precision=2"]


def _essence(output: str) -> str:
    lines = output.rstrip().splitlines()
    return "\n".join(lines[-30:]) + "\n"


def main(words: list[str]) -> int:
    """Measure everything that the words choose; gives the exit code."""
    chosen = [job for job in jobs() if not words or any(word in job.name for word in words)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        complaints = [complaint for complaint in pool.map(measure, chosen) if complaint]
    for complaint in complaints:
        print(complaint, end="\n\n")
    print(f"{len(chosen) - len(complaints)} of {len(chosen)} pure modules are covered by their own tests alone")
    return bool(complaints) or not chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
