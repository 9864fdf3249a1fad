"""What a server may do to a request."""

import os
import socket
import threading

from tests.servers.web.server import Line, Received, Script

__all__ = [
    "answer",
    "break_tls",
    "chunked_echo",
    "close_after_answer",
    "close_before_answer",
    "close_in_body",
    "close_in_head",
    "drip",
    "echo",
    "garbage",
    "gather",
    "in_turn",
    "redirect",
    "reset_after_answer",
    "reset_before_answer",
    "reset_in_body",
    "stall",
    "stall_in_body",
    "step_by_step",
    "too_short",
    "until_close",
    "with_interim",
]


def echo(line: Line, request: Received) -> None:
    """Answer with what was sent."""
    line.reply(request.body)


def answer(body: bytes, status: int = 200, *headers: str) -> Script:
    """Answer with the same, every time."""
    return lambda line, _: line.reply(body, status, *headers)


def in_turn(*scripts: Script) -> Script:
    """Do another thing to each request of all connections; the last for ever."""

    def script(line: Line, request: Received) -> None:
        scripts[min(len(line.server.requests), len(scripts)) - 1](line, request)

    return script


def close_before_answer(line: Line, _: Received) -> None:
    line.close()


def close_in_head(line: Line, _: Received) -> None:
    """Close where the lines so far could be taken for a whole head."""
    line.send(b"HTTP/1.1 200 OK\r\nX-Some: thing\r\n")
    line.close()


def break_tls(line: Line, _: Received) -> None:
    """Send what is no TLS on a connection that speaks it."""
    with socket.socket(fileno=os.dup(line.connection.fileno())) as plain:
        plain.sendall(b"this is no record of TLS")
    line.close()


def reset_before_answer(line: Line, _: Received) -> None:
    line.reset()


def close_after_answer(line: Line, request: Received) -> None:
    """Answer as if the connection were kept, and close it."""
    line.reply(request.body)
    line.close()


def reset_after_answer(line: Line, request: Received) -> None:
    """Answer as if the connection were kept, and break it."""
    line.reply(request.body)
    line.reset()


def chunked_echo(line: Line, request: Received) -> None:
    """Answer with what was sent, in chunks of a byte."""
    line.begin_chunks()
    for byte in request.body:
        line.chunk(bytes([byte]))
    line.end_chunks()


def gather(number: int) -> Script:
    """Answer when so many requests are there."""
    barrier = threading.Barrier(number)

    def script(line: Line, request: Received) -> None:
        barrier.wait(30)
        line.reply(request.body)

    return script


def close_in_body(line: Line, _: Received) -> None:
    line.begin_chunks()
    line.chunk(b"half")
    line.close()


def too_short(line: Line, _: Received) -> None:
    """Announce more than is sent."""
    line.head(200, "Content-Length: 10")
    line.send(b"half")
    line.close()


def reset_in_body(line: Line, _: Received) -> None:
    line.head(200, "Content-Length: 10")
    line.send(b"half")
    line.server.may_go_on.wait(10)
    line.reset()


def stall(line: Line, _: Received) -> None:
    line.wait_for_the_end()


def stall_in_body(line: Line, _: Received) -> None:
    line.begin_chunks("Content-Type: text/event-stream")
    line.chunk(b"first")
    line.wait_for_the_end()


def drip(line: Line, _: Received) -> None:
    """Send a byte now and then, for as long as anybody listens."""
    line.begin_chunks()
    try:
        while not line.server.is_stopping:
            line.chunk(b".")
            line.server.may_go_on.wait(0.05)
    except OSError:
        line.server.hung_up.release()


def step_by_step(chunks: list[bytes]) -> Script:
    """Send a chunk, and each further one when the test has released a step."""

    def script(line: Line, _: Received) -> None:
        line.begin_chunks()
        for number, chunk in enumerate(chunks):
            if number:
                line.server.steps.acquire(timeout=10)
            line.chunk(chunk)
        line.server.steps.acquire(timeout=10)
        line.end_chunks()

    return script


def until_close(body: bytes) -> Script:
    """Answer in the way of HTTP/1.0: the body ends with the connection."""

    def script(line: Line, _: Received) -> None:
        line.send(b"HTTP/1.0 200 OK\r\n\r\n" + body)
        line.close()

    return script


def with_interim(line: Line, request: Received) -> None:
    """Send two interim answers before the real one."""
    line.send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    line.reply(request.body)


def redirect(line: Line, _: Received) -> None:
    line.reply(b"", 307, "Location: /elsewhere")


def garbage(line: Line, _: Received) -> None:
    line.send(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")
    line.close()
