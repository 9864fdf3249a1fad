"""Modules and functions stay short enough to be read in one go."""

import ast
from collections.abc import Iterator

from tests.project.sources import Module, modules

LONGEST_MODULE = 400
LONGEST_FUNCTION = 40
LONG_FUNCTION = 25

BY_HAND = [module for module in modules() if not module.is_generated]


def functions(module: Module) -> Iterator[tuple[str, int]]:
    """Give each function's place and the number of lines of its body, without its docstring."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            lines = (body[-1].end_lineno or 0) - body[0].lineno + 1
            yield f"{module.name}.{node.name}:{node.lineno}", lines


def test_modules_are_short() -> None:
    lengths = {module.name: module.text.count("\n") for module in BY_HAND}

    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_functions_are_short() -> None:
    lengths = dict(each for module in BY_HAND for each in functions(module))

    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FUNCTION} == {}


def test_nearly_all_functions_are_very_short() -> None:
    lengths = dict(each for module in BY_HAND for each in functions(module))
    long = {name: lines for name, lines in lengths.items() if lines > LONG_FUNCTION}

    assert len(long) <= len(lengths) / 10, long
