"""Look on while tools are called: what an observer gets to see, at the start of each call and at its end."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, structs

from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.types import Tool

__all__ = ["Observation", "Observer", "Observers", "ServerFacts"]

log = logging.getLogger("dragoman.models")


class ServerFacts(Struct, frozen=True):
    """Where a tool is.

    Attributes:
        name: the server's name.
        protocol_version: the version that is spoken.
        endpoint: its command line or URL, without secrets.
    """

    name: str
    protocol_version: str | None = None
    endpoint: str | None = None


class Observation(Struct, frozen=True, kw_only=True):
    """One call of a tool.

    Attributes:
        id: the same at the start and the end of a call, and of no other call.
        call: what the model asked for.
        definition: the tool, by its own name.
        arguments: those that are sent, decoded, repaired and with their own names.
        server: where the tool is; None for a function of this program.
        trace_id: 32 hexadecimal digits, the same for all that belongs together (W3C Trace Context).
        elapsed: seconds; 0 at the start.
        response: what came of it; None at the start, and where nothing did.
        error: what was raised, or, with a response, what that tells the model of a server or a line; or None.
    """

    id: str
    call: ToolCall
    definition: Tool
    arguments: Any
    server: ServerFacts | None = None
    trace_id: str = ""
    elapsed: float = 0.0
    response: ToolResponse | None = None
    error: BaseException | None = None

    @property
    def is_error(self) -> bool:
        """Whether the call failed, by its result or by an exception."""
        return self.error is not None or (self.response is not None and self.response.is_error)


class Observer(Protocol):
    """Sees each call of a tool twice. Neither method may wait; what it raises is logged and costs the call nothing."""

    def start(self, observation: Observation) -> Mapping[str, Any] | None:
        """See a call that is about to be made; what is returned goes into the request's `_meta`."""
        ...

    def stop(self, observation: Observation) -> None:
        """See it when it has ended, however it did."""
        ...


class Observers:
    """All observers of one runner, each of them once however often it was given."""

    def __init__(self, *given: Observer) -> None:
        self._all: list[Observer] = []
        for observer in given:
            self.add(observer)

    def __bool__(self) -> bool:
        return bool(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def add(self, observer: Observer) -> None:
        """Let one more look on; one that does already goes on as before."""
        if not any(each is observer for each in self._all):
            self._all.append(observer)

    def remove(self, observer: Observer) -> None:
        """Let one look on no longer; harmless when it did not."""
        self._all = [each for each in self._all if each is not observer]

    def start(self, observation: Observation) -> tuple[Observation, dict[str, Any]]:
        """Tell all of them; gives the observation with the trace that one of them continues, and what goes along."""
        meta: dict[str, Any] = {}
        for observer in self._all:
            try:
                meta |= observer.start(observation) or {}
            except Exception:
                log.exception("an observer did not see the start of a call of %s", observation.definition.name)
            observation = structs.replace(observation, trace_id=_trace_id(meta) or observation.trace_id)
        return observation, meta

    def stop(self, observation: Observation) -> None:
        """Tell all of them."""
        for observer in self._all:
            try:
                observer.stop(observation)
            except Exception:
                log.exception("an observer did not see the end of a call of %s", observation.definition.name)


def _trace_id(meta: Mapping[str, Any]) -> str:
    """Take the trace's id out of a `traceparent` (W3C Trace Context, 3.2)."""
    parts = str(meta.get("traceparent", "")).split("-")
    return parts[1] if len(parts) == 4 else ""
