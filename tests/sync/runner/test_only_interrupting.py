"""Ctrl-C while calls run side by side, in a program of its own: it comes at once, and no server goes on with them."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.servers import written
from tests.servers.serving import Serving

PROGRAM = '''
import json, logging, re, sys, time
from dragoman import Chat, Client, ScriptedModel, ToolCall, ToolRunner, tool

where, options, way, local = json.loads(sys.argv[1])

@tool
def stubborn() -> str:
    "Wait for what never comes."
    time.sleep(20)
    return "late"

class Progress(logging.Handler):
    """Say when both calls have been heard of."""
    seen = set()

    def emit(self, record: logging.LogRecord) -> None:
        if " < " in record.getMessage() and len(self.seen) < 2:
            self.seen |= set(re.findall(r'"progressToken": ?"?(\\w+)', record.getMessage()))
            if len(self.seen) == 2:
                print("under way", flush=True)

wire = logging.getLogger("dragoman.wire")
wire.addHandler(Progress())
wire.setLevel(logging.DEBUG)
wire.propagate = False

with Client.connect(where, **options) as client:
    calls = [ToolCall.scripted("slow", {"steps": 300, "seconds": 30}, id=name) for name in "ab"]
    calls += [ToolCall.scripted("stubborn", id="c")] * local
    runner = ToolRunner(client, stubborn)
    chat = Chat(ScriptedModel(calls, "Well."), runner)
    client.call_tool("echo", {"text": "warm"})
    try:
        chat.send("Go.") if way == "chat" else runner.run(calls)
        how = "ended"
    except KeyboardInterrupt:
        how = "interrupted"
    print(how, flush=True)
    deadline = time.monotonic() + 10
    while client.call_tool("cancelled").text != "2" and time.monotonic() < deadline:
        time.sleep(0.02)
    told = [client.call_tool("cancelled").text, client.call_tool("echo", {"text": "still here"}).text]
    told.append(chat.proceed().text if way == "chat" else runner.call("add", {"a": 2, "b": 3}).text)
    print(json.dumps(told), flush=True)
'''

WAYS = [("stdio", {}), ("http", {"engine": "default"}), ("http", {"engine": "httpx"})]


@contextmanager
def reached(kind: str) -> Generator[Any]:
    if kind == "stdio":
        yield written.mcp_server()
        return
    with Serving(lambda port: written.mcp_server("--http", str(port))) as serving:
        yield serving.url


def interrupted(where: Any, options: Any, way: str, local: int = 0) -> tuple[list[str], float, list[str]]:
    """Run the program, press Ctrl-C when its calls are under way, and give its words and how long it took to heed that."""
    arguments = json.dumps([where, options, way, local])
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        said = [program.stdout.readline().strip()]
        pressed = time.monotonic()
        program.send_signal(signal.SIGINT)
        said.append(program.stdout.readline().strip())
        taken = time.monotonic() - pressed
        rest, errors = program.communicate(timeout=40)
    assert program.returncode == 0, errors
    return said, taken, json.loads(rest)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(("kind", "options"), WAYS, ids=["stdio", "http", "httpx"])
def test_run_is_interrupted(kind: str, options: Any, version: str) -> None:
    with reached(kind) as where:
        said, taken, told = interrupted(where, {**options, "versions": [version]}, "runner")

    assert said == ["under way", "interrupted"]
    assert taken < 1.0
    assert told == ["2", "still here", "5"]


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_chat_is_interrupted_and_goes_on(version: str) -> None:
    said, taken, told = interrupted(written.mcp_server(), {"versions": [version]}, "chat")

    assert said == ["under way", "interrupted"]
    assert taken < 1.0
    assert told == ["2", "still here", "Well."]


def test_function_that_cannot_be_interrupted_is_left_behind() -> None:
    said, taken, told = interrupted(written.mcp_server(), {}, "runner", local=1)

    assert said == ["under way", "interrupted"]
    assert taken < 1.5
    assert told == ["2", "still here", "5"]
