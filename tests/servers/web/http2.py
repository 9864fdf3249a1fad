"""Speak HTTP/2 over TLS, and do to each request what a script says."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any, Self, TypeAlias

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

__all__ = ["Http2Server", "Script2", "Stream"]


class Stream:
    """One request, whole, with the stream to answer it on; a script may send on it from any thread.

    Attributes:
        is_over: set when the client has had enough of it, or of the connection.
    """

    def __init__(self, line: "_Line", number: int, headers: dict[str, str], body: bytes) -> None:
        self.line = line
        self.number = number
        self.headers = headers
        self.body = body
        self.is_over = threading.Event()

    def begin(self, status: int = 200, **headers: str) -> None:
        named = [(name.replace("_", "-"), value) for name, value in headers.items()]
        self.line.change(lambda http: http.send_headers(self.number, [(":status", str(status)), *named]))

    def send(self, data: bytes, *, is_end: bool = False) -> None:
        self.line.change(lambda http: http.send_data(self.number, data, end_stream=is_end))

    def reply(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.begin(status, **headers)
        self.send(body, is_end=True)

    def reset(self) -> None:
        """Break off this stream alone."""
        self.line.change(lambda http: http.reset_stream(self.number, h2.errors.ErrorCodes.INTERNAL_ERROR))

    def hang_up(self) -> None:
        """Break off the whole connection."""
        self.line.close()


Script2: TypeAlias = Callable[[Stream], None]


class _Line:
    """One connection; what is sent on it is sent by one at a time."""

    def __init__(self, connection: ssl.SSLSocket) -> None:
        self.connection = connection
        self.streams: dict[int, Stream] = {}
        self._guard = threading.Lock()
        self._http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.change(lambda http: http.initiate_connection())

    def change(self, do: Callable[[h2.connection.H2Connection], Any]) -> Any:
        with self._guard, contextlib.suppress(OSError, h2.exceptions.ProtocolError):
            result = do(self._http)
            self.connection.sendall(self._http.data_to_send())
            return result

    def heard(self, data: bytes) -> list[Any]:
        return self.change(lambda http: http.receive_data(data)) or []

    def close(self) -> None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self.connection, socket.SHUT_RDWR)


class Http2Server:
    """A server on a free port of this machine.

    Attributes:
        streams: every request that has arrived, whole.
        connections: how many connections have been accepted.
        may_go_on: for the test to let scripts go on.
        finished: released each time that a connection is over.
    """

    def __init__(self, script: Script2, tls: ssl.SSLContext) -> None:
        tls.set_alpn_protocols(["h2"])
        self.script = script
        self.streams: list[Stream] = []
        self.connections = 0
        self.may_go_on = threading.Event()
        self.finished = threading.Semaphore(0)
        self._tls = tls
        self._lines: list[_Line] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"https://localhost:{self._listener.getsockname()[1]}/mcp"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.may_go_on.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in self._lines:
            line.close()
        for thread in self._threads:
            thread.join(10)

    def _start(self, function: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, connection)

    def _serve(self, plain: socket.socket) -> None:
        with contextlib.suppress(OSError), self._tls.wrap_socket(plain, server_side=True) as connection:
            line = _Line(connection)
            self._lines.append(line)
            bodies: dict[int, tuple[dict[str, str], bytearray]] = {}
            while data := connection.recv(65536):
                for event in line.heard(data):
                    self._take(line, bodies, event)
            for stream in line.streams.values():
                stream.is_over.set()
        self.finished.release()

    def _take(self, line: _Line, bodies: dict[int, tuple[dict[str, str], bytearray]], event: Any) -> None:
        match event:
            case h2.events.RequestReceived():
                headers = {str(name): str(value) for name, value in event.headers}
                bodies[event.stream_id] = headers, bytearray()
            case h2.events.DataReceived():
                bodies[event.stream_id][1].extend(event.data)
                size, number = event.flow_controlled_length, event.stream_id
                line.change(lambda http: http.acknowledge_received_data(size, number))
            case h2.events.StreamEnded():
                headers, body = bodies.pop(event.stream_id)
                stream = line.streams[event.stream_id] = Stream(line, event.stream_id, headers, bytes(body))
                self.streams.append(stream)
                self._start(self.script, stream)
            case h2.events.StreamReset():
                if event.stream_id in line.streams:
                    line.streams[event.stream_id].is_over.set()
            case _:
                pass
