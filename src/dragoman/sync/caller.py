# generated from src/dragoman/aio/caller.py by tools/unasync.py; do not edit
"""One caller's view of a connection: how long to wait, and who hears of the progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from dragoman.deadline import Deadline, Unattended
from dragoman.errors import McpTimeout
from dragoman.protocol.eras import Outgoing
from dragoman.protocol.inbound import read_progress
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.steps import Ask, Call, Hedge, Pause, Step, Tell
from dragoman.sync._runtime import CutOff, call_before, pause
from dragoman.sync.handlers import Consumer
from dragoman.sync.unreached import check_open
from dragoman.types import InputParams
from dragoman.views import Context

if TYPE_CHECKING:
    from dragoman.sync.connection import Connection

__all__ = ["Caller"]


class Caller:
    """The world that one conversation's steps are performed in.

    Attributes:
        outgoing: the request that was sent last, None before the first.
        patience: how long its answer is waited for.
        vouch: tells, before what may have run is sent again, whether that still does no harm; None if that never changes.
    """

    __slots__ = ("_cap", "_connection", "_on_progress", "_span", "_within", "outgoing", "patience", "vouch")

    patience: Deadline

    def __init__(
        self,
        connection: Connection,
        timeout: float | None = None,
        on_progress: Consumer | None = None,
        *,
        within: Deadline | None = None,
    ) -> None:
        timing = connection.timing
        self._connection = connection
        self._span = timing.timeout if timeout is None else timeout
        self._cap = max(timing.max_timeout, self._span)
        self._on_progress = on_progress
        self._within = within
        self.outgoing: Outgoing | None = None
        self.vouch: Callable[[Deadline], bool] | None = None

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        return self._connection.name

    def perform(self, step: Step) -> Any:
        """Do what a step asks for."""
        match step:
            case Call():
                return self._connection.call(step, self)
            case Ask():
                return self._asked(step)
            case Hedge():
                return self._connection.hedge(step, self)
            case Tell():
                return self._connection.tell(step)
            case Pause():
                return pause(step.seconds)

    def _asked(self, step: Ask) -> Any:
        """Put a question to the application, as long as the client is open."""
        connection = self._connection
        try:
            return call_before(
                connection.crew.closing, connection.handlers.ask, step.method, step.params, self._context()
            )
        except CutOff:
            check_open(connection.state, self.name)
            raise

    def deadline(self) -> Deadline:
        """Begin the time that one round trip may take."""
        if self._within is None:
            return Deadline(self._span, self._cap)
        return type(self._within)(self._span, min(self._cap, self._within.remaining))

    @property
    def method(self) -> str:
        """The method of the request that was sent last; empty before the first."""
        return "" if self.outgoing is None else self.outgoing.request.method

    @property
    def has_carried_input(self) -> bool:
        """Whether the last request brought input with it that its answer may depend on."""
        params = None if self.outgoing is None else self.outgoing.request.params
        return isinstance(params, InputParams) and (
            params.input_responses is not None or params.request_state is not None
        )

    def overhear(self, message: Message) -> None:
        """Take a message that belongs to the request under way: its progress is the caller's, all else the client's."""
        progress = read_progress(message)
        if progress is None:
            self._connection.hear(message, None if self.outgoing is None else self.outgoing.id)
            return
        try:
            self._connection.handlers.progress(progress, self._on_progress, self._context(), self.patience)
        except TimeoutError:
            raise self._still_told() from None

    def _still_told(self) -> McpTimeout:
        waited = self.patience.waited
        return McpTimeout(
            f"the time of {self.method} was up after {waited:.3g} s, while its progress was still being told",
            method=self.method,
            waited=waited,
            server=self.name,
            hint="`on_progress` has not returned",
        )

    @classmethod
    def unattended(cls, connection: Connection) -> Self:
        """Make the caller of what happens by itself, for which no user is asked."""
        return cls(connection, within=Unattended.never())

    def _context(self) -> Context:
        if self.outgoing is None:
            return Context(self._connection.name)
        return Context(self._connection.name, self.outgoing.request, self.outgoing.id)
