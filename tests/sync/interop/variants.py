# generated from tests/aio/interop/variants.py by tools/unasync.py; do not edit
"""The ways to have a server that is written with a library: which library, which era, where it runs."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from tests.servers import fastmcp_server, mcp_server, written
from tests.sync.interop.application import Party

__all__ = [
    "COUNTER",
    "LEGACY",
    "MODERN",
    "TOOLS",
    "VARIANTS",
    "Connected",
    "Variant",
    "a_process",
    "announced",
    "by_fastmcp",
    "in_python",
    "in_typescript",
    "legacy",
    "modern",
    "of",
    "watched",
]

TOOLS = {"echo", "add", "weather", "slow", "log", "ask", "ask_url", "sample", "roots", "fail", "big", "image", "count"}
COUNTER = "test://counter"
LEGACY = ("2025-11-25",)
MODERN = ("2026-07-28",)


class Variant(Struct, frozen=True):
    """One way to have a server: the library it is written with, the era, and what `connect` is pointed at."""

    library: str
    version: tuple[str]
    target: Callable[[], Any]
    is_process: bool = True

    @property
    def name(self) -> str:
        place = "stdio" if self.is_process else "memory"
        return f"{self.library}-{self.version[0]}-{place}"


VARIANTS = [
    variant
    for version in (MODERN, LEGACY)
    for variant in (
        Variant("mcp", version, written.mcp_server),
        Variant("mcp", version, lambda: mcp_server.server, is_process=False),
        Variant("fastmcp", version, written.fastmcp_server),
        Variant("fastmcp", version, lambda: fastmcp_server.server, is_process=False),
        Variant("typescript", version, written.typescript_server),
    )
]


class Connected(Party):
    """A program with its server, and which one that is."""

    variant: Variant

    @property
    def is_modern(self) -> bool:
        return self.variant.version == MODERN


def of(*wanted: Callable[[Variant], bool]) -> pytest.MarkDecorator:
    """Run a test for the variants that are all of what is wanted."""
    chosen = [variant for variant in VARIANTS if all(is_wanted(variant) for is_wanted in wanted)]
    return pytest.mark.parametrize("each", chosen, indirect=True, ids=[variant.name for variant in chosen])


def modern(variant: Variant) -> bool:
    return variant.version == MODERN


def legacy(variant: Variant) -> bool:
    return variant.version == LEGACY


def by_fastmcp(variant: Variant) -> bool:
    return variant.library == "fastmcp"


def in_typescript(variant: Variant) -> bool:
    return variant.library == "typescript"


def in_python(variant: Variant) -> bool:
    return variant.library != "typescript"


def watched(variant: Variant) -> bool:
    return variant.library != "fastmcp"


def announced(variant: Variant) -> bool:
    return not (by_fastmcp(variant) and modern(variant))


def a_process(variant: Variant) -> bool:
    return variant.is_process
