"""Cut a stream of bytes into lines, as stdio frames its messages, or into server-sent events, as HTTP does.

Every byte is looked at a fixed number of times, however the stream is chunked, and what is kept of a message is
bounded. A message over the limit is reported in its place as `Oversized`: the same verdict for every chunking.
"""

from __future__ import annotations

import re

from msgspec import Struct

__all__ = ["MESSAGE_LIMIT", "Event", "Events", "Lines", "Oversized"]

MESSAGE_LIMIT = 64 * 1024 * 1024
"""The most bytes that one message may have unless told otherwise; the same for every transport."""

_HEAD = 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ANSWER = re.compile(rb'\{\s*"(?:jsonrpc|id|result|error)"\s*:')
_DATA = b"data: "
# What nearly every server writes before each message.
_MESSAGE = b"event: message"
# A longer number of milliseconds is no delay that anybody means, and converting it would take time.
_RETRY_DIGITS = 15
_PIECES = 4096


class Oversized(Struct, frozen=True):
    """A message over the limit: its size in bytes, and its beginning, enough to tell whose it was."""

    size: int
    head: bytes


class Event(Struct, frozen=True):
    """One server-sent event (WHATWG HTML, section 9.2).

    `id` is the last that the stream has named, "" before it names one; `retry` is in milliseconds, None where this
    event does not set it.
    """

    type: str
    data: bytes
    id: str = ""
    retry: int | None = None


class _Unfinished:
    """The beginning of something whose end has not come. Over the limit, only its head is kept."""

    __slots__ = ("_blocks", "_limit", "_pieces", "size")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._clear()

    def _clear(self) -> None:
        self.size = 0
        self._blocks: list[bytes] = []
        self._pieces: list[bytes] = []

    def add(self, data: bytes) -> None:
        room = max(0, _HEAD - self.size)
        self.size += len(data)
        if self.size > self._limit:
            self._blocks, self._pieces = [(self.peek() + data[:room])[:_HEAD]], []
            return
        self._pieces.append(data)
        # A sender that trickles must not cost a Python object for every few of its bytes.
        if len(self._pieces) == _PIECES:
            self._blocks.append(b"".join(self._pieces))
            self._pieces.clear()

    def take(self, data: bytes) -> bytes | Oversized:
        """Hand out the whole, whose last piece is `data`."""
        self.add(data)
        size, whole = self.size, self.peek()
        self._clear()
        return _judged(whole, size, self._limit)

    def peek(self) -> bytes:
        """Show what is kept."""
        return b"".join(self._blocks + self._pieces)


def _judged(whole: bytes, size: int, limit: int) -> bytes | Oversized:
    return whole if size <= limit else Oversized(size, whole[:_HEAD])


class _Splitter:
    """Pieces between LF bytes, each as it came, none longer than the limit."""

    __slots__ = ("_limit", "unfinished")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.unfinished = _Unfinished(limit)

    def feed(self, data: bytes) -> list[bytes | Oversized]:
        *pieces, rest = data.split(b"\n")
        whole: list[bytes | Oversized] = [*pieces]
        if len(data) > self._limit:
            whole = [_judged(piece, len(piece), self._limit) for piece in pieces]
        if pieces and self.unfinished.size:
            whole[0] = self.unfinished.take(pieces[0])
        if rest:
            self.unfinished.add(rest)
        return whole


class Lines:
    """The lines of a stream that end in LF and in nothing else (Transports, stdio).

    A CR before the LF, a byte order mark at the beginning of the stream and blank lines are dropped. A greeting that does
    not end its line becomes one of its own, and the message that follows it another.
    """

    def __init__(self, limit: int = MESSAGE_LIMIT) -> None:
        self._splitter = _Splitter(limit)
        self._is_first = True

    def feed(self, data: bytes) -> list[bytes | Oversized]:
        """Take the next bytes and return the lines that they complete."""
        lines = self._splitter.feed(data)
        if self._is_first and lines:
            self._is_first = False
            lines[:1] = _beginning(lines[0])
        return [line for each in lines if (line := _trimmed(each))]

    def rest(self) -> bytes:
        """Return what has come of a line whose end has not; of an oversized one, its head."""
        return self._splitter.unfinished.peek()


