"""What goes over a transport in sight of observers goes as it would without them, and every beginning has an end."""

from typing import Any

import pytest

from dragoman.aio._runtime import Mailbox
from dragoman.aio.transports.memory import MemoryTransport
from dragoman.aio.transports.observed import ObservedTransport
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, McpError
from dragoman.models.watching import ClientObservers
from dragoman.protocol.jsonrpc import Message, encode_notification, encode_result
from tests.aio.client.support import failure
from tests.aio.client.test_observers import Watcher
from tests.aio.transports.wire import ERA, Wire


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    return {"jsonrpc": "2.0", "id": message["id"], "result": {}} if message.get("method") == "echo" else None


class Watched:
    """A server in this process, and what is seen of it."""

    def __init__(self, server: Any = answer) -> None:
        self.inner = MemoryTransport(server, name="inn")
        self.watcher = Watcher()
        self.transport = ObservedTransport(self.inner, ClientObservers(self.watcher))

    @property
    def ends(self) -> list[tuple[str, type[BaseException] | None]]:
        """What has ended, and by what."""
        return [(each.request.method, type(each.error) if each.error else None) for each in self.watcher.ended]


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_it_is_what_it_stands_for(watched: Watched) -> None:
    transport, inner = watched.transport, watched.inner

    assert (transport.name, transport.key) == (inner.name, inner.key)
    assert transport.protocol_versions() == inner.protocol_versions()
    assert (transport.restarts, transport.asks_apart) == (inner.restarts, inner.asks_apart)


async def test_stream_ends_with_its_answer(watched: Watched) -> None:
    heard: Mailbox[Message | McpError] = Mailbox()
    async with Wire(watched.transport) as wire:
        await watched.transport.listen(wire.outgoing(), heard.put, Deadline(10))
        message = await heard.get(Deadline(10))
        assert watched.ends == [("echo", None)]

    assert isinstance(message, Message)
    assert watched.ends == [("echo", None)]


@pytest.mark.parametrize("way", ["forget", "abandon"])
async def test_stream_that_is_let_go_has_ended_once(watched: Watched, way: str) -> None:
    async with Wire(watched.transport) as wire:
        outgoing = wire.outgoing(method="silence")
        await watched.transport.listen(outgoing, lambda _: None, Deadline(10))
        getattr(watched.transport, way)(outgoing)
        getattr(watched.transport, way)(outgoing)

        assert watched.ends == [("silence", None)]


async def test_stream_of_a_line_that_breaks_ends_with_the_error() -> None:
    def broken(message: dict[str, Any]) -> None:
        raise ValueError("no")

    watched, heard = Watched(broken), Mailbox[Message | McpError]()
    async with Wire(watched.transport) as wire:
        await watched.transport.listen(wire.outgoing(), heard.put, Deadline(10))
        error = await heard.get(Deadline(10))
        assert isinstance(error, McpError)

    assert watched.ends == [("echo", type(error))]


async def test_what_cannot_be_sent_has_ended_with_the_reason(watched: Watched) -> None:
    wire = Wire(watched.transport)
    notice = encode_notification("notifications/initialized", None)

    assert isinstance(await failure(wire.call), ConnectionClosed)
    assert isinstance(
        await failure(watched.transport.listen, wire.outgoing(), lambda _: None, Deadline(10)), ConnectionClosed
    )
    assert isinstance(await failure(watched.transport.tell, notice, ERA, Deadline(10)), ConnectionClosed)
    assert watched.ends == [
        ("echo", ConnectionClosed),
        ("echo", ConnectionClosed),
        ("notifications/initialized", ConnectionClosed),
    ]


async def test_answers_to_the_server_are_no_requests(watched: Watched) -> None:
    async with Wire(watched.transport):
        await watched.transport.tell(encode_result(1, b"{}"), ERA, Deadline(10))
        await watched.transport.tell(encode_notification("notifications/initialized", None), ERA, Deadline(10))

    assert watched.ends == [("notifications/initialized", None)]


async def test_session_ends_once_however_it_does(watched: Watched) -> None:
    async with Wire(watched.transport) as wire:
        await watched.transport.settled(ERA, Deadline(10))
        await wire.open()
        await watched.transport.settled(ERA, Deadline(10))
        watched.transport.sever()

    assert len(watched.watcher.entered) == len(watched.watcher.left) == 2
    assert [each.error for each in watched.watcher.left] == [None, None]
