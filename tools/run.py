"""Run the demo or all tests from a fresh clone: needs Python 3.11 or newer and the package registries, nothing else.

    python3 tools/run.py demo                  install dragoman into .venv, and show it at work
    python3 tools/run.py test                  install what the tests need as well, and run every check
    python3 tools/run.py test ruff types       run some of the checks
    python3 tools/run.py pytest tests/project  run pytest alone, with any arguments of its own

The environment is `.venv` in the checkout. It is filled again when pyproject.toml or the Python has changed.
"""

# An older Python has to get as far as the sentence that tells it so: hence annotations that are not evaluated.
from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["CHECKS", "main"]

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PROGRAMS = VENV / ("Scripts" if os.name == "nt" else "bin")
OLDEST = (3, 11)

DEMO = ["--editable", ".[cli]"]
EVERYTHING = [
    "--editable",
    ".[anthropic,cli,gemini,httpx,jose,keyring,langchain,openai,openai-agents,otel,pydantic-ai]",
    "--group",
    "dev",
]

CODE = [name for name in ("src", "tests", "tools", "examples", "bench") if any((ROOT / name).rglob("*.py"))]
CHECKS = {
    "ruff": ["ruff", "check"],
    "format": ["ruff", "format", "--check"],
    "generated": ["python", "tools/unasync.py", "--check"],
    "types": ["mypy", *CODE],
    "pyright": ["pyright", "--warnings"],
    "layers": ["lint-imports"],
    "docs": ["mkdocs", "build", "--strict", "--quiet"],
    "pure": ["python", "tools/pure_coverage.py"],
    "servers": ["python", "-m", "tests.servers.installed"],
    # Last, because pytest's closing line tells how many tests ran.
    # A file's tests stay together, because they share servers.
    "pytest": ["pytest", "--quiet", "--numprocesses=auto", "--maxprocesses=4", "--dist=loadfile"],
}


def main(arguments: list[str]) -> int:
    """Do what the command line asks; gives the exit code."""
    if sys.version_info < OLDEST:
        return fail(f"dragoman needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}")
    command, rest = (arguments or ["help"])[0], arguments[1:]
    if command == "demo":
        install("demo", DEMO)
        # Not as if activated: what the demo says to type next is typed where nothing is.
        return run(["dragoman", "demo", *rest], activated=False)
    if command == "test":
        return test(rest or list(CHECKS))
    if command == "pytest":
        install("everything", EVERYTHING)
        return run(["pytest", *rest])
    print(__doc__)
    return 2


def test(names: list[str]) -> int:
    """Run the named checks, all of them, and tell at the end which failed: who mends one wants to know of the others."""
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        return fail(f"no check is called {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    install("everything", EVERYTHING)
    # The tests by themselves, at the end: they want the whole machine, and their closing line is looked for there.
    others = [name for name in names if name != "pytest"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(others, pool.map(passes, others), strict=True))
    if "pytest" in names:
        results["pytest"] = tests_pass()
    failed = [name for name in names if not results[name]]
    if failed:
        return fail(f"{', '.join(failed)} failed; to repeat: python3 tools/run.py test {' '.join(failed)}")
    return 0


def passes(name: str) -> bool:
    """Run one check beside others, and show what it says when it has ended."""
    began = time.monotonic()
    ended = start(CHECKS[name], captured=True)
    said = ended.stdout.decode(errors="replace")
    print(f"{title(name, ' '.join(CHECKS[name]))}\n{said}{verdict(name, ended.returncode, began)}", flush=True)
    return ended.returncode == 0


def tests_pass() -> bool:
    """Run the tests, and show what they say as they run."""
    began = time.monotonic()
    heading("pytest", " ".join(CHECKS["pytest"]))
    code = run(CHECKS["pytest"])
    if code == 1:
        # Whether a failure is one of the code or of a busy machine shows when nothing else runs beside it.
        heading(
            "pytest", "once more, only what failed; what passes now is unstable, and wants to be mended all the same"
        )
        code = run(["pytest", "--quiet", "--last-failed", "--last-failed-no-failures=none"])
    print(verdict("pytest", code, began), flush=True)
    return code == 0


def verdict(name: str, code: int, began: float) -> str:
    """Say what came of a check."""
    how = f"failed with exit code {code} after" if code else "passed in"
    return f"-- {name} {how} {time.monotonic() - began:.0f} s"


def run(command: list[str], *, activated: bool = True) -> int:
    """Run a program of the environment to its end, before the user's eyes; gives its exit code."""
    return start(command, activated=activated).returncode


def start(command: list[str], *, activated: bool = True, captured: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Run a program of the environment: in the checkout as if the environment was activated, or where the user is."""
    # A developer's own environment variables must not decide which sources are tested.
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    environment["NO_MKDOCS_2_WARNING"] = "1"
    if activated:
        # pyright looks for the packages of the `python` that it finds first.
        environment["PATH"] = os.pathsep.join([str(PROGRAMS), environment.get("PATH", os.defpath)])
    return subprocess.run(
        [PROGRAMS / command[0], *command[1:]],
        cwd=ROOT if activated else None,
        env=environment,
        check=False,
        stdout=subprocess.PIPE if captured else None,
        stderr=subprocess.STDOUT if captured else None,
    )


def install(what: str, wanted: list[str]) -> None:
    """Make the environment hold what is wanted, unless it already does."""
    stamp = VENV / f"installed-{what}"
    state = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest() + sys.version + " ".join(wanted)
    if holds(stamp, state):
        return
    heading("install", f"into {VENV}")
    make_environment()
    # `--group` needs a pip of 2025 or later; Python 3.11 brings one of 2022.
    pip("--upgrade", "pip>=25.1")
    pip(*wanted)
    stamp.write_text(state, "utf-8")


def make_environment() -> None:
    """Create the environment, afresh when it is another Python's."""
    owner = VENV / "made-by"
    if holds(owner, sys.version):
        return
    try:
        venv.create(VENV, with_pip=True, clear=True)
    except subprocess.CalledProcessError:
        sys.exit(fail("this Python cannot make environments; on Debian that is in the package python3-venv"))
    owner.write_text(sys.version, "utf-8")


def holds(file: Path, text: str) -> bool:
    """Say whether a file exists and holds just this text."""
    return file.is_file() and file.read_text("utf-8") == text


def pip(*arguments: str) -> None:
    """Install packages; ends the program when that fails."""
    if run(["python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *arguments]):
        sys.exit(fail(f"pip could not install {' '.join(arguments)}; what it said is above"))


def heading(name: str, explanation: str) -> None:
    """Print where we are."""
    print(title(name, explanation), flush=True)


def title(name: str, explanation: str) -> str:
    """Say where we are."""
    return f"\n== {name}: {explanation}"


def fail(sentence: str) -> int:
    """Print why this ends here; gives the exit code for it."""
    print(f"!! {sentence}", file=sys.stderr, flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
