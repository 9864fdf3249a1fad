"""The least a sync client could do: write, then read until the answer is there; one caller at a time."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from threading import Lock
from typing import Any

from msgspec import Raw

from bench.contenders.shapes import decode_envelope, decode_result, decode_tools, request

CHUNK = 1 << 20


class Connection:
    def __init__(self, stdin: int, stdout: int) -> None:
        self._stdin, self._stdout = stdin, stdout
        self._numbers = count(1)
        self._turn = Lock()

    def ask(self, method: str, *call: Any) -> Raw:
        with self._turn:
            os.write(self._stdin, request(next(self._numbers), method, *call))
            parts = [os.read(self._stdout, CHUNK)]
            while not parts[-1].endswith(b"\n"):
                parts.append(os.read(self._stdout, CHUNK))
        return decode_envelope(b"".join(parts)).result

    def echo(self) -> str:
        return decode_result(self.ask("tools/call", "bench-echo", {"text": "hello"})).text

    def report(self) -> Any:
        return decode_result(self.ask("tools/call", "bench-report", {})).structured

    def list_tools(self) -> int:
        return len(decode_tools(self.ask("tools/list")).tools)

    def text(self, megabytes: int) -> int:
        return len(decode_result(self.ask("tools/call", "bench-text", {"megabytes": megabytes})).text)


@contextmanager
def connect(command: list[str]) -> Generator[Connection]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdin
        assert child.stdout
        connection = Connection(child.stdin.fileno(), child.stdout.fileno())
        connection.ask("server/discover")
        yield connection
