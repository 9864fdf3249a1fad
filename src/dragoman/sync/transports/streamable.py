# generated from src/dragoman/aio/transports/streamable.py by tools/unasync.py; do not edit
"""Speak Streamable HTTP, of every revision: one request, one POST, answered by JSON or by a stream of events.

What differs between the revisions is asked of the era: which headers go along, whether closing a stream cancels its
request, whether there are sessions. A session has one stream more, for what belongs to no request.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from msgspec import UNSET

from dragoman.deadline import Deadline, Unattended
from dragoman.errors import ConnectionClosed, ConnectionLost, McpError, McpTimeout, ProtocolError, TransportError
from dragoman.protocol.eras import Era, Outgoing
from dragoman.protocol.framing import Events
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.routing import Routes
from dragoman.sync._runtime import Crew, Guard
from dragoman.sync.engines import HttpReply, Wire
from dragoman.sync.transports import Hear, HearAll, Lost, Overhear
from dragoman.sync.transports.answers import EVENTS, Answers, is_stream, media_type, read_apart
from dragoman.sync.transports.requests import Requests
from dragoman.sync.transports.standing import FOR_NOW, FRUITLESS, Standing, wait_before

__all__ = ["Streamable"]

log = logging.getLogger("dragoman.sync")

_SESSION_ID = "mcp-session-id"
_ACCEPT_BOTH = f"application/json, {EVENTS}"

_DRAIN = 0.2
"""Seconds that a stream may go on after its answer before its connection is given up."""

_DRAINED = 64 * 1024
_UNENDED = 3
"""How many streams in a row may stay open after their answers before none is waited for any more."""

_OPENING = 0.25
_FAREWELL = 2.0


def _can_be_named(event_id: str) -> bool:
    """Whether a header can say where a stream is to be resumed."""
    return event_id != "" and event_id.isascii() and event_id.isprintable()


class _UnderWay(NamedTuple):
    """A request that is not answered yet."""

    wire: Wire
    overhear: Overhear
    deadline: Deadline


class Streamable:
    """One endpoint that speaks Streamable HTTP; owns the session, the stream that goes with it, and what is under way.

    Attributes:
        session: the session's id, None without one.
    """

    def __init__(self, requests: Requests, name: str, limit: int, crew: Crew, hear: Hear, lost: Lost) -> None:
        self.session: str | None = None
        self._requests = requests
        self._name = name
        self._answers = Answers(name, limit)
        self._crew = crew
        self._hear = hear
        self._lost = lost
        self._guard = Guard()
        self._under_way: Routes[_UnderWay] = Routes()
        self._heard: dict[int, Wire] = {}
        self._standing: Standing | None = None
        self._unended = 0

    def begin(self, crew: Crew, hear: Hear, lost: Lost) -> None:
        """Begin anew: without a session and its streams. What is under way goes on."""
        self.cut_streams()
        self.session = None
        self._heard, self._standing = {}, None
        self._crew, self._hear, self._lost = crew, hear, lost

    # ------------------------------------------------------------------------------------------------------ exchanges

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Send a request and return the message that answers it; see `Transport.exchange`."""
        session, exchange = self.session, _UnderWay(Wire(), overhear, deadline)
        with self._guard:
            self._under_way.add(outgoing.id, exchange)
        try:
            reply = self._post(outgoing.data, outgoing.era, deadline, outgoing, exchange.wire)
            try:
                answer = self._answer(reply, outgoing, session, exchange)
            finally:
                reply.close()
        finally:
            with self._guard:
                self._under_way.remove(outgoing.id)
        if outgoing.request.method == "initialize" and answer.error is UNSET:
            self._adopt(reply.headers.get(_SESSION_ID))
        return answer

    def tell(self, data: bytes, era: Era, deadline: Deadline) -> None:
        """Send a notification or an answer; any success will do, whatever comes with it."""
        session = self.session
        reply = self._post(data, era, deadline, None)
        try:
            if 200 <= reply.status < 300:
                reply.drain(_DRAINED, deadline.within(_DRAIN))
                return
            refused = self._answers.refusal(reply, deadline, has_session=session is not None)
        finally:
            reply.close()
        raise self._answers.error(refused)

    def _post(
        self, data: bytes, era: Era, deadline: Deadline, outgoing: Outgoing | None, wire: Wire | None = None
    ) -> HttpReply:
        self._answers.show(">", data)
        headers = {"content-type": "application/json", "accept": _ACCEPT_BOTH, **self._headers(era, outgoing)}
        return self._requests.send("POST", headers, deadline, body=data, outgoing=outgoing, wire=wire)

    def _headers(self, era: Era, outgoing: Outgoing | None = None) -> dict[str, str]:
        headers = era.headers(None if outgoing is None else outgoing.request)
        is_greeting = outgoing is not None and outgoing.request.method == "initialize"
        if self.session is not None and era.has_sessions and not is_greeting:
            headers[_SESSION_ID] = self.session
        return headers

    def _adopt(self, session: str | None) -> None:
        # Session Management: only visible ASCII may stand in an id.
        self.session = session if session and all("!" <= char <= "~" for char in session) else None

    # -------------------------------------------------------------------------------------------------------- answers

    def _answer(self, reply: HttpReply, outgoing: Outgoing, session: str | None, exchange: _UnderWay) -> Message:
        deadline, method = exchange.deadline, outgoing.request.method
        if not 200 <= reply.status < 300:
            refused = self._answers.refusal(reply, deadline, has_session=session is not None)
            if isinstance(refused, Message):
                return refused
            raise refused
        if media_type(reply) == EVENTS:
            return self._streamed(reply, outgoing, exchange)
        answer = self._pick(self._answers.whole(reply, method, deadline), outgoing, exchange.overhear)
        if answer is None:
            raise ProtocolError(f"{method} was answered by something that is not its answer", server=self._name)
        return answer

    def _streamed(self, reply: HttpReply, outgoing: Outgoing, exchange: _UnderWay) -> Message:
        """Read an answer that is a stream of events, and where it breaks, its continuation."""
        events = Events(self._answers.limit)
        answer = self._until_answer(reply, events, outgoing, exchange)
        return answer or self._resumed(events, outgoing, exchange)

    def _until_answer(
        self, reply: HttpReply, events: Events, outgoing: Outgoing, exchange: _UnderWay
    ) -> Message | None:
        """Read events until the answer comes, and the rest; None when the stream ends without it."""
        while True:
            try:
                chunk = self._chunk(reply, exchange.deadline)
            except ConnectionLost as error:
                log.debug("%s: a stream broke: %s", self._name, error)
                chunk = b""
            read = self._answers.sent if chunk else self._answers.unfinished
            for event in events.feed(chunk) if chunk else events.finish():
                answer = self._pick(read(event), outgoing, exchange.overhear, exchange.deadline)
                if answer is not None:
                    self._finish(reply, exchange.deadline)
                    return answer
            if not chunk:
                return None

    def _finish(self, reply: HttpReply, deadline: Deadline) -> None:
        """Let a stream that has brought its answer end, unless this server's never do."""
        if self._unended < _UNENDED:
            is_ended = reply.drain(_DRAINED, deadline.within(_DRAIN))
            self._unended = 0 if is_ended else self._unended + 1

    def _chunk(self, reply: HttpReply, deadline: Deadline) -> bytes:
        while True:
            try:
                return reply.next_chunk(deadline)
            except McpTimeout:
                if not deadline.waits_on():
                    raise

    def _pick(
        self, messages: list[Message], outgoing: Outgoing, overhear: Overhear, deadline: Deadline | None = None
    ) -> Message | None:
        """Find the answer among messages, and have the others overheard; progress extends a deadline.

        The POST is the correlation: an error without an id is its answer, as is one whose id came back respelled.
        """
        answer = None
        for message in messages:
            if not message.is_answer:
                if deadline is not None and message.method == "notifications/progress":
                    deadline.extend()
                overhear(message)
            elif message.id in {outgoing.id, str(outgoing.id)} or message.id is None or message.id is UNSET:
                answer = answer or message
            else:
                log.warning("%s: it answered a request that was not made here (id %r)", self._name, message.id)
        return answer

    def _resumed(self, events: Events, outgoing: Outgoing, exchange: _UnderWay) -> Message:
        """Go on with a stream that broke before its answer, from where it broke, if it can be.

        2025-11-25, Resumability and Redelivery: by a GET that names the last event, after the time that the server asks
        for. From 2026-07-28 on streams are not resumable.
        """
        fruitless = 0
        while outgoing.era.has_sessions and _can_be_named(events.last_id) and fruitless < FRUITLESS:
            before, wait = events.last_id, wait_before(events, fruitless)
            if self._crew.closing.wait(exchange.deadline.within(wait)):
                break
            if exchange.deadline.expired and not exchange.deadline.waits_on():
                raise self._out_of_time(outgoing, exchange.deadline.waited)
            reply = self._reopened(events, outgoing, exchange)
            if reply is not None and not is_stream(reply) and reply.status not in FOR_NOW:
                reply.close()
                break
            answer = None if reply is None else self._rest(reply, events, outgoing, exchange)
            if answer is not None:
                return answer
            fruitless = 0 if events.last_id != before else fruitless + 1
        raise ConnectionLost(f"the stream of {outgoing.request.method} ended before its answer", server=self._name)

    def _reopened(self, events: Events, outgoing: Outgoing, exchange: _UnderWay) -> HttpReply | None:
        """Ask for the rest of a stream; None where nobody answered.

        Whatever becomes of that: the request itself had been sent.
        """
        try:
            return self._get(outgoing.era, exchange.deadline, events.last_id, exchange.wire, outgoing)
        except McpTimeout as error:
            raise self._out_of_time(outgoing, error.waited) from error
        except ConnectionClosed:
            raise
        except TransportError as error:
            log.debug("%s: a stream could not be resumed: %s", self._name, error)
        return None

    def _out_of_time(self, outgoing: Outgoing, waited: float) -> McpTimeout:
        method = outgoing.request.method
        return McpTimeout(
            f"the stream of {method} broke and did not go on in {waited:.3g} s",
            method=method,
            waited=waited,
            server=self._name,
        )

    def _rest(self, reply: HttpReply, events: Events, outgoing: Outgoing, exchange: _UnderWay) -> Message | None:
        try:
            return self._until_answer(reply, events, outgoing, exchange) if is_stream(reply) else None
        finally:
            reply.close()

    def _get(
        self, era: Era, deadline: Deadline, last_id: str, wire: Wire, outgoing: Outgoing | None = None
    ) -> HttpReply:
        headers = {"accept": EVENTS, **self._headers(era)}
        if _can_be_named(last_id):
            headers["last-event-id"] = last_id
        return self._requests.send("GET", headers, deadline, outgoing=outgoing, wire=wire)

    # -------------------------------------------------------------------------------------- what is heard in the background

    def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> None:
        """Open a stream that is heard in the background; see `Transport.listen`."""
        wire = self._heard[outgoing.id] = Wire()
        try:
            reply = self._post(outgoing.data, outgoing.era, deadline, outgoing, wire)
            read_apart(self._crew, self._hear_all, reply, outgoing, hear, wire)
        except BaseException:
            self._heard.pop(outgoing.id, None)
            raise

    def _hear_all(self, reply: HttpReply, outgoing: Outgoing, hear: HearAll, wire: Wire) -> None:
        def overhear(message: Message) -> None:
            hear(message)

        try:
            hear(self._answer(reply, outgoing, None, _UnderWay(wire, overhear, Deadline.never())))
        except McpError as error:
            hear(error)
        finally:
            reply.close()
            self._heard.pop(outgoing.id, None)

    def forget(self, outgoing: Outgoing) -> None:
        """End a stream that is listened to; other exchanges end with their callers."""
        wire = self._heard.pop(outgoing.id, None)
        if wire is not None:
            wire.cut()

    def stand(self, era: Era, deadline: Deadline) -> None:
        """Open the session's own stream, where the server has one; what comes on it is heard in the background."""
        if not era.has_sessions:
            return
        get: Callable[[str, Wire], HttpReply] = partial(self._get, era, Unattended.never())
        self._standing = Standing(self._name, get, self._hear_standing, self._lost, self._answers, self._crew)
        self._crew.start(self._standing.keep)
        # Not longer: some servers send nothing, not even a status, before there is an event.
        self._standing.opened.wait(deadline.within(_OPENING))

    def _hear_standing(self, message: Message) -> None:
        """Take a message from the standing stream, where some servers also tell of the progress of requests."""
        exchange = None
        if not message.is_answer:
            with self._guard:
                exchange = self._under_way.owner(message)
        if exchange is None:
            self._hear(message)
        else:
            exchange.deadline.extend()
            exchange.overhear(message)

    # -------------------------------------------------------------------------------------------------------- the end

    def cut_streams(self) -> None:
        """End what is heard in the background."""
        if self._standing is not None:
            self._standing.cut()
        for wire in list(self._heard.values()):
            wire.cut()

    def cut(self) -> None:
        """End everything."""
        self.cut_streams()
        with self._guard:
            under_way = self._under_way.owners()
        for exchange in under_way:
            exchange.wire.cut()

    def farewell(self, era: Era) -> None:
        """Tell the server that the session is over (2025-11-25, Session Management); whatever it answers is fine."""
        session, headers = self.session, self._headers(era)
        if session is None:
            return
        self.session = None
        try:
            reply = self._requests.send("DELETE", headers, Unattended(_FAREWELL))
            reply.close()
        except McpError as error:
            log.debug("%s: the session could not be ended: %s", self._name, error)
