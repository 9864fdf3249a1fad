# generated from src/dragoman/aio/connection.py by tools/unasync.py; do not edit
"""A line that heals: one server, reached, greeted, started again when it dies, and told anew what it had been told."""

from __future__ import annotations

import logging
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from random import random

from msgspec import structs

from dragoman.deadline import Deadline, now
from dragoman.errors import ConnectFailed, ConnectionLost, McpError, McpTimeout, SessionExpired, TransportError
from dragoman.local.home import is_ending
from dragoman.protocol.eras import Era, Identity, Outgoing
from dragoman.protocol.inbound import Cancelled, read_event
from dragoman.protocol.inbound import Event as News
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.negotiate import MINDS_THE_PROBE, PATIENCE_APART, PROBE_PATIENCE, Introduction, Offer, negotiate
from dragoman.protocol.recovery import Budget, RestartPolicy, Restarts, is_passing
from dragoman.protocol.steps import Call, Hedge, Reply, Request, Tell
from dragoman.sync._runtime import Crew, Guard, Home, Lock, pause
from dragoman.sync.caller import Caller
from dragoman.sync.exchanges import Exchanges
from dragoman.sync.habits import Habits, Timing
from dragoman.sync.handlers import Handlers
from dragoman.sync.questions import Questions
from dragoman.sync.run import run
from dragoman.sync.transports import HearAll, Transport
from dragoman.sync.trials import Trial
from dragoman.sync.tries import Tries
from dragoman.sync.unheld import unheld
from dragoman.sync.unreached import check_open, gone, is_the_users, not_back, not_greeted
from dragoman.views import Phase, State

__all__ = ["Connection"]

_RESTARTING = Phase.RESTARTING
"""Looked up once: members of enumerations take several steps to find."""

log = logging.getLogger("dragoman.sync")

_jitter = random  # spreads the waits of many clients; nothing is kept secret by it


