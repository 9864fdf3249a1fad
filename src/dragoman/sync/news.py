# generated from src/dragoman/aio/news.py by tools/unasync.py; do not edit
"""Pass on what a server tells unasked: log messages, changes, completed elicitations, and whatever else it says."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed
from dragoman.protocol.inbound import Acknowledged, ElicitationCompleted, ListChanged, Logged, Other, ResourceUpdated
from dragoman.protocol.inbound import Event as Told
from dragoman.sync._runtime import Courier, Event, Guard
from dragoman.sync.handlers import Consumer, safely
from dragoman.types import LoggingLevel, LogMessage
from dragoman.views import Context, State

__all__ = ["News"]

_MOST_REMEMBERED = 1_000


class News:
    """What one server tells; owns the log level below which nothing is passed on, and which elicitations are over.

    `consumers` has the application's, by option; `changed` gets what is about lists and resources
    and the watching of them.
    """

    def __init__(
        self, name: str, courier: Courier, consumers: Mapping[str, Consumer], changed: Callable[[Told], None]
    ) -> None:
        self.level: LoggingLevel | None = None
        self._name = name
        self._courier = courier
        self._consumers = consumers
        self._changed = changed
        self._completed = _Completed()
        # The logger of its standard error, too: a dot in the name would make it one logger's child.
        self._log = logging.getLogger("dragoman.server." + name.replace(".", "_"))

    def take(self, event: Told) -> None:
        """Take one notification; never waits."""
        match event:
            case Logged(message):
                self._logged(message)
            case ListChanged() | ResourceUpdated() | Acknowledged():
                self._changed(event)
            case ElicitationCompleted(elicitation_id):
                if self._completed.add(elicitation_id):
                    self._send("on_elicitation_complete", elicitation_id)
            case Other():
                self._send("on_notification", event)

    def state(self, state: State) -> None:
        """Take a change in the connection's state."""
        self._send("on_state", state)

    def completion(self, elicitation_id: str, deadline: Deadline) -> bool:
        """Wait until the user is done with a URL elicitation; False when the deadline came first.

        Raises:
            ConnectionClosed: the client was closed meanwhile.
        """
        is_over = self._completed.wait(elicitation_id, deadline)
        if self._completed.is_cut_off(elicitation_id):
            raise ConnectionClosed("the client was closed", server=self._name)
        return is_over

    def end(self) -> None:
        """Let nobody wait any longer: nothing more is told."""
        self._completed.end()

    def _logged(self, message: LogMessage) -> None:
        if self.level is not None and message.level < self.level:
            return
        if "on_log" in self._consumers:
            self._send("on_log", message)
        elif self._log.isEnabledFor(_SEVERITY[message.level]):
            # As the application's own consumers: a handler of logs that waits or raises is not to hold up those who read.
            self._courier.send(self._record, message)

    def _record(self, message: LogMessage) -> None:
        self._log.log(_SEVERITY[message.level], "%s%s", f"{message.logger}: " if message.logger else "", message.data)

    def _send(self, option: str, value: object) -> None:
        if option in self._consumers:
            self._courier.send(safely, self._consumers[option], value, Context(self._name))


_SEVERITY = {
    LoggingLevel.DEBUG: logging.DEBUG,
    LoggingLevel.INFO: logging.INFO,
    LoggingLevel.NOTICE: logging.INFO,
    LoggingLevel.WARNING: logging.WARNING,
    LoggingLevel.ERROR: logging.ERROR,
    LoggingLevel.CRITICAL: logging.CRITICAL,
    LoggingLevel.ALERT: logging.CRITICAL,
    LoggingLevel.EMERGENCY: logging.CRITICAL,
}


class _Completed:
    """Elicitations that are over, or that somebody waits for; what is over may have been told before it is asked for."""

    def __init__(self) -> None:
        self._guard = Guard()
        self._events: OrderedDict[str, Event] = OrderedDict()
        self._told: set[str] = set()
        self._is_ended = False

    def add(self, elicitation_id: str) -> bool:
        """Note that one is over; False when that was known."""
        event = self._event(elicitation_id)
        with self._guard:
            was_known = elicitation_id in self._told
            self._told.add(elicitation_id)
        event.set()
        return not was_known

    def end(self) -> None:
        """Wake all who wait."""
        with self._guard:
            self._is_ended = True
            for event in self._events.values():
                event.set()

    def is_cut_off(self, elicitation_id: str) -> bool:
        """Whether nothing more will be heard of one that is not over."""
        return self._is_ended and elicitation_id not in self._told

    def wait(self, elicitation_id: str, deadline: Deadline) -> bool:
        return self._event(elicitation_id).wait(deadline)

    def _event(self, elicitation_id: str) -> Event:
        with self._guard:
            event = self._events.setdefault(elicitation_id, Event())
            self._events.move_to_end(elicitation_id)
            if len(self._events) > _MOST_REMEMBERED:
                oldest, _ = self._events.popitem(last=False)
                self._told.discard(oldest)
            if self._is_ended:
                event.set()
            return event
