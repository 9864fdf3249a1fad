"""What the tests of the runner share: a function as a tool, an observer, and servers that list the tools they are told to."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from dragoman.models.functions import tool
from dragoman.models.observing import Observation
from tests.servers.scripts.play import fails, refuse, structured, text
from tests.servers.scripts.play import tool as listed

__all__ = ["SCRIPT", "Watcher", "boom", "current_utc_time", "failing"]

SCRIPT: dict[str, Any] = {
    "tools": [
        listed(
            "echo",
            inputSchema={
                "type": "object",
                "properties": {"text": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
                "required": ["text"],
                "additionalProperties": False,
            },
        ),
        listed("slow"),
        listed("fail"),
        listed("count"),
        listed("refuse"),
        listed("die"),
    ],
    "on": {
        "tools/call echo": [text("json:$arguments")],
        "tools/call fail": [fails("ENOENT: no such file")],
        "tools/call count": [structured({"count": 3})],
        "tools/call refuse": [refuse(-32602, "no such thing")],
        "tools/call die": [["die", 3]],
    },
}


@tool
def current_utc_time() -> str:
    """Tell the time, in UTC."""
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


@tool
def boom(why: str = "no reason") -> str:
    """Fail."""
    raise ValueError(why)


@tool(name="fail")
def failing() -> str:
    """Fail, under a name that a server has as well."""
    raise LookupError("nothing here")


class Watcher:
    """An observer that remembers what it saw."""

    def __init__(self, meta: Mapping[str, Any] | None = None) -> None:
        self.started: list[Observation] = []
        self.stopped: list[Observation] = []
        self._meta = meta

    def start(self, observation: Observation) -> Mapping[str, Any] | None:
        self.started.append(observation)
        return self._meta

    def stop(self, observation: Observation) -> None:
        self.stopped.append(observation)
