"""What a client wants to be told of: lists that change, resources that change; and that it is told again after a restart.

Servers of one era tell of lists unasked and of resources one by one; those of the other tell everything on one stream,
which is opened anew whenever something else is wanted. A change is not passed on as such: what has changed is read
again, and the consumer gets that. Changes that come while it is read lead to one more reading, not to many.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from dragoman.aio._runtime import Courier, Guard, Lock
from dragoman.aio.caller import Caller
from dragoman.aio.connection import Connection
from dragoman.aio.handlers import Consumer, safely
from dragoman.aio.run import run
from dragoman.aio.stream import Stream
from dragoman.deadline import Deadline, Unattended
from dragoman.errors import McpError, McpTimeout, ServerError
from dragoman.protocol.inbound import Acknowledged, Event, ListChanged, ResourceUpdated
from dragoman.protocol.operations import ask
from dragoman.protocol.recovery import backoff
from dragoman.protocol.subscriptions import Opened, Wanted
from dragoman.views import Context, Phase

__all__ = ["Watching"]

log = logging.getLogger("dragoman.aio")

_Wish: TypeAlias = tuple[Hashable, Callable[[Any], Awaitable[None]], Any]
"""What is to be read, how, and of what."""

_MOST_AT_ONCE = 16
"""How many things are read at once."""

_MOST_WANTED = 1_000
"""How many things wait to be read, or are being read."""

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0


class Watching:
    """The watches of one client; owns which there are, and the stream that carries them, where there is one."""

    def __init__(
        self,
        connection: Connection,
        courier: Courier,
        consumers: Mapping[str, Consumer],
        on_resource_updated: Consumer | None,
        *,
        relist: Callable[[str, Caller], Awaitable[Any]],
        reread: Callable[[str, Caller], Awaitable[Any]],
    ) -> None:
        self._connection = connection
        self._courier = courier
        self._consumers = consumers
        self._on_resource_updated = on_resource_updated
        self._relist = relist
        self._reread = reread
        self._wanted = Wanted()
        self._changing = Lock()
        self._stream: Stream | None = None
        self._opening: Stream | None = None
        self._mourned: Stream | None = None
        self._guard = Guard()
        self._unheard: set[str] = set()
        self._ends = 0
        self._fresh = _Fresh(connection)

    # ------------------------------------------------------------------------------------------------- what is wanted

    async def start(self) -> None:
        """Ask to be told of the lists that there are consumers for, as far as the server tells of them at all."""
        self._fresh.begin()
        async with self._changing:
            self._wanted = self._wanted.with_lists(self._consumers, self._connection.introduction.capabilities)
            try:
                await self._listen(Deadline(self._connection.timing.timeout))
            except McpError as error:
                # Listening is optional: a server that cannot is still one that works.
                log.warning("%s: it does not tell when its lists change: %s", self._connection.name, error)

    async def subscribe(self, uri: str, caller: Caller) -> None:
        """Watch a resource; nothing happens when it is watched already."""
        deadline = caller.deadline()
        await self._turn(deadline)
        try:
            if uri not in self._wanted.uris or uri in self._unheard:
                before, self._wanted = self._wanted, self._wanted.with_uri(uri)
                try:
                    await self._ask(uri, caller, deadline, wanted=True)
                except BaseException:
                    self._wanted = before
                    raise
                self._unheard.discard(uri)
        finally:
            self._changing.release()

    async def unsubscribe(self, uri: str, caller: Caller) -> None:
        """Watch a resource no longer; from now on nothing of it is delivered."""
        deadline = caller.deadline()
        await self._turn(deadline)
        try:
            if uri in self._wanted.uris:
                self._wanted = self._wanted.without_uri(uri)
                self._unheard.discard(uri)
                await self._ask(uri, caller, deadline, wanted=False)
        finally:
            self._changing.release()

    async def restore(self) -> None:
        """Ask for everything again, after a restart, and pass on what may have changed meanwhile."""
        async with self._changing:
            was_heard, self._stream = self._stream is not None, None
            self._unheard = {uri for uri in self._wanted.uris if not await self._could_subscribe(uri)}
            if not await self._could_listen() and was_heard:
                # One that is not open, and known by that to whoever tries to open it.
                self._stream = Stream(self._connection, self.take, self._lost)
                self._connection.crew.start(self._reopen, self._stream)
        for kind in self._consumers:
            if getattr(self._connection.introduction.capabilities, kind, None) is not None:
                self.take(ListChanged(kind))
        self._reread_all()

    def _reread_all(self) -> None:
        """Pass on what the resources hold now that are watched again: nobody told of them meanwhile."""
        for uri in self._wanted.uris:
            if uri not in self._unheard:
                self.take(ResourceUpdated(uri))

    async def _could_subscribe(self, uri: str) -> bool:
        request = self._connection.era.subscription(uri, wanted=True)
        try:
            if request is not None:
                await run(ask(request), self._nobody())
        except McpError as error:
            log.warning("%s: it does not tell of %s any more: %s", self._connection.name, uri, error)
            return False
        return True

    def _unattended(self) -> Deadline:
        return Unattended(self._connection.timing.timeout)

    async def _turn(self, deadline: Deadline) -> None:
        """Wait for whoever changes what is wanted before us."""
        if not await self._changing.acquire(deadline):
            waited = deadline.waited
            raise McpTimeout(
                f"another subscription was still under way after {waited:.3g} s",
                method="resources/subscribe",
                waited=waited,
                was_sent=False,
                server=self._connection.name,
            )

    async def _ask(self, uri: str, caller: Caller, deadline: Deadline, *, wanted: bool) -> None:
        request = self._connection.era.subscription(uri, wanted)
        if request is not None:
            await run(ask(request), caller)
        else:
            await self._listen(deadline, asked=uri if wanted else None)

    async def _listen(self, deadline: Deadline, *, asked: str | None = None) -> None:
        """Open the stream that carries what is wanted now, and only then end the one before."""
        before = self._stream
        request = self._connection.era.listen(self._wanted.filter())
        if request is None:
            return
        if self._wanted.is_empty:
            self._stream = None
        else:
            stream = self._opening = Stream(self._connection, self.take, self._lost)
            await stream.open(request, self._wanted, deadline, asked)
            self._note_unheard(stream.left_out, "it does not watch it")
            self._stream = stream
            if stream.is_over:
                # It ended before it was known here, and nobody took notice.
                self._lost(stream)
        if before is not None:
            before.close()

    def _note_unheard(self, uris: Iterable[str], why: object) -> None:
        """Note what is wanted and not told of, so that it is asked for again when somebody subscribes to it again."""
        before, self._unheard = self._unheard, set(uris)
        for uri in self._unheard - before:
            log.warning("%s: it does not tell of %s any more: %s", self._connection.name, uri, why)

    def _lost(self, stream: Stream) -> None:
        with self._guard:
            if stream is not self._stream or stream is self._mourned:
                return
            self._mourned = stream
        self._connection.crew.start(self._reopen, stream)

    async def _reopen(self, stream: Stream) -> None:
        """Open the stream again that has ended, waiting longer each time that it does not stay open."""
        self._ends = 0 if stream.lasted(_LONGEST_WAIT) else self._ends + 1
        is_open = False
        while not is_open:
            rest = Deadline(backoff(self._ends, _FIRST_WAIT, _LONGEST_WAIT))
            if await self._connection.crew.closing.wait(rest):
                return
            async with self._changing:
                # Somebody may have opened another one meanwhile, as a restart does.
                if stream is not self._stream:
                    return
                is_open = await self._could_listen()
            self._ends += 1
        for kind in self._wanted.lists:
            self.take(ListChanged(kind))
        self._reread_all()

    async def _could_listen(self) -> bool:
        """Listen if that can be done; False where it may go better another time."""
        try:
            await self._listen(self._unattended())
        except ServerError as error:
            log.warning("%s: its changes are not heard any more: %s", self._connection.name, error)
            self._stream = None
            self._note_unheard(self._wanted.uris, error)
        except McpError as error:
            level = logging.DEBUG if self._connection.state.phase is Phase.CLOSED else logging.INFO
            log.log(level, "%s: its changes are not heard: %s", self._connection.name, error)
            return False
        return True

    # --------------------------------------------------------------------------------------------- what was heard

    def take(self, event: Event) -> None:
        """Take a notification: have what it is about read again, and delivered."""
        match event:
            case ListChanged(kind) if kind in self._consumers:
                self._fresh.want(event, self._deliver_list, kind)
            case ResourceUpdated(uri) if self._is_told(uri):
                self._fresh.want(event, self._deliver_resource, uri)
            case Acknowledged(watched) if self._opening is not None:
                self._opening.acknowledge(Opened(watched))

    def _is_told(self, uri: str) -> bool:
        return self._on_resource_updated is not None and self._wanted.watches(uri) is not None

    def _nobody(self) -> Caller:
        return Caller.unattended(self._connection)

    async def _deliver_list(self, kind: str) -> None:
        context = Context(self._connection.name)
        self._courier.send(safely, self._consumers[kind], await self._relist(kind, self._nobody()), context)

    async def _deliver_resource(self, uri: str) -> None:
        if self._wanted.watches(uri) is None:
            return
        self._courier.send(self._hand_over, uri, await self._reread(uri, self._nobody()))

    async def _hand_over(self, uri: str, contents: Any) -> None:
        """Give the contents to the consumer, unless the resource has been unsubscribed from while they were read."""
        watched = self._wanted.watches(uri)
        if watched is not None and self._on_resource_updated is not None:
            await safely(self._on_resource_updated, contents, Context(self._connection.name, uri=watched))


class _Fresh:
    """Reads in the background, one reading of a thing at a time; a wish that comes meanwhile means one more.

    What is wanted before the server is known, since some tell of changes before they have answered the greeting, is read
    when it is. A server that tells of very many things at once has few of them read at a time, and not all of them.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._guard = Guard()
        self._wanted: dict[Hashable, bool] = {}
        self._waiting: deque[_Wish] = deque()
        self._readers = 0
        self._is_early = True
        self._has_dropped = False

    def begin(self) -> None:
        """Take that the server is known."""
        with self._guard:
            self._is_early = False
            self._readers = readers = min(len(self._waiting), _MOST_AT_ONCE)
        for _ in range(readers):
            self._connection.crew.start(self._read_all)

    def want(self, thing: Hashable, read: Callable[[Any], Awaitable[None]], argument: Any) -> None:
        """Have a thing read, soon."""
        with self._guard:
            if thing in self._wanted:
                self._wanted[thing] = True
                return
            if len(self._wanted) >= _MOST_WANTED:
                self._drop(argument)
                return
            self._wanted[thing] = True
            self._waiting.append((thing, read, argument))
            if self._is_early or self._readers == _MOST_AT_ONCE:
                return
            self._readers += 1
        self._connection.crew.start(self._read_all)

    def _drop(self, argument: Any) -> None:
        if not self._has_dropped:
            self._has_dropped = True
            many = "%s: it tells of more changes than can be looked at; that of %r and others is passed over"
            log.warning(many, self._connection.name, argument)

    async def _read_all(self) -> None:
        while (wish := self._next()) is not None:
            await self._read(*wish)

    def _next(self) -> _Wish | None:
        with self._guard:
            if self._waiting:
                return self._waiting.popleft()
            self._readers -= 1
            return None

    async def _read(self, thing: Hashable, read: Callable[[Any], Awaitable[None]], argument: Any) -> None:
        while self._is_wanted(thing):
            try:
                await read(argument)
            except McpError as error:
                # Nobody misses what the end of the client cut off.
                level = logging.DEBUG if self._connection.state.phase is Phase.CLOSED else logging.WARNING
                log.log(level, "%s: %r could not be read again: %s", self._connection.name, argument, error)

    def _is_wanted(self, thing: Hashable) -> bool:
        with self._guard:
            if self._wanted[thing]:
                self._wanted[thing] = False
                return True
            del self._wanted[thing]
            return False
