# generated from src/dragoman/aio/questions.py by tools/unasync.py; do not edit
"""Answer the requests that a server sends: put them to the application, and send back what it says."""

from __future__ import annotations

import logging
from collections import deque
from typing import Any

from dragoman.deadline import Deadline
from dragoman.errors import McpError, PolicyDenied
from dragoman.protocol.eras import Era
from dragoman.protocol.inbound import Refusal, fulfil
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.steps import Ask, Step
from dragoman.sync._runtime import Crew, Guard
from dragoman.sync.exchanges import Exchanges
from dragoman.sync.handlers import Handlers
from dragoman.sync.run import run
from dragoman.sync.transports import Transport
from dragoman.views import Context

__all__ = ["Questions"]

log = logging.getLogger("dragoman.sync")

# More at once is no conversation with a user any more, and each may cost a thread.
_MOST_AT_ONCE = 64
_MOST_AT_THE_DOOR = 10_000
_MOST_SAID = 100

_INTERNAL_ERROR = -32603
_REJECTED = -1
_BUSY = -32000


class Questions:
    """The server's requests that are being answered, and those that wait to be turned away; owns how many there are."""

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
        self._under_way = 0
        self._at_the_door: deque[tuple[Any, str]] = deque()
        self._is_door_kept = False
        self._said: set[str] = set()

    def take(self, message: Message) -> None:
        """Take one request, and have it answered, or turned away when too many are under way; never waits."""
        era, method = self._exchanges.speaking, str(message.method)
        if era is None or era.refuse(message.id, _BUSY, "") is None:
            self._say_once(f"it asked by {method[:80]}, which its version of the protocol forbids")
            return
        with self._guard:
            if self._under_way < _MOST_AT_ONCE:
                self._under_way += 1
                self._crew.start(self._answer, message, era)
            elif len(self._at_the_door) < _MOST_AT_THE_DOOR:
                self._at_the_door.append((message.id, method))
                if not self._is_door_kept:
                    self._is_door_kept = True
                    self._crew.start(self._keep_the_door)
            else:
                self._say_once("it asks more than can be answered; some of it is passed over")

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        return self._transport.name

    def _say_once(self, problem: str) -> None:
        if problem not in self._said and len(self._said) < _MOST_SAID:
            self._said.add(problem)
            log.warning("%s: %s", self.name, problem)

    def _answer(self, message: Message, era: Era) -> None:
        try:
            self._send(self._reply(message, era), era)
        finally:
            with self._guard:
                self._under_way -= 1

    def _keep_the_door(self) -> None:
        """Turn away whoever waits, one after the other; a ping is answered, which costs nothing."""
        while (waiting := self._next_at_the_door()) is not None:
            request_id, method = waiting
            era = self._exchanges.speaking
            if era is not None:
                busy = f"{_MOST_AT_ONCE} requests of yours are being answered already"
                is_ping = method == "ping"
                self._send(era.answer(request_id, b"{}") if is_ping else era.refuse(request_id, _BUSY, busy), era)

    def _next_at_the_door(self) -> tuple[Any, str] | None:
        with self._guard:
            self._is_door_kept = bool(self._at_the_door)
            return self._at_the_door.popleft() if self._at_the_door else None

    def _send(self, data: bytes | None, era: Era) -> None:
        if data is None:
            return
        try:
            self._transport.tell(data, era, Deadline(self._timeout))
        except McpError as error:
            log.warning("%s: an answer to it could not be sent: %s", self.name, error)

    def _reply(self, message: Message, era: Era) -> bytes | None:
        try:
            return era.answer(message.id, self._result(message, era))
        except Refusal as refusal:
            return era.refuse(message.id, refusal.code, refusal.message)

    def _result(self, message: Message, era: Era) -> bytes:
        belongs_to = self._exchanges.sole()
        held = self._exchanges.hold()
        try:
            return self._put(message, era)
        except PolicyDenied as denied:
            raise Refusal(_REJECTED, denied.message) from denied
        except Refusal:
            raise
        except Exception as error:
            # 2025-11-25, Sampling and Elicitation: the server is told that we failed, not that it was wrong.
            log.exception("%s: the handler of %s failed", self.name, message.method)
            self._exchanges.blame(belongs_to, error)
            raise Refusal(_INTERNAL_ERROR, f"the client's handler failed: {type(error).__name__}") from error
        finally:
            for deadline in held:
                deadline.release()

    def _put(self, message: Message, era: Era) -> bytes:
        declared = era.identity.capabilities
        conversation = fulfil(str(message.method), message.params, declared, apply_defaults=self._apply_defaults)
        return run(conversation, self)

    def perform(self, step: Step) -> object:
        """Put a question to the application; answering takes no other step."""
        assert isinstance(step, Ask)
        return self._handlers.ask(step.method, step.params, Context(self.name))
