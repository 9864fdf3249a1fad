"""Who is measured. Each module offers `connect(target)`, a context manager that gives a connection with a few verbs.

The target is a command line, or the URL of a server over HTTP. `echo()` gives a text, `report()` a structured result
that was checked against its schema, `list_tools()` the number of tools, `text(megabytes)` the length of a long text;
those that it is measured for also have `run()`, the same as `echo()` through a runner, and over HTTP `events(count)`,
which calls a tool that tells of so much progress and gives how much of it was heard. In an async contender all are
coroutine functions.
"""

from dataclasses import dataclass

__all__ = ["CONTENDERS", "Contender"]


@dataclass(frozen=True)
class Contender:
    """A client to measure: its adapters' modules, and what a program that uses it imports; empty where there is none."""

    name: str
    stdio: str
    web: str
    imports: str = ""

    @property
    def is_async(self) -> bool:
        """Whether it has to be awaited."""
        return "sync" not in self.name

    def way(self, target: str) -> str:
        """Give what a row's target is reached by: the module, or for a row about imports, those."""
        if target == "import":
            return self.imports
        return self.stdio if target == "stdio" else self.web


CONTENDERS = {
    contender.name: contender
    for contender in (
        Contender("mcp", "official", "official", "from mcp import Client, StdioServerParameters"),
        Contender("fastmcp", "fast", "fast", "from fastmcp import Client"),
        Contender("dragoman", "ours", "ours", "from dragoman import AsyncClient; AsyncClient.connect"),
        Contender("dragoman sync", "ours_sync", "ours_sync", "from dragoman import Client; Client.connect"),
        Contender("dragoman httpx", "", "ours_httpx"),
        Contender("dragoman sync httpx", "", "ours_sync_httpx"),
        Contender("floor", "floor", "floor_web", "import asyncio, msgspec"),
        Contender("floor sync", "floor_sync", "floor_web_sync", "import subprocess, msgspec"),
    )
}