class Connection:
    """One server and the way to it.

    Owns the transport, what was negotiated, and the background work; ended by `close`.

    Attributes:
        introduction: the server's era and what it says of itself, as of the last time it was reached.
        state: how the connection is doing.
    """

    introduction: Introduction
    state: State

    def __init__(
        self,
        transport: Transport,
        identity: Identity,
        offered: Offer,
        handlers: Handlers,
        timing: Timing,
        habits: Habits,
        remembered: MutableMapping[str, str],
        *,
        on_news: Callable[[News], None],
        on_state: Callable[[State], None],
        restore: Callable[[], None],
    ) -> None:
        self.handlers = handlers
        self.timing = timing
        self.crew = Crew(transport.name)
        self._transport = transport
        self._identity = identity
        self._offered = offered
        self._habits = habits
        self._remembered = remembered
        self._on_news = on_news
        self._on_state = on_state
        self._restore = restore
        self._exchanges = Exchanges(transport, announces_cancellation=habits.announces_cancellation)
        self._questions = Questions(
            transport, self._exchanges, handlers, self.crew, timing.timeout, apply_defaults=habits.applies_defaults
        )
        self._home = Home()
        self._era: Era | None = None
        self._trial = Trial()
        self._closing = Lock()
        self._guard = Guard()
        self._budget = Budget()
        self._broken: McpError | None = None
        self.state = State(Phase.CONNECTING, datetime.now(UTC))

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        return self._transport.name

    @property
    def mirrors_arguments(self) -> bool:
        """Whether arguments that a tool's schema marks are repeated in headers."""
        return self._transport.mirrors_arguments and self.era.closing_cancels

    @property
    def applies_defaults(self) -> bool:
        """Whether accepted forms are filled with the defaults that the server gave."""
        return self._habits.applies_defaults

    @property
    def era(self) -> Era:
        """How the server is spoken to."""
        return self.introduction.era

    def change_era(self, era: Era) -> None:
        """Speak to the server another way from now on, as another log level is."""
        self.introduction = structs.replace(self.introduction, era=era)
        if self._era is not None:
            self._era = era

    # ------------------------------------------------------------------------------------------- opening and closing

    def open(self) -> None:
        """Reach the server and find out who it is.

        Raises:
            TransportError: it cannot be reached, or ended at once.
            McpTimeout: it did not answer in time.
            ServerError, ProtocolError: it answered, and cannot be spoken with.
        """
        try:
            self._establish(Deadline(self.timing.connect_timeout))
        except BaseException as error:
            self._enter(Phase.CLOSED, error if isinstance(error, McpError) else None)
            if not isinstance(error, Exception):
                # Whoever interrupts does not want to wait for the server to end by itself.
                self._transport.sever()
            self.close()
            raise
        if self._habits.restarts is not None:
            self._habits.restarts.started(now())

    def sever(self) -> None:
        """End everything by force, where nothing can run any more that could do it otherwise."""
        self._era = None
        self.state = State(Phase.CLOSED, datetime.now(UTC), self.state.error)
        self._transport.sever()

    def close(self) -> None:
        """End everything, where it was opened; harmless when it has ended already."""
        self._home.check()
        with self._closing:
            with self._guard:
                self._era = None
                self._enter(Phase.CLOSED)
            self._trial.end()
            self._transport.close()
            self.crew.end()
            # Among the crew's work may have been a start of the server, which this ends.
            self._transport.close()

    def _establish(self, whole: Deadline) -> None:
        remembered = self._remembered.get(self._transport.key)
        try:
            self.introduction = self._greeted(remembered, whole)
        except ConnectionLost:
            if remembered is not None or not (self._offered.modern and self._offered.legacy):
                raise
            # Some servers end when anything but the handshake comes first; whatever else was wrong is so again.
            self.introduction = self._greeted(MINDS_THE_PROBE, whole)
        if self._offered.modern:
            # Otherwise the server had no choice, and its era is not known.
            self._remembered[self._transport.key] = self.introduction.era.name
        self._transport.settled(self.introduction.era, whole)
        self._stand()

    def _greeted(self, remembered: str | None, whole: Deadline) -> Introduction:
        """Open the line and find out who is at its other end."""
        self._broken = None
        check_open(self.state, self.name)
        self._transport.open(unheld(self.hear), unheld(self._lost), whole)
        check_open(self.state, self.name)
        try:
            patience = PATIENCE_APART if self._transport.asks_apart else PROBE_PATIENCE
            greeting = negotiate(self._identity, self._offered, remembered, patience=patience)
            return run(greeting, Caller(self, timeout=self.timing.handshake_timeout, within=whole))
        except McpTimeout as error:
            if is_the_users(error):
                raise
            raise not_greeted(error, self._transport) from error
        except McpError as error:
            error.server = error.server or self.name
            raise

    def _stand(self) -> None:
        """Note that the server can be spoken with, unless it was lost just after it had been greeted."""
        with self._guard:
            if self._broken is not None:
                raise self._broken
            self._era = self.introduction.era
            self._enter(Phase.READY)
        self._trial.end()

    # ----------------------------------------------------------------------------------------------- what steps need

    def call(self, step: Call, caller: Caller) -> Reply:
        """Send a request and return its answer; send it again where the line broke and that is safe."""
        deadline = caller.deadline()
        tries: Tries | None = None
        try:
            while True:
                era = step.era or self._era or self._ready(deadline)
                if tries is not None:
                    tries.check(deadline)
                try:
                    reply = self._exchanges.send(self._exchanges.outgoing(step, era), caller, deadline)
                except TransportError as error:
                    if step.era is not None or self.state.phase is Phase.CLOSED:
                        raise
                    self._note(error, era, deadline)
                    tries = tries or Tries(step, caller, self._habits.retry, self._budget)
                    delay = tries.delay_after(error)
                else:
                    if not self._budget.is_full:
                        self._budget.earn()
                    if self.state.phase is _RESTARTING:
                        self._reached()
                    return reply
                pause(min(delay, deadline.remaining))
        except (TransportError, McpTimeout) as error:
            # Whatever became of the last attempt: one before it may have run.
            error.was_sent = error.was_sent or (tries is not None and tries.has_run)
            raise

    def hedge(self, step: Hedge, caller: Caller) -> Reply:
        """Send one request, and a second one if the first stays unanswered; return the first good answer."""
        if self._transport.asks_apart:
            return self._exchanges.in_turn(step, caller, caller.deadline())
        return self._exchanges.hedge(step, caller.deadline())

    def listen(self, request: Request, hear: HearAll, deadline: Deadline) -> Outgoing:
        """Open a stream whose messages are heard as they come; `stop` ends it.

        Raises:
            TransportError, McpTimeout: the request could not be sent.
        """
        era = self._era or self._ready(deadline)
        outgoing = self._exchanges.outgoing(Call(request), era)
        self._transport.listen(outgoing, hear, deadline)
        return outgoing

    def stop(self, outgoing: Outgoing) -> None:
        """End a stream, and tell the server."""
        self._transport.abandon(outgoing)

    def tell(self, step: Tell) -> None:
        """Send a notification where the era has it; that it could not be sent is no failure.

        Raises:
            UsageError: the connection was made by another process.
        """
        self._home.check()
        data = (step.era or self.era).notice(step.notice)
        if data is None:
            return
        try:
            self._transport.tell(data, step.era or self.era, Deadline(self.timing.timeout))
        except McpError as error:
            log.warning("%s: %s could not be sent: %s", self.name, step.notice.method, error)

    # ------------------------------------------------------------------------------------------- what comes unasked

    def hear(self, message: Message, heard_in: int | None = None) -> None:
        """Take a message that answers nothing of ours; `heard_in` is the request in whose own stream it came."""
        if message.is_request:
            self._questions.take(message, heard_in)
        elif message.is_answer:
            log.warning("%s: it answered a request that was not made (id %r)", self.name, message.id)
        else:
            event = read_event(message)
            if isinstance(event, Cancelled):
                self._questions.withdraw(event.request_id)
            self._on_news(event)

    # -------------------------------------------------------------------------------------------------------- healing

    def _lost(self, error: McpError) -> None:
        self._questions.withdraw_all()
        with self._guard:
            self._broken = error
            if self._era is not None:
                self._era = None
                self._begin_healing(error, is_death=True)

    def _note(self, error: TransportError, era: Era, deadline: Deadline) -> None:
        """Begin another session if this one is lost, unless another request has seen to that; note if nobody is there."""
        with self._guard:
            if era is not self._era:
                return
            if isinstance(error, SessionExpired):
                self._questions.withdraw_all()
                self._era = None
                self._begin_healing(error, is_death=False, is_wanted=deadline.is_attended)
            elif isinstance(error, ConnectFailed) and self.state.phase is Phase.READY:
                # Every request makes its own connection, where the line can be down and yet need no healing.
                self._enter(Phase.RESTARTING, error)

    def _reached(self) -> None:
        """Note that somebody is there again, perhaps another than before, if all that was missing was a connection."""
        with self._guard:
            if self._era is not None and self.state.phase is Phase.RESTARTING:
                self._enter(Phase.READY)
                self.crew.start(self._restored)

    def _begin_healing(self, error: McpError | None, *, is_death: bool, is_wanted: bool = False) -> None:
        restarts = self._habits.restarts
        if restarts is None and isinstance(error, SessionExpired):
            # Session Management: a client must begin a new session, whatever it thinks of starting programs again.
            restarts = Restarts(RestartPolicy(limit=1))
        if restarts is None or is_ending():
            self._enter(Phase.FAILED, error)
            return
        self._trial.begin()
        self._enter(Phase.RESTARTING, error)
        self.crew.start(self._heal, restarts, is_death, is_wanted)

    def _ready(self, deadline: Deadline) -> Era:
        """Wait for an attempt to reach the server that is under way; fail at once when there is none.

        Raises:
            ConnectionClosed, ConnectionLost: there is no server, and for now there will be none.
            AuthError: it is there, and lets nobody in.
            McpTimeout: the deadline came first.
        """
        self._home.check()
        while self._era is None:
            check_open(self.state, self.name)
            self._revive(deadline)
            if not self._trial.is_going:
                raise gone(self.state, self._trial.next, self.name, restarts=self._habits.restarts is not None)
            if not self._trial.wait(deadline):
                raise not_back(deadline, self.name)
        return self._era

    def _revive(self, deadline: Deadline) -> None:
        restarts = self._habits.restarts
        with self._guard:
            if self.state.phase is Phase.FAILED and restarts is not None and restarts.may_start(now()):
                self._begin_healing(self.state.error, is_death=False, is_wanted=deadline.is_attended)

    def _heal(self, restarts: Restarts, is_death: bool, is_wanted: bool) -> None:
        """Start the server again, with longer and longer waits between attempts, until it stands or died too often.

        `is_wanted`: a call has led to this, for which a user may be asked.
        """
        # One that was given up is started anew because its time is over, not because it died once more.
        delay = restarts.died(now(), _jitter()) if is_death else 0.0
        while delay is not None:
            is_waited_for = restarts.waits and is_passing(self.state.error)
            if delay and not self._trial.rest(delay, self.crew.closing, is_waited_for=is_waited_for):
                return
            patience = self._trial.patience(self.timing.connect_timeout, is_wanted=is_wanted)
            try:
                self._establish(patience)
            except McpError as error:
                self._transport.close()
                if self.state.phase is Phase.CLOSED:
                    return
                if is_ending():
                    break
                log.warning("%s: it could not be started again: %s", self.name, error)
                self._enter(Phase.RESTARTING, error)
                if self._trial.is_refused(error, patience):
                    break
                delay = restarts.died(now(), _jitter())
            else:
                restarts.started(now())
                self._restored()
                return
        self._enter(Phase.FAILED, self.state.error)
        self._trial.end()

    def _restored(self) -> None:
        try:
            self._restore()
        except McpError as error:
            # Nobody misses what the end of the client cut off.
            level = logging.DEBUG if self.state.phase is Phase.CLOSED else logging.WARNING
            log.log(
                level, "%s: it is back, but not all that it had been told could be told again: %s", self.name, error
            )

    def _enter(self, phase: Phase, error: McpError | None = None) -> None:
        if self.state.phase is not Phase.CLOSED:
            self.state = State(phase, datetime.now(UTC), error)
            self._on_state(self.state)
