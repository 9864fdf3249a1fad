"""What the floors over HTTP write and read: one request, one answer, and of HTTP only what the bench's server says."""

from typing import Any

from bench.contenders.shapes import Envelope, decode_envelope, request

__all__ = ["Answer", "post"]

HEAD = (
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, text/event-stream\r\n"
    b"Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %b\r\n"
    b"Content-Length: %d\r\n\r\n%b"
)
LENGTH = b"Content-Length: "
DATA = b"data: "


def post(number: int, method: str, *call: Any) -> bytes:
    """Write a request."""
    body = request(number, method, *call)
    return HEAD % (method.encode(), len(body), body)


class Answer:
    """One answer, as it comes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._missing = -1
        self._is_stream = False

    def feed(self, data: bytes) -> bool:
        """Take some bytes; True when they were the last."""
        if self._missing < 0:
            head, _, data = data.partition(b"\r\n\r\n")
            _, found, length = head.partition(LENGTH)
            if not found:  # one chunk, and an empty one
                self._is_stream = True
                length, _, data = data.partition(b"\r\n")
            self._missing = int(length, 16) + len(b"\r\n0\r\n\r\n") if self._is_stream else int(length)
        self._parts.append(data)
        self._missing -= len(data)
        return self._missing == 0

    def envelopes(self) -> list[Envelope]:
        """Read the messages; the last one is the answer."""
        whole = b"".join(self._parts)
        if not self._is_stream:
            return [decode_envelope(whole)]
        return [decode_envelope(event[event.index(DATA) + len(DATA) :]) for event in whole.split(b"\n\n")[:-1]]
