"""A raw line to a server in a child process, for tests that look at the wire itself."""

import json
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from typing import Any

__all__ = ["Line", "Message", "modern_meta", "open_line"]

Message = dict[str, Any]


class Line:
    """Sends messages and hands out what comes back, in order, nothing skipped."""

    def __init__(self, process: "subprocess.Popen[bytes]", dress: Callable[[Message], Message]) -> None:
        self.process = process
        self.heard: list[Message] = []
        self._dress = dress
        self._ids = count(1)

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Message) -> None:
        self.send_raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def receive(self) -> Message:
        assert self.process.stdout
        message: Message = json.loads(self.process.stdout.readline())
        self.heard.append(message)
        return message

    def request(self, method: str, params: Message | None = None) -> int:
        """Send a request, dressed as the era wants, and give its id."""
        number = next(self._ids)
        self.send({"id": number, "method": method, "params": self._dress(params or {})})
        return number

    def answer(self, number: int) -> Message:
        """Give the answer to a request; what came before it stays in `heard`."""
        while True:
            message = self.receive()
            if message.get("id") == number and "method" not in message:
                return message

    def ask(self, method: str, params: Message | None = None) -> Message:
        """Send a request and give its result."""
        result: Message = self.answer(self.request(method, params))["result"]
        return result

    def refused(self, method: str, params: Message | None = None) -> Message:
        """Send a request and give its error."""
        error: Message = self.answer(self.request(method, params))["error"]
        return error

    def call(self, name: str, arguments: Message | None = None, **more: Any) -> Message:
        return self.ask("tools/call", {"name": name, "arguments": arguments or {}, **more})

    def every(self, method: str, field: str) -> list[Message]:
        """Give the items of a list, all its pages."""
        page = self.ask(method)
        items = list(page[field])
        while "nextCursor" in page:
            page = self.ask(method, {"cursor": page["nextCursor"]})
            items += page[field]
        return items

    def hang_up(self) -> list[Message]:
        """Close the server's stdin and give what it still says."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        return [json.loads(line) for line in self.process.stdout]


def modern_meta(**more: Any) -> Message:
    """Give the `_meta` of a modern request; keywords go behind the protocol's prefix."""
    prefix = "io.modelcontextprotocol/"
    known = {"protocolVersion": "2026-07-28", "clientCapabilities": {}, **more}
    return {prefix + key: value for key, value in known.items()}


@contextmanager
def open_line(module: str, dress: Callable[[Message], Message] = lambda params: params) -> Generator[Line]:
    """Start a server and hang up at the end."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-m", module], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield Line(process, dress)
        finally:
            assert process.stdin
            try:
                process.stdin.close()
                process.wait(10)
            except (OSError, subprocess.TimeoutExpired):
                process.kill()
