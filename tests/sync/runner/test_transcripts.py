# generated from tests/aio/runner/test_transcripts.py by tools/unasync.py; do not edit
"""Real servers and a function behind one runner, with no model and no network: what is said and what comes back, to the letter."""

import json
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman import Client
from dragoman.deadline import now
from dragoman.sync.runner import ToolRunner
from tests.servers.installed import git_server, npm_server
from tests.sync.interop._runtime import shared
from tests.sync.interop.test_reference_servers import committed, head_of
from tests.sync.runner.support import Watcher, current_utc_time

PROMPT = {"role": "user", "content": "What is there?"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("transcripts").resolve()
    (folder / "hello.txt").write_text("hello from a real file\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return committed(tmp_path_factory.mktemp("history"), "Begin", "Add the engine")


@shared
def runner(folder: Path) -> Iterator[ToolRunner]:
    files = npm_server("server-filesystem", str(folder))
    with Client.connect(files, name="files") as one, Client.connect(git_server(), name="git") as other:
        yield ToolRunner(one, other, current_utc_time)


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Write a call as a model would."""
    return {"id": "call_0a1b2c3d", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


@pytest.mark.feature(145, 146)
def test_twenty_seven_tools_of_two_servers_and_this_program(runner: ToolRunner) -> None:
    tools = runner.tools()

    assert len(tools) == 14 + 12 + 1
    assert all(each.name and each.description for each in tools)


@pytest.mark.feature(152, 153, 154, 155)
def test_function_tells_the_time(runner: ToolRunner) -> None:
    run = runner.run([call("current_utc_time", {})], [PROMPT])
    message = run.history[-1]

    assert run.history[0] == PROMPT
    assert (message["role"], message["tool_call_id"], message["name"]) == ("tool", "call_0a1b2c3d", "current_utc_time")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", message["content"])


@pytest.mark.feature(153, 156, 160)
def test_server_reads_a_file(runner: ToolRunner, folder: Path) -> None:
    run = runner.run([call("read_text_file", {"path": str(folder / "hello.txt")})], [PROMPT])

    assert run.history[-1]["content"] == r'[{"text":"hello from a real file\n"}]'
    assert (run.responses[0].server, run.responses[0].is_local) == ("files", False)


@pytest.mark.feature(153, 157)
def test_server_shows_the_commits_of_a_repository(runner: ToolRunner, repository: Path) -> None:
    run = runner.run([call("git_log", {"repo_path": str(repository), "max_count": 1})], [PROMPT])
    text = json.loads(run.history[-1]["content"])[0]["text"]

    assert head_of(repository) in text
    assert "Add the engine" in text
    assert "Begin" not in text
    assert run.responses[0].server == "git"


@pytest.mark.feature(161, 163)
def test_failure_of_a_server_is_a_message(runner: ToolRunner, folder: Path) -> None:
    run = runner.run([call("read_text_file", {"path": str(folder / "missing.txt")})], [PROMPT])

    assert run.history[-1]["content"].startswith("Error calling tool: ENOENT: no such file or directory")
    assert run.responses[0].is_error


@pytest.mark.feature(158)
def test_function_and_server_answer_in_one_shape(runner: ToolRunner, folder: Path) -> None:
    calls = [call("current_utc_time", {}), call("list_directory", {"path": str(folder)})]
    run = runner.run(calls, [PROMPT])

    assert [message.keys() for message in run.history[-2:]] == [{"role", "tool_call_id", "name", "content"}] * 2
    assert [type(response.text) for response in run.responses] == [str, str]


@pytest.mark.feature(165)
def test_recorded_call_can_be_replayed(runner: ToolRunner, folder: Path) -> None:
    recorded = (
        '{"id":"call_0a1b2c3d","type":"function","function":{"name":"list_allowed_directories","arguments":"{}"}}'
    )
    run = runner.run([json.loads(recorded)])

    assert str(folder) in run.responses[0].text


@pytest.mark.feature(165)
def test_what_a_model_should_call_can_be_asserted(runner: ToolRunner, folder: Path) -> None:
    path = str(folder / "hello.txt")
    said = {"content": [{"type": "tool_use", "id": "toolu_1", "name": "read_text_file", "input": {"path": path}}]}
    watcher = Watcher()
    runner.observe(watcher)
    runner.run(said, format="anthropic")
    runner.ignore(watcher)

    assert [(seen.definition.name, seen.arguments) for seen in watcher.stopped] == [("read_text_file", {"path": path})]


@pytest.mark.feature(165)
def test_calls_can_be_timed_without_a_model(runner: ToolRunner) -> None:
    times = [runner.call("list_allowed_directories").elapsed for _ in range(5)]

    assert 0 < statistics.median(times) < 5


def test_runner_costs_little_above_the_client(folder: Path) -> None:
    with Client.connect(git_server()) as client:
        runner = ToolRunner(client)
        arguments = {"repo_path": str(folder)}
        bare, run = [], []
        for _ in range(40):
            began = now()
            client.call_tool("git_status", arguments)
            between = now()
            runner.call("git_status", arguments)
            bare.append(between - began)
            run.append(now() - between)

    # 150 us is the promise on a quiet machine; a busy one adds its own.
    assert statistics.median(run) - statistics.median(bare) < 0.002
