"""A plugin of pytest's: have coverage note which test file each line of the package was run by.

What runs while no test file is being imported or run is noted for all of them: above all the package's own imports, which
happen once, whoever causes them.
"""

import importlib
import sys
from pathlib import Path

import coverage
import pytest

__all__ = [
    "pytest_collection_finish",
    "pytest_collectstart",
    "pytest_configure",
    "pytest_runtest_logfinish",
    "pytest_runtest_logstart",
    "pytest_runtest_teardown",
]

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """Import every module whose coverage is asked for, before any test does."""
    for folder in ("types", "protocol", "auth", "host", "models"):
        for path in sorted((ROOT / "src/dragoman" / folder).rglob("*.py")):
            importlib.import_module(".".join(path.relative_to(ROOT / "src").with_suffix("").parts))
    for name in ("errors", "secrecy", "deadline"):
        importlib.import_module(f"dragoman.{name}")


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Note what a test file runs as it is imported."""
    _switch(_name(collector.path) if isinstance(collector, pytest.Module) else "")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note what a test runs, its fixtures included."""
    _switch(nodeid.partition("::")[0])


def pytest_runtest_logfinish() -> None:
    """Note nothing more for this test."""
    _switch("")


def pytest_collection_finish() -> None:
    """Begin with empty caches."""
    _forget()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Begin each test file with empty caches."""
    if nextitem is None or nextitem.path != item.path:
        _forget()


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _switch(name: str) -> None:
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(name)


def _forget() -> None:
    """Have no test file find in a cache what another one has had computed."""
    for module in [module for name, module in sys.modules.items() if name.startswith("dragoman.")]:
        for value in vars(module).values():
            if callable(clear := getattr(value, "cache_clear", None)):
                clear()