def _trimmed(line: bytes | Oversized) -> bytes | Oversized:
    if isinstance(line, Oversized):
        return line
    return b"" if line.isspace() else line.removesuffix(b"\r")


def _without_mark(line: bytes | Oversized) -> bytes | Oversized:
    return line if isinstance(line, Oversized) else line.removeprefix(_BYTE_ORDER_MARK)


def _beginning(first: bytes | Oversized) -> list[bytes | Oversized]:
    """Drop what stands before the first message of a stream, or part it from that."""
    line = _without_mark(first)
    if isinstance(line, Oversized):
        return [line]
    message = None if line.startswith((b"{", b"[{")) else _ANSWER.search(line)
    if message is None or b'"method"' in line:  # a log's line may quote a message
        return [line]
    return [line[: message.start()], line[message.start() :]]


class Events:
    """The events of a `text/event-stream` (WHATWG HTML, section 9.2), each with its data as bytes.

    Attributes:
        last_id: the last event id that the stream has named, "" before it names one: where to resume.
        retry: the reconnection time that it has asked for, in milliseconds, or None.
    """

    def __init__(self, limit: int = MESSAGE_LIMIT) -> None:
        self.last_id = ""
        self.retry: int | None = None
        self._limit = limit
        self._splitter = _Splitter(limit + len(_DATA))
        self._is_first = True
        self._ended_in_return = False
        self._clear()

    def _clear(self) -> None:
        self._type = "message"
        self._data: list[bytes] = []
        self._size = 0
        self._new_retry: int | None = None
        self._excess: Oversized | None = None

    def feed(self, data: bytes) -> list[Event | Oversized]:
        """Take the next bytes and return the events that they complete."""
        lines = self._splitter.feed(self._with_line_feeds(data))
        if self._is_first and lines:
            self._is_first = False
            lines[0] = _without_mark(lines[0])
        events: list[Event | Oversized] = []
        for line in lines:
            if not line:
                self._dispatch(events)
            elif self._excess is None and isinstance(line, bytes) and line.startswith(_DATA):
                self._add(line[len(_DATA) :])
            else:
                self._take(line)
        return events

    def finish(self) -> list[Event | Oversized]:
        """Return the event that a stream left without its closing blank line, if there is one.

        The grammar drops it; a message that has come whole is worth more than that.
        """
        return self.feed(b"\n\n")

    def _with_line_feeds(self, data: bytes) -> bytes:
        if self._ended_in_return and data:
            data = data.removeprefix(b"\n")
            self._ended_in_return = False
        if b"\r" not in data:
            return data
        self._ended_in_return = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _dispatch(self, events: list[Event | Oversized]) -> None:
        if self._excess:
            events.append(self._excess)
        elif self._data:
            events.append(Event(self._type, b"\n".join(self._data), self.last_id, self._new_retry))
        self._clear()

    def _take(self, line: bytes | Oversized) -> None:
        if self._excess or isinstance(line, Oversized):
            self._exceed(line)
        elif line == _MESSAGE:
            self._type = "message"
        else:
            name, _, value = line.partition(b":")
            self._field(name, value.removeprefix(b" "))

    def _add(self, value: bytes) -> None:
        if self._size + len(value) > self._limit:
            self._exceed(value)
        else:
            self._data.append(value)
            self._size += len(value) + 1

    def _exceed(self, line: bytes | Oversized) -> None:
        more = line if isinstance(line, Oversized) else Oversized(len(line), line[:_HEAD])
        if self._excess:
            self._excess = Oversized(self._excess.size + more.size, self._excess.head)
        else:
            head = b"\n".join([*self._data, more.head.removeprefix(_DATA)])[:_HEAD]
            self._excess = Oversized(self._size + more.size, head)
            self._data = []

    def _field(self, name: bytes, value: bytes) -> None:
        match name:
            case b"data":
                self._add(value)
            case b"event":
                self._type = value.decode("utf-8", "replace") or "message"
            case b"id" if b"\0" not in value:
                self.last_id = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit() and len(value) <= _RETRY_DIGITS:
                self.retry = self._new_retry = int(value)
            case _:
                pass  # a comment, or a field of a later grammar
