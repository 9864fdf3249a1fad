"""Record the tools that public servers list, for the tests that convert them: one file a server in tests/models/corpus.

    python tools/record_tools.py               all servers
    python tools/record_tools.py memory git    some of them

Installs each server from its registry into a temporary folder. Keys are made up: to list its tools, no server uses one.
"""

import json
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass, field
from pathlib import Path

from dragoman import Client, McpError
from dragoman.types import to_json

__all__ = ["SERVERS", "Server", "main"]

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests/models/corpus"
TIMEOUT = 60.0


@dataclass(frozen=True)
class Server:
    """A public server: the registry, the package, and what its command is given."""

    registry: str
    package: str
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


def npm(package: str, *arguments: str, **environment: str) -> Server:
    return Server("npm", package, arguments, environment)


def pypi(package: str, *arguments: str, **environment: str) -> Server:
    return Server("pypi", package, arguments, environment)


SERVERS = {
    "brave-search": npm("@modelcontextprotocol/server-brave-search", BRAVE_API_KEY="none"),
    "chrome-devtools": npm("chrome-devtools-mcp"),
    "context7": npm("@upstash/context7-mcp"),
    "duckduckgo": pypi("duckduckgo-mcp-server"),
    "everart": npm("@modelcontextprotocol/server-everart", EVERART_API_KEY="none"),
    "everything": npm("@modelcontextprotocol/server-everything"),
    "exa": npm("exa-mcp-server", EXA_API_KEY="none"),
    "fetch": pypi("mcp-server-fetch"),
    "filesystem": npm("@modelcontextprotocol/server-filesystem", "."),
    "firecrawl": npm("firecrawl-mcp", FIRECRAWL_API_KEY="fc-none"),
    "git": pypi("mcp-server-git"),
    "github": npm("@modelcontextprotocol/server-github", GITHUB_PERSONAL_ACCESS_TOKEN="none"),
    "google-maps": npm("@modelcontextprotocol/server-google-maps", GOOGLE_MAPS_API_KEY="none"),
    "memory": npm("@modelcontextprotocol/server-memory"),
    "notion": npm("@notionhq/notion-mcp-server", NOTION_TOKEN="none"),
    "playwright": npm("@playwright/mcp"),
    "sequential-thinking": npm("@modelcontextprotocol/server-sequential-thinking"),
    "slack": npm("@modelcontextprotocol/server-slack", SLACK_BOT_TOKEN="none", SLACK_TEAM_ID="none"),
    "tavily": npm("tavily-mcp", TAVILY_API_KEY="none"),
    "time": pypi("mcp-server-time"),
}


def command(server: Server, folder: Path) -> list[str]:
    """Install a server into a folder and give its command line."""
    if server.registry == "npm":
        quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
        subprocess.run(["npm", "install", *quiet, "--prefix", str(folder), server.package], check=True)
        programs = json.loads((folder / "node_modules" / server.package / "package.json").read_text("utf-8"))["bin"]
        script = programs if isinstance(programs, str) else next(iter(programs.values()))
        return ["node", str(folder / "node_modules" / server.package / script), *server.arguments]
    venv.create(folder, with_pip=True)
    subprocess.run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", server.package], check=True)
    return [str(folder / "bin" / server.package), *server.arguments]


def record(name: str, server: Server) -> None:
    """Write what a server lists."""
    with tempfile.TemporaryDirectory() as folder:
        argv = command(server, Path(folder))
        with Client.connect(argv, env=server.environment, cwd=folder, timeout=TIMEOUT) as client:
            tools = [to_json(tool) for tool in client.list_tools()]
            version = client.server.version
    text = json.dumps({"package": server.package, "version": version, "tools": tools}, indent=1, ensure_ascii=False)
    (CORPUS / f"{name}.json").write_text(f"{text}\n", "utf-8")
    print(f"{name}: {len(tools)} tools")


def main(names: list[str]) -> int:
    """Record the named servers; gives the exit code."""
    CORPUS.mkdir(exist_ok=True)
    failed = 0
    for name in names or SERVERS:
        try:
            record(name, SERVERS[name])
        except (McpError, OSError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f"{name}: {error}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
