# generated from tests/aio/runner/test_observers.py by tools/unasync.py; do not edit
"""What observers see of calls."""

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from dragoman import Client, Host, InvalidParams, OutcomeUnknown
from dragoman.models.calls import ToolCall
from dragoman.models.observing import ServerFacts
from dragoman.sync.runner import ToolRunner
from dragoman.telemetry import JsonlObserver, LogObserver
from tests.servers.scripts.play import Puppet
from tests.sync.client.support import failure
from tests.sync.runner.support import Watcher, boom, current_utc_time

SECRET = "hunter2-and-more"


@pytest.mark.feature(166, 168, 170)
def test_each_call_is_one_start_and_one_stop(server: Puppet) -> None:
    watcher = Watcher()
    with Client.connect(server.command, name="inn") as client:
        runner = ToolRunner(client, current_utc_time, boom, observers=[watcher])
        for name in ("echo", "current_utc_time", "boom", "fail"):
            runner.call(name, {"text": "x"} if name == "echo" else None)
        assert (len(watcher.started), len(watcher.stopped)) == (4, 4)
        runner.call("current_utc_time")

    assert (len(watcher.started), len(watcher.stopped)) == (5, 5)
    assert [seen.id for seen in watcher.started] == [seen.id for seen in watcher.stopped]
    assert [seen.server.name if seen.server else None for seen in watcher.stopped] == ["inn", None, None, "inn", None]


@pytest.mark.feature(169)
def test_observer_given_on_two_ways_sees_each_call_once() -> None:
    watcher = Watcher()
    runner = ToolRunner(current_utc_time, observers=[watcher, watcher])
    runner.observe(watcher)
    runner.call("current_utc_time")

    assert (len(watcher.started), len(watcher.stopped)) == (1, 1)


@pytest.mark.feature(167)
def test_observation_has_definition_arguments_result_and_failure(server: Puppet) -> None:
    watcher = Watcher()
    with Client.connect(server.command) as client:
        runner = ToolRunner(client, observers=[watcher])
        runner.call("echo", {"text": "x", "tags": '["a"]'})
        runner.call("fail")
        failure(runner.call, "refuse")
        version = client.protocol_version
    good, bad, refused = watcher.stopped

    assert (good.definition.name, good.arguments) == ("echo", {"text": "x", "tags": ["a"]})
    assert good.response is not None
    assert json.loads(good.response.text) == {"text": "x", "tags": ["a"]}
    assert (good.is_error, good.error, bad.is_error, bad.error) == (False, None, True, None)
    assert refused.is_error
    assert type(refused.error).__name__ == "InvalidParams"
    assert good.server is not None
    assert good.server.protocol_version == version
    assert good.elapsed > 0
    assert len({seen.trace_id for seen in watcher.stopped}) == 3


