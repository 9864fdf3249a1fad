"""The least a sync client could do over HTTP: a connection for each call that is at once, kept for the next one."""

import socket
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from bench.contenders.posts import Answer, post
from bench.contenders.shapes import Envelope, decode_result

CHUNK = 1 << 18


class Connection:
    def __init__(self, host: str, port: int) -> None:
        self._place = host, port
        self._numbers = count(1)
        self._idle: list[socket.socket] = []

    def ask(self, method: str, *call: Any) -> list[Envelope]:
        try:
            line = self._idle.pop()
        except IndexError:
            line = socket.create_connection(self._place)
        line.sendall(post(next(self._numbers), method, *call))
        answer = Answer()
        while not answer.feed(line.recv(CHUNK)):
            pass
        self._idle.append(line)
        return answer.envelopes()

    def echo(self) -> str:
        return decode_result(self.ask("tools/call", "bench-echo", {"text": "hello"})[-1].result).text

    def events(self, count: int) -> int:
        return len(self.ask("tools/call", "bench-events", {"count": count})) - 1

    def close(self) -> None:
        for line in self._idle:
            line.close()


@contextmanager
def connect(target: str) -> Generator[Connection]:
    parts = urlsplit(target)
    connection = Connection(parts.hostname or "", parts.port or 80)
    connection.ask("server/discover")
    yield connection
    connection.close()
