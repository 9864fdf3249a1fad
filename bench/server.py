"""A server that does almost nothing, as fast as Python can: `python -m bench.server [modern|legacy] [number of tools]`.

Requests are recognised by pattern and answered from bytes made beforehand; whatever arrived together is answered by one
write. It is no model for a server: only this benchmark's clients are sure to be understood.
"""

import json
import os
import re
import sys
from typing import Any

ID = re.compile(rb'"id":\s*("[^"]*"|\d+)')
METHOD = re.compile(rb'"method":\s*"([^"]+)"')
TOKEN = re.compile(rb'"progressToken":\s*("[^"]*"|\d+)')
TOOL = re.compile(rb'"name":\s*"bench-(\w+)"')
COUNT = re.compile(rb'"count":\s*(\d+)')
MEGABYTES = re.compile(rb'"megabytes":\s*(\d+)')
CHUNK = 1 << 20

NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
REPORT: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}, "mean": {"type": "number"}, "values": NUMBERS},
    "required": ["name", "mean", "values"],
    "additionalProperties": False,
}
MEASURED = {"name": "a sample", "mean": 3.5, "values": [1, 2, 3, 4, 5, 6]}
LINE = "All that is gold does glitter here, eighty characters a line, so it can be long.\n"
CAPABILITIES: dict[str, Any] = {"tools": {}}
IDENTITY = {"name": "bench", "version": "1"}


def tools(count: int) -> list[dict[str, Any]]:
    """Describe the tools on offer, and as many more of an ordinary kind as make up the count."""
    anything: dict[str, Any] = {"type": "object"}
    own = [
        {"name": "bench-echo", "inputSchema": anything},
        {"name": "bench-report", "inputSchema": anything, "outputSchema": REPORT},
        {"name": "bench-text", "inputSchema": anything},
        {"name": "bench-events", "inputSchema": anything},
    ]
    return own + [ordinary(number) for number in range(count - len(own))]


def ordinary(number: int) -> dict[str, Any]:
    """Describe a tool as servers do that have many: a paragraph, four arguments, annotations."""
    properties = {
        "path": {"type": "string", "description": "Where to look, relative to the root of the project."},
        "pattern": {"type": "string", "description": "What to look for.", "minLength": 1},
        "limit": {"type": "integer", "description": "How many to give at most.", "minimum": 1, "default": 100},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["file", "folder", "link"]}},
    }
    return {
        "name": f"search_{number}",
        "title": f"Search number {number}",
        "description": f"Searches place number {number} and lists what matches, the newest first. Never changes it.",
        "inputSchema": {"type": "object", "properties": properties, "required": ["path", "pattern"]},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }


class Answers:
    """The answers, all but their ids, encoded once."""

    def __init__(self, era: str, number_of_tools: int) -> None:
        self.is_modern = era == "modern"
        self._methods = {
            b"tools/list": self.encoded({"tools": tools(number_of_tools)}),
            b"initialize": self.encoded(
                {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": IDENTITY}
            ),
            b"ping": self.encoded({}),
        }
        if self.is_modern:
            self._methods[b"server/discover"] = self.encoded(
                {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES}
            )
        self._echo = self.encoded({"content": [{"type": "text", "text": "hello"}]})
        report = {"content": [{"type": "text", "text": json.dumps(MEASURED)}], "structuredContent": MEASURED}
        self._report = self.encoded(report)
        self._texts: dict[int, bytes] = {}
        self._unknown = b',"error":{"code":-32601,"message":"unknown method"}}\n'

    def encoded(self, result: dict[str, Any]) -> bytes:
        """Encode a result with what the era wants on it, and all that follows the id of its message."""
        more = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if self.is_modern else {}
        return b',"result":' + json.dumps({**result, **more}, separators=(",", ":")).encode() + b"}\n"

    def to(self, method: bytes, line: bytes) -> bytes:
        """Give the answer to a request, all but its beginning."""
        if method != b"tools/call":
            return self._methods.get(method, self._unknown)
        tool = TOOL.search(line)
        if tool is None or tool[1] == b"echo":
            return self._echo
        size = MEGABYTES.search(line)
        return self.text(int(size[1])) if size else self._report

    def text(self, megabytes: int) -> bytes:
        """Give a result with one long text, encoded when it is first asked for."""
        if megabytes not in self._texts:
            text = LINE * (megabytes * 1_000_000 // len(LINE))
            self._texts[megabytes] = self.encoded({"content": [{"type": "text", "text": text}]})
        return self._texts[megabytes]


def serve(answers: Answers) -> None:
    """Answer until stdin ends."""
    rest = b""
    while chunk := os.read(0, CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        replies = []
        for line in lines:
            number, method = ID.search(line), METHOD.search(line)
            if number and method:
                replies.append(b'{"jsonrpc":"2.0","id":' + number[1] + answers.to(method[1], line))
        write(b"".join(replies))


def write(data: bytes) -> None:
    """Write everything, however little the pipe takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


if __name__ == "__main__":
    serve(Answers(sys.argv[1] if len(sys.argv) > 1 else "modern", int(sys.argv[2]) if len(sys.argv) > 2 else 3))
