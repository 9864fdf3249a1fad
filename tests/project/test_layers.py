"""Who may import whom, and what pure code never touches."""

import ast
import re
import tomllib
from collections.abc import Iterator

import pytest

from tests.project.sources import PURE, ROOT, Import, Module, modules

_OF_A_COLOUR = {
    "errors",
    "nearest",
    "types",
    "protocol",
    "auth",
    "host",
    "files",
    "models",
    "local",
    "views",
    "web",
    "deadline",
}

MAY_IMPORT = {
    "errors": set[str](),
    "secrecy": set[str](),
    "nearest": set[str](),
    "deadline": {"errors"},
    "types": {"errors"},
    "protocol": {"errors", "secrecy", "types"},
    "auth": {"errors", "types", "protocol"},
    "host": {"errors", "secrecy", "nearest", "types", "protocol"},
    "models": {"errors", "nearest", "types", "protocol"},
    "local": {"errors", "secrecy", "deadline"},
    "web": {"errors"},
    "views": {"errors", "types", "protocol"},
    "consent": {"types", "views", "host"},
    "files": {"errors", "types", "host"},
    "aio": _OF_A_COLOUR,
    "sync": _OF_A_COLOUR,
    "telemetry": {"errors", "types", "protocol", "auth", "host", "models", "views", "deadline"},
    # Other libraries' names on this one; a colour's parts are below it.
    "bridges": {"errors", "types", "protocol", "host", "models", "views", "aio"},
    # The command line is a user: it has the root's public names, and the modules whose contents are public, and the words for slips.
    "cli": {"errors", "nearest", "types"},
    "__main__": {"cli"},
    # The demo's servers are programs of their own, and the other side of the wire.
    "demo": set[str](),
}
"""Each name under `dragoman`, with those beside itself that it may import; `cli` may also use the root's names."""

IMPURE = frozenset(
    [
        "_thread",
        "aiohttp",
        "anyio",
        "asyncio",
        "concurrent",
        "ctypes",
        "fcntl",
        "http",
        "httpx2",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "secrets",
        "select",
        "selectors",
        "shutil",
        "signal",
        "socket",
        "socketserver",
        "ssl",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "trio",
        "urllib3",
        "uuid",
        "webbrowser",
    ]
)
"""What waits, looks at the clock or the machine, or is not the same twice."""

VERSION = re.compile(r"20\d\d-\d\d-\d\d")
KNOWS_VERSIONS = ("dragoman.protocol.eras", "dragoman.protocol.negotiate", "dragoman.demo")

MODULES = modules()
each_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)


def own_imports(module: Module) -> Iterator[tuple[str, Import]]:
    """Pair each import from the package with the layer that it reaches; the root's is empty."""
    for each in module.imports():
        if each.module == "dragoman" and (ROOT / f"src/dragoman/{each.name}").is_dir():
            yield each.name, each
        elif each.module.partition(".")[0] == "dragoman":
            yield each.module.removeprefix("dragoman").lstrip(".").partition(".")[0], each


@each_module
def test_module_imports_only_what_its_layer_may(module: Module) -> None:
    if not module.layer:
        return  # the root names everything
    assert module.layer in MAY_IMPORT, f"{module.layer} has no line in MAY_IMPORT"
    allowed = MAY_IMPORT[module.layer] | {module.layer}

    wrong = [
        f"{module.name}:{each.line} imports {each.module}"
        for layer, each in own_imports(module)
        if layer not in allowed and not (layer == "" and (module.layer == "cli" or each.name == "__version__"))
    ]
    assert wrong == []


@each_module
def test_underscore_names_stay_in_their_folder(module: Module) -> None:
    wrong = [
        f"{module.name}:{each.line} imports {each.name} from {each.module}"
        for _, each in own_imports(module)
        if not may_see(module, each)
    ]

    assert wrong == []


def may_see(module: Module, each: Import) -> bool:
    """Say whether an import has no private part, or one whose owner is the importer's folder or above it."""
    parts = [*each.module.split("."), *([each.name] if each.name else [])]
    for index, part in enumerate(parts):
        if part.startswith("_") and not part.endswith("__"):
            owner = ".".join(parts[:index])
            # The transports and engines of a colour lie below the folder whose runtime they share.
            return module.package == owner or module.package.startswith(f"{owner}.")
    return True


@pytest.mark.parametrize("module", [module for module in MODULES if module.is_pure], ids=lambda module: module.name)
def test_pure_module_imports_nothing_impure(module: Module) -> None:
    wrong = [f"{module.name}:{each.line} imports {each.module}" for each in module.imports() if is_impure(each)]

    assert wrong == []


def is_impure(each: Import) -> bool:
    return each.module.partition(".")[0] in IMPURE or each.module.startswith("urllib.request")


@each_module
def test_protocol_versions_are_known_in_one_place(module: Module) -> None:
    if module.name.startswith(KNOWS_VERSIONS):
        return
    prose = {id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
    wrong = [
        f"{module.name}:{node.lineno} names the version {node.value}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
        if VERSION.fullmatch(node.value)
    ]

    assert wrong == []


@each_module
def test_no_module_asks_which_era_it_is(module: Module) -> None:
    if module.name.startswith(KNOWS_VERSIONS) or not module.layer:
        return
    wrong = [
        f"{module.name}:{each.line} imports {each.module}"
        for each in module.imports()
        if each.module in {"dragoman.protocol.eras.legacy", "dragoman.protocol.eras.modern"}
        or (each.module == "dragoman.protocol.eras" and each.name in {"legacy", "modern"})
    ]

    assert wrong == []


def test_import_linter_draws_the_same_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    drawn = {name.strip("() ") for layer in contracts[0]["layers"] for name in layer.split("|")}

    assert drawn == MAY_IMPORT.keys() - {"__main__", "cli", "demo"}
    assert set(PURE) < MAY_IMPORT.keys()
