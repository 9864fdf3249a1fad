# generated from src/dragoman/aio/transports/streamable.py by tools/unasync.py; do not edit
"""Speak Streamable HTTP, of every revision: one request, one POST, answered by JSON or by a stream of events.

What differs between the revisions is asked of the era: which headers go along, whether closing a stream cancels its
request, whether there are sessions. A session has one stream more, for what belongs to no request.
"""

from __future__ import annotations

import logging

from msgspec import UNSET

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionLost, McpError, McpTimeout, ProtocolError, SessionExpired
from dragoman.protocol.eras import Era, Outgoing
from dragoman.protocol.framing import Event as SentEvent
from dragoman.protocol.framing import Events, Oversized
from dragoman.protocol.jsonrpc import Message, decode, excerpt, read_error
from dragoman.protocol.recovery import backoff
from dragoman.protocol.refusals import refusal
from dragoman.sync._runtime import Crew, Event, pause
from dragoman.sync.engines import HttpReply, Wire
from dragoman.sync.transports import Hear, HearAll, Lost, Overhear
from dragoman.sync.transports.requests import Requests

__all__ = ["Streamable"]

log = logging.getLogger("dragoman.sync")
wire = logging.getLogger("dragoman.wire")

_SESSION_ID = "mcp-session-id"
_ACCEPT_BOTH = "application/json, text/event-stream"
_ACCEPT_EVENTS = "text/event-stream"

_DRAIN = 0.5
"""Seconds that a stream may go on after its answer before its connection is given up."""

_DRAINED = 64 * 1024
_LONGEST_REFUSAL = 1024 * 1024
_OPENING = 0.25
_STANDING = 0

_FRUITLESS = 5
"""How often in a row a stream may be opened again that brings nothing."""

_RETRY = 1.0
_LONGEST_RETRY = 30.0
_FAREWELL = 2.0


