"""What is public: said by every module, loaded on demand by the root, and documented."""

import ast
import importlib
import inspect
import subprocess
import sys
from typing import ParamSpec, TypeVar

import pytest

import dragoman
from tests.project.sources import Module, modules

HEAVY = ("aiohttp", "asyncio", "cyclopts", "jsonschema_rs", "msgspec", "rich", "typer", "urllib3")

IMPORTABLE = [module for module in modules() if not module.path.stem.startswith("__main__")]
each_module = pytest.mark.parametrize("module", IMPORTABLE, ids=lambda module: module.name)


@each_module
def test_module_says_what_it_is_for(module: Module) -> None:
    first = (ast.get_docstring(module.tree) or "").partition("\n")[0]

    assert first.endswith((".", ":")), f"{module.name} opens with no sentence"


@each_module
def test_module_names_what_is_public(module: Module) -> None:
    loaded = importlib.import_module(module.name)
    public = {
        name
        for name, value in vars(loaded).items()
        if getattr(value, "__module__", None) == module.name and not name.startswith("_")
        if not isinstance(value, TypeVar | ParamSpec)
    }

    names: list[str] | tuple[str, ...] = getattr(loaded, "__all__", ())
    assert public <= set(names), "public by name, but missing in __all__"
    assert [name for name in names if not hasattr(loaded, name)] == []
    assert len(set(names)) == len(names)


def test_every_public_name_can_be_loaded_from_the_root() -> None:
    missing = [name for name in dragoman.__all__ if getattr(dragoman, name, None) is None]

    assert missing == []
    assert set(dragoman.__all__) <= set(dir(dragoman))


def test_root_loads_exactly_what_it_promises_to_type_checkers() -> None:
    (root,) = (module for module in modules() if not module.layer)
    promised = {
        alias.name: node.module
        for node in ast.walk(root.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dragoman.")
        for alias in node.names
    }

    assert promised == {name: dragoman._HOMES.get(name, dragoman._DEFAULT_HOME) for name in dragoman.__all__}


def test_root_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="'dragoman' has no attribute 'Nonsense'"):
        dragoman.Nonsense  # noqa: B018


def public_callables() -> list[tuple[str, object]]:
    """List the public classes and functions, and the public methods of the classes."""
    found: list[tuple[str, object]] = []
    for name in dragoman.__all__:
        value = getattr(dragoman, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            found.append((name, value))
        if inspect.isclass(value):
            own = (each for base in value.__mro__ if base.__module__.startswith("dragoman") for each in vars(base))
            found += ((f"{name}.{each}", getattr(value, each)) for each in own if not each.startswith("_"))
    return [(name, value) for name, value in found if callable(value) or isinstance(value, property)]


def test_everything_public_is_documented() -> None:
    silent = [name for name, value in public_callables() if not inspect.getdoc(value)]

    assert silent == []


def test_importing_the_root_loads_next_to_nothing() -> None:
    code = f"import dragoman, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "heavy"),
    [
        ("Client", {"aiohttp", "asyncio", "cyclopts", "jsonschema_rs", "rich", "urllib3"}),
        ("AsyncClient", {"aiohttp", "cyclopts", "jsonschema_rs", "rich", "urllib3"}),
    ],
)
def test_loading_a_client_loads_no_engine(name: str, heavy: set[str]) -> None:
    code = f"import dragoman, sys; dragoman.{name}; print(sorted({heavy!r} & sys.modules.keys()))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == "[]"
