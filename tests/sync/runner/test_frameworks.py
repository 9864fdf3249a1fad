# generated from tests/aio/runner/test_frameworks.py by tools/unasync.py; do not edit
"""The tools of clients, hosts and runners, for frameworks and providers."""

from typing import Any

import pytest

from dragoman import Client, Host, UsageError
from dragoman.models.definition import Definitions
from dragoman.sync.frameworks import FRAMEWORKS
from dragoman.sync.runner import ToolRunner
from tests.servers.scripts.play import Puppet, Puppeteer
from tests.servers.scripts.play import tool as listed
from tests.sync.runner.support import current_utc_time

TOOLS = {"die", "echo", "fail", "refuse", "slow", "count"}


def names(tools: list[Any]) -> set[str]:
    return {each["name"] if isinstance(each, dict) else each.name for each in tools}


@pytest.mark.feature("bridges.4")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_tools_of_a_client_are_given_to_a_framework(framework: str, server: Puppet) -> None:
    with Client.connect(server.command) as client:
        assert names(client.tools_for(framework)) == TOOLS


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_tools_of_a_runner_are_given_with_functions_among_them(framework: str, server: Puppet) -> None:
    with Client.connect(server.command) as client:
        runner = ToolRunner(client, current_utc_time)

        assert names(runner.tools_for(framework)) == TOOLS | {"current_utc_time"}


@pytest.mark.feature("bridges.4")
@pytest.mark.parametrize("framework", [*FRAMEWORKS, "anthropic"])
def test_tools_of_a_host_are_given(framework: str, server: Puppet) -> None:
    command, *args = server.command
    with Host.open({"inn": {"command": command, "args": args}}) as host:
        assert names(host.tools_for(framework)) == TOOLS


def test_provider_gets_definitions(server: Puppet) -> None:
    with Client.connect(server.command) as client:
        definitions = client.tools_for("anthropic")

    assert isinstance(definitions, Definitions)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("opnai", "did you mean 'openai'"),
        ("openai-agent", "did you mean 'openai-agents'"),
        ("openai-tex", "did you mean 'openai-text'"),
        ("zzz", "formats are anthropic, .*frameworks are langchain"),
    ],
)
def test_whoever_is_not_known_is_told_who_is(server: Puppet, name: str, told: str) -> None:
    with Client.connect(server.command) as client:
        with pytest.raises(UsageError, match=told):
            client.tools_for(name)


def test_call_is_made_by_the_names_of_a_format(server: Puppet) -> None:
    with Client.connect(server.command) as client:
        runner = ToolRunner(client)
        response = runner.call(
            "echo", {"text": "hi", "tags": None}, format="openai-responses-strict", id="mine", meta={"a.b/c": 1}
        )

    assert (response.id, response.text) == ("mine", '{"text": "hi"}')
    assert server.heard("tools/call")[0]["params"]["_meta"]["a.b/c"] == 1


def test_response_tells_that_the_arguments_did_not_fit(server: Puppet) -> None:
    with Client.connect(server.command) as client:
        runner = ToolRunner(client)

        assert runner.call("echo", {"txt": "hi"}).is_unfit
        assert not runner.call("fail").is_unfit


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_tool_that_cannot_be_expressed_is_left_out_and_the_log_says_why(
    framework: str, puppet: Puppeteer, caplog: pytest.LogCaptureFixture
) -> None:
    odd = puppet(
        tools=[listed("find"), listed("odd", inputSchema={"type": "object", "properties": {"a": {"type": 1}}})]
    )
    with Client.connect(odd.command) as client:
        assert names(client.tools_for(framework)) == {"find"}

    assert "odd is left out: its input schema cannot be used" in caplog.text
