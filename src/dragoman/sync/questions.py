# generated from src/dragoman/aio/questions.py by tools/unasync.py; do not edit
"""Answer the requests that a server sends: put them to the application, and send back what it says."""

from __future__ import annotations

import logging

from dragoman.deadline import Deadline
from dragoman.errors import McpError, PolicyDenied
from dragoman.protocol.inbound import Refusal, fulfil
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.steps import Ask, Step
from dragoman.sync.exchanges import Exchanges
from dragoman.sync.handlers import Handlers
from dragoman.sync.run import run
from dragoman.sync.transports import Transport
from dragoman.views import Context

__all__ = ["Questions"]

log = logging.getLogger("dragoman.sync")

# More at once is no conversation with a user any more, and each may cost a thread.
_MOST_AT_ONCE = 64

_INTERNAL_ERROR = -32603
_REJECTED = -1
_BUSY = -32000


class Questions:
    """The server's requests that are being answered."""

    def __init__(
        self, transport: Transport, exchanges: Exchanges, handlers: Handlers, timeout: float, *, apply_defaults: bool
    ) -> None:
        self._transport = transport
        self._exchanges = exchanges
        self._handlers = handlers
        self._timeout = timeout
        self._apply_defaults = apply_defaults
        self._under_way = 0

    def answer(self, message: Message) -> None:
        """Answer one request; whatever happens, the server gets an answer in time, and this does not raise."""
        data = self._reply(message)
        if data is None:
            log.warning("%s: it asked by %s, which its version of the protocol forbids", self._name, message.method)
            return
        try:
            self._transport.tell(data, self._exchanges.speaking, Deadline(self._timeout))
        except McpError as error:
            log.warning("%s: the answer to %s could not be sent: %s", self._name, message.method, error)

    @property
    def _name(self) -> str:
        return self._transport.name

    def _reply(self, message: Message) -> bytes | None:
        era = self._exchanges.speaking
        if era.refuse(message.id, _BUSY, "") is None:
            return None
        try:
            return era.answer(message.id, self._result(message))
        except Refusal as refusal:
            return era.refuse(message.id, refusal.code, refusal.message)

    def _result(self, message: Message) -> bytes:
        if self._under_way >= _MOST_AT_ONCE:
            raise Refusal(_BUSY, f"{_MOST_AT_ONCE} requests of yours are being answered already")
        self._under_way += 1
        belongs_to = self._exchanges.sole()
        held = self._exchanges.hold()
        try:
            return self._put(message)
        except PolicyDenied as denied:
            raise Refusal(_REJECTED, denied.message) from denied
        except Refusal:
            raise
        except Exception as error:
            # 2025-11-25, Sampling and Elicitation: the server is told that we failed, not that it was wrong.
            log.exception("%s: the handler of %s failed", self._name, message.method)
            self._exchanges.blame(belongs_to, error)
            raise Refusal(_INTERNAL_ERROR, f"the client's handler failed: {type(error).__name__}") from error
        finally:
            self._under_way -= 1
            for deadline in held:
                deadline.release()

    def _put(self, message: Message) -> bytes:
        declared = self._exchanges.speaking.identity.capabilities
        conversation = fulfil(str(message.method), message.params, declared, apply_defaults=self._apply_defaults)
        return run(conversation, self)

    def perform(self, step: Step) -> object:
        """Put a question to the application; answering takes no other step."""
        assert isinstance(step, Ask)
        return self._handlers.ask(step.method, step.params, Context(self._name))
