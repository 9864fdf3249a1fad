"""Write the script that a puppet plays, and read what it has heard.

A script says what the server is (`capabilities`, `tools`, `contents` by URI, `hints` put into each list and resource),
and by `on` what it does instead of the obvious when a request comes: `"tools/call slow"` goes before `"tools/call"`.
`lives` has what is different in its first life, its second and so on; the last one stands for all that follow.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = [
    "Move", "Puppet", "Puppeteer", "answer", "ask", "change", "default", "die", "fails", "flood", "hear", "kill", "pause",
    "progress", "publish", "refuse", "say", "stderr", "structured", "tell", "text", "tool", "turns", "wait", "write",
]  # fmt: skip

Move = list[Any]
"""One thing that the puppet does; `$id`, `$token`, `$arguments`, `$answer`, `$life` and `$n` stand for what they name."""

Puppeteer = Callable[..., "Puppet"]

PROGRAM = str(Path(__file__).with_name("puppet.py"))
CAPABILITIES = {
    "tools": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "prompts": {"listChanged": True},
    "logging": {},
    "completions": {},
}
VERSIONS = {
    "legacy": ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
    "modern": ["2026-07-28"],
}


def answer(result: Any) -> Move:
    """Answer the request by a result."""
    return ["answer", result]


def text(words: str) -> Move:
    """Answer the tool call by a text; `json:$answer` is the client's answer to the last question, as JSON."""
    return answer({"content": [{"type": "text", "text": words}]})


def fails(words: str) -> Move:
    """Answer the tool call by an error of the tool's own."""
    return answer({"content": [{"type": "text", "text": words}], "isError": True})


def structured(value: Any) -> Move:
    """Answer the tool call by a structured result."""
    return answer({"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value})


def refuse(code: int, message: str, data: Any = None) -> Move:
    """Answer the request by an error."""
    return ["refuse", code, message, data]


def default() -> Move:
    """Do the obvious."""
    return ["default"]


def say(message: dict[str, Any]) -> Move:
    """Say any message."""
    return ["say", message]


def write(words: str) -> Move:
    """Write any text."""
    return ["write", words]


def tell(method: str, params: Any = None) -> Move:
    """Send a notification to nobody in particular."""
    return ["tell", method, params]


def publish(method: str, params: Any = None) -> Move:
    """Send a notification in the way of the era: on each listening stream, or simply so."""
    return ["publish", method, params]


def progress(done: float | str, total: float | None = None, message: str | None = None) -> Move:
    """Report the progress of the request."""
    params = {"progressToken": "$token", "progress": done, "total": total, "message": message}
    return tell("notifications/progress", {name: value for name, value in params.items() if value is not None})


def ask(method: str, params: Any = None, key: str = "question") -> Move:
    """Ask the client, in the way of the era, and wait for what it says."""
    return ["ask", key, method, params]


def wait(gate: str) -> Move:
    """Go on when the test opens a gate."""
    return ["wait", gate]


def hear(method: str | None, count: int = 1) -> Move:
    """Go on when the client has said something so often; None stands for its answers."""
    return ["hear", method, count]


def change(**settings: Any) -> Move:
    """Let something of the script be different from now on."""
    return ["change", settings]


def pause(seconds: float) -> Move:
    """Take so long."""
    return ["pause", seconds]


def stderr(words: str) -> Move:
    """Write on standard error."""
    return ["stderr", words]


def die(code: int = 1) -> Move:
    """End the process."""
    return ["die", code]


def kill() -> Move:
    """Have the process killed."""
    return ["kill"]


def flood(count: int, *moves: Move) -> Move:
    """Do something very often."""
    return ["flood", count, list(moves)]


def turns(*turns: list[Move]) -> list[Move]:
    """Do one thing the first time, another the second, and the last one from then on."""
    return [["turns", list(turns)]]


def tool(name: str, **fields: Any) -> dict[str, Any]:
    """Write a tool as a list has it."""
    return {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}, **fields}


class Puppet:
    """A scripted server that can be started by its `command`, any number of times, and what it has heard.

    Everything stays in its folder, so what was heard outlives the process.
    """

    def __init__(self, folder: Path, era: str = "legacy", **script: Any) -> None:
        folder.mkdir()
        self._folder = folder
        self.command = [sys.executable, "-I", "-S", PROGRAM, str(folder)]
        whole = {"era": era, **_usual(era), **script}
        (folder / "script.json").write_text(json.dumps(whole), "utf-8")

    def open_gate(self, name: str) -> None:
        """Let everybody go on who waits at this gate, now and later."""
        (self._folder / f"gate-{name}").touch()

    @property
    def pids(self) -> list[int]:
        """The number of each process that it has been."""
        return [entry["started"] for entry in self._record() if "started" in entry]

    def heard(self, method: str | None = None, *, life: int | None = None) -> list[dict[str, Any]]:
        """Give the messages that it has read: all, or those of one method, or of one life (from 0)."""
        return [
            entry["message"]
            for entry in self._record()
            if "message" in entry
            and (method is None or entry["message"].get("method") == method)
            and (life is None or entry["life"] == life)
        ]

    def params(self, method: str) -> list[dict[str, Any]]:
        """Give the params of the messages of one method, without their `_meta`."""
        return [
            {name: value for name, value in (message.get("params") or {}).items() if name != "_meta"}
            for message in self.heard(method)
        ]

    def called(self, name: str) -> int:
        """Count how often a tool has been called, in all its lives."""
        return sum(message["params"]["name"] == name for message in self.heard("tools/call"))

    def _record(self) -> list[dict[str, Any]]:
        record = self._folder / "record.jsonl"
        if not record.exists():
            return []
        # The last line may be half written.
        lines = record.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]


def _usual(era: str) -> dict[str, Any]:
    return {
        "versions": VERSIONS[era],
        "info": {"name": "puppet", "version": "1.0"},
        "instructions": None,
        "capabilities": CAPABILITIES,
        "tools": [tool("echo"), tool("slow")],
        "resources": [{"uri": "mem://a", "name": "a"}, {"uri": "mem://b", "name": "b"}],
        "resourceTemplates": [{"uriTemplate": "mem://{letter}", "name": "letters"}],
        "prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}],
        "contents": {"mem://a": "alpha", "mem://b": "beta"},
        "page_size": 100,
        "hints": {},
        "on": {},
    }
