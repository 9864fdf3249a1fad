"""Every listed feature and edge case is named by a test, and every name that a test gives is listed."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.project.sources import ROOT

LISTS = {"feature": ("features.toml", "features"), "edge": ("edge_cases.toml", "edge_cases")}
each_list = pytest.mark.parametrize("mark", LISTS)


def listed(mark: str) -> dict[str, str]:
    file, table = LISTS[mark]
    statements: dict[str, str] = tomllib.loads((ROOT / "tests" / file).read_text("utf-8"))[table]
    return statements


@cache
def marks() -> dict[str, dict[str, str]]:
    """Give, for each mark, the ids it names with the place of one use."""
    found: dict[str, dict[str, str]] = {mark: {} for mark in LISTS}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for mark, each, line in marks_in(path):
            found[mark].setdefault(each, f"{path.relative_to(ROOT)}:{line}")
    return found


def marks_in(path: Path) -> Iterator[tuple[str, str, int]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_mark(node.func):
            for argument in node.args:
                yield node.func.attr, str(ast.literal_eval(argument)), node.lineno


def is_mark(function: ast.Attribute) -> bool:
    return function.attr in LISTS and ast.unparse(function.value) == "pytest.mark"


@each_list
def test_everything_listed_is_named_by_a_test(mark: str) -> None:
    missing = {each: statement for each, statement in listed(mark).items() if each not in marks()[mark]}

    assert missing == {}, "\n".join(f"no test is marked {mark} {each}: {text}" for each, text in missing.items())


@each_list
def test_everything_named_by_a_test_is_listed(mark: str) -> None:
    unknown = {each: place for each, place in marks()[mark].items() if each not in listed(mark)}

    assert unknown == {}
