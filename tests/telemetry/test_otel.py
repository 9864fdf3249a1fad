"""What OpenTelemetry is told, by its own exporters."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from opentelemetry.baggage import set_baggage
from opentelemetry.context import attach, detach
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from dragoman import AsyncClient, Client, InvalidParams, McpTimeout, UsageError
from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.functions import as_result, failed, tool
from dragoman.models.observing import Observation, ServerFacts
from dragoman.models.watching import RequestObservation, SessionObservation
from dragoman.protocol.steps import Request
from dragoman.sync.runner import ToolRunner
from dragoman.telemetry import OpenTelemetryObserver
from dragoman.telemetry.facts import network_of
from dragoman.types import CallToolParams, GetPromptParams, ReadResourceParams, Tool
from tests.servers.scripts.play import Puppet, refuse
from tests.servers.scripts.play import tool as listed

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
FACTS = ServerFacts("inn", "2025-11-25", "https://example.com/mcp")
ASKED = RequestObservation(id="3", request=Request("ping"), server=FACTS, request_id=7, session_id=f"session-{SECRET}")
SESSION = SessionObservation(id="4", server=FACTS, session_id=f"session-{SECRET}")
FOUND = b'{"content":[{"type":"text","text":"with ' + SECRET.encode() + b'"}]}'


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


def asked(observer: OpenTelemetryObserver, request: Request, **seen: Any) -> Any:
    """Show an observer both ends of a request."""
    is_theirs, number = seen.pop("is_theirs", False), seen.pop("request_id", ASKED.request_id)
    begun = replace(ASKED, request=request, request_id=number, is_theirs=is_theirs)
    meta = observer.start_request(begun)
    observer.stop_request(replace(begun, elapsed=0.25, **seen))
    return meta


def everything(telescope: Telescope) -> dict[str, Any]:
    """Play every kind of end to an observer: of calls, of requests and of sessions."""
    observer = telescope.observer()
    observed(observer, REMOTE, response=response(as_result("three inns")))
    observed(observer, REMOTE, response=response(failed(f"no inns for {SECRET}")))
    observed(observer, REMOTE, error=InvalidParams(f"no {SECRET}", code=-32602))
    observed(observer, REMOTE, error=McpTimeout("too late", method="tools/call", waited=1))
    observed(observer, REMOTE, error=ConnectionError(SECRET))
    observed(observer, LOCAL, response=response(as_result("three inns")))
    asked(observer, Request("tools/call", CallToolParams(name="find", arguments=CALL.arguments)), result=FOUND)
    asked(observer, Request("tools/call", CallToolParams(name="find")), result=b'{"content":[],"isError":true}')
    asked(observer, Request("prompts/get", GetPromptParams(name="greet", arguments={"who": "Ada"})), result=b"{}")
    asked(observer, Request("resources/read", ReadResourceParams(uri=f"https://u:{SECRET}@inn/menu")), result=b"{}")
    asked(observer, Request("initialize"), error=InvalidParams(f"no {SECRET}", code=-32602))
    asked(observer, Request("notifications/initialized"), request_id=None)
    asked(observer, Request("sampling/createMessage", {"secret": SECRET}), is_theirs=True, result=FOUND)
    asked(observer, Request("roots/list"), is_theirs=True, error=InvalidParams(f"no {SECRET}", code=-32602))
    for error in (None, McpTimeout("too late", method="ping", waited=1)):
        observer.start_session(SESSION)
        observer.stop_session(replace(SESSION, elapsed=3.0, error=error))
    return {"spans": telescope.told(), "metrics": telescope.measured()}


@pytest.mark.feature("telemetry.1")
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


def test_request_has_arguments_results_and_variables_on_request_without_secrets(telescope: Telescope) -> None:
    observer = telescope.observer(content=True)
    asked(observer, Request("tools/call", CallToolParams(name="find", arguments=CALL.arguments)), result=FOUND)
    asked(observer, Request("prompts/get", GetPromptParams(name="greet", arguments={"who": "Ada", "token": SECRET})))
    asked(observer, Request("ping"), error=InvalidParams(f"no {SECRET}", code=-32602))
    called, greeted, failed = telescope.told()

    assert json.loads(called["attributes"]["gen_ai.tool.call.arguments"]) == {"query": "inns", "password": "***"}
    assert json.loads(called["attributes"]["gen_ai.tool.call.result"])["content"][0]["text"] == "with ***"
    assert greeted["attributes"]["gen_ai.prompt.variable.who"] == "Ada"
    assert failed["description"] == "no ***", "as the server said it"
    assert SECRET not in json.dumps(telescope.told())


def test_what_a_server_asks_goes_on_with_its_trace_and_nothing_goes_along(telescope: Telescope) -> None:
    given = {"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"}
    question = Request("sampling/createMessage", {"messages": [], "_meta": given}, given)
    meta = asked(telescope.observer(content=True), question, is_theirs=True, result=FOUND)
    span: Any = telescope.spans.get_finished_spans()[0]

    assert meta is None
    assert (span.kind.name, span.get_span_context().trace_id) == ("SERVER", int("ab" * 16, 16))
    assert not any(name.startswith("gen_ai.tool") for name in span.attributes)
    assert [each["name"] for each in telescope.measured()] == ["mcp.server.operation.duration"]


def test_session_is_named_on_request(telescope: Telescope) -> None:
    asked(telescope.observer(session_ids=True), Request("ping"))

    assert telescope.told()[0]["attributes"]["mcp.session.id"] == ASKED.session_id


def test_request_goes_on_with_the_trace_of_its_caller_and_hands_it_on(telescope: Telescope) -> None:
    given = {"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01", "baggage": "guest=ada", "com.example/odd": 7}
    meta = asked(telescope.observer(), Request("ping", meta=given))
    span: Any = telescope.spans.get_finished_spans()[0]
    context = span.get_span_context()

    assert (context.trace_id, span.parent.span_id) == (int("ab" * 16, 16), int("cd" * 8, 16))
    assert meta["traceparent"] == f"00-{'ab' * 16}-{context.span_id:016x}-01"


def test_trace_state_and_baggage_go_along(telescope: Telescope) -> None:
    token = attach(set_baggage("guest", "ada"))
    try:
        meta = asked(telescope.observer(), Request("ping"))
    finally:
        detach(token)

    assert meta["baggage"] == "guest=ada"


def test_nothing_goes_along_where_it_is_not_to(telescope: Telescope) -> None:
    observer = telescope.observer(propagates=False)

    assert (asked(observer, Request("ping")), observed(observer, REMOTE)) == (None, None)


def test_call_that_a_runner_tells_of_already_is_one_span_and_one_measurement(telescope: Telescope) -> None:
    observer = telescope.observer()
    observer.start(REMOTE)
    meta = asked(observer, Request("tools/call", CallToolParams(name="find")), result=FOUND)
    asked(observer, Request("tools/list"), result=b"{}")
    observer.stop(replace(REMOTE, elapsed=0.3, response=response(as_result("three inns"))))
    listed, called = telescope.told()

    assert meta is None
    assert (listed["name"], called["name"]) == ("tools/list", "tools/call find")
    assert called["attributes"]["jsonrpc.request.id"] == "7"
    assert [each["count"] for each in telescope.measured()] == [1, 1]


def test_what_a_function_asks_for_stands_within_its_span(telescope: Telescope) -> None:
    observer = telescope.observer()
    observer.start(LOCAL)
    asked(observer, Request("tools/call", CallToolParams(name="find")), result=FOUND)
    observer.stop(LOCAL)
    asked(observer, Request("ping"))
    within, function, after = telescope.spans.get_finished_spans()

    assert within.parent == function.get_span_context()
    assert (after.name, after.parent) == ("ping", None)


def test_call_whose_arguments_did_not_fit_is_told_and_not_measured(telescope: Telescope) -> None:
    unfit = replace(response(failed("text is missing")), is_unfit=True)
    observed(telescope.observer(), REMOTE, response=unfit)

    assert telescope.told()[0]["attributes"]["error.type"] == "tool_error"
    assert telescope.measured() == []


def test_span_of_somebody_else_s_for_the_same_call_gets_to_know_more(telescope: Telescope) -> None:
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"}
    with telescope.tracer.get_tracer("agent").start_as_current_span("execute_tool find", attributes=tool) as span:
        meta = asked(telescope.observer(), Request("tools/call", CallToolParams(name="find")), result=FOUND)
        trace = f"{span.get_span_context().trace_id:032x}"
    (told,) = telescope.told()

    assert told["attributes"] == {**tool, "mcp.method.name": "tools/call", "jsonrpc.request.id": "7"}
    assert [each["attributes"]["mcp.method.name"] for each in telescope.measured()] == ["tools/call"]
    assert meta["traceparent"].startswith(f"00-{trace}-")


def test_end_of_a_request_without_a_beginning_is_measured_all_the_same(telescope: Telescope) -> None:
    telescope.observer().stop_request(ASKED)

    assert telescope.told() == []
    assert [each["count"] for each in telescope.measured()] == [1]


@pytest.mark.parametrize(
    ("endpoint", "attributes"),
    [
        (None, {}),
        ("python -m inn", {"network.transport": "pipe"}),
        ("memory:inn:1", {}),
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


@pytest.mark.feature("telemetry.1", "telemetry.2")
def test_real_requests_are_told_by_a_client_and_sessions_measured(telescope: Telescope) -> None:
    observer = telescope.observer()
    with Client.connect([sys.executable, "-m", "dragoman.demo.legacy"], name="inn", observers=[observer] * 2) as client:
        client.call_tool("echo", {"text": "x"})
        client.call_tool("fail")
        client.get_prompt("greeting", {"name": "Ada"})
    told = {span["name"]: span for span in telescope.told()}
    measured = {(each["name"], each["attributes"].get("mcp.method.name")): each for each in telescope.measured()}

    assert {"initialize", "notifications/initialized", "tools/call echo", "prompts/get greeting"} <= told.keys()
    assert told["tools/call fail"]["attributes"]["error.type"] == "tool_error"
    assert measured["mcp.client.operation.duration", "prompts/get"]["count"] == 1
    assert measured["mcp.client.session.duration", None]["attributes"] == {
        "mcp.protocol.version": "2025-11-25",
        "network.transport": "pipe",
    }


@pytest.mark.feature(169, "telemetry.1")
def test_call_through_a_runner_and_its_client_is_told_once(telescope: Telescope) -> None:
    observer = telescope.observer()
    with Client.connect([sys.executable, "-m", "dragoman.demo.modern"], name="inn", observers=[observer]) as client:
        runner = ToolRunner(client, count, observers=[observer])
        runner.run([ToolCall.scripted("echo", {"text": "x"}), ToolCall.scripted("count")])
    calls = [span for span in telescope.told() if "echo" in span["name"]]

    assert [(each["name"], "jsonrpc.request.id" in each["attributes"]) for each in calls] == [("tools/call echo", True)]
    assert sum(
        each["count"] for each in telescope.measured() if each["attributes"].get("mcp.method.name") == "tools/call"
    ) == 1  # fmt: skip


async def test_requests_of_a_client_stand_within_the_caller_s_span(telescope: Telescope) -> None:
    inn, tracer = [sys.executable, "-m", "dragoman.demo.modern"], telescope.tracer.get_tracer("test")
    observers = [telescope.observer()]
    with Client.connect(inn, observers=observers) as client, tracer.start_as_current_span("sync") as one:
        client.call_tool("echo", {"text": "x"})
    async with AsyncClient.connect(inn, observers=observers) as other:
        with tracer.start_as_current_span("async") as two:
            await other.call_tool("echo", {"text": "x"})
    calls: Any = [each for each in telescope.spans.get_finished_spans() if each.name == "tools/call echo"]

    assert [each.parent.span_id for each in calls] == [each.get_span_context().span_id for each in (one, two)]


def test_server_hears_of_the_trace(telescope: Telescope, tmp_path: Path) -> None:
    server = Puppet(tmp_path / "puppet")
    with Client.connect(server.command, observers=[telescope.observer()]) as client:
        client.call_tool("echo")
        client.call_tool("echo", meta={"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"})
    first, second = (each["params"]["_meta"]["traceparent"] for each in server.heard("tools/call"))
    spans: Any = [each for each in telescope.spans.get_finished_spans() if each.name == "tools/call echo"]
    contexts = [each.get_span_context() for each in spans]

    assert [each[:53] for each in (first, second)] == [
        f"00-{each.trace_id:032x}-{each.span_id:016x}-" for each in contexts
    ]  # fmt: skip
    assert contexts[1].trace_id == int("ab" * 16, 16)


def write_golden() -> None:
    """Write the golden file anew: `python -m tests.telemetry.test_otel`."""
    GOLDEN.write_text(json.dumps(everything(Telescope()), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    write_golden()


REFUSING: dict[str, Any] = {
    "tools": [listed("refuse")],
    "on": {"tools/call refuse": [refuse(-32602, "no such thing")]},
}


def test_error_of_a_server_that_the_model_is_told_of_has_its_code(telescope: Telescope, tmp_path: Path) -> None:
    observer = telescope.observer()
    with Client.connect(Puppet(tmp_path / "p", "legacy", **REFUSING).command, observers=[observer]) as client:
        runner = ToolRunner(client, observers=[observer], on_protocol_error="message")
        assert runner.call("refuse").is_error

    (span,) = (each for each in telescope.told() if each["name"] == "tools/call refuse")
    assert span["attributes"]["error.type"] == "-32602"
    assert span["attributes"]["rpc.response.status_code"] == "-32602"
