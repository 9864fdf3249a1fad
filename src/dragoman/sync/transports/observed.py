# generated from src/dragoman/aio/transports/observed.py by tools/unasync.py; do not edit
"""Let observers look on at all that goes over a transport; where there are none, this is not there."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from secrets import token_hex
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from dragoman.deadline import Deadline, now
from dragoman.errors import McpError, SessionExpired, UsageError
from dragoman.models.observing import ServerFacts
from dragoman.models.watching import ClientObservers, RequestObservation, SessionObservation
from dragoman.protocol.eras import Era, Outgoing
from dragoman.protocol.jsonrpc import Message, read_error
from dragoman.protocol.recovery import RestartPolicy
from dragoman.protocol.steps import Request
from dragoman.sync._runtime import Guard
from dragoman.sync.transports import Hear, HearAll, Lost, Overhear, Transport
from dragoman.sync.transports.asked import AskedOfUs

__all__ = ["ObservedTransport"]

log = logging.getLogger("dragoman.sync")


_message = msgspec.json.Decoder(Message)


def _unseen(_: BaseException | None) -> None:
    """End what nobody has seen begin."""


class _Seen(Struct):
    """A request that is under way, and since when."""

    outgoing: Outgoing
    observation: RequestObservation
    since: float


class ObservedTransport:
    """A transport that carries as another does, in sight of observers.

    Owns what is known of each request under way, and of the session.
    """

    def __init__(self, inner: Transport, observers: ClientObservers) -> None:
        self._inner = inner
        self._observers = observers
        self._guard = Guard()
        self._streams: dict[int, _Seen] = {}
        self._known: dict[str, ServerFacts] = {}
        self._latest = ServerFacts(inner.name, endpoint=inner.key)
        self._questions = AskedOfUs(observers)
        self._session: tuple[SessionObservation, float] | None = None
        self.mirrors_arguments: bool = inner.mirrors_arguments
        self.asks_apart: bool = inner.asks_apart
        self.restarts: RestartPolicy = inner.restarts

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        return self._inner.name

    @property
    def key(self) -> str:
        """What identifies the server across connections."""
        return self._inner.key

    @property
    def symptoms(self) -> str | None:
        """What may be the reason that the server does not answer."""
        return getattr(self._inner, "symptoms", None)

    def protocol_versions(self) -> tuple[str, ...]:
        """Name the protocol versions that it can carry."""
        return self._inner.protocol_versions()

    # -------------------------------------------------------------------------------------------------------- sessions

    def open(self, hear: Hear, lost: Lost, deadline: Deadline) -> None:
        """Make the line; the session that was there is over."""
        self._leave()
        self._inner.open(partial(self._hear, hear), partial(self._lost, lost), deadline)

    def _hear(self, hear: Hear, message: Message) -> None:
        self._questions.note(message, self._latest)
        hear(message)

    def _overhear(self, overhear: Overhear, message: Message) -> None:
        self._questions.note(message, self._latest)
        overhear(message)

    def _lost(self, lost: Lost, error: McpError) -> None:
        self._leave(error)
        lost(error)

    def settled(self, era: Era, deadline: Deadline) -> None:
        """Learn that the server has been greeted: a session begins."""
        self._inner.settled(era, deadline)
        self._leave()
        begun = SessionObservation(id=token_hex(8), server=self._facts(era), session_id=self.session_id)
        self._session = begun, now()
        self._observers.start_session(begun)

    def _leave(self, error: BaseException | None = None) -> None:
        """End the session, once."""
        with self._guard:  # who closes and who notes a loss may do so at once
            session, self._session = self._session, None
        if session is not None:
            begun, since = session
            self._observers.stop_session(structs.replace(begun, elapsed=now() - since, error=error))

    def sever(self) -> None:
        """End by force what of this is ours and runs elsewhere."""
        self._inner.sever()
        self._leave()

    def close(self) -> None:
        """End the line and all that belongs to it."""
        for seen in list(self._streams.values()):
            self._let_go(seen.outgoing)
        self._questions.end()
        self._inner.close()
        self._leave()

    # ------------------------------------------------------------------------------------------------------- exchanges

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Send a request and return the message that answers it."""
        seen = self._begun(outgoing)
        try:
            message = self._inner.exchange(seen.outgoing, partial(self._overhear, overhear), deadline)
        except BaseException as error:
            self._ended(seen, error=error)
            if isinstance(error, SessionExpired):
                self._leave(error)
            raise
        self._answered(seen, message)
        return message

    def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> None:
        """Send a request whose messages are heard as they come."""
        seen = self._streams[outgoing.id] = self._begun(outgoing)
        try:
            self._inner.listen(seen.outgoing, partial(self._heard, outgoing, hear), deadline)
        except BaseException as error:
            self._let_go(outgoing, error)
            raise

    def _heard(self, outgoing: Outgoing, hear: HearAll, heard: Message | McpError) -> None:
        if isinstance(heard, McpError):
            self._let_go(outgoing, heard)
        elif heard.is_answer and (seen := self._streams.pop(outgoing.id, None)) is not None:
            self._answered(seen, heard)
        hear(heard)

    def forget(self, outgoing: Outgoing) -> None:
        """Drop whatever still comes for a request."""
        self._let_go(outgoing)
        self._inner.forget(outgoing)

    def abandon(self, outgoing: Outgoing) -> None:
        """Let the server know that nobody waits for this request any more."""
        self._let_go(outgoing)
        self._inner.abandon(outgoing)

    def _let_go(self, outgoing: Outgoing, error: BaseException | None = None) -> None:
        """End a stream that has not been answered, if it is there."""
        seen = self._streams.pop(outgoing.id, None)
        if seen is not None:
            self._ended(seen, error=error)

    def tell(self, data: bytes, era: Era, deadline: Deadline) -> None:
        """Send a notification, or the answer to a request of the server's."""
        message = _message.decode(data)
        ended: Callable[[BaseException | None], None]
        if message.is_answer:
            asked = self._questions.take(message)
            ended = partial(self._questions.answered, asked, message) if asked else _unseen
        else:
            ended = self._noted(str(message.method), era)
        try:
            self._inner.tell(data, era, deadline)
        except BaseException as error:
            ended(error)
            raise
        ended(None)

    def _noted(self, method: str, era: Era) -> Callable[[BaseException | None], None]:
        """Tell observers of a notification of ours; gives what tells them of its end."""
        told = RequestObservation(
            id=token_hex(8), request=Request(method), server=self._facts(era), session_id=self.session_id
        )
        since = now()
        self._observers.start_request(told)
        return lambda error: self._observers.stop_request(structs.replace(told, elapsed=now() - since, error=error))

    # ------------------------------------------------------------------------------------------------- what is observed

    def _begun(self, outgoing: Outgoing) -> _Seen:
        """Tell observers of a request, and dress it anew where they want something to go along."""
        observation = RequestObservation(
            id=token_hex(8),
            request=outgoing.request,
            request_id=outgoing.id,
            server=self._facts(outgoing.era),
            session_id=self.session_id,
        )
        since = now()
        meta = self._observers.start_request(observation)
        return _Seen(self._with_meta(outgoing, meta) if meta else outgoing, observation, since)

    def _with_meta(self, outgoing: Outgoing, meta: dict[str, Any]) -> Outgoing:
        request = structs.replace(outgoing.request, meta={**(outgoing.request.meta or {}), **meta})
        try:
            return outgoing.era.outgoing(request, outgoing.id)
        except UsageError as error:
            log.warning("%s: what observers want to go along cannot be sent: %s", self.name, error)
            return outgoing

    def _answered(self, seen: _Seen, message: Message) -> None:
        if isinstance(message.error, UnsetType):
            result = None if message.result is UNSET else bytes(message.result)
            self._ended(seen, result=result)
        else:
            self._ended(seen, error=read_error(message.error, seen.outgoing.request.method))

    def _ended(self, seen: _Seen, **end: Any) -> None:
        self._observers.stop_request(structs.replace(seen.observation, elapsed=now() - seen.since, **end))

    def _facts(self, era: Era) -> ServerFacts:
        self._latest = self._facts_of(era)
        return self._latest

    def _facts_of(self, era: Era) -> ServerFacts:
        known = self._known.get(era.version)
        if known is None:
            known = self._known[era.version] = ServerFacts(self._inner.name, era.version, self._inner.key)
        return known

    @property
    def session_id(self) -> str | None:
        """The id of the session; None without one."""
        found: str | None = getattr(self._inner, "session_id", None)
        return found
