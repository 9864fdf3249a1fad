"""What a server may do to a request."""

import gzip

from tests.servers.web.server import Line, Received, Script

__all__ = [
    "answer",
    "close_after_answer",
    "close_before_answer",
    "close_in_body",
    "drip",
    "echo",
    "garbage",
    "in_turn",
    "redirect",
    "reset_before_answer",
    "reset_in_body",
    "stall",
    "stall_in_body",
    "zipped",
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


def reset_before_answer(line: Line, _: Received) -> None:
    line.reset()


def close_after_answer(line: Line, request: Received) -> None:
    """Answer as if the connection were kept, and close it."""
    line.reply(request.body)
    line.close()


def close_in_body(line: Line, _: Received) -> None:
    line.begin_chunks()
    line.chunk(b"half")
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


def redirect(line: Line, _: Received) -> None:
    line.reply(b"", 307, "Location: /elsewhere")


def garbage(line: Line, _: Received) -> None:
    line.send(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")
    line.close()


def zipped(encoding: str, body: bytes) -> Script:
    """Answer with a compressed body that nobody asked for."""
    return lambda line, _: line.reply(gzip.compress(body), 200, f"Content-Encoding: {encoding}")
