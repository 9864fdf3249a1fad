"""Speak with a server that is a function or an object in this process, as tests of servers do."""

from __future__ import annotations

from collections.abc import Awaitable
from itertools import count
from typing import TYPE_CHECKING, Any

from dragoman.aio._runtime import Guard, Home, Stage
from dragoman.aio.transports import Hear, HearAll, Lost, Overhear
from dragoman.aio.transports.channel import Cause, Channel
from dragoman.aio.transports.diagnostics import Diagnostics
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, ConnectionLost
from dragoman.protocol.eras import VERSIONS, Era, Outgoing
from dragoman.protocol.framing import MESSAGE_LIMIT, Oversized
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.recovery import RestartPolicy

if TYPE_CHECKING:
    from dragoman.local.objects import ObjectServer

__all__ = ["MemoryTransport"]

_numbers = count(1)


class MemoryTransport:
    """A server in this process, which sees and says the very messages that it would over a pipe.

    Args:
        server: a function of a message, as a dict, that returns or yields messages (none, one, several), and is
            asynchronous where it waits; or a server object of `mcp` or `fastmcp`.
        name: what to call it in messages; by default what the server is called.
        limit: the most bytes that one message may have.
    """

    mirrors_arguments = False
    asks_apart = False
    restarts = RestartPolicy()

    def __init__(self, server: Any, *, name: str | None = None, limit: int = MESSAGE_LIMIT) -> None:
        self._server = server
        self._name = name or _name_of(server)
        self._key = f"memory:{self._name}:{next(_numbers)}"
        self._limit = limit
        self._diagnostics = Diagnostics(self._name)
        self._run: _Run | None = None

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        return self._name

    @property
    def key(self) -> str:
        """A name of this transport's own: another may have another server under the same name."""
        return self._key

    @property
    def diagnostics(self) -> Diagnostics:
        """What the server said that is no message."""
        return self._diagnostics

    @property
    def symptoms(self) -> str | None:
        """What may be the reason that the server does not answer, as far as it says anything of its own."""
        return self._diagnostics.hint

    def protocol_versions(self) -> tuple[str, ...]:
        """Name every version."""
        return VERSIONS

    def __repr__(self) -> str:
        return f"MemoryTransport({self._name!r})"

    async def open(self, hear: Hear, lost: Lost, deadline: Deadline) -> None:
        """Let the server run.

        Raises:
            UsageError: it is no server.
        """
        await self.close()
        self._run = _Run(self._server, self._name, self._limit, self._diagnostics, hear, lost)

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Awaitable[Message]:
        """Send a request and return the message that answers it; see `Transport.exchange`."""
        return self._channel().exchange(outgoing, overhear, deadline)

    def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> Awaitable[None]:
        """Send a request whose messages are heard as they come; see `Transport.listen`."""
        return self._channel().listen(outgoing, hear, deadline)

    def forget(self, outgoing: Outgoing) -> None:
        """Drop whatever still comes for a request, without a word to the server."""
        if self._run is not None and self._run.home.is_here():
            self._run.channel.forget(outgoing.id)

    async def settled(self, era: Era, deadline: Deadline) -> None:
        """Nothing changes: what is said goes the same way."""

    def tell(self, data: bytes, era: Era, deadline: Deadline) -> Awaitable[None]:
        """Send a notification, or the answer to a request of the server's; see `Transport.tell`."""
        return self._channel().tell(data, deadline)

    def abandon(self, outgoing: Outgoing) -> None:
        """Let the server know that nobody waits for this request any more. Never waits, never raises."""
        if self._run is not None and self._run.home.is_here():
            self._run.channel.abandon(outgoing)

    def sever(self) -> None:
        """Nothing of it runs elsewhere."""

    async def close(self) -> None:
        """End the server within a bounded time; harmless when that is done."""
        if self._run is not None:
            await self._run.end()

    def _channel(self) -> Channel:
        if self._run is None:
            raise ConnectionClosed("the server has not been started", was_sent=False, server=self._name)
        self._run.home.check()
        return self._run.channel


class _Run:
    """One run of a server; owns the stage on which it runs, and is the line to it."""

    is_still = False

    def __init__(self, server: Any, name: str, limit: int, diagnostics: Diagnostics, hear: Hear, lost: Lost) -> None:
        # Not before: it needs asyncio, which a sync program without such servers does not load.
        from dragoman.local.objects import ObjectServer

        self.home = Home()
        self.taken = 0
        self.channel = Channel(name, self, hear, diagnostics, lambda: None, limit)
        self._name = name
        self._limit = limit
        self._lost = lost
        self._guard = Guard()
        self._server: ObjectServer = ObjectServer(server, self._heard, self._ended)
        self._stage = Stage(name)
        self._stage.start(self._server.run)

    def offer(self, data: bytes) -> int | None:
        """Hand a message to the server."""
        with self._guard:
            start, self.taken = self.taken, self.taken + len(data)
        self._stage.call(self._server.take, data)
        return start

    async def write(self, data: bytes, deadline: Deadline) -> int:
        """Hand a message to the server."""
        start = self.offer(data)
        assert start is not None, "it takes everything at once"
        return start

    def write_soon(self, data: bytes) -> None:
        """Hand a message to the server."""
        self._stage.call(self._server.take, data)

    def withdraw(self, position: int) -> bool:
        """Take nothing back."""
        return False

    def stop(self) -> None:
        """Nothing waits here."""

    def _heard(self, data: bytes) -> None:
        is_too_long = len(data) > self._limit
        self.channel.take(Oversized(len(data), data[:1024]) if is_too_long else data)

    def _ended(self, error: BaseException | None) -> None:
        self.channel.end(self._cause(error), self._lost)

    def _cause(self, error: BaseException | None) -> Cause:
        what = "the server object ended" if error is None else f"the server object raised {error!r}"

        def cause(was_sent: bool) -> ConnectionLost:
            lost = ConnectionLost(what, was_sent=was_sent, server=self._name)
            lost.__cause__ = error
            return lost

        return cause

    async def end(self) -> None:
        if not self.home.is_ours():
            return
        self.home.check()
        name = self._name
        self.channel.end(lambda was_sent: ConnectionClosed("the client was closed", was_sent=was_sent, server=name))
        await self._stage.end()


def _name_of(server: Any) -> str:
    name = getattr(server, "name", None) or getattr(server, "__name__", None)
    return name if isinstance(name, str) and name else type(server).__name__