def test_what_an_observer_returns_travels_with_the_request(server: Puppet) -> None:
    watcher = Watcher({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
    with Client.connect(server.command) as client:
        ToolRunner(client, observers=[watcher]).call("echo", {"text": "x"})
    (request,) = server.heard("tools/call")

    assert request["params"]["_meta"]["traceparent"].startswith("00-0af76519")
    assert watcher.stopped[0].trace_id == "0af7651916cd43dd8448eb211c80319c"


def test_nothing_travels_without_an_observer(server: Puppet) -> None:
    with Client.connect(server.command) as client:
        ToolRunner(client).call("echo", {"text": "x"})
    (request,) = server.heard("tools/call")

    assert "traceparent" not in request["params"].get("_meta", {})


def test_wrong_arguments_are_seen_as_a_failure() -> None:
    watcher = Watcher()
    ToolRunner(current_utc_time, observers=[watcher]).call("current_utc_time", {"zone": "UTC"})

    assert watcher.stopped[0].is_error


def lines_of(log: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in log.records if record.name == "dragoman.tools"]


def test_log_has_a_line_at_each_end_and_no_content(server: Puppet, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dragoman.tools"):
        with Client.connect(server.command, name="inn") as client:
            runner = ToolRunner(client, observers=[LogObserver()])
            runner.run(ToolCall("call_1", "echo", {"text": SECRET}))
            runner.run(ToolCall("call_2", "fail"))
            failure(runner.run, ToolCall("call_3", "refuse"))
    lines = lines_of(caplog)

    assert lines[0] == "> inn echo [call_1]"
    assert lines[1].startswith("< inn echo [call_1] succeeded in ")
    assert lines[3].startswith("< inn fail [call_2] failed in ")
    assert lines[5].startswith("< inn refuse [call_3] raised -32602 in ")
    assert SECRET not in caplog.text


def test_log_has_content_on_request_without_secrets(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dragoman.tools"):
        runner = ToolRunner(boom, observers=[LogObserver(content=True)])
        runner.call("boom", {"why": f"token=ghp_{'a1B2' * 9} " + "x" * 3000})

    assert '"why":"token=***' in lines_of(caplog)[0]
    assert "a1B2a1B2" not in caplog.text
    assert all(len(line) < 2200 for line in lines_of(caplog))


def test_log_that_nobody_reads_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "dragoman.tools"):
        ToolRunner(boom, observers=[LogObserver()]).call("boom")

    assert lines_of(caplog) == []


def test_lines_of_json_tell_each_call(server: Puppet, tmp_path: Path) -> None:
    observer = JsonlObserver(tmp_path / "calls.jsonl")
    with Client.connect(server.command, name="inn") as client:
        runner = ToolRunner(client, boom, observers=[observer])
        runner.run([ToolCall("1", "echo", {"text": SECRET}), ToolCall("2", "boom", {"why": SECRET})])
        failure(runner.call, "refuse")
    observer.close()
    text = (tmp_path / "calls.jsonl").read_text("utf-8")
    records: list[dict[str, Any]] = sorted(
        (json.loads(line) for line in text.splitlines()), key=lambda each: each["call_id"]
    )

    assert [(each["tool"], each["server"], each["is_error"], each["error_type"]) for each in records] == [
        ("echo", "inn", False, None),
        ("boom", None, True, None),
        ("refuse", "inn", True, "-32602"),
    ]
    assert all(len(each["trace_id"]) == 32 and each["elapsed"] > 0 and each["time"] for each in records)
    assert SECRET not in text


def test_file_of_lines_is_closed_at_the_end_of_its_block(tmp_path: Path) -> None:
    with JsonlObserver(tmp_path / "calls.jsonl") as observer:
        ToolRunner(boom, observers=[observer]).call("boom", {"why": "x"})
    # What comes later is lost to the file, and costs the call nothing.
    response = ToolRunner(boom, observers=[observer]).call("boom", {"why": "x"})

    assert response.is_error
    assert len((tmp_path / "calls.jsonl").read_bytes().splitlines()) == 1


def test_lines_of_json_have_content_on_request_without_secrets() -> None:
    file = io.BytesIO()
    observer = JsonlObserver(file, content=True)
    runner = ToolRunner(boom, observers=[observer])
    runner.call("boom", {"why": "x", "password": SECRET})
    observer.close()
    record = json.loads(file.getvalue())

    assert record["arguments"] == {"why": "x", "password": "***"}
    assert record["result"]["isError"] is True
    assert SECRET.encode() not in file.getvalue()


def test_tool_of_a_host_is_seen_at_its_server(server: Puppet) -> None:
    watcher = Watcher()
    command, *args = server.command
    with Host.open({"inn": {"command": command, "args": args}}) as host:
        runner = ToolRunner(host, observers=[watcher])
        response = runner.call("echo", {"text": "hi"})
        facts = watcher.stopped[0].server

        assert response.server == "inn"
        assert facts == ServerFacts("inn", host.clients["inn"].protocol_version, host.clients["inn"].endpoint)


def test_what_the_model_is_told_of_a_server_is_seen_as_what_it_was(server: Puppet) -> None:
    watcher = Watcher()
    with Client.connect(server.command, name="inn") as client:
        runner = ToolRunner(client, boom, observers=[watcher], on_protocol_error="message", on_line_error="message")
        for name in ("refuse", "fail", "boom", "die"):
            assert runner.call(name).is_error

    assert [type(seen.error) for seen in watcher.stopped] == [InvalidParams, type(None), type(None), OutcomeUnknown]
    assert all(seen.is_error and seen.response is not None for seen in watcher.stopped)
