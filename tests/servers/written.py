"""Command lines of the servers that were written for these tests, with the libraries people write servers with."""

import sys
from pathlib import Path

from tests.servers.installed import node, npm_folder

__all__ = ["demo_server", "fastmcp_server", "mcp_server", "typescript_server"]

HERE = Path(__file__).parent


def mcp_server(*arguments: str) -> list[str]:
    """Give the command line of a server on the official library, which speaks both eras."""
    return [sys.executable, str(HERE / "mcp_server.py"), *arguments]


def fastmcp_server(*arguments: str) -> list[str]:
    """Give the command line of a server on fastmcp, which speaks both eras."""
    return [sys.executable, str(HERE / "fastmcp_server.py"), *arguments]


def typescript_server(*port: str) -> list[str]:
    """Give the command line of a server on the official TypeScript library, which speaks both eras; over HTTP at a port."""
    return [node(), str(HERE / "typescript_server.cjs"), str(npm_folder()), *port]


def demo_server(era: str) -> list[str]:
    """Give the command line of the demo's own server of one era, `legacy` or `modern`."""
    return [sys.executable, "-m", f"dragoman.demo.{era}"]
