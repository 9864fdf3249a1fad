"""The tools of clients, hosts and runners, for frameworks and providers."""

from typing import Any

import pytest

from dragoman import AsyncClient, AsyncHost, UsageError
from dragoman.aio.frameworks import FRAMEWORKS
from dragoman.aio.runner import AsyncToolRunner
from dragoman.models.definition import Definitions
from tests.aio.runner.support import current_utc_time
from tests.servers.scripts.play import Puppet, Puppeteer
from tests.servers.scripts.play import tool as listed

TOOLS = {"die", "echo", "fail", "refuse", "slow", "count"}


def names(tools: list[Any]) -> set[str]:
    return {each["name"] if isinstance(each, dict) else each.name for each in tools}


@pytest.mark.feature("bridges.4")
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_tools_of_a_client_are_given_to_a_framework(framework: str, server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        assert names(await client.tools_for(framework)) == TOOLS


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_tools_of_a_runner_are_given_with_functions_among_them(framework: str, server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client, current_utc_time)

        assert names(await runner.tools_for(framework)) == TOOLS | {"current_utc_time"}


@pytest.mark.feature("bridges.4")
@pytest.mark.parametrize("framework", [*FRAMEWORKS, "anthropic"])
async def test_tools_of_a_host_are_given(framework: str, server: Puppet) -> None:
    command, *args = server.command
    async with AsyncHost.open({"inn": {"command": command, "args": args}}) as host:
        assert names(await host.tools_for(framework)) == TOOLS


async def test_provider_gets_definitions(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        definitions = await client.tools_for("anthropic")

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
async def test_whoever_is_not_known_is_told_who_is(server: Puppet, name: str, told: str) -> None:
    async with AsyncClient.connect(server.command) as client:
        with pytest.raises(UsageError, match=told):
            await client.tools_for(name)


async def test_call_is_made_by_the_names_of_a_format(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)
        response = await runner.call(
            "echo", {"text": "hi", "tags": None}, format="openai-responses-strict", id="mine", meta={"a.b/c": 1}
        )

    assert (response.id, response.text) == ("mine", '{"text": "hi"}')
    assert server.heard("tools/call")[0]["params"]["_meta"]["a.b/c"] == 1


async def test_response_tells_that_the_arguments_did_not_fit(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        runner = AsyncToolRunner(client)

        assert (await runner.call("echo", {"txt": "hi"})).is_unfit
        assert not (await runner.call("fail")).is_unfit


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_tool_that_cannot_be_expressed_is_left_out_and_the_log_says_why(
    framework: str, puppet: Puppeteer, caplog: pytest.LogCaptureFixture
) -> None:
    odd = puppet(
        tools=[listed("find"), listed("odd", inputSchema={"type": "object", "properties": {"a": {"type": 1}}})]
    )
    async with AsyncClient.connect(odd.command) as client:
        assert names(await client.tools_for(framework)) == {"find"}

    assert "odd is left out: its input schema cannot be used" in caplog.text
