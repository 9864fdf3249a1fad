"""The ways to have a server that is written with a library: which library, which era, where it runs."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from tests.aio.interop.application import Party
from tests.servers import fastmcp_server, mcp_server, written

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
    """One way to have a server: the library it is written with, the era, and what `connect` is pointed at.

    For HTTP `target` makes the command line that serves at a port.
    """

    library: str
    version: tuple[str]
    target: Callable[..., Any]
    place: str = "stdio"

    @property
    def name(self) -> str:
        return f"{self.library}-{self.version[0]}-{self.place}"

    @property
    def is_served(self) -> bool:
        """Whether it is reached over HTTP."""
        return self.place.startswith("http-")

    @property
    def options(self) -> dict[str, Any]:
        """What connecting takes besides."""
        return {"engine": self.place.removeprefix("http-")} if self.is_served else {}


def over_http(library: str, version: tuple[str], command: Callable[[int], list[str]]) -> list[Variant]:
    """Have a server over HTTP, by each engine."""
    return [Variant(library, version, command, f"http-{engine}") for engine in ("default", "httpx")]


VARIANTS = [
    variant
    for version in (MODERN, LEGACY)
    for variant in (
        Variant("mcp", version, written.mcp_server),
        Variant("mcp", version, lambda: mcp_server.server, "memory"),
        *over_http("mcp", version, lambda port: written.mcp_server("--http", str(port))),
        Variant("fastmcp", version, written.fastmcp_server),
        Variant("fastmcp", version, lambda: fastmcp_server.server, "memory"),
        *over_http("fastmcp", version, lambda port: written.fastmcp_server("--http", str(port))),
        Variant("typescript", version, written.typescript_server),
        *over_http("typescript", version, lambda port: written.typescript_server(str(port))),
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
    return variant.place == "stdio"
