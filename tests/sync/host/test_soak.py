# generated from tests/aio/host/test_soak.py by tools/unasync.py; do not edit
"""Servers of every kind, transport and mood under one host, called, killed and reloaded at random.

It runs for some seconds; DRAGOMAN_SOAK=600 makes it ten minutes.
"""

import contextlib
import json
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman import BreakerPolicy, Host
from dragoman.deadline import Deadline, now
from dragoman.errors import McpError
from dragoman.sync._runtime import pause
from tests.servers.installed import git_server, npm_server, silent_server, time_server
from tests.servers.scripts.play import Puppeteer, change, die, publish, text, tool, wait
from tests.servers.scripts.play import pause as rest
from tests.servers.serving import Serving
from tests.servers.written import mcp_server
from tests.sync.client.support import Background, until
from tests.sync.host.support import entry, states

SECONDS = float(os.environ.get("DRAGOMAN_SOAK", "8"))
TELL = publish("notifications/tools/list_changed")
CALLERS = 4
PATIENCE = 8
QUICK = BreakerPolicy(seconds=1.0)
SLOW_MACHINE = 60
"""Seconds that starting some servers may take where many tests run at once."""
KNOWN: list[tuple[str, str, dict[str, Any]]] = [
    ("everything", "echo", {"message": "hi"}),
    ("files", "list_allowed_directories", {}),
    ("time", "get_current_time", {"timezone": "UTC"}),
    ("quiet", "get_current_time", {"timezone": "UTC"}),
    ("modern", "echo", {"n": 1}),
    ("modern", "slow", {}),
    ("restless", "base", {}),
    ("web", "add", {"a": 1, "b": 2}),
    ("older", "echo", {"message": "hi"}),
]


def written(command: list[str], **fields: Any) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:], **fields}


def restless() -> dict[str, Any]:
    """Write a server that has other tools every second."""
    turns = [[change(tools=[tool("base"), tool(f"turn-{n}")]), TELL, rest(1.0)] for n in range(30)]
    moves = [move for turn in turns * 25 for move in turn]
    return {"tools": [tool("base")], "on": {"tools/call base": [text("begun"), *moves]}}


@pytest.fixture
def web() -> Iterator[list[Serving]]:
    """Serve a modern server over HTTP, and a legacy one over HTTP+SSE."""
    sse = Serving(
        lambda _: npm_server("server-everything", "sse"), path="/sse", environment=lambda port: {"PORT": str(port)}
    )
    with Serving(lambda port: mcp_server("--http", str(port))) as modern, sse as older:
        yield [modern, older]


@pytest.fixture
def servers(puppet: Puppeteer, tmp_path: Path, web: list[Serving]) -> dict[str, Any]:
    (tmp_path / "files").mkdir()
    silent = puppet(on={"initialize": [wait("never")], "server/discover": [wait("never")]})
    loop = puppet(start=[die(1)])
    return {
        "everything": written(npm_server("server-everything")),
        "files": written(npm_server("server-filesystem", str(tmp_path / "files"))),
        "git": written(git_server()),
        "time": written(time_server()),
        "quiet": written(silent_server()),
        "modern": entry(puppet("modern", on={"tools/call slow": [rest(0.2), text("slow")]})),
        "restless": entry(puppet("modern", **restless())),
        "hangs": entry(silent),
        "crashes": entry(loop),
        "refuses": {"url": "http://127.0.0.1:9/mcp"},
        "web": {"url": web[0].url},
        "older": {"url": web[1].url},
    }


def calls(rng: random.Random) -> Iterator[tuple[str, str, dict[str, Any]]]:
    while True:
        yield rng.choice(KNOWN)


@pytest.mark.timeout(SECONDS + 10 * SLOW_MACHINE)
def test_servers_of_every_mood_under_one_host(servers: dict[str, Any], web: list[Serving], tmp_path: Path) -> None:
    file, audit = tmp_path / "mcp.json", tmp_path / "audit.jsonl"
    others = children(web)
    write(file, servers)
    given: dict[tuple[str, str], str] = {}
    outcomes: Counter[str] = Counter()
    good = set(servers) - {"hangs", "crashes", "refuses"}
    with Host.open(file, patience=PATIENCE, audit=audit, timeout=10, breaker=QUICK) as host:
        until(lambda: {name for name, state in states(host).items() if state == "ready"} == good, SLOW_MACHINE)
        callers = [Background(call, host, random.Random(n), outcomes) for n in range(CALLERS)]
        rng, deadline = random.Random(7), Deadline(SECONDS)
        while not deadline.expired:
            pause(0.5)
            match rng.randrange(5):
                case 0:
                    kill_one(rng, web, others)
                case 2:
                    start_anew(rng.choice(web))
                case 1:
                    write(file, {**servers, "time": {**servers["time"], "env": {"N": str(rng.random())}}})
                    host.reload()
                case _:
                    began = now()
                    for each in host.list_tools():
                        assert given.setdefault((each.server, each.tool.name), each.name) == each.name
                    assert now() - began < PATIENCE + 10
        for caller in callers:
            caller.wait(SECONDS + SLOW_MACHINE)
        # Whoever was killed just before is back in the end.
        for server, name, arguments in KNOWN:
            comes_back(host, server, name, arguments, outcomes)

    found = records(audit)
    assert len(set(given.values())) == len(given)
    assert outcomes["made"] == sum(outcomes[each] for each in ("ok", "failed"))
    ended = Counter(record["call"] for record in found if record["event"] == "outcome")
    begun = Counter(record["call"] for record in found if record["event"] == "call")
    assert begun == ended
    assert set(begun.values()) == {1}
    assert sum(begun.values()) <= outcomes["made"]
    until(lambda: not children(web) - others)


def call(host: Host, rng: random.Random, outcomes: Counter[str]) -> None:
    """Call one tool after the other; each call ends, and once."""
    deadline = Deadline(SECONDS)
    for server, name, arguments in calls(rng):
        if deadline.expired:
            return
        is_answered(host, server, name, arguments, outcomes)
        pause(0.01)


def is_answered(host: Host, server: str, name: str, arguments: dict[str, Any], outcomes: Counter[str]) -> bool:
    outcomes["made"] += 1
    try:
        host.call_tool(host.tool(server, name), arguments)
    except McpError:
        outcomes["failed"] += 1
        return False
    outcomes["ok"] += 1
    return True


def comes_back(host: Host, server: str, name: str, arguments: dict[str, Any], outcomes: Counter[str]) -> None:
    deadline = Deadline(SLOW_MACHINE)
    while not is_answered(host, server, name, arguments, outcomes):
        assert not deadline.expired, f"{server} did not come back"
        pause(0.2)


def write(file: Path, servers: dict[str, Any]) -> None:
    file.write_text(json.dumps({"mcpServers": servers}), "utf-8")


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def children(web: list[Serving]) -> set[int]:
    """Give the processes that this one has started, but for those that serve HTTP, where the system tells."""
    found: set[int] = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError):  # its thread has ended meanwhile
            found |= set(map(int, listed.read_text("ascii").split()))
    return found - {serving.pid for serving in web if serving.pid is not None}


def start_anew(serving: Serving) -> None:
    """Kill what serves HTTP, and start it again, as when something new is deployed."""
    serving.kill()
    serving.start()


def kill_one(rng: random.Random, web: list[Serving], others: set[int]) -> None:
    found = sorted(children(web) - others)
    if found and sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError):
            os.kill(rng.choice(found), signal.SIGKILL)
