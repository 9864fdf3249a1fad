"""Tell OpenTelemetry of calls and sessions, by its semantic conventions for the Model Context Protocol (v0.1.0).

Needs the extra `otel`; nothing of it is loaded before an observer is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dragoman.deadline import now
from dragoman.errors import ServerError, UsageError
from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation, ServerFacts
from dragoman.telemetry.facts import arguments_of, error_type, network_of, result_of
from dragoman.types import encode
from dragoman.views import Phase, State

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

__all__ = ["OpenTelemetryObserver"]

_NAME = "dragoman"
_CALL = "tools/call"
_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
_OVER = frozenset({Phase.CLOSED, Phase.FAILED, Phase.RESTARTING})
_TOOL_FAILED = "tool_error"


class OpenTelemetryObserver:
    """Makes a span and a measurement of every call, and lets servers continue the trace by `_meta`.

    Args:
        tracer_provider, meter_provider: those of the program by default.
        content: whether spans have the arguments and results.
        concealer: what takes secrets out of them.

    Raises:
        UsageError: OpenTelemetry is not installed.
    """

    def __init__(
        self,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        *,
        content: bool = False,
        concealer: Concealer | None = None,
    ) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError as error:
            raise UsageError("OpenTelemetry is not installed", hint="pip install 'dragoman[otel]'") from error
        self._tracer = trace.get_tracer(_NAME, tracer_provider=tracer_provider)
        meter = metrics.get_meter(_NAME, meter_provider=meter_provider)
        self._operations = _histogram(meter, "mcp.client.operation.duration", "How long requests take.")
        self._sessions = _histogram(meter, "mcp.client.session.duration", "How long sessions last.")
        self._content = content
        self._concealer = concealer or Concealer()
        self._spans: dict[str, Span] = {}

    def start(self, observation: Observation) -> dict[str, Any] | None:
        """Begin a span, and give the trace's context for a server to continue."""
        from opentelemetry import propagate, trace

        span = self._tracer.start_span(
            f"{_CALL} {observation.definition.name}"
            if observation.server
            else f"execute_tool {observation.definition.name}",
            kind=trace.SpanKind.CLIENT if observation.server else trace.SpanKind.INTERNAL,
            attributes={**_attributes(observation), "gen_ai.tool.call.id": observation.call.id},
        )
        if self._content:
            span.set_attribute(
                "gen_ai.tool.call.arguments", encode(arguments_of(observation, self._concealer)).decode()
            )
        self._spans[observation.id] = span
        if observation.server is None:
            return None
        carrier: dict[str, Any] = {}
        propagate.inject(carrier, trace.set_span_in_context(span))
        return carrier

    def stop(self, observation: Observation) -> None:
        """End the span, and measure the call."""
        from opentelemetry.trace import Status, StatusCode

        span = self._spans.pop(observation.id, None)
        failure = _failure(observation)
        attributes = {**_attributes(observation), **failure}
        if observation.server is not None:
            self._operations.record(observation.elapsed, attributes)
        if span is None:
            return
        span.set_attributes(failure)
        if failure:
            # The words of a failure may hold what was said, so they are content.
            words = str(observation.error or (observation.response and observation.response.text) or "")
            span.set_status(Status(StatusCode.ERROR, self._concealer.text(words) if self._content else None))
        result = result_of(observation, self._concealer) if self._content else None
        if result is not None:
            span.set_attribute("gen_ai.tool.call.result", encode(result).decode())
        span.end()

    def session(self, server: ServerFacts) -> Callable[[State], None]:
        """Make a handler for the option `on_state` that measures how long each session with a server lasts."""
        began: list[float] = []

        def hear(state: State) -> None:
            if state.phase is Phase.READY:
                began.append(now())
            elif state.phase in _OVER and began:
                failure = {"error.type": error_type(state.error)} if state.error else {}
                self._sessions.record(now() - began.pop(), {**_session(server), **failure})
                began.clear()

        return hear


def _histogram(meter: Any, name: str, description: str) -> Any:
    return meter.create_histogram(name, unit="s", description=description, explicit_bucket_boundaries_advisory=_BUCKETS)


def _attributes(observation: Observation) -> dict[str, str | int]:
    """Give what both spans and measurements have; a function of this program has nothing of the protocol's."""
    tool: dict[str, str | int] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": observation.definition.name,
    }
    if observation.server is None:
        return tool
    return {"mcp.method.name": _CALL, **tool, **_session(observation.server)}


def _session(server: ServerFacts) -> dict[str, str | int]:
    version = {"mcp.protocol.version": server.protocol_version} if server.protocol_version else {}
    return {**version, **network_of(server)}


def _failure(observation: Observation) -> dict[str, str]:
    if observation.error is not None:
        codes = (
            {"rpc.response.status_code": str(observation.error.code)}
            if isinstance(observation.error, ServerError)
            else {}
        )
        return {"error.type": error_type(observation.error), **codes}
    return {"error.type": _TOOL_FAILED} if observation.is_error else {}
