# generated from src/dragoman/aio/transports/channel.py by tools/unasync.py; do not edit
"""Many exchanges over one line: whose each message is, and how each exchange ends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf
from typing import TypeAlias

from msgspec import UNSET, Raw

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, McpError, McpTimeout, ProtocolError
from dragoman.local.complaints import complain
from dragoman.local.shapes import fits
from dragoman.protocol.eras import Outgoing
from dragoman.protocol.framing import Oversized
from dragoman.protocol.jsonrpc import OPENINGS, SHORTEST, Message, RequestId, claimed_id, decode, excerpt, seems_answer
from dragoman.protocol.routing import Routes
from dragoman.sync._runtime import Guard, Mailbox, alone, here
from dragoman.sync.transports import Hear, HearAll, Lost, Overhear
from dragoman.sync.transports.diagnostics import Diagnostics
from dragoman.sync.transports.lines import Answered, Forked, Line, Unwritten

__all__ = ["Cause", "Channel"]

log = logging.getLogger("dragoman.sync")
wire = logging.getLogger("dragoman.wire")

Cause: TypeAlias = Callable[[bool], McpError]
"""Makes the error that ends an exchange, told whether its request may have reached the server."""

_Heard: TypeAlias = Message | Cause

_MOST_WAITING = 10_000
"""How many messages about one request may wait to be looked at."""


class _Pending:
    """An exchange that is not over: who takes its messages, and which bytes of the line are its request.

    `waiting` counts what was delivered and is not looked at yet, where that is done later.
    """

    __slots__ = ("deliver", "size", "start", "waiting")

    def __init__(self, deliver: Callable[[_Heard], None], waiting: float = 0) -> None:
        self.deliver = deliver
        self.start: int | None = None
        self.size = 0
        self.waiting = waiting

    def was_sent(self, line: Line) -> bool:
        """Whether any byte of the request may have left."""
        return self.start is None or line.taken > self.start

    def is_written(self, line: Line) -> bool:
        """Whether the whole request has left."""
        return self.start is not None and line.taken >= self.start + self.size


class Channel:
    """The exchanges of one line; ended once, for all of them.

    Messages of no exchange go to `hear`, what is no message to `diagnostics`. `stuck` is told when the other side
    has stopped reading, and is to end the channel.

    Attributes:
        dropped: how many messages about requests under way were dropped because nobody looked at those before them.
    """

    def __init__(
        self, name: str, line: Line, hear: Hear, diagnostics: Diagnostics, stuck: Callable[[], None], limit: int
    ) -> None:
        self.dropped = 0
        self._name = name
        self._line = line
        self._fork = line if fits(line, Forked) else None
        self._hear = hear
        self._diagnostics = diagnostics
        self._stuck = stuck
        self._limit = limit
        self._guard = Guard()
        self._here = here()
        self._routes: Routes[_Pending] = Routes()
        self._cause: Cause | None = None

    # ------------------------------------------------------------------------------------------------------ sending

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Send a request and return the message that answers it; see `Transport.exchange`."""
        mailbox: Mailbox[_Heard] = Mailbox(self._here)
        pending = _Pending(mailbox.put)
        try:
            if not self._sent_at_once(outgoing, pending):
                self._send(outgoing, pending, deadline)
            while True:
                try:
                    heard = mailbox.get(deadline)
                except TimeoutError:
                    if deadline.waits_on():
                        continue
                    raise self._unanswered(outgoing, pending, deadline) from None
                if not isinstance(heard, Message):
                    raise heard(pending.was_sent(self._line))
                if heard.method is UNSET:
                    return heard
                if heard.method == "notifications/progress":
                    deadline.extend()
                pending.waiting -= 1
                overhear(heard)
        except BaseException:
            if pending.start is not None:
                self._line.withdraw(pending.start)
            self.forget(outgoing.id)
            raise

    def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> None:
        """Send a request whose messages are heard as they come; see `Transport.listen`."""

        def deliver(heard: _Heard) -> None:
            hear(heard if isinstance(heard, Message) else heard(pending.was_sent(self._line)))

        pending = _Pending(deliver, waiting=-inf)
        try:
            if not self._sent_at_once(outgoing, pending):
                self._send(outgoing, pending, deadline)
        except BaseException:
            self.forget(outgoing.id)
            raise

    @alone
    def forget(self, request_id: RequestId) -> None:
        """Drop whatever still comes for a request."""
        self._routes.remove(request_id)

    def abandon(self, outgoing: Outgoing) -> None:
        """Forget a request, and let the server know; see `Transport.abandon`."""
        self.forget(outgoing.id)
        notice = outgoing.era.cancel(outgoing.id)
        if notice is not None and self._cause is None:
            if wire.isEnabledFor(logging.DEBUG):
                self._show(">", notice)
            self._line.write_soon(notice + b"\n")

    def tell(self, data: bytes, deadline: Deadline) -> None:
        """Send a notification or an answer; see `Transport.tell`."""
        self._check_open()
        try:
            self._write(data, deadline)
        except Unwritten as error:
            raise self._timed_out("a message", deadline, error) from None

    def _sent_at_once(self, outgoing: Outgoing, pending: _Pending) -> bool:
        """Expect an answer to a request, and send that if it takes no waiting."""
        data = outgoing.data + b"\n"
        pending.size = len(data)
        self._expect(outgoing.id, pending)
        pending.start = self._line.offer(data)
        if pending.start is None:
            return False
        if wire.isEnabledFor(logging.DEBUG):
            self._show(">", outgoing.data)
        return True

    @alone
    def _expect(self, request_id: RequestId, pending: _Pending) -> None:
        if self._cause is not None:
            raise self._cause(False)
        self._routes.add(request_id, pending)

    def _send(self, outgoing: Outgoing, pending: _Pending, deadline: Deadline) -> None:
        try:
            pending.start = self._write(outgoing.data, deadline, pending)
        except Unwritten as error:
            raise self._timed_out(outgoing.request.method, deadline, error) from None
        except ConnectionClosed as error:
            # What was being written was cut off since the line had ended: why that was is what counts.
            if self._cause is None:
                raise
            raise self._cause(error.was_sent) from error

    def _watched(self, pending: _Pending, deadline: Deadline) -> Answered:
        """Look at what comes for a request before that has left whole."""
        answered, deliver = Answered(), pending.deliver

        def early(heard: _Heard) -> None:
            deliver(heard)
            if not isinstance(heard, Message) or heard.method is UNSET:
                if self._cause is None:  # it is an end of this exchange alone
                    answered.come()
            elif heard.method == "notifications/progress":
                deadline.extend()

        pending.deliver = early
        return answered

    def _write(self, data: bytes, deadline: Deadline, pending: _Pending | None = None) -> int:
        if wire.isEnabledFor(logging.DEBUG):
            self._show(">", data)
        if self._fork is None or pending is None:
            return self._line.write(data + b"\n", deadline)
        return self._fork.write_until(self._watched(pending, deadline), data + b"\n", deadline)

    def _check_open(self) -> None:
        if self._cause is not None:
            raise self._cause(False)

    def _timed_out(self, method: str, deadline: Deadline, unwritten: Unwritten) -> McpTimeout:
        if self._line.is_still and not self._is_at_work():
            self._stuck()
        waited = deadline.waited
        return McpTimeout(
            f"{method} could not be written in {waited:.3g} s: the server does not read its input",
            method=method,
            waited=waited,
            phase="writing",
            was_sent=unwritten.is_partial,
            server=self._name,
        )

    def _is_at_work(self) -> bool:
        """Whether the server has been sent something whole that somebody waits for: it may read on when that is done."""
        with self._guard:
            owners = self._routes.owners()
        return any(owner.waiting >= 0 and owner.is_written(self._line) for owner in owners)

    def _unanswered(self, outgoing: Outgoing, pending: _Pending, deadline: Deadline) -> McpTimeout:
        method = outgoing.request.method
        if pending.start is not None and not pending.is_written(self._line):
            return self._timed_out(method, deadline, Unwritten(is_partial=not self._line.withdraw(pending.start)))
        waited = deadline.waited
        return McpTimeout(
            f"no answer to {method} in {waited:.3g} s",
            method=method,
            waited=waited,
            server=self._name,
            hint=self._diagnostics.hint,
        )

    # ---------------------------------------------------------------------------------------------------- receiving

    def take(self, *lines: bytes | Oversized) -> None:
        """Take lines of what the server says; never waits, never raises."""
        is_shown = wire.isEnabledFor(logging.DEBUG)
        for line in lines:
            try:
                if isinstance(line, Oversized):
                    self._take_oversized(line)
                    continue
                if is_shown:
                    self._show("<", line)
                if len(line) < SHORTEST or not line.startswith(OPENINGS):
                    # Who floods with lines of a few bytes is not to be given the time that decoding them would take.
                    self._diagnostics.add(line)
                    continue
                try:
                    messages = decode(line)
                except ProtocolError as error:
                    self._take_broken(line, error)
                    continue
                for message in messages:
                    self._route(message)
            except Exception:  # noqa: BLE001 - the application's filters and handlers of logs
                complain(log, "%s: something it said is lost", self._name)

    def _route(self, message: Message) -> None:
        owner = self._owner(message)
        if owner is None:
            self._take_unrouted(message)
        elif message.method is UNSET:
            owner.deliver(message)
        else:
            self._deliver(message, owner)

    @alone
    def _owner(self, message: Message) -> _Pending | None:
        return self._routes.owner(message)

    def _take_unrouted(self, message: Message) -> None:
        with self._guard:
            is_late = self._cause is not None or self._routes.is_late(message)
        try:
            if is_late:
                log.debug("%s: a message for a request that is over is dropped", self._name)
            elif message.is_answer:
                self._diagnostics.stray(message.id)
            else:
                self._hear(message)
        except Exception:  # noqa: BLE001 - not the other messages of the same line
            complain(log, "%s: a message of its is lost", self._name)

    def _deliver(self, message: Message, owner: _Pending) -> None:
        """Deliver what is about a request and does not end it, unless too much of that waits already."""
        owner.waiting += 1
        if owner.waiting > _MOST_WAITING:
            owner.waiting -= 1
            self._drop()
        else:
            owner.deliver(message)

    def _drop(self) -> None:
        self.dropped += 1
        if self.dropped == 1:
            log.warning("%s: more progress than is looked at; what comes on top is dropped", self._name)

    def _take_oversized(self, line: Oversized) -> None:
        problem = f"a message of {line.size:,} bytes is over the limit of {self._limit:,}"
        owner = self._owner_of(line.head, is_certain=True)
        if owner is None:
            log.error("%s: %s and is dropped", self._name, problem)
            return
        hint = "raise `max_message_size`, in bytes, or ask for less"
        owner.deliver(lambda _: ProtocolError(problem, excerpt=excerpt(line.head, 80), server=self._name, hint=hint))

    def _take_broken(self, line: bytes, error: ProtocolError) -> None:
        owner = self._owner_of(line, is_certain=False) if seems_answer(line) else None
        if owner is None:
            self._diagnostics.add(line)
            return
        problem = "the answer cannot be read: it is not a JSON-RPC message"
        owner.deliver(lambda _: ProtocolError(problem, excerpt=error.excerpt, server=self._name))

    def _owner_of(self, line: bytes, *, is_certain: bool) -> _Pending | None:
        """Find whose answer a line was to be, and end that exchange; `is_certain` takes the only one there is."""
        claimed = claimed_id(line)
        if claimed is None and not is_certain:
            return None
        return self._owner(Message(id=claimed, error=Raw(b"{}")))

    def take_rest(self, rest: bytes) -> None:
        """Take what was left of a line when everything ended: the last message of a server that ends no last line."""
        try:
            messages = decode(rest) if rest else []
        except ProtocolError:
            return  # half a message is what a death leaves, and that is reported
        for message in messages:
            self._route(message)

    def end(self, cause: Cause, lost: Lost | None = None) -> bool:
        """End every exchange, now and in future, with an error of this cause; False when that has happened before.

        `lost` is told first: whoever tries again after the error of an exchange finds the line known to be broken.
        """
        with self._guard:
            if self._cause is not None:
                return False
            self._cause = cause
            owners = self._routes.clear()
        # First: what the owners are told was never sent must not leave after that.
        self._line.stop()
        try:
            if lost is not None:
                lost(cause(True))
        finally:
            for owner in owners:
                owner.deliver(cause)
        return True

    def _show(self, direction: str, line: bytes) -> None:
        try:
            wire.debug("%s %s %s", self._name, direction, excerpt(line, 1000))
        except Exception:  # noqa: BLE001 - the application's filters and handlers of logs
            complain(log, "%s: the wire cannot be logged", self._name)
