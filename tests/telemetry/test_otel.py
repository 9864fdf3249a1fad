"""What OpenTelemetry is told, by its own exporters."""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from dragoman import Client, InvalidParams, McpTimeout, UsageError
from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.functions import as_result, failed, tool
from dragoman.models.observing import Observation, ServerFacts
from dragoman.sync.runner import ToolRunner
from dragoman.telemetry import OpenTelemetryObserver
from dragoman.telemetry.facts import network_of
from dragoman.types import Tool
from dragoman.views import Phase, State

SECRET = "ghp_" + "a1B2" * 9
GOLDEN = Path(__file__).with_name("golden.json")
CALL = ToolCall("call_1", "find", {"query": "inns", "password": SECRET})
REMOTE = Observation(
    id="1",
    call=CALL,
    definition=Tool.define("find"),
    arguments={"query": "inns", "password": SECRET},
    server=ServerFacts("inn", "2025-11-25", "https://example.com/mcp"),
)
LOCAL = replace(REMOTE, id="2", server=None)


class Telescope:
    """OpenTelemetry's own library, and what reached it."""

    def __init__(self) -> None:
        self.spans = InMemorySpanExporter()
        self.tracer = TracerProvider()
        self.tracer.add_span_processor(SimpleSpanProcessor(self.spans))
        self.reader = InMemoryMetricReader()
        self.meter = MeterProvider([self.reader])

    def observer(self, **options: Any) -> OpenTelemetryObserver:
        return OpenTelemetryObserver(self.tracer, self.meter, **options)

    def told(self) -> list[dict[str, Any]]:
        """Give the spans without what differs each time."""
        return [
            {
                "name": span.name,
                "kind": span.kind.name,
                "status": span.status.status_code.name,
                "description": span.status.description,
                "attributes": dict(span.attributes or {}),
            }
            for span in self.spans.get_finished_spans()
        ]

    def measured(self) -> list[dict[str, Any]]:
        """Give the measurements without their values."""
        data: Any = self.reader.get_metrics_data()
        return [
            {
                "name": metric.name,
                "unit": metric.unit,
                "bounds": list(point.explicit_bounds),
                "count": point.count,
                "attributes": dict(point.attributes or {}),
            }
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            for point in metric.data.data_points
        ]


@pytest.fixture
def telescope() -> Iterator[Telescope]:
    found = Telescope()
    yield found
    found.tracer.shutdown()
    found.meter.shutdown()


def response(result: Any) -> ToolResponse:
    return ToolResponse("call_1", "find", result, "inn", "find")


def observed(observer: OpenTelemetryObserver, observation: Observation, **end: Any) -> Any:
    """Show an observer both ends of a call."""
    meta = observer.start(observation)
    observer.stop(replace(observation, elapsed=0.25, **end))
    return meta


def everything(telescope: Telescope) -> dict[str, Any]:
    """Play every kind of end to an observer, and one session."""
    observer = telescope.observer()
    observed(observer, REMOTE, response=response(as_result("three inns")))
    observed(observer, REMOTE, response=response(failed(f"no inns for {SECRET}")))
    observed(observer, REMOTE, error=InvalidParams(f"no {SECRET}", code=-32602))
    observed(observer, REMOTE, error=McpTimeout("too late", method="tools/call", waited=1))
    observed(observer, REMOTE, error=ConnectionError(SECRET))
    observed(observer, LOCAL, response=response(as_result("three inns")))
    hear = observer.session(ServerFacts("inn", "2025-11-25", "python -m inn"))
    for phase in (Phase.CONNECTING, Phase.READY, Phase.CLOSED):
        hear(State(phase, datetime.now(UTC)))
    return {"spans": telescope.told(), "metrics": telescope.measured()}


def test_names_are_those_of_the_conventions(telescope: Telescope) -> None:
    assert everything(telescope) == json.loads(GOLDEN.read_text("utf-8"))


