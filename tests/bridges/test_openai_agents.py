"""Tools for the OpenAI Agents SDK: with its real agents, and a model that follows a script."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, AgentsException, RunConfig, Runner, RunResult, UserError
from agents.mcp import create_static_tool_filter
from agents.testing import ScriptedModel, assistant_message, function_call
from mcp import types as official

from dragoman import AsyncClient, AsyncHost, AsyncToolRunner, OutcomeUnknown, Policy, Rule, UsageError, Verdict, tool
from dragoman.bridges.openai_agents import AgentsServer, function_tools
from tests.aio.client.support import saw, until
from tests.bridges.script import PICTURE, SCRIPT
from tests.servers.scripts.play import Puppet

NAMES = {"echo", "open", "draw", "fail", "die", "slow", "count", "burn", "rooms_list"}
CONFIG = RunConfig(tracing_disabled=True)

Step = tuple[str, dict[str, Any] | str]


@tool
def nights(arrival: int, departure: int) -> int:
    """Count the nights."""
    return departure - arrival


def model(*calls: Step) -> ScriptedModel:
    """Script a model: its calls, one a turn, and then its last words."""
    turns: list[Any] = [
        [
            function_call(
                name, arguments if isinstance(arguments, str) else json.dumps(arguments), call_id=f"call_{turn}"
            )
        ]
        for turn, (name, arguments) in enumerate(calls)
    ]
    return ScriptedModel([*turns, [assistant_message("Done.")]])


async def played(agent: Agent[Any], *, streamed: bool = False) -> Any:
    """Have an agent go to its end, and give what came of it."""
    if not streamed:
        return await Runner.run(agent, "Go.", run_config=CONFIG)
    result = Runner.run_streamed(agent, "Go.", run_config=CONFIG)
    async for _ in result.stream_events():
        pass
    return result


def outputs(result: Any) -> list[Any]:
    """Give what the tools said to the model."""
    return [item["output"] for item in result.to_input_list() if item.get("type") == "function_call_output"]


async def said(tools: Sequence[Any], *calls: Step, streamed: bool = False) -> list[Any]:
    result = await played(Agent("host", tools=list(tools), model=model(*calls)), streamed=streamed)
    assert result.final_output == "Done."
    return outputs(result)


async def said_by(server: AgentsServer, *calls: Step, streamed: bool = False, **options: Any) -> list[Any]:
    agent = Agent("host", mcp_servers=[server], model=model(*calls), **options)
    result = await played(agent, streamed=streamed)
    assert result.final_output == "Done."
    return outputs(result)


@pytest.fixture
def puppet(tmp_path: Path) -> Puppet:
    return Puppet(tmp_path / "puppet", **SCRIPT)


@pytest.fixture
async def client(puppet: Puppet) -> AsyncIterator[AsyncClient]:
    async with AsyncClient.connect(puppet.command, name="inn", restart=False) as client:
        yield client


# --------------------------------------------------------------------------------------------------------- function tools


async def test_tools_are_strict_only_where_that_changes_nothing(client: AsyncClient) -> None:
    tools = {each.name: each for each in await function_tools(client)}

    assert tools.keys() == NAMES
    assert (tools["echo"].strict_json_schema, tools["open"].strict_json_schema) == (True, False)
    assert tools["open"].params_json_schema["additionalProperties"] == {"type": "string"}


@pytest.mark.feature(132, 133, 134, "bridges.1")
@pytest.mark.parametrize("streamed", [False, True])
async def test_agent_uses_tools_of_a_server_and_functions_in_one_run(client: AsyncClient, streamed: bool) -> None:
    tools = await function_tools(AsyncToolRunner(client, nights))
    found = await said(
        tools, ("echo", {"text": "hi"}), ("nights", {"arrival": 3, "departure": 7}), ("rooms_list", {}),
        streamed=streamed,
    )  # fmt: skip

    assert found == ['{"text": "hi"}', "4", "two rooms"]


async def test_tools_of_a_host_are_used_as_its_policy_lets_them(puppet: Puppet) -> None:
    command, *args = puppet.command
    servers = {"inn": {"command": command, "args": args}}
    async with AsyncHost.open(servers, policy=Policy.careful(), approve=lambda act: act.name != "burn") as host:
        found = await said(await function_tools(host), ("count", {}), ("burn", {}))

    assert found[0] == '{"rooms": 3}'
    assert found[1].startswith("Error calling tool: inn: tool 'burn' was not allowed")
    assert puppet.called("burn") == 0


async def test_pictures_reach_the_model_as_pictures(client: AsyncClient) -> None:
    (found,) = await said(await function_tools(client), ("draw", {}))

    assert found == [
        {"type": "input_text", "text": "Behold:"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE['data']}"},
    ]


async def test_what_goes_wrong_is_told_to_the_model_which_goes_on(client: AsyncClient, puppet: Puppet) -> None:
    tools = await function_tools(client)
    failed, unfit, broken, dead = await said(tools, ("fail", {}), ("echo", {"txt": 1}), ("echo", "{"), ("die", {}))

    assert failed == "Error calling tool: ENOENT: no such file"
    assert '"text" is a required property' in unfit
    assert broken.startswith("Error calling tool: the arguments are not JSON")
    assert dead.startswith("Error calling tool: ")
    assert puppet.called("echo") == 0


async def test_broken_line_ends_the_run_where_it_is_to_be_raised(client: AsyncClient) -> None:
    tools = await function_tools(client, raises=True)
    with pytest.raises(UserError) as raised:
        await said(tools, ("die", {}))

    assert isinstance(raised.value.__cause__, OutcomeUnknown)


async def test_run_is_interrupted_for_approval_where_the_policy_asks(client: AsyncClient, puppet: Puppet) -> None:
    tools = await function_tools(client, policy=Policy.careful())
    agent = Agent("host", tools=[*tools], model=model(("burn", {})))
    first: RunResult = await played(agent)
    assert [each.name for each in first.interruptions] == ["burn"]
    assert puppet.called("burn") == 0

    state = first.to_state()
    state.approve(first.interruptions[0])
    second = await Runner.run(agent, state, run_config=CONFIG)

    assert outputs(second) == ["burnt"]


async def test_what_the_policy_denies_is_told_to_the_model(client: AsyncClient, puppet: Puppet) -> None:
    tools = await function_tools(client, policy=Policy((Rule(Verdict.DENY, tool="burn"),)))
    (found,) = await said(tools, ("burn", {}))

    assert found.startswith("Error calling tool: inn: burn was not allowed")
    assert puppet.called("burn") == 0


async def test_runner_keeps_its_own_policy(client: AsyncClient) -> None:
    with pytest.raises(UsageError, match="policy of its own"):
        await function_tools(AsyncToolRunner(client), policy=Policy.careful())


async def test_call_that_takes_too_long_for_the_sdk_is_cancelled_at_the_server(
    client: AsyncClient, puppet: Puppet
) -> None:
    tools = await function_tools(client, timeout_seconds=0.2)
    (found,) = await said(tools, ("slow", {}))
    await until(saw(puppet, "notifications/cancelled"))

    assert "timed out" in found


async def test_cancelled_run_cancels_its_call_at_the_server(client: AsyncClient, puppet: Puppet) -> None:
    run = asyncio.create_task(said(await function_tools(client), ("slow", {})))
    await until(saw(puppet, "tools/call"))
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    await until(saw(puppet, "notifications/cancelled"))


async def test_tool_that_cannot_be_expressed_is_left_out_and_the_log_says_why(
    client: AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    await function_tools(client)

    assert "odd is left out: its input schema cannot be used" in caplog.text


# ------------------------------------------------------------------------------------------------------- an MCP server


@pytest.mark.feature("bridges.2")
@pytest.mark.parametrize("streamed", [False, True])
async def test_client_is_a_server_of_the_sdk(client: AsyncClient, streamed: bool) -> None:
    found = await said_by(
        AgentsServer(client), ("echo", {"text": "hi"}), ("fail", {}), ("rooms_list", {}), streamed=streamed
    )

    assert [each["text"] if isinstance(each, dict) else each[0]["text"] for each in found] == [
        '{"text": "hi"}',
        "ENOENT: no such file",
        "two rooms",
    ]


@pytest.mark.feature("bridges.2")
async def test_host_is_a_server_of_the_sdk(puppet: Puppet) -> None:
    command, *args = puppet.command
    async with AsyncHost.open({"inn": {"command": command, "args": args}}) as host:
        server = AgentsServer(host, name="house")
        (found,) = await said_by(server, ("count", {}))
        names = {each.name for each in await server.list_tools()}
        prompts = (await server.list_prompts()).prompts
        (text,) = (await server.read_resource("mem://a")).contents
        listed = [each.uri for each in (await server.list_resources()).resources]
        templates = (await server.list_resource_templates()).model_dump(by_alias=True)["resourceTemplates"]

    assert (server.name, names, found[0]["text"]) == ("house", NAMES, '{"rooms": 3}')
    assert [prompt.name for prompt in prompts] == ["greet"]
    assert isinstance(text, official.TextResourceContents)
    assert [str(uri) for uri in listed] == ["mem://a", "mem://b"]
    assert [each["uriTemplate"] for each in templates] == ["mem://{letter}"]


async def test_server_is_opened_when_it_is_entered_and_closed_when_it_is_left(puppet: Puppet) -> None:
    server = AgentsServer(lambda: AsyncClient.connect(puppet.command, name="inn"))
    with pytest.raises(UsageError, match="not open yet"):
        await server.list_tools()
    async with server:
        opened = server.opened
        assert (server.name, len(await server.list_tools())) == ("inn", len(NAMES))
        await server.connect()
        await server.cleanup()
        assert isinstance(opened, AsyncClient)
        assert opened.state.phase == "ready"
    await server.cleanup()

    assert opened.state.phase == "closed"


async def test_client_that_came_open_stays_open(client: AsyncClient) -> None:
    async with AgentsServer(client) as server:
        assert server.opened is client

    assert client.state.phase == "ready"


async def test_tools_are_filtered_by_names(client: AsyncClient) -> None:
    server = AgentsServer(client, tool_filter=create_static_tool_filter(["echo", "draw"], ["draw"]))

    assert [each.name for each in await server.list_tools()] == ["echo"]


async def test_tools_are_filtered_by_a_function_of_the_run(client: AsyncClient) -> None:
    async def wanted(context: Any, each: Any) -> bool:
        return bool(each.name == context.agent.name)

    server = AgentsServer(client, tool_filter=wanted)
    scripted = model(("echo", {"text": "hi"}))
    await played(Agent("echo", mcp_servers=[server], model=scripted))

    assert [[each.name for each in call.tools] for call in scripted.calls] == [["echo"], ["echo"]]
    with pytest.raises(UsageError, match="there is none"):
        await server.list_tools()


async def test_sdk_asks_for_approval_of_a_server_s_tools(client: AsyncClient, puppet: Puppet) -> None:
    server = AgentsServer(client, require_approval={"burn": "always"})
    result = await played(Agent("host", mcp_servers=[server], model=model(("burn", {}))))

    assert [each.name for each in result.interruptions] == ["burn"]
    assert puppet.called("burn") == 0


async def test_arguments_that_do_not_fit_are_not_sent(client: AsyncClient, puppet: Puppet) -> None:
    (found,) = await said_by(AgentsServer(client), ("echo", {"txt": "hi"}))

    assert '"text" is a required property' in found[0]["text"]
    assert puppet.called("echo") == 0


async def test_broken_line_is_told_to_the_model_and_the_session_heals(puppet: Puppet) -> None:
    async with AgentsServer(lambda: AsyncClient.connect(puppet.command)) as server:
        died, echoed = await said_by(server, ("die", {}), ("echo", {"text": "hi"}))

    assert "exited with code 3" in died[0]["text"]
    assert echoed[0]["text"] == '{"text": "hi"}'


async def test_broken_line_is_the_sdk_s_own_affair_where_it_was_told_what_to_do(puppet: Puppet) -> None:
    async with AgentsServer(lambda: AsyncClient.connect(puppet.command), failure_error_function=None) as server:
        with pytest.raises(AgentsException):
            await said_by(server, ("die", {}))


async def test_structured_results_and_request_metadata_pass(client: AsyncClient, puppet: Puppet) -> None:
    server = AgentsServer(
        client, use_structured_content=True, tool_meta_resolver=lambda context: {"a.b/c": context.tool_name}
    )
    (found,) = await said_by(server, ("count", {}))
    (request,) = puppet.heard("tools/call")

    assert (found, request["params"]["_meta"]["a.b/c"]) == ('{"rooms": 3}', "count")


async def test_prompts_are_the_sdk_s_values(client: AsyncClient) -> None:
    server = AgentsServer(client)
    prompts = await server.list_prompts()
    greeting = await server.get_prompt("greet", {"who": "Ada"})

    assert [each.name for each in prompts.prompts] == ["greet"]
    assert isinstance(greeting, official.GetPromptResult)
    assert isinstance(greeting.messages[0].content, official.TextContent)
    assert greeting.messages[0].content.text == "Hello, Ada."


async def test_runner_has_tools_alone(client: AsyncClient) -> None:
    server = AgentsServer(AsyncToolRunner(client, nights))

    assert {each.name for each in await server.list_tools()} == NAMES | {"nights"}
    with pytest.raises(UsageError, match="tools alone"):
        await server.list_prompts()
