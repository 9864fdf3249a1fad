# generated from src/dragoman/aio/exchanges.py by tools/unasync.py; do not edit
"""What is under way: requests that were sent and are not answered yet, and what the server asks meanwhile."""

from __future__ import annotations

import logging
from itertools import count

from msgspec import UNSET, Raw

from dragoman.deadline import Deadline
from dragoman.errors import McpError, McpTimeout, ServerError
from dragoman.protocol.eras import Era, Outgoing
from dragoman.protocol.jsonrpc import Message, read_error
from dragoman.protocol.steps import Call, Hedge, Reply, Request
from dragoman.sync._runtime import Mailbox
from dragoman.sync.caller import Caller
from dragoman.sync.transports import Transport
from dragoman.sync.unreached import is_the_users

__all__ = ["Exchanges"]

_NULL = Raw(b"null")

_GREETINGS = frozenset({"initialize", "server/discover", "ping"})
"""For the sake of these nobody is asked anything."""

_ASKING = frozenset({"tools/call", "prompts/get", "resources/read"})
"""For the sake of these servers ask; from 2026-07-28 on, for the sake of no others."""

log = logging.getLogger("dragoman.sync")


class Exchanges:
    """The exchanges of one connection; owns their numbers, and knows who waits for each and until when.

    Attributes:
        speaking: the era in which the last request was dressed, None before the first.
    """

    def __init__(self, transport: Transport, *, announces_cancellation: bool) -> None:
        self.speaking: Era | None = None
        self._transport = transport
        self._announces_cancellation = announces_cancellation
        self._ids = count(1)
        self._open: dict[int, Caller] = {}
        self._failures: dict[int, BaseException] = {}

    def outgoing(self, step: Call, era: Era) -> Outgoing:
        """Number and dress a request."""
        self.speaking = era
        return era.outgoing(step.request, next(self._ids))

    def _dressed(self, step: Call) -> Outgoing:
        era = step.era or self.speaking
        assert era is not None, "a hedge says itself how it is dressed"
        return self.outgoing(step, era)

    def send(self, outgoing: Outgoing, caller: Caller, deadline: Deadline) -> Reply:
        """Send a request and wait for its answer.

        Raises:
            ServerError: the answer is an error.
            TransportError, McpTimeout, ProtocolError: there is none, or none that can be read.
        """
        caller.outgoing, caller.patience = outgoing, deadline
        self._open[outgoing.id] = caller
        try:
            message = self._transport.exchange(outgoing, caller.overhear, deadline)
        except BaseException as error:
            self._given_up(outgoing, error)
            raise
        finally:
            del self._open[outgoing.id]
        return self._reply(outgoing, message)

    def in_turn(self, step: Hedge, caller: Caller, deadline: Deadline) -> Reply:
        """Send one request, and a second one in its place if it stays unanswered, in half of the time at most."""
        patience = deadline.within(min(step.after, deadline.remaining / 2))
        try:
            return self.send(self._dressed(step.first), caller, patience)
        except McpTimeout as error:
            if is_the_users(error):
                raise
            following = step.second if error.was_sent else step.first
        return self.send(self._dressed(following), caller, deadline)

    def hedge(self, step: Hedge, deadline: Deadline) -> Reply:
        """Send one request, and a second one if the first stays unanswered; return the first good answer."""
        race = _Race(self._transport, deadline)
        try:
            race.start(self._dressed(step.first))
            try:
                answered = race.answer(deadline.within(step.after))
            except TimeoutError:
                race.start(self._dressed(step.second))
                answered = race.good_answer(step.decisive)
            return self._reply(*answered)
        except McpError:
            raise
        except TimeoutError:
            raise self._unanswered(step.second.request.method, deadline) from None
        finally:
            race.end()

    def _unanswered(self, method: str, deadline: Deadline) -> McpTimeout:
        waited = deadline.waited
        return McpTimeout(f"no answer to {method} in {waited:.3g} s", method=method, waited=waited)

    def askers(self, asked_in: int | None) -> tuple[int, ...]:
        """Tell for the sake of which requests under way a question may be asked that comes now.

        `asked_in` is the request in whose own stream it came, if it did: then it is that one. On a line that all share
        nothing says whose a question is: it may belong to every call of a tool, every prompt and every reading of a
        resource that is under way, or where there is none, to whatever else is.
        """
        under_way = {each: caller.method for each, caller in list(self._open.items())}
        if asked_in is not None:
            return () if under_way.get(asked_in, "ping") in _GREETINGS else (asked_in,)
        able = tuple(each for each, method in under_way.items() if method not in _GREETINGS)
        return tuple(each for each in able if under_way[each] in _ASKING) or able

    def hold(self, askers: tuple[int, ...]) -> list[Deadline]:
        """Stop the clocks of requests, as far as they are under way still, while a question of theirs is answered."""
        held = [caller.patience for each in askers if (caller := self._open.get(each)) is not None]
        for deadline in held:
            deadline.hold()
        return held

    def request(self, request_id: int) -> Request | None:
        """Give a request that is under way."""
        caller = self._open.get(request_id)
        return None if caller is None or caller.outgoing is None else caller.outgoing.request

    def blame(self, request_id: int, error: BaseException) -> None:
        """Remember that answering for this request failed here, so that its caller gets to see why."""
        if request_id in self._open:
            self._failures[request_id] = error

    def _reply(self, outgoing: Outgoing, message: Message) -> Reply:
        failure = self._failures.pop(outgoing.id, None) if self._failures else None
        if message.error is UNSET:
            return Reply(_NULL if message.result is UNSET else message.result, outgoing.era, failure)
        # No name holds the error here: together with its traceback it would hold the caller, and all that is the caller's.
        if failure is not None:
            raise failure from self._refusal(outgoing, message.error)
        raise self._refusal(outgoing, message.error)

    def _refusal(self, outgoing: Outgoing, said: Raw) -> ServerError:
        error = read_error(said, outgoing.request.method)
        error.server = self._transport.name
        error.hint = error.hint or outgoing.era.way_out(error.message)
        return error

    def _given_up(self, outgoing: Outgoing, error: BaseException) -> None:
        self._failures.pop(outgoing.id, None)
        if not self._announces_cancellation or outgoing.request.method == "initialize":
            # Cancellation: clients must not cancel `initialize`.
            return
        if error.was_sent if isinstance(error, McpTimeout) else not isinstance(error, McpError):
            self._transport.abandon(outgoing)


