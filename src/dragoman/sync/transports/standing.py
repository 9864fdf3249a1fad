# generated from src/dragoman/aio/transports/standing.py by tools/unasync.py; do not edit
"""The stream of a session that belongs to no request (2025-03-26 to 2025-11-25): opened, heard, and opened again."""

from __future__ import annotations

import logging
from collections.abc import Callable

from dragoman.deadline import Deadline
from dragoman.errors import McpError, SessionExpired
from dragoman.protocol.framing import Events
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.recovery import backoff
from dragoman.sync._runtime import Crew, Event
from dragoman.sync.engines import HttpReply, Wire
from dragoman.sync.transports import Lost
from dragoman.sync.transports.answers import Answers, is_stream

__all__ = ["FOR_NOW", "FRUITLESS", "Standing", "wait_before"]

log = logging.getLogger("dragoman.sync")

FRUITLESS = 5
"""How often in a row a stream may be opened again that ends and has brought nothing."""

FOR_NOW = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses of a server that is not there just now, or too busy."""

_LASTING = 10.0
"""Seconds after which a stream that was cut has proved its worth: what cuts it is an idle proxy."""

_LEAST_WAIT = 0.05
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 30.0


def wait_before(events: Events, attempt: int) -> float:
    """Give the seconds to wait before a stream is opened again: what the server asks for, or longer each time."""
    if events.retry is None:
        return backoff(attempt, _FIRST_WAIT, _LONGEST_WAIT)
    asked = events.retry / 1000
    return max(asked, backoff(attempt, max(asked, _LEAST_WAIT), _LONGEST_WAIT)) if attempt else asked


class Standing:
    """The standing stream of one session; owns where it is to be resumed.

    `get` asks for it, naming the last event; `take` gets each message; `lost` is told that the session is gone.
    """

    def __init__(
        self,
        name: str,
        get: Callable[[str, Wire], HttpReply],
        take: Callable[[Message], None],
        lost: Lost,
        answers: Answers,
        crew: Crew,
    ) -> None:
        self.opened = Event()
        self._name = name
        self._get = get
        self._take = take
        self._lost = lost
        self._answers = answers
        self._crew = crew
        self._events = Events(answers.limit)
        self._wire = Wire()
        self._has_stood = False

    def keep(self) -> None:
        """Keep the stream open, until it turns out that there is none, or that it brings nothing."""
        empty = failures = 0
        while empty < FRUITLESS and (self._has_stood or failures < FRUITLESS):
            try:
                fruit = self._once()
            except McpError as error:
                failures += 1
                log.debug("%s: the standing stream could not be opened: %s", self._name, error)
            else:
                if fruit is None:
                    return
                failures, empty = 0, 0 if fruit else empty + 1
            self.opened.set()
            if self._crew.closing.wait(Deadline(wait_before(self._events, max(empty, failures)))):
                return
        log.info("%s: its standing stream brings nothing and is not opened again", self._name)

    def cut(self) -> None:
        """End the stream."""
        self._wire.cut()

    def _once(self) -> bool | None:
        """Open the stream and hear it to its end; whether that was worth it, None where there is no stream.

        Raises:
            McpError: it could not be opened, for now.
        """
        self._wire = Wire()
        if self._crew.closing.is_set():
            return None
        reply = self._get(self._events.last_id, self._wire)
        self.opened.set()
        try:
            if is_stream(reply):
                self._stood()
                return self._heard(reply)
            self._refused(reply)
        finally:
            reply.close()
        return None

    def _stood(self) -> None:
        """Note that the stream is open; where it was open before and cannot be resumed, lists may have changed unheard."""
        if self._has_stood and not self._events.last_id:
            for kind in ("tools", "resources", "prompts"):
                self._take(Message(method=f"notifications/{kind}/list_changed"))
        self._has_stood = True

    def _heard(self, reply: HttpReply) -> bool:
        since, count = Deadline.never(), 0
        try:
            while chunk := reply.next_chunk(Deadline.never()):
                for event in self._events.feed(chunk):
                    count += 1
                    for message in self._answers.heard(event):
                        self._take(message)
        except McpError as error:
            log.debug("%s: the standing stream broke: %s", self._name, error)
        return count > 0 or since.waited >= _LASTING

    def _refused(self, reply: HttpReply) -> None:
        """Find out whether there is no stream, or none for now, or no session any more."""
        refused = self._answers.error(self._answers.refusal(reply, Deadline.never(), has_session=self._has_stood))
        if isinstance(refused, SessionExpired):
            self._lost(refused)
        elif reply.status in FOR_NOW or (self._has_stood and reply.status == 401):
            # No user is asked for this stream: whoever calls next is, and then it can be had again.
            raise refused
