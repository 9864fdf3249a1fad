"""Answer the requests that a server sends: put them to the application, and send back what it says.

While the application is asked, the clocks stand still of the requests that it may be asked for; what they had left they
have left again when it has answered, so that a server which asks without end gains no time by it. What is answered or
refused without the application takes none of it.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from dragoman.aio._runtime import Crew, Guard, Interrupted
from dragoman.aio.exchanges import Exchanges
from dragoman.aio.handlers import Handlers
from dragoman.aio.run import run
from dragoman.aio.transports import Transport
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, McpError, PolicyDenied
from dragoman.protocol.eras import Era
from dragoman.protocol.inbound import Refusal, fulfil
from dragoman.protocol.jsonrpc import Message, RequestId
from dragoman.protocol.steps import Ask, Step
from dragoman.views import Context

__all__ = ["Questions"]

log = logging.getLogger("dragoman.aio")

# More at once is no conversation with a user any more, and each may cost a thread.
_MOST_AT_ONCE = 64
_MOST_AT_THE_DOOR = 10_000
_MOST_SAID = 100

_INTERNAL_ERROR = -32603
_REJECTED = -1
_BUSY = -32000


class _Question:
    """One request of the server's, and the world in which it is answered.

    `askers` are the requests of ours that it may be asked for; `ask` puts it to the application.

    Attributes:
        is_over: whether nobody waits for the answer any more.
        interrupt: ends the answering, where that can be done.
    """

    __slots__ = ("_ask", "_held", "askers", "era", "interrupt", "is_over", "message", "name")

    def __init__(
        self,
        message: Message,
        era: Era,
        askers: tuple[int, ...],
        name: str,
        ask: Callable[[_Question, Ask], Awaitable[object]],
    ) -> None:
        self.message = message
        self.era = era
        self.askers = askers
        self.name = name
        self.is_over = False
        self.interrupt: Callable[[], None] | None = None
        self._ask = ask
        self._held: list[Deadline] = []

    def perform(self, step: Step) -> Awaitable[object]:
        """Put the question to the application; answering takes no other step."""
        assert isinstance(step, Ask)
        return self._ask(self, step)

    def hold(self, deadlines: list[Deadline]) -> None:
        """Stop the clocks of those who may wait for this."""
        self._held = deadlines

    def release(self) -> None:
        """Let the clocks go on, once."""
        held, self._held = self._held, []
        for deadline in held:
            deadline.release()


class Questions:
    """The server's requests that are being answered, and those that wait to be turned away; owns both."""

    def __init__(
        self,
        transport: Transport,
        exchanges: Exchanges,
        handlers: Handlers,
        crew: Crew,
        timeout: float,
        *,
        apply_defaults: bool,
    ) -> None:
        self._transport = transport
        self._exchanges = exchanges
        self._handlers = handlers
        self._crew = crew
        self._timeout = timeout
        self._apply_defaults = apply_defaults
        self._guard = Guard()
        self._under_way: set[_Question] = set()
        self._at_the_door: deque[tuple[Any, str]] = deque()
        self._is_door_kept = False
        self._said: set[str] = set()

    def take(self, message: Message, heard_in: int | None) -> None:
        """Take one request, and have it answered, or turned away when too many are under way; never waits.

        `heard_in` is the request of ours in whose own stream it came, if it did.
        """
        era, method = self._exchanges.speaking, str(message.method)
        if era is None or era.refuse(message.id, _BUSY, "") is None:
            self._say_once(f"it asked by {method[:80]}, which its version of the protocol forbids")
            return
        with self._guard:
            if len(self._under_way) < _MOST_AT_ONCE:
                askers = self._exchanges.askers(heard_in)
                question = _Question(message, era, askers, self._transport.name, self._ask)
                self._under_way.add(question)
                question.interrupt = self._crew.start(self._answer, question)
            elif len(self._at_the_door) < _MOST_AT_THE_DOOR:
                self._at_the_door.append((message.id, method))
                if not self._is_door_kept:
                    self._is_door_kept = True
                    self._crew.start(self._keep_the_door)
            else:
                self._say_once("it asks more than can be answered; some of it is passed over")

    def withdraw(self, request_id: RequestId | None) -> None:
        """Answer a request no longer: the server has taken it back. Its handler is interrupted, if it can be."""
        with self._guard:
            for question in self._under_way:
                if question.message.id == request_id:
                    self._end(question)

    def withdraw_all(self) -> None:
        """Answer nothing that was asked until now: whoever asked it is gone, and who comes after has other questions."""
        with self._guard:
            self._at_the_door.clear()
            for question in self._under_way:
                self._end(question)

    def _end(self, question: _Question) -> None:
        question.is_over = True
        question.release()
        if question.interrupt is not None:
            question.interrupt()

    def _say_once(self, problem: str) -> None:
        if problem not in self._said and len(self._said) < _MOST_SAID:
            self._said.add(problem)
            log.warning("%s: %s", self._transport.name, problem)

    async def _answer(self, question: _Question) -> None:
        try:
            data = await self._reply(question)
            question.interrupt = None  # what is written is written whole
            if not question.is_over:
                await self._send(data, question.era)
        finally:
            with self._guard:
                self._under_way.discard(question)

    async def _keep_the_door(self) -> None:
        """Turn away whoever waits, one after the other; a ping is answered, which costs nothing."""
        while (waiting := self._next_at_the_door()) is not None:
            request_id, method = waiting
            era = self._exchanges.speaking
            if era is not None:
                busy = f"{_MOST_AT_ONCE} requests of yours are being answered already"
                is_ping = method == "ping"
                await self._send(era.answer(request_id, b"{}") if is_ping else era.refuse(request_id, _BUSY, busy), era)

    def _next_at_the_door(self) -> tuple[Any, str] | None:
        with self._guard:
            self._is_door_kept = bool(self._at_the_door)
            return self._at_the_door.popleft() if self._at_the_door else None

    async def _send(self, data: bytes | None, era: Era) -> None:
        if data is None:
            return
        try:
            await self._transport.tell(data, era, Deadline(self._timeout))
        except McpError as error:
            # Nobody misses what the end of the client cut off.
            level = logging.DEBUG if isinstance(error, ConnectionClosed) else logging.WARNING
            log.log(level, "%s: an answer to it could not be sent: %s", self._transport.name, error)

    async def _reply(self, question: _Question) -> bytes | None:
        message, era = question.message, question.era
        try:
            return era.answer(message.id, await self._result(question))
        except Refusal as refusal:
            return era.refuse(message.id, refusal.code, refusal.message)

    async def _result(self, question: _Question) -> bytes:
        method, params = str(question.message.method), question.message.params
        declared = question.era.identity.capabilities
        try:
            return await run(fulfil(method, params, declared, apply_defaults=self._apply_defaults), question)
        except PolicyDenied as denied:
            raise Refusal(_REJECTED, denied.message) from denied
        except (Refusal, Interrupted):
            raise
        except BaseException as error:
            # 2025-11-25, Sampling and Elicitation: the server is told that we failed, not that it was wrong. It waits,
            # so it is told even where a handler wants the whole program to end: that is for its caller to hear.
            log.exception("%s: the handler of %s failed", self._transport.name, method)
            if len(question.askers) == 1:
                self._exchanges.blame(question.askers[0], error)
            raise Refusal(_INTERNAL_ERROR, f"the client's handler failed: {type(error).__name__}") from error

    async def _ask(self, question: _Question, step: Ask) -> object:
        context = self._context(question)
        if step.method == "roots/list":
            return await self._handlers.ask(step.method, step.params, context)
        with self._guard:
            if not question.is_over:
                question.hold(self._exchanges.hold(question.askers))
        try:
            return await self._handlers.ask(step.method, step.params, context)
        finally:
            with self._guard:
                question.release()

    def _context(self, question: _Question) -> Context:
        if len(question.askers) != 1:
            return Context(question.name)
        (asker,) = question.askers
        request = self._exchanges.request(asker)
        return Context(question.name) if request is None else Context(question.name, request, asker)