class Streamable:
    """One endpoint that speaks Streamable HTTP; owns the session, and the stream that goes with it.

    Attributes:
        session: the session's id, None without one.
    """

    def __init__(self, requests: Requests, name: str, crew: Crew, hear: Hear, lost: Lost, limit: int) -> None:
        self.session: str | None = None
        self._requests = requests
        self._name = name
        self._crew = crew
        self._hear = hear
        self._lost = lost
        self._limit = limit
        self._wires: dict[int, Wire] = {}

    # ------------------------------------------------------------------------------------------------------ exchanges

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Send a request and return the message that answers it; see `Transport.exchange`."""
        session = self.session
        reply = self._post(outgoing.data, outgoing.era, deadline, outgoing)
        try:
            answer = self._answer(reply, outgoing, session, overhear, deadline)
        finally:
            reply.close()
        if outgoing.request.method == "initialize" and answer.error is UNSET:
            self._adopt(reply.headers.get(_SESSION_ID))
        return answer

    def tell(self, data: bytes, era: Era, deadline: Deadline) -> None:
        """Send a notification or an answer; any success will do, whatever comes with it."""
        session = self.session
        reply = self._post(data, era, deadline, None)
        try:
            body = reply.read(_LONGEST_REFUSAL, deadline)
        finally:
            reply.close()
        if not 200 <= reply.status < 300:
            raise self._error(self._refusal(reply, body, session))

    def _post(
        self, data: bytes, era: Era, deadline: Deadline, outgoing: Outgoing | None, wire: Wire | None = None
    ) -> HttpReply:
        self._show(">", data)
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

    def _answer(
        self, reply: HttpReply, outgoing: Outgoing, session: str | None, overhear: Overhear, deadline: Deadline
    ) -> Message:
        if not 200 <= reply.status < 300:
            body = reply.read(_LONGEST_REFUSAL, deadline)
            self._show("<", body)
            return self._message(self._refusal(reply, body, session))
        if _media_type(reply) == "text/event-stream":
            return self._streamed(reply, outgoing, overhear, deadline)
        return self._whole(reply, outgoing, overhear, deadline)

    def _whole(self, reply: HttpReply, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Read an answer that is one body: the answer, or a batch that holds it (2025-03-26)."""
        body = reply.read(self._limit, deadline)
        self._show("<", body)
        if not body.strip():
            raise ProtocolError(
                f"{outgoing.request.method} was accepted ({reply.status}) and not answered", server=self._name
            )
        try:
            messages = decode(body)
        except ProtocolError as error:
            raise self._no_answer(reply, body, error) from error
        return self._pick(messages, outgoing, overhear) or self._unanswered(outgoing)

    def _streamed(self, reply: HttpReply, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Read an answer that is a stream of events, and where it breaks, its continuation."""
        events = Events(self._limit)
        answer = self._until_answer(reply, events, outgoing, overhear, deadline)
        if answer is not None:
            reply.drain(_DRAINED, deadline.within(_DRAIN))
            return answer
        return self._resumed(events, outgoing, overhear, deadline)

    def _until_answer(
        self, reply: HttpReply, events: Events, outgoing: Outgoing, overhear: Overhear, deadline: Deadline
    ) -> Message | None:
        """Read events until the answer comes; None when the stream ends without it."""
        while True:
            try:
                chunk = self._chunk(reply, deadline)
            except ConnectionLost as error:
                log.debug("%s: a stream broke: %s", self._name, error)
                chunk = b""
            for event in events.feed(chunk) if chunk else events.finish():
                for message in self._messages(event):
                    answer = self._pick([message], outgoing, overhear)
                    if answer is not None:
                        return answer
                    if message.method == "notifications/progress":
                        deadline.extend()
            if not chunk:
                return None

    def _chunk(self, reply: HttpReply, deadline: Deadline) -> bytes:
        while True:
            try:
                return reply.next_chunk(deadline)
            except McpTimeout:
                if not deadline.waits_on():
                    raise

    def _pick(self, messages: list[Message], outgoing: Outgoing, overhear: Overhear) -> Message | None:
        """Find the answer among messages, and have the others overheard.

        The POST is the correlation: an error without an id is its answer, as is one whose id came back respelled.
        """
        answer = None
        for message in messages:
            if not message.is_answer:
                overhear(message)
            elif message.id in {outgoing.id, str(outgoing.id)} or message.id is None or message.id is UNSET:
                answer = answer or message
            else:
                log.warning("%s: it answered a request that was not made here (id %r)", self._name, message.id)
        return answer

    def _resumed(self, events: Events, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Go on with a stream that broke before its answer, from where it broke, if it can be.

        2025-11-25, Resumability and Redelivery: by a GET that names the last event, after the time that the server asks
        for. From 2026-07-28 on streams are not resumable.
        """
        fruitless = 0
        while outgoing.era.has_sessions and events.last_id and fruitless < _FRUITLESS:
            pause(min(_wait_before(events, fruitless), deadline.remaining))
            before = events.last_id
            reply = self._get(outgoing.era, deadline, before, outgoing)
            try:
                if reply.status != 200 or _media_type(reply) != "text/event-stream":
                    break
                answer = self._until_answer(reply, events, outgoing, overhear, deadline)
                if answer is not None:
                    reply.drain(_DRAINED, deadline.within(_DRAIN))
                    return answer
            finally:
                reply.close()
            fruitless = 0 if events.last_id != before else fruitless + 1
        raise ConnectionLost(f"the stream of {outgoing.request.method} ended before its answer", server=self._name)

    def _get(
        self,
        era: Era,
        deadline: Deadline,
        last_id: str = "",
        outgoing: Outgoing | None = None,
        wire: Wire | None = None,
    ) -> HttpReply:
        headers = {"accept": _ACCEPT_EVENTS, **self._headers(era)}
        if last_id:
            headers["last-event-id"] = last_id
        return self._requests.send("GET", headers, deadline, outgoing=outgoing, wire=wire)

    def _messages(self, event: SentEvent | Oversized) -> list[Message]:
        if isinstance(event, Oversized):
            raise ProtocolError(
                f"a message of {event.size:,} bytes is over the limit of {self._limit:,}",
                excerpt=excerpt(event.head, 80),
                server=self._name,
                hint="raise `max_message_size`, in bytes, or ask for less",
            )
        # An event without data only says where to resume; other types of event are nothing of the protocol's.
        if not event.data.strip() or event.type != "message":
            return []
        self._show("<", event.data)
        return decode(event.data)

    # ------------------------------------------------------------------------------------------------- listen streams

    def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> None:
        """Open a stream that is heard in the background; see `Transport.listen`."""
        wire = self._wires[outgoing.id] = Wire()
        try:
            reply = self._post(outgoing.data, outgoing.era, deadline, outgoing, wire)
        except BaseException:
            self._wires.pop(outgoing.id, None)
            raise
        self._crew.start(self._hear_all, reply, outgoing, hear)

    def _hear_all(self, reply: HttpReply, outgoing: Outgoing, hear: HearAll) -> None:
        def overhear(message: Message) -> None:
            hear(message)

        try:
            hear(self._answer(reply, outgoing, None, overhear, Deadline.never()))
        except McpError as error:
            hear(error)
        finally:
            reply.close()
            self._wires.pop(outgoing.id, None)

    def forget(self, outgoing: Outgoing) -> None:
        """End a stream that is listened to; other exchanges end with their callers."""
        wire = self._wires.pop(outgoing.id, None)
        if wire is not None:
            wire.cut()

    # ----------------------------------------------------------------------------------------------- the standing stream

    def stand(self, era: Era) -> None:
        """Open the session's own stream, where the server has one; what comes on it is heard in the background."""
        if era.has_sessions:
            opened = Event()
            self._crew.start(self._standing, era, opened)
            # Not longer: some servers send nothing, not even a status, before there is an event.
            opened.wait(Deadline(_OPENING))

    def _standing(self, era: Era, opened: Event) -> None:
        """Keep the standing stream open, until it turns out that there is none, or that it brings nothing."""
        events, fruitless, has_stood = Events(self._limit), 0, False
        while fruitless < _FRUITLESS and not self._crew.closing.is_set():
            heard = self._stood(era, events, opened, has_stood=has_stood)
            if heard is None:
                return
            has_stood = True
            fruitless = 0 if heard else fruitless + 1
            self._crew.closing.wait(Deadline(_wait_before(events, fruitless)))
        log.info("%s: its standing stream brings nothing and is not opened again", self._name)

    def _stood(self, era: Era, events: Events, opened: Event, *, has_stood: bool) -> int | None:
        """Open the standing stream and hear it to its end; how many events it brought, None where there is no stream."""
        heard = 0
        wire = self._wires[_STANDING] = Wire()
        try:
            reply = self._get(era, Deadline.never(), events.last_id, wire=wire)
            opened.set()
            try:
                if not self._is_stream(reply, has_stood=has_stood):
                    return None
                while chunk := reply.next_chunk(Deadline.never()):
                    heard += self._heard_standing(events.feed(chunk))
            finally:
                reply.close()
        except McpError as error:
            opened.set()
            log.debug("%s: the standing stream broke: %s", self._name, error)
        return heard

    def _heard_standing(self, sent: list[SentEvent | Oversized]) -> int:
        for event in sent:
            for message in self._messages(event):
                self._hear(message)
        return len(sent)

    def _is_stream(self, reply: HttpReply, *, has_stood: bool) -> bool:
        if reply.status == 200 and _media_type(reply) == "text/event-stream":
            return True
        # 405 says that there is no such stream. 404 says so too, unless there has been one: then the session is gone.
        if reply.status == 404 and has_stood and self.session is not None:
            self._lost(SessionExpired("the server no longer knows the session", server=self._name))
        return False

    # ---------------------------------------------------------------------------------------------------------- the end

    def cut(self) -> None:
        """Break every stream that is heard in the background."""
        for wire in list(self._wires.values()):
            wire.cut()

    def farewell(self, era: Era) -> None:
        """Tell the server that the session is over (2025-11-25, Session Management); whatever it answers is fine."""
        session, headers = self.session, self._headers(era)
        if session is None:
            return
        self.session = None
        try:
            reply = self._requests.send("DELETE", headers, Deadline(_FAREWELL))
            reply.close()
        except McpError as error:
            log.debug("%s: the session could not be ended: %s", self._name, error)

    def _message(self, refused: Message | McpError) -> Message:
        if isinstance(refused, Message):
            return refused
        raise self._error(refused)

    def _refusal(self, reply: HttpReply, body: bytes, session: str | None) -> Message | McpError:
        headers = {name.lower(): value for name, value in reply.headers}
        return refusal(reply.status, headers, body, has_session=session is not None)

    def _error(self, refused: Message | McpError) -> McpError:
        if isinstance(refused, Message):
            return read_error(refused.error, "a message")  # type: ignore[arg-type]  # a refusal's message has an error
        refused.server = self._name
        return refused

    def _no_answer(self, reply: HttpReply, body: bytes, error: ProtocolError) -> McpError:
        if "json" in _media_type(reply):
            return ProtocolError("the answer cannot be read", excerpt=error.excerpt, server=self._name)
        refused = self._error(self._refusal(reply, body, None))
        refused.message = f"what answers here is no MCP server: {refused.message}"
        refused.hint = "is the path right? It is often /mcp"
        return refused

    def _unanswered(self, outgoing: Outgoing) -> Message:
        raise ProtocolError(
            f"{outgoing.request.method} was answered by something that is not its answer", server=self._name
        )

    def _show(self, direction: str, data: bytes) -> None:
        if wire.isEnabledFor(logging.DEBUG):
            wire.debug("%s %s %s", self._name, direction, excerpt(data, 1000))


def _media_type(reply: HttpReply) -> str:
    return (reply.headers.get("content-type") or "").partition(";")[0].strip().lower()


def _wait_before(events: Events, fruitless: int) -> float:
    if events.retry is not None:
        return events.retry / 1000
    return backoff(fruitless, _RETRY, _LONGEST_RETRY)
