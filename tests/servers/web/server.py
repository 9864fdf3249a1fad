"""Accept connections, read requests, and do to them what a script says."""

import contextlib
import os
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, TypeAlias

__all__ = ["Line", "Received", "Script", "WebServer"]


@dataclass(frozen=True)
class Received:
    """A request, as it arrived; `number` counts those of its connection from 1."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    number: int

    def header(self, name: str) -> str | None:
        return next((value for each, value in self.headers if each.lower() == name.lower()), None)


class Line:
    """One connection, as a script sees it."""

    def __init__(self, server: "WebServer", connection: socket.socket) -> None:
        self.server = server
        self.connection = connection
        self.closed = threading.Event()
        """Set when the client has ended the connection while a script waited for that."""

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def head(self, status: int = 200, *headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Whatever", *headers, "", ""]
        self.send("\r\n".join(lines).encode("latin-1"))

    def reply(self, body: bytes = b"{}", status: int = 200, *headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}", *headers, "", ""]
        self.send("\r\n".join(lines).encode("latin-1") + body)

    def begin_chunks(self, *headers: str) -> None:
        self.head(200, "Transfer-Encoding: chunked", *headers)

    def chunk(self, data: bytes) -> None:
        self.send(b"%x\r\n%b\r\n" % (len(data), data))

    def end_chunks(self) -> None:
        self.send(b"0\r\n\r\n")

    def close(self) -> None:
        """Close in an orderly way."""
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self.connection, socket.SHUT_RDWR)
        self.connection.close()

    def reset(self) -> None:
        """Close by a reset, as a crash or a firewall does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())

    def wait_for_the_end(self) -> None:
        """Say nothing until the client, or the test, has had enough."""
        with contextlib.suppress(OSError):
            while self.connection.recv(65536):
                pass
        if not self.server.is_stopping:
            self.closed.set()
            self.server.hung_up.release()


Script: TypeAlias = Callable[[Line, Received], None]


class WebServer:
    """A server on a free port of this machine.

    Attributes:
        requests: all that has arrived.
        connections: how many connections have been accepted.
        hung_up: released each time that a client ends a connection on which a script waits for that.
        finished: released each time that a connection is over.
        closes_at_once: whether connections are closed as soon as they have been accepted.
        steps: for the test to release a script's next step.
        may_go_on: for the test to let a script go on.
        open, most: how many connections are open, and were at most.
    """

    def __init__(
        self, script: Script, tls: ssl.SSLContext | None = None, greeting: bytes = b"", address: str = "127.0.0.1"
    ) -> None:
        self.script = script
        self.requests: list[Received] = []
        self.connections = 0
        self.most = 0
        self.hung_up = threading.Semaphore(0)
        self.finished = threading.Semaphore(0)
        self.steps = threading.Semaphore(0)
        self.may_go_on = threading.Event()
        self.is_stopping = False
        self.closes_at_once = False
        self._tls = tls
        self._greeting = greeting
        self._lines: set[Line] = set()
        self._guard = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(
            (address, 0), family=socket.AF_INET6 if ":" in address else socket.AF_INET, backlog=512
        )
        self.port: int = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        scheme = "https" if self._tls else "http"
        return f"{scheme}://localhost:{self.port}/mcp"

    @property
    def open(self) -> int:
        with self._guard:
            return len(self._lines)

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.is_stopping = True
        self.may_go_on.set()
        self.steps.release(1000)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._guard:
            lines = list(self._lines)
        for line in lines:
            line.close()
        for thread in self._threads:
            thread.join(10)

    def after(self, seconds: float, function: Callable[[], None]) -> None:
        """Do something a while from now."""
        self._start(lambda: None if self.may_go_on.wait(seconds) else function())

    def _start(self, function: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.is_stopping:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._guard:
                self.connections += 1
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        if self.closes_at_once:
            connection.close()
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(OSError):
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            connection.sendall(self._greeting)
            line = Line(self, connection)
            with self._guard:
                self._lines.add(line)
                self.most = max(self.most, len(self._lines))
            try:
                self._converse(line)
            finally:
                with self._guard:
                    self._lines.discard(line)
        connection.close()
        self.finished.release()

    def _converse(self, line: Line) -> None:
        reader = line.connection.makefile("rb")
        number = 0
        with reader:
            while request := _read(reader.readline, reader.read, number := number + 1):
                self.requests.append(request)
                self.script(line, request)


def _read(read_line: Callable[[], bytes], read: Callable[[int], bytes], number: int) -> Received | None:
    first = read_line().decode("latin-1").split()
    if len(first) != 3:
        return None
    headers: list[tuple[str, str]] = []
    while text := read_line().decode("latin-1").strip():
        name, _, value = text.partition(":")
        headers.append((name, value.strip()))
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    body = read(length)
    return Received(first[0], first[1], tuple(headers), body, number) if len(body) == length else None
