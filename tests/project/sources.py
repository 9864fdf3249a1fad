"""The package's own sources, parsed: what the tests of this folder look at."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

__all__ = ["PURE", "ROOT", "Import", "Module", "modules"]

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"

PURE = ("errors", "secrecy", "nearest", "types", "protocol", "auth", "host", "models")
"""The packages and modules that do nothing but compute."""


@dataclass(frozen=True)
class Import:
    """One imported thing: `from dragoman.errors import McpError` is `dragoman.errors` and `McpError`."""

    module: str
    name: str
    line: int


@dataclass(frozen=True)
class Module:
    """One source file of the package."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def name(self) -> str:
        return ".".join(self.path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")

    @cached_property
    def package(self) -> str:
        """The folder that it lies in, as a dotted name."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @cached_property
    def layer(self) -> str:
        """The name under `dragoman` that it belongs to; empty for the root itself."""
        return self.name.removeprefix("dragoman").lstrip(".").partition(".")[0]

    @property
    def is_pure(self) -> bool:
        return self.layer in PURE

    @property
    def is_generated(self) -> bool:
        return self.text.startswith("# generated from ")

    def imports(self) -> Iterator[Import]:
        """Find every import, wherever it stands."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (Import(alias.name, "", node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{self.name}:{node.lineno} imports relatively"
                yield from (Import(node.module or "", alias.name, node.lineno) for alias in node.names)


def modules() -> list[Module]:
    """Parse every module of the package, in order."""
    return [Module(path) for path in sorted((SRC / "dragoman").rglob("*.py"))]
