"""Messages over this process's own pipes, one JSON text a line."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

__all__ = ["Message", "Wire"]

Message = dict[str, Any]


class Wire:
    """Reads messages from stdin and writes messages to stdout, whole, from any thread."""

    def __init__(self) -> None:
        self._writing = threading.Lock()

    def messages(self) -> Iterator[Message]:
        """Give each message until stdin ends; what is no message is answered here."""
        for line in sys.stdin.buffer:
            try:
                message = json.loads(line)
            except ValueError:
                self.send({"jsonrpc": "2.0", "error": {"code": -32700, "message": "this line is not JSON"}})
                continue
            if isinstance(message, dict):
                yield message
            else:
                self.send({"jsonrpc": "2.0", "error": {"code": -32600, "message": "a message is a JSON object"}})

    def send(self, message: Message) -> None:
        """Write one message; a client that has gone is told nothing."""
        rest = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            with self._writing:
                while rest:
                    rest = rest[os.write(1, rest) :]
        except BrokenPipeError:
            return
