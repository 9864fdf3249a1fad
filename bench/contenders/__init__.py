"""Who is measured. Each module offers `connect(command)`, a context manager that gives a connection with four verbs.

`echo()` gives a text, `report()` a structured result that was checked against its schema, `list_tools()` the number of
tools, `text(megabytes)` the length of a long text. In an async contender all are coroutine functions.
"""

from dataclasses import dataclass

__all__ = ["CONTENDERS", "Contender"]


@dataclass(frozen=True)
class Contender:
    """A client to measure: where its adapter is, whether it is async, and what a program that uses it imports."""

    name: str
    module: str
    is_async: bool
    imports: str


CONTENDERS = {
    contender.name: contender
    for contender in (
        Contender("mcp", "bench.contenders.official", True, "from mcp import Client, StdioServerParameters"),
        Contender("fastmcp", "bench.contenders.fast", True, "from fastmcp import Client"),
        Contender("dragoman", "bench.contenders.ours", True, "from dragoman import AsyncClient; AsyncClient.connect"),
        Contender("dragoman sync", "bench.contenders.ours_sync", False, "from dragoman import Client; Client.connect"),
        Contender("floor", "bench.contenders.floor", True, "import asyncio, msgspec"),
        Contender("floor sync", "bench.contenders.floor_sync", False, "import subprocess, msgspec"),
    )
}
