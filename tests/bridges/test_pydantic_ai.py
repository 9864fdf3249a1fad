"""Tools for Pydantic AI: with its real agents, and models that follow a script."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryImage, DeferredToolRequests, DeferredToolResults, RunContext, ToolDefinition
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.models.test import TestModel

from dragoman import (
    AsyncClient,
    AsyncHost,
    AsyncToolRunner,
    Client,
    OutcomeUnknown,
    Policy,
    Rule,
    UsageError,
    Verdict,
    tool,
)
from dragoman.bridges.pydantic_ai import DragomanToolset
from tests.bridges.script import SCRIPT
from tests.servers.scripts.play import Puppet

NAMES = {"echo", "open", "draw", "fail", "die", "slow", "count", "burn", "rooms_list"}

Step = tuple[str, Any]


@tool
def nights(arrival: int, departure: int) -> int:
    """Count the nights."""
    return departure - arrival


class Script:
    """A model that makes the calls of its turns, one after the other, and remembers what it was asked."""

    def __init__(self, *calls: Step) -> None:
        self.calls = calls
        self.seen: list[tuple[list[ModelMessage], AgentInfo]] = []

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self.respond, stream_function=self.stream)

    def _next(self, messages: list[ModelMessage], info: AgentInfo) -> Step | None:
        self.seen.append((messages, info))
        turn = sum(isinstance(each, ModelResponse) for each in messages)
        return self.calls[turn] if turn < len(self.calls) else None

    def respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = self._next(messages, info)
        return ModelResponse(parts=[TextPart("Done.") if step is None else ToolCallPart(*step)])

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        step = self._next(messages, info)
        if step is None:
            yield "Done."
        else:
            yield {0: DeltaToolCall(name=step[0], json_args=str(step[1]).replace("'", '"'), tool_call_id="call_1")}


async def answers(toolset: Any, *calls: Step, **options: Any) -> list[Any]:
    """Have an agent make the calls, and give what the model was told of each."""
    result = await Agent(Script(*calls).model, toolsets=[toolset], **options).run("Go.")
    assert result.output == "Done."
    return told(result.all_messages())


def told(messages: Sequence[ModelMessage]) -> list[Any]:
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [part.content for part in parts if isinstance(part, ToolReturnPart)]


@pytest.fixture
def puppet(tmp_path: Path) -> Puppet:
    return Puppet(tmp_path / "puppet", **SCRIPT)


@pytest.fixture
async def client(puppet: Puppet) -> AsyncIterator[AsyncClient]:
    async with AsyncClient.connect(puppet.command, name="inn") as client:
        yield client


async def test_tools_are_listed_with_schemas_and_what_applications_want_to_know(client: AsyncClient) -> None:
    script = Script()
    toolset = DragomanToolset[object](client).include_return_schemas().filtered(lambda _, each: each.name == "count")
    await Agent(script.model, toolsets=[DragomanToolset(client)]).run("Go.")
    await Agent(script.model, toolsets=[toolset]).run("Go.")
    tools = {each.name: each for each in script.seen[0][1].function_tools}

    assert tools.keys() == NAMES
    assert tools["echo"].parameters_json_schema == (SCRIPT["tools"][0]["inputSchema"])
    assert tools["echo"].description == "Say it again."
    assert tools["burn"].metadata == {"annotations": {"destructiveHint": True}, "meta": None}
    assert '"rooms"' in (script.seen[1][1].function_tools[0].description or "")


async def test_model_of_the_framework_can_call_every_tool_that_takes_anything(client: AsyncClient) -> None:
    model = TestModel(call_tools=["echo", "count"])
    result = await Agent(model, toolsets=[DragomanToolset(client)]).run("Go.")

    assert result.output == '{"echo":"{\\"text\\": \\"a\\"}","count":{"rooms":3}}'


@pytest.mark.feature(132, 133, 134, "bridges.3")
async def test_agent_uses_tools_of_a_server_and_functions_in_one_run(client: AsyncClient) -> None:
    toolset = DragomanToolset(AsyncToolRunner(client, nights))

    assert await answers(toolset, ("echo", {"text": "hi"}), ("nights", {"arrival": 3, "departure": 7})) == [
        '{"text": "hi"}',
        4,
    ]


@pytest.mark.feature("bridges.3")
async def test_streamed_run_is_the_same(client: AsyncClient) -> None:
    agent = Agent(Script(("echo", {"text": "hi"})).model, toolsets=[DragomanToolset(client)])
    async with agent.run_stream("Go.") as result:
        assert await result.get_output() == "Done."
        assert told(result.all_messages()) == ['{"text": "hi"}']


async def test_structured_results_and_pictures_reach_the_model_as_they_are(client: AsyncClient) -> None:
    structured, drawn = await answers(DragomanToolset(client), ("count", {}), ("draw", {}))

    assert structured == {"rooms": 3}
    assert drawn == ["Behold:", BinaryImage(b"\x89PNG\r\n\x1a\n", media_type="image/png")]


async def test_arguments_that_do_not_fit_make_the_model_try_again_and_are_not_sent(
    client: AsyncClient, puppet: Puppet
) -> None:
    toolset = DragomanToolset(client, on_failure="tell")
    wrong, right = await answers(toolset, ("echo", {"txt": "hi"}), ("echo", {"text": "hi"}))

    assert '"text" is a required property' in wrong
    assert right == '{"text": "hi"}'
    assert puppet.called("echo") == 1


async def test_failure_is_tried_again_as_often_as_the_model_may(client: AsyncClient, puppet: Puppet) -> None:
    with pytest.raises(UnexpectedModelBehavior):
        await answers(DragomanToolset(client, max_retries=2), *[("fail", {})] * 4)

    assert puppet.called("fail") == 3


async def test_failure_is_told_where_it_is_not_to_be_tried_again(client: AsyncClient) -> None:
    found = await answers(DragomanToolset(client, on_failure="tell"), *[("fail", {})] * 4)

    assert found == ["ENOENT: no such file"] * 4


async def test_broken_line_ends_the_run(client: AsyncClient) -> None:
    with pytest.raises(OutcomeUnknown):
        await answers(DragomanToolset(client), ("die", {}))


async def test_tools_of_a_host_are_used_as_its_policy_lets_them(puppet: Puppet) -> None:
    command, *args = puppet.command
    servers = {"inn": {"command": command, "args": args}}
    async with AsyncHost.open(servers, policy=Policy.careful(), approve=lambda act: act.name != "burn") as host:
        counted, burnt = await answers(DragomanToolset(host, on_failure="tell"), ("count", {}), ("burn", {}))

    assert counted == {"rooms": 3}
    assert "was not allowed" in burnt
    assert puppet.called("burn") == 0


async def test_run_is_deferred_for_approval_where_the_policy_asks(client: AsyncClient, puppet: Puppet) -> None:
    toolset = DragomanToolset(client, policy=Policy.careful())
    agent = Agent(Script(("burn", {})).model, toolsets=[toolset], output_type=[str, DeferredToolRequests])
    first = await agent.run("Go.")
    assert isinstance(first.output, DeferredToolRequests)
    (asked,) = first.output.approvals
    assert (asked.tool_name, puppet.called("burn")) == ("burn", 0)

    second = await agent.run(
        message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={asked.tool_call_id: True}),
    )

    assert (second.output, puppet.called("burn")) == ("Done.", 1)


async def test_what_the_policy_denies_is_told_to_the_model(client: AsyncClient, puppet: Puppet) -> None:
    denied = Policy((Rule(Verdict.DENY, tool="burn"),))
    (found,) = await answers(DragomanToolset(client, policy=denied, on_failure="tell"), ("burn", {}))

    assert "burn was not allowed" in found
    assert puppet.called("burn") == 0


async def test_toolset_is_filtered_and_prefixed_by_the_framework(client: AsyncClient) -> None:
    toolset = DragomanToolset[object](client).filtered(lambda _, each: each.name == "echo").prefixed("inn")

    assert await answers(toolset, ("inn_echo", {"text": "hi"})) == ['{"text": "hi"}']


@pytest.mark.parametrize("key", [None, "inn"])
async def test_agent_is_told_how_a_server_wants_to_be_used_if_that_is_wanted(client: AsyncClient, key: str) -> None:
    script = Script()
    await Agent(script.model, toolsets=[DragomanToolset(client, id=key, instructions=True)]).run("Go.")
    silent = Script()
    await Agent(silent.model, toolsets=[DragomanToolset(client, id=key)]).run("Go.")

    assert "Knock before you enter." in (script.seen[0][1].instructions or "")
    assert not silent.seen[0][1].instructions


async def test_agent_is_told_how_the_servers_of_a_host_want_to_be_used(puppet: Puppet) -> None:
    command, *args = puppet.command
    async with AsyncHost.open({"inn": {"command": command, "args": args}}) as host:
        script = Script()
        await Agent(script.model, toolsets=[DragomanToolset(host, instructions=True)]).run("Go.")

    assert script.seen[0][1].instructions == "inn:\nKnock before you enter."


async def test_runner_has_no_instructions(client: AsyncClient) -> None:
    script = Script()
    await Agent(script.model, toolsets=[DragomanToolset(AsyncToolRunner(client), instructions=True)]).run("Go.")

    assert script.seen[0][1].instructions is None


async def test_source_is_opened_for_each_run_and_closed_after_it(puppet: Puppet) -> None:
    toolset = DragomanToolset[object](lambda: AsyncClient.connect(puppet.command))
    agent = Agent(Script(("echo", {"text": "hi"})).model, toolsets=[toolset])
    await agent.run("Go.")
    await agent.run("Go.")

    assert len(puppet.pids) == 2
    with pytest.raises(UsageError, match="not open yet"):
        _ = toolset.opened


async def test_source_stays_open_while_the_agent_is_entered(puppet: Puppet) -> None:
    toolset = DragomanToolset[object](lambda: AsyncClient.connect(puppet.command))
    agent = Agent(Script(("echo", {"text": "hi"})).model, toolsets=[toolset])
    async with agent:
        await agent.run("Go.")
        await agent.run("Go.")
        opened = toolset.opened

    assert len(puppet.pids) == 1
    assert isinstance(opened, AsyncClient)
    assert opened.state.phase == "closed"


async def test_tool_that_cannot_be_expressed_is_left_out_and_the_log_says_once_why(
    client: AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    await answers(DragomanToolset(client), ("echo", {"text": "hi"}))

    assert caplog.text.count("odd is left out: its input schema cannot be used") == 1


async def test_tool_that_is_known_is_found_without_another_listing(client: AsyncClient, puppet: Puppet) -> None:
    seen: list[tuple[RunContext[object], ToolDefinition]] = []
    toolset = DragomanToolset[object](client)

    def watch(context: RunContext[object], each: ToolDefinition) -> bool:
        seen.append((context, each))
        return True

    await Agent(Script().model, toolsets=[toolset.filtered(watch)]).run("Go.")
    context, described = seen[0]
    found = await toolset.get_tool_for_tool_def(described, context)

    assert (found.tool_def, found.toolset) == (described, toolset)
    assert len(puppet.heard("tools/list")) == 1


async def test_id_is_the_one_that_was_given(client: AsyncClient) -> None:
    assert (DragomanToolset(client, id="inn").id, DragomanToolset(client).id) == ("inn", None)


def test_source_that_nobody_can_await_is_refused(tmp_path: Path) -> None:
    with Client.connect(Puppet(tmp_path / "p", "legacy", **SCRIPT).command) as client:
        for wrong in (client, AsyncClient, "inn"):
            with pytest.raises(UsageError, match="no source of tools here") as caught:
                DragomanToolset(wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

            assert "tools_for" in str(caught.value.hint)
