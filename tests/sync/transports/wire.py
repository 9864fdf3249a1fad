# generated from tests/aio/transports/wire.py by tools/unasync.py; do not edit
"""One end of a transport, for tests that speak over it without a client."""

import json
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Self

from msgspec import Raw, UnsetType

from dragoman.deadline import Deadline
from dragoman.errors import McpError
from dragoman.protocol.eras import Identity, Outgoing
from dragoman.protocol.eras.legacy import Legacy
from dragoman.protocol.jsonrpc import Message, encode_request
from dragoman.protocol.steps import Request
from dragoman.sync._runtime import Crew, Mailbox
from dragoman.sync.transports import Transport
from dragoman.sync.transports.stdio import StdioTransport
from dragoman.types import ClientCapabilities, Implementation, repaired

NASTY = str(Path(__file__).parents[2] / "servers/scripted/nasty.py")
ERA = Legacy("2025-11-25", Identity(Implementation("test", "1"), ClientCapabilities()))


def nasty(name: str, *arguments: object, **options: Any) -> StdioTransport:
    """Make a transport to one of the servers that misbehave; what cannot end by itself is ended soon."""
    options.setdefault("grace", 0.5)
    return StdioTransport([sys.executable, NASTY, name, *map(str, arguments)], **options)


class Wire:
    """A transport and what has come over it: `heard`, `overheard`, and what `lost` was told."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.heard: list[Message] = []
        self.overheard: list[Message] = []
        self.lost: Mailbox[McpError] = Mailbox()
        self.ids = count(1)

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.transport.close()

    def open(self) -> None:
        self.transport.open(self.heard.append, self.lost.put, Deadline(10))

    def outgoing(self, params: Any = None, method: str = "echo") -> Outgoing:
        number = next(self.ids)
        data = encode_request(number, method, json.dumps(params or {}).encode())
        return Outgoing(number, data, Request(method), ERA)

    def overhear(self, message: Message) -> None:
        self.overheard.append(message)

    def call(self, params: Any = None, *, timeout: float = 20.0, deadline: Deadline | None = None) -> Any:
        """Send a request and return the result that answers it."""
        message = self.send(self.outgoing(params), deadline or Deadline(timeout))
        return parsed(message.result)

    def send(self, outgoing: Outgoing, deadline: Deadline) -> Message:
        return self.transport.exchange(outgoing, self.overhear, deadline)

    def failure(self, params: Any = None, *, timeout: float = 20.0) -> McpError:
        """Send a request and return the error that ends it."""
        try:
            result = self.call(params, timeout=timeout)
        except McpError as error:
            return error
        raise AssertionError(f"no failure, but {result}")


def together(*calls: Callable[[], Any]) -> list[Any]:
    """Make several calls at the same time and return their results, or what they raised, in order."""
    crew = Crew("together")
    done: Mailbox[tuple[int, Any]] = Mailbox()

    def one(index: int, call: Callable[[], Any]) -> None:
        try:
            done.put((index, call()))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
            done.put((index, error))

    for index, call in enumerate(calls):
        crew.start(one, index, call)
    results = dict([done.get(Deadline(40)) for _ in calls])
    crew.end()
    return [results[index] for index in range(len(calls))]


def parsed(raw: Raw | UnsetType) -> Any:
    """Read a part of a message, which must be there."""
    assert not isinstance(raw, UnsetType)
    return json.loads(repaired(bytes(raw)))


def child_in(stderr: str) -> int:
    """Read the number of the process that a scripted server says to have started."""
    return int(stderr.partition("child ")[2].split()[0])


def is_running(pid: int) -> bool:
    """Whether a process runs; one that is dead and not reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in {b"Z", b"X"}
    except OSError:
        return False