class _Race:
    """Requests of which the first good answer counts; the others are forgotten without a word to the server."""

    def __init__(self, transport: Transport, deadline: Deadline) -> None:
        self._transport = transport
        self._deadline = deadline
        self._heard: Mailbox[tuple[Outgoing, Message | McpError]] = Mailbox()
        self._running: dict[int, Outgoing] = {}

    def start(self, outgoing: Outgoing) -> None:
        self._running[outgoing.id] = outgoing
        self._transport.listen(outgoing, lambda heard: self._heard.put((outgoing, heard)), self._deadline)

    def answer(self, deadline: Deadline) -> tuple[Outgoing, Message]:
        """Wait for any answer. Raises TimeoutError, or what broke the line."""
        while True:
            outgoing, heard = self._heard.get(deadline)
            if isinstance(heard, McpError):
                raise heard
            if heard.is_answer:
                del self._running[outgoing.id]
                return outgoing, heard

    def good_answer(self, decisive: frozenset[int]) -> tuple[Outgoing, Message]:
        """Wait for a result, for an error that settles the matter, or for the last answer."""
        while True:
            outgoing, message = self.answer(self._deadline)
            if message.error is UNSET or not self._running:
                return outgoing, message
            if read_error(message.error, outgoing.request.method).code in decisive:
                return outgoing, message

    def end(self) -> None:
        for outgoing in self._running.values():
            self._transport.forget(outgoing)