def test_no_secret_is_told_unless_asked_for_content(telescope: Telescope) -> None:
    assert SECRET not in json.dumps(everything(telescope))


def test_content_is_told_on_request_without_secrets(telescope: Telescope) -> None:
    observer = telescope.observer(content=True)
    observed(observer, REMOTE, response=response(as_result(f"with {SECRET}")))
    observed(observer, REMOTE, response=response(failed(f"no inns for {SECRET}")))
    observed(observer, REMOTE, error=ConnectionError(SECRET))
    first, second, third = telescope.told()

    assert json.loads(first["attributes"]["gen_ai.tool.call.arguments"]) == {"query": "inns", "password": "***"}
    assert json.loads(first["attributes"]["gen_ai.tool.call.result"])["content"][0]["text"] == "with ***"
    assert (second["description"], third["description"]) == ("no inns for ***", "***")
    assert SECRET not in json.dumps(telescope.told())


def test_server_can_continue_the_trace(telescope: Telescope) -> None:
    meta = observed(telescope.observer(), REMOTE)
    (span,) = telescope.spans.get_finished_spans()
    context = span.get_span_context()

    assert context is not None
    assert meta["traceparent"].startswith(f"00-{context.trace_id:032x}-{context.span_id:016x}-")
    assert observed(telescope.observer(), LOCAL) is None


def test_end_without_a_beginning_is_measured_all_the_same(telescope: Telescope) -> None:
    telescope.observer().stop(REMOTE)

    assert telescope.told() == []
    assert [each["count"] for each in telescope.measured()] == [1]


def test_session_that_breaks_says_why(telescope: Telescope) -> None:
    hear = telescope.observer().session(ServerFacts("inn"))
    for phase, error in (
        (Phase.READY, None),
        (Phase.RESTARTING, McpTimeout("", method="x", waited=1)),
        (Phase.CLOSED, None),
    ):
        hear(State(phase, datetime.now(UTC), error))

    assert [(each["count"], each["attributes"]) for each in telescope.measured()] == [(1, {"error.type": "timeout"})]


@pytest.mark.parametrize(
    ("endpoint", "attributes"),
    [
        (None, {}),
        ("python -m inn", {"network.transport": "pipe"}),
        (
            "http://127.0.0.1:8000/mcp",
            {
                "network.transport": "tcp",
                "network.protocol.name": "http",
                "server.address": "127.0.0.1",
                "server.port": 8000,
            },
        ),
        (
            "http://example.com/mcp",
            {
                "network.transport": "tcp",
                "network.protocol.name": "http",
                "server.address": "example.com",
                "server.port": 80,
            },
        ),
    ],
)
def test_ways_to_a_server(endpoint: str | None, attributes: Any) -> None:
    assert network_of(ServerFacts("inn", None, endpoint)) == attributes


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(UsageError, match=r"dragoman\[otel\]"):
        OpenTelemetryObserver()


@tool
def count() -> int:
    """Count to three."""
    return 3


def test_real_calls_are_told_within_the_caller_s_span(telescope: Telescope) -> None:
    observer = telescope.observer()
    with Client.connect([sys.executable, "-m", "dragoman.demo.modern"], name="inn") as client:
        runner = ToolRunner(client, count, observers=[observer])
        with telescope.tracer.get_tracer("test").start_as_current_span("outer") as outer:
            runner.run([ToolCall.scripted("echo", {"text": "x"}), ToolCall.scripted("count")])
            trace = outer.get_span_context().trace_id
    spans: Any = telescope.spans.get_finished_spans()

    assert {span.name for span in spans} == {"tools/call echo", "execute_tool count", "outer"}
    assert {span.get_span_context().trace_id for span in spans} == {trace}
    assert next(each for each in telescope.measured())["attributes"]["mcp.protocol.version"] == "2026-07-28"


def write_golden() -> None:
    """Write the golden file anew: `python -m tests.telemetry.test_otel`."""
    GOLDEN.write_text(json.dumps(everything(Telescope()), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    write_golden()
