"""A proxy, as a script of the tests' server: it makes tunnels, and answers itself what it is to pass on."""

import contextlib
import socket
import threading

from tests.servers.web.server import Line, Received

__all__ = ["proxy", "refusing_proxy"]


def proxy(line: Line, request: Received) -> None:
    if request.method != "CONNECT":
        line.reply(b"by the proxy: " + request.target.encode())
        return
    # Whatever the name is, what is meant is a server of the tests' on this machine.
    port = int(request.target.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as onward:
        line.head(200)
        back = threading.Thread(target=_pass_on, args=(onward, line.connection), daemon=True)
        back.start()
        _pass_on(line.connection, onward)
        back.join(10)
    line.close()


def refusing_proxy(line: Line, request: Received) -> None:
    line.reply(b"who are you?", 407, 'Proxy-Authenticate: Basic realm="tests"')


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
