"""The commands of tools/: which checks there are, and which tests belong to which pure module."""

from pathlib import Path

import pytest

from tests.project.sources import ROOT
from tools import pure_coverage, run


def test_continuous_integration_runs_the_readme_command() -> None:
    assert 'tools/run.py" test' in (ROOT / ".ci/run").read_text("utf-8")


def test_unknown_check_is_refused_with_those_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["test", "nonsense"]) == 1
    assert "no check is called nonsense; there are ruff, format" in capsys.readouterr().err


def test_without_a_command_the_usage_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main([]) == 2
    assert "python3 tools/run.py demo" in capsys.readouterr().out


def test_pytest_is_the_last_check() -> None:
    assert list(run.CHECKS)[-1] == "pytest"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("errors.py", "protocol/jsonrpc.py", "protocol/eras/legacy.py", "types/base.py", "types/tools.py"):
        path = tmp_path / "src/dragoman" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "src/dragoman/protocol/__init__.py").write_text('"""A map."""\n__all__ = []\n', "utf-8")
    (tmp_path / "src/dragoman/protocol/eras/__init__.py").write_text("class Era: ...\n", "utf-8")
    return tmp_path


def test_pure_modules_are_paired_with_their_tests(checkout: Path) -> None:
    pairs = {job.name: job.tests for job in pure_coverage.jobs(checkout)}

    assert pairs == {
        "src/dragoman/errors.py": "tests/test_errors.py",
        "src/dragoman/protocol/jsonrpc.py": "tests/protocol/test_jsonrpc.py",
        "src/dragoman/protocol/eras/__init__.py": "tests/protocol/eras",
        "src/dragoman/protocol/eras/legacy.py": "tests/protocol/eras/test_legacy.py",
        "src/dragoman/types": "tests/types",
    }
