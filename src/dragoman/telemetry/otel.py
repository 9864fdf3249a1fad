"""Tell OpenTelemetry of calls, requests and sessions, by its semantic conventions for the Model Context Protocol (v0.1.0).

Needs the extra `otel`; nothing of it is loaded before an observer is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dragoman.errors import UsageError
from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation
from dragoman.models.watching import RequestObservation, SessionObservation
from dragoman.telemetry.attributes import (
    Attributes,
    argument_attributes,
    call_attributes,
    call_failure,
    call_name,
    request_attributes,
    request_details,
    request_failure,
    request_name,
    result_attributes,
    session_attributes,
    words_of,
)

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

__all__ = ["OpenTelemetryObserver"]

_NAME = "dragoman"
_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]


class OpenTelemetryObserver:
    """Makes spans and measurements of what runners call and clients ask, and lets servers continue the trace.

    Given to a runner it tells of every call of a tool, given to a client of every request and session; given to both, a
    call of a tool is one span and one measurement all the same.

    Args:
        tracer_provider, meter_provider: those of the program by default.
        content: whether spans have arguments, results and the words of failures.
        propagates: whether requests carry the trace's context in `_meta`, by the program's propagators; baggage is
            told to servers with it.
        session_ids: whether spans name the HTTP session, which whoever knows it might join.
        concealer: what takes secrets out of content.

    Raises:
        UsageError: OpenTelemetry is not installed.
    """

    def __init__(
        self,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        *,
        content: bool = False,
        propagates: bool = True,
        session_ids: bool = False,
        concealer: Concealer | None = None,
    ) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError as error:
            raise UsageError("OpenTelemetry is not installed", hint="pip install 'dragoman[otel]'") from error
        self._tracer = trace.get_tracer(_NAME, tracer_provider=tracer_provider)
        meter = metrics.get_meter(_NAME, meter_provider=meter_provider)
        self._operations = _histogram(meter, "mcp.client.operation.duration", "How long requests take.")
        self._questions = _histogram(meter, "mcp.server.operation.duration", "How long answering the server takes.")
        self._sessions = _histogram(meter, "mcp.client.session.duration", "How long sessions last.")
        self._content = content
        self._propagates = propagates
        self._session_ids = session_ids
        self._concealer = concealer or Concealer()
        # By an observation's id: its span, and what puts back the context that was there before.
        self._calls: dict[str, tuple[Span, Any]] = {}
        self._requests: dict[str, Span] = {}
        # Whether a span of a call, by its own id, is that of a server's tool; and the requests made for such a call's sake.
        self._own: dict[int, bool] = {}
        self._within: set[str] = set()

    # ------------------------------------------------------------------------------------------- a runner's calls of tools

    def start(self, observation: Observation) -> dict[str, Any] | None:
        """Begin a span, within which the call is made; gives the trace's context for a server to continue."""
        from opentelemetry import context, trace

        span = self._tracer.start_span(
            call_name(observation),
            kind=trace.SpanKind.CLIENT if observation.server else trace.SpanKind.INTERNAL,
            attributes={**call_attributes(observation), "gen_ai.tool.call.id": observation.call.id},
        )
        if self._content:
            span.set_attributes(argument_attributes(observation.arguments, self._concealer))
        current = trace.set_span_in_context(span)
        self._calls[observation.id] = span, context.attach(current)
        self._own[span.get_span_context().span_id] = observation.server is not None
        return None if observation.server is None else self._carried(current)

    def stop(self, observation: Observation) -> None:
        """End the span, and measure the call."""
        failure = call_failure(observation)
        response = observation.response
        if observation.server is not None and not (response and response.is_unfit):  # then nothing was sent
            self._operations.record(observation.elapsed, {**call_attributes(observation), **failure})
        found = self._calls.pop(observation.id, None)
        if found is None:
            return
        from opentelemetry import context

        span, token = found
        context.detach(token)
        self._own.pop(span.get_span_context().span_id, None)
        if self._content and response is not None:
            span.set_attributes(result_attributes(response.result, self._concealer))
        self._end(span, failure, words_of(observation.error) or (response.text if response else ""))

    # --------------------------------------------------------------------------------- a client's requests, and a server's

    def start_request(self, request: RequestObservation) -> dict[str, Any] | None:
        """Begin a span, unless one around it tells of the same call of a tool: that one gets to know more instead."""
        from opentelemetry import context, propagate, trace

        details = request_details(request, self._concealer, names_session=self._session_ids)
        around = _span_around(request)
        own = None if around is None else self._own.get(around.get_span_context().span_id)
        if around is not None and own is not False:  # a function may call a tool of its own name
            around.set_attributes({"mcp.method.name": request.request.method, **details})
            if own:
                self._within.add(request.id)
                return None
            return self._carried(None)
        span = self._tracer.start_span(
            request_name(request),
            # Who calls, or the server that asks, may have said in `meta` what this belongs to.
            propagate.extract(_texts(request.request.meta), context.get_current()),
            trace.SpanKind.SERVER if request.is_theirs else trace.SpanKind.CLIENT,
            {**request_attributes(request), **details},
        )
        if self._content and not request.is_theirs:
            span.set_attributes(argument_attributes(request.request.params, self._concealer))
        self._requests[request.id] = span
        return None if request.is_theirs else self._carried(trace.set_span_in_context(span))

    def stop_request(self, request: RequestObservation) -> None:
        """End the span, and measure the request; where it is made for a runner's call, that is measured."""
        if request.id in self._within:
            self._within.discard(request.id)
            return
        failure = request_failure(request)
        measured = self._questions if request.is_theirs else self._operations
        measured.record(request.elapsed, {**request_attributes(request), **failure})
        span = self._requests.pop(request.id, None)
        if span is None:
            return
        if self._content and request.tool is not None and request.result is not None:
            span.set_attributes(result_attributes(request.result, self._concealer))
        self._end(span, failure, words_of(request.error))

    def _carried(self, current: Context | None) -> dict[str, Any] | None:
        if not self._propagates:
            return None
        from opentelemetry import propagate

        carrier: dict[str, Any] = {}
        propagate.inject(carrier, current)
        return carrier

    def _end(self, span: Span, failure: Attributes, words: str) -> None:
        from opentelemetry.trace import Status, StatusCode

        span.set_attributes(failure)
        if failure:
            # The words of a failure may hold what was said, so they are content.
            span.set_status(Status(StatusCode.ERROR, self._concealer.text(words) if self._content else None))
        span.end()

    # -------------------------------------------------------------------------------------------------- a client's sessions

    def start_session(self, session: SessionObservation) -> None:
        """Wait for its end."""

    def stop_session(self, session: SessionObservation) -> None:
        """Measure how long it lasted."""
        self._sessions.record(session.elapsed, session_attributes(session))


def _span_around(request: RequestObservation) -> Span | None:
    """Give the span that is current, if it tells of this very call of a tool already, whoever made it."""
    from opentelemetry import trace

    current = trace.get_current_span()
    known: Any = getattr(current, "attributes", None) or {}
    tells = known.get("gen_ai.operation.name") == "execute_tool" and known.get("gen_ai.tool.name") == request.tool
    return current if tells and request.tool is not None else None


def _texts(meta: Mapping[str, Any] | None) -> dict[str, str]:
    """Give what propagators may read: other values of `_meta` are none of theirs, and would make them fail."""
    return {name: value for name, value in (meta or {}).items() if isinstance(value, str)}


def _histogram(meter: Any, name: str, description: str) -> Any:
    return meter.create_histogram(name, unit="s", description=description, explicit_bucket_boundaries_advisory=_BUCKETS)
