"""Run the official conformance suite against a driver, one scenario at a time, and read what it says."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.servers.installed import npm_package, recent_node

__all__ = ["EXTENSION", "FINISHED", "Report", "Scenario", "run", "scenarios"]

PACKAGE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
PATIENCE = 60
EXTENSION = "extension"
"""What stands in place of a version where a scenario is about an extension, which is run with the suite's own choice."""

FINISHED = "finished\n"
"""What a driver prints last, if it ends as it should: the suite itself does not mind how it ends."""

_LISTED = re.compile(r"^ {2}- (\S+) \[(\S+)\]$", re.MULTILINE)


@dataclass(frozen=True)
class Scenario:
    """One scenario, at one version of the protocol that it applies to."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"


@dataclass(frozen=True)
class Report:
    """What became of a run: how often each status was given, what was not passed, and what the driver said."""

    passed: int
    failed: tuple[str, ...]
    stdout: str
    stderr: str


@cache
def _suite() -> list[str]:
    script = npm_package(PACKAGE, VERSION) / "dist" / "index.js"
    return [recent_node(), str(script)]


def scenarios() -> list[Scenario]:
    """Ask the suite for all scenarios of clients, at each version."""
    said = subprocess.run([*_suite(), "list"], capture_output=True, text=True, check=True).stdout
    clients = said.partition("Client scenarios")[2].partition("\n\n")[0]
    return [Scenario(name, version) for name, versions in _LISTED.findall(clients) for version in versions.split(",")]


def run(scenario: Scenario, driver: str) -> Report:
    """Run one scenario; `driver` is a command without quotes, to which the suite adds the server's URL."""
    with tempfile.TemporaryDirectory() as folder:
        version = [] if scenario.version == EXTENSION else ["--spec-version", scenario.version]
        what = ["--scenario", scenario.name, *version]
        how = ["--command", driver, "--timeout", str(PATIENCE * 1000), "-o", folder]
        environment = {**os.environ, "PATH": f"{Path(recent_node()).parent}{os.pathsep}{os.environ['PATH']}"}
        subprocess.run(
            [*_suite(), "client", *what, *how], capture_output=True, env=environment, timeout=PATIENCE + 30, check=False
        )
        (found,) = Path(folder).rglob("checks.json")
        results = found.parent
        checks = json.loads(found.read_text("utf-8"))
        stdout, stderr = ((results / name).read_text("utf-8") for name in ("stdout.txt", "stderr.txt"))
        shutil.rmtree(results)
    bad = [check for check in checks if check["status"] not in {"SUCCESS", "INFO", "SKIPPED"}]
    return Report(
        sum(check["status"] == "SUCCESS" for check in checks),
        tuple(f"{check['status']} {check['id']}: {check.get('errorMessage') or check['description']}" for check in bad),
        stdout,
        stderr,
    )
