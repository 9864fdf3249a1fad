"""What a model is to say, whatever the interface, and a server that says it."""

import json
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from dragoman.models.chat.choices import Choice
from tests.servers.web.server import Line, Received, WebServer

__all__ = ["Called", "Failing", "Interface", "Played", "Provider", "Said", "sse"]


@dataclass(frozen=True)
class Called:
    """A call, its arguments in pieces."""

    id: str
    name: str
    pieces: tuple[str, ...] = ("{}",)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True)
class Said:
    """One reply, in pieces.

    `stop` is "end", "tools", "max_tokens" or "refusal". After `fails` pieces of the stream, `failure` comes, or the
    connection ends. `size` cuts the stream in pieces of so many bytes.
    """

    text: tuple[str, ...] = ()
    calls: tuple[Called, ...] = ()
    thinking: tuple[str, ...] = ()
    stop: str = ""
    usage: tuple[int, int, int] = (10, 5, 0)
    breaks_after: int | None = None
    failure: bytes | None = None
    size: int | None = None
    odd: bool = False
    """Whether events come in between that nobody knows."""

    closes: bool = False
    """Whether the connection is not to be used again."""

    @property
    def reason(self) -> str:
        return self.stop or ("tools" if self.calls else "end")


@dataclass(frozen=True)
class Failing:
    """An answer of an error in place of a reply."""

    status: int
    message: str
    code: str = ""
    headers: tuple[str, ...] = ()


Played = Said | Failing


@dataclass(frozen=True)
class Interface:
    """How one provider's interface is played."""

    choice: Callable[[str, Any], Choice]
    """Gives the model for an address, and a client or None."""
    stream: Callable[[Said], list[bytes]]
    failure: Callable[[Failing], bytes]
    overloaded: bytes
    """What a stream has in it when the provider is overloaded in the middle of it."""
    path: str


@dataclass
class Provider:
    """A server that plays replies in their order; owns those that are left.

    Attributes:
        requests: the bodies of all requests, decoded.
    """

    interface: Interface
    replies: deque[Played] = field(default_factory=deque)
    requests: list[Any] = field(default_factory=list)

    def serving(self) -> WebServer:
        return WebServer(self._answer)

    def plays(self, *replies: Played) -> None:
        self.replies.extend(replies)

    def _answer(self, line: Line, request: Received) -> None:
        if self.interface.path not in request.target:
            line.reply(b'{"error": {"message": "no such path"}}', 404)
            return
        self.requests.append(json.loads(request.body))
        match self.replies.popleft():
            case Failing() as failing:
                kind = "Content-Type: application/json"
                line.reply(self.interface.failure(failing), failing.status, kind, *failing.headers)
            case Said() as said:
                _say(line, said, self.interface)


def _say(line: Line, said: Said, interface: Interface) -> None:
    line.begin_chunks("Content-Type: text/event-stream", *(["Connection: close"] if said.closes else []))
    stream = interface.stream(said)
    for piece in _cut(stream[: said.breaks_after], said.size):
        line.chunk(piece)
    if said.failure is not None:
        line.chunk(said.failure)
    if said.breaks_after is not None and said.failure is None:
        line.close()
    else:
        line.end_chunks()


def _cut(pieces: list[bytes], size: int | None) -> Iterable[bytes]:
    if size is None:
        return pieces
    whole = b"".join(pieces)
    return (whole[start : start + size] for start in range(0, len(whole), size))


def sse(data: Any, event: str | None = None) -> bytes:
    """Write one server-sent event."""
    head = f"event: {event}\n" if event else ""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"{head}data: {text}\n\n".encode()
