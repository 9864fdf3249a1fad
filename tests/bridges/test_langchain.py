"""What langchain-mcp-adapters documents, on this library: with a real agent of LangChain's, and a model that follows a script."""

import asyncio
import logging
import re
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool
from mcp import types as official

from dragoman import AsyncClient, AsyncHost, UsageError
from dragoman.bridges.connections import target_of
from dragoman.bridges.langchain import (
    CallbackContext,
    Callbacks,
    MCPToolCallRequest,
    MultiServerMCPClient,
    load_mcp_prompt,
    load_mcp_resources,
    load_mcp_tools,
)
from tests.servers.rude import Rude
from tests.servers.scripts.play import Puppet, answer, ask, fails, progress, tell, text
from tests.servers.scripts.play import tool as listed

INN = {"transport": "stdio", "command": sys.executable, "args": ["-m", "dragoman.demo.modern"]}


class Scripted(GenericFakeChatModel):
    """A model that says what it was told to, and sees the tools that it is given."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        self.metadata = {"tools": [convert_to_openai_tool(tool) for tool in tools]}
        return self


def model(*turns: list[tuple[str, dict[str, Any]]]) -> Scripted:
    """Script a model: the calls of each turn, and then its last words."""
    messages = [
        AIMessage(
            content="",
            tool_calls=[
                {"name": name, "args": arguments, "id": f"call_{turn}_{index}", "type": "tool_call"}
                for index, (name, arguments) in enumerate(calls)
            ],
        )
        for turn, calls in enumerate(turns)
    ]
    return Scripted(messages=iter([*messages, AIMessage(content="Done.")]))


async def tool_messages(tools: Any, *turns: list[tuple[str, dict[str, Any]]]) -> list[ToolMessage]:
    """Have an agent play the turns, and give what the tools said."""
    result = await create_agent(model(*turns), tools).ainvoke({"messages": [{"role": "user", "content": "Go."}]})
    assert result["messages"][-1].content == "Done."
    return [message for message in result["messages"] if isinstance(message, ToolMessage)]


def entry(puppet: Puppet) -> dict[str, Any]:
    command, *args = puppet.command
    return {"transport": "stdio", "command": command, "args": args}


@pytest.fixture
def puppet(tmp_path: Path) -> Puppet:
    return Puppet(
        tmp_path / "puppet",
        "legacy",
        tools=[
            listed("find"),
            listed("fail"),
            listed("ask"),
            listed("odd", inputSchema={"type": "object", "properties": {"a": {"type": "nonsense"}}}),
        ],
        on={
            "tools/call find": [
                progress(1, 2, "half"),
                tell("notifications/message", {"level": "info", "data": "looking"}),
                text("found 42"),
            ],
            "tools/call fail": [fails("ENOENT")],
            "tools/call ask": [
                ask("elicitation/create", {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}),
                text("json:$answer"),
            ],
            "prompts/get": [
                answer(
                    {
                        "messages": [
                            {"role": "user", "content": {"type": "text", "text": "Hello."}},
                            {"role": "assistant", "content": {"type": "text", "text": "Hi."}},
                        ]
                    }
                )
            ],
        },
    )


@pytest.fixture
async def client(puppet: Puppet) -> AsyncIterator[MultiServerMCPClient]:
    async with MultiServerMCPClient({"puppet": entry(puppet), "inn": INN}) as client:
        yield client


@pytest.mark.feature(128)
async def test_tools_of_a_session_are_loaded_by_one_call() -> None:
    async with AsyncClient.connect([sys.executable, "-m", "dragoman.demo.modern"]) as session:
        tools = await load_mcp_tools(session)
        names = {tool.name for tool in await session.list_tools()}

    assert {tool.name for tool in tools} == names


@pytest.mark.feature(131, 132, 133, 134)
async def test_agent_uses_tools_of_two_servers_in_one_run(client: MultiServerMCPClient) -> None:
    messages = await tool_messages(
        await client.get_tools(),
        [("find", {})],
        [("echo", {"text": "found"}), ("distance", {"origin": "Cairo", "destination": "Aleppo"})],
    )

    assert [message.text for message in messages[:2]] == ["found 42", "found"]
    assert messages[2].artifact["structured_content"]


@pytest.mark.edge("B97")
@pytest.mark.feature(135, 137)
async def test_failing_tool_is_a_message_and_the_agent_goes_on(client: MultiServerMCPClient) -> None:
    (message,) = await tool_messages(await client.get_tools(server_name="puppet"), [("fail", {})])

    assert (message.status, message.text) == ("error", "ENOENT")


@pytest.mark.feature(136)
async def test_failing_tool_raises_where_errors_are_not_handled(puppet: Puppet) -> None:
    async with MultiServerMCPClient({"puppet": entry(puppet)}, handle_tool_errors=False) as client:
        with pytest.raises(ToolException, match="ENOENT"):
            await tool_messages(await client.get_tools(), [("fail", {})])


@pytest.mark.feature(131, 134)
async def test_tools_of_a_host_are_loaded_by_one_call(puppet: Puppet) -> None:
    async with AsyncHost.open({"puppet": entry(puppet), "inn": INN}) as host:
        await host.ready()
        messages = await tool_messages(await load_mcp_tools(host), [("find", {}), ("echo", {"text": "hi"})])

    assert [message.text for message in messages] == ["found 42", "hi"]


async def test_sessions_stay_warm(puppet: Puppet, client: MultiServerMCPClient) -> None:
    tools = await client.get_tools(server_name="puppet")
    await tool_messages(tools, [("find", {})], [("find", {})])
    await client.get_tools()

    assert len(puppet.pids) == 1
    assert len(puppet.heard("initialize")) == 1


async def test_session_of_its_own_ends_with_its_block(puppet: Puppet, client: MultiServerMCPClient) -> None:
    async with client.session("puppet") as session:
        await tool_messages(
            await load_mcp_tools(session, server_name="puppet", tool_name_prefix=True), [("puppet_find", {})]
        )

    assert session.state.phase == "closed"


async def test_names_may_be_prefixed(puppet: Puppet) -> None:
    async with MultiServerMCPClient({"puppet": entry(puppet)}, tool_name_prefix=True) as client:
        assert {tool.name for tool in await client.get_tools()} == {"puppet_find", "puppet_fail", "puppet_ask"}


async def test_tool_that_cannot_be_expressed_is_left_out(
    client: MultiServerMCPClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "dragoman.bridges"):
        names = {tool.name for tool in await client.get_tools(server_name="puppet")}

    assert "odd" not in names
    assert "odd is no LangChain tool" in caplog.text


async def test_server_that_there_is_not_is_a_value_error(client: MultiServerMCPClient) -> None:
    with pytest.raises(ValueError, match="there is no server 'nowhere'; there are 'puppet', 'inn'"):
        await client.get_tools(server_name="nowhere")
    assert await MultiServerMCPClient().get_tools() == []


async def test_interceptors_stand_around_calls_the_first_outermost(puppet: Puppet) -> None:
    order: list[str] = []

    async def outer(request: MCPToolCallRequest, handler: Any) -> Any:
        order.append(f"outer {request.server_name}")
        return await handler(request.override(args={"by": "outer"}))

    async def inner(request: MCPToolCallRequest, handler: Any) -> Any:
        order.append(f"inner {request.args}")
        return await handler(request)

    async with MultiServerMCPClient({"puppet": entry(puppet)}, tool_interceptors=[outer, inner]) as client:
        (message,) = await tool_messages(await client.get_tools(), [("find", {})])

    assert order == ["outer puppet", "inner {'by': 'outer'}"]
    assert puppet.params("tools/call") == [{"name": "find", "arguments": {"by": "outer"}}]
    assert message.text == "found 42"


async def test_interceptor_may_answer_by_itself(puppet: Puppet) -> None:
    async def own(request: MCPToolCallRequest, handler: Any) -> Any:
        return ToolMessage("from the cache", tool_call_id=request.runtime.tool_call_id)

    async with MultiServerMCPClient({"puppet": entry(puppet)}, tool_interceptors=[own]) as client:
        (message,) = await tool_messages(await client.get_tools(), [("find", {})])

    assert (message.text, message.tool_call_id) == ("from the cache", "call_0_0")
    assert puppet.heard("tools/call") == []


async def test_interceptor_changes_a_result_by_either_spelling(puppet: Puppet) -> None:
    async def change(request: MCPToolCallRequest, handler: Any) -> Any:
        result = await handler(request)
        assert (result.isError, result.is_error, result.structuredContent) == (False, False, None)
        result.content += [official.TextContent(type="text", text="and more")]
        result.content[0].text = "changed"
        result.structuredContent = {"seen": True}
        return result

    async with MultiServerMCPClient({"puppet": entry(puppet)}, tool_interceptors=[change]) as client:
        (message,) = await tool_messages(await client.get_tools(), [("find", {})])

    assert [block["text"] for block in message.content if isinstance(block, dict)] == [
        "changed",
        "and more",
        '{"seen":true}',
    ]
    assert message.artifact == {"structured_content": {"seen": True}}


async def test_interceptor_may_answer_with_a_result_of_the_official_library(puppet: Puppet) -> None:
    async def own(request: MCPToolCallRequest, handler: Any) -> Any:
        content: list[Any] = [official.TextContent(type="text", text="not today")]
        return official.CallToolResult(content=content, is_error=request.name == "fail")

    async with MultiServerMCPClient({"puppet": entry(puppet)}, tool_interceptors=[own]) as client:
        good, bad = await tool_messages(await client.get_tools(), [("find", {})], [("fail", {})])

    assert (good.text, good.status) == ("not today", "success")
    assert (bad.text, bad.status) == ("not today", "error")


@dataclass
class User:
    name: str


async def test_interceptor_knows_the_runtime(puppet: Puppet) -> None:
    async def personal(request: MCPToolCallRequest, handler: Any) -> Any:
        return await handler(request.override(args={"user": request.runtime.context.name}))

    async with MultiServerMCPClient({"puppet": entry(puppet)}, tool_interceptors=[personal]) as client:
        agent = create_agent(model([("find", {})]), await client.get_tools(), context_schema=User)
        await agent.ainvoke({"messages": [{"role": "user", "content": "Go."}]}, context=User("ada"))

    assert puppet.params("tools/call") == [{"name": "find", "arguments": {"user": "ada"}}]


async def test_arguments_may_have_any_name(tmp_path: Path) -> None:
    given: dict[str, Any] = dict.fromkeys(
        ("config", "run_manager", "callbacks", "runtime", "self", "name", "state", "store"), "mine"
    )
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in given}}
    puppet = Puppet(tmp_path / "puppet", tools=[listed("find", inputSchema=schema)])
    async with MultiServerMCPClient({"puppet": entry(puppet)}) as client:
        await tool_messages(await client.get_tools(), [("find", given)])

    assert puppet.params("tools/call") == [{"name": "find", "arguments": given}]


@pytest.mark.edge("B104")
async def test_names_that_a_provider_would_refuse_are_others_and_come_back(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"$filter": {"type": "string"}}}
    puppet = Puppet(tmp_path / "puppet", tools=[listed("files.read/größe", inputSchema=schema)])
    seen: list[MCPToolCallRequest] = []

    async def look(request: MCPToolCallRequest, handler: Any) -> Any:
        seen.append(request)
        return await handler(request)

    async with MultiServerMCPClient({"puppet": entry(puppet)}, tool_interceptors=[look]) as client:
        (tool,) = await client.get_tools()
        (prefixed,) = await load_mcp_tools(await client._client("puppet"), server_name="s" * 80, tool_name_prefix=True)
        (argument,) = tool.args
        await tool_messages([tool], [(tool.name, {argument: "x"})])

    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool.name)
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", prefixed.name)
    assert re.fullmatch("[a-zA-Z0-9_.-]{1,64}", argument)
    assert (seen[0].name, seen[0].args) == ("files_read_groe", {"$filter": "x"})
    assert puppet.params("tools/call") == [{"name": "files.read/größe", "arguments": {"$filter": "x"}}]


async def test_interceptor_sets_headers_for_one_call() -> None:
    async def signed(request: MCPToolCallRequest, handler: Any) -> Any:
        return await handler(request.override(headers={"Authorization": f"Bearer {request.args['text']}"}))

    with Rude("modern") as server:
        connections = {"rude": {"transport": "http", "url": server.url, "headers": {"Authorization": "Bearer none"}}}
        async with MultiServerMCPClient(connections, tool_interceptors=[signed]) as client:
            (echo,) = [tool for tool in await client.get_tools() if tool.name == "echo"]
            await asyncio.gather(*(echo.ainvoke({"text": each}) for each in ("one", "two")))
        told = [each.header("Authorization") for each in server.exchanges]

    assert sorted(str(token) for token in told if token != "Bearer none") == ["Bearer one", "Bearer two"]
    assert told[0] == "Bearer none"


async def test_servers_tell_who_they_are(client: MultiServerMCPClient) -> None:
    found = await client.get_server_info()
    (only,) = (await client.get_server_info(server_name="puppet")).items()

    assert set(found) == {"puppet", "inn"}
    assert only == ("puppet", found["puppet"])
    assert found["inn"].serverInfo.name


async def test_without_a_session_each_call_connects_anew(puppet: Puppet) -> None:
    heard: list[Any] = []

    async def on_progress(done: float, total: float | None, message: str | None, context: CallbackContext) -> None:
        heard.append((message, context.server_name, context.tool_name))

    tools = await load_mcp_tools(
        None, connection=entry(puppet), callbacks=Callbacks(on_progress=on_progress), server_name="p"
    )
    await tool_messages(tools, [("find", {})], [("find", {})])

    assert len(puppet.pids) == 3
    assert heard == [("half", "p", "find")] * 2
    with pytest.raises(ValueError, match="neither a session nor a connection"):
        await load_mcp_tools(None)


async def test_callbacks_hear_of_progress_and_logs_and_answer_forms(puppet: Puppet) -> None:
    heard: list[Any] = []

    async def on_progress(done: float, total: float | None, message: str | None, context: Any) -> None:
        heard.append((done, total, message, context.server_name, context.tool_name))

    async def on_log(params: Any, context: Any) -> None:
        heard.append((params.level, params.data, context.server_name))

    async def on_elicitation(request: Any, params: Any, context: Any) -> Any:
        heard.append((params.message, context.server_name))
        return {}

    callbacks = Callbacks(on_log, on_progress, on_elicitation)
    async with MultiServerMCPClient({"puppet": entry(puppet)}, callbacks=callbacks) as client:
        await tool_messages(await client.get_tools(), [("find", {})], [("ask", {})])

    assert set(heard) == {(1, 2, "half", "puppet", "find"), ("info", "looking", "puppet"), ("Who?", "puppet")}


async def test_servers_of_both_eras_ask_those_who_answer(tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(ASKING, "utf-8")
    connection = {"transport": "stdio", "command": sys.executable, "args": [str(program)]}

    async def on_elicitation(request: Any, params: Any, context: Any) -> Any:
        return official.ElicitResult(action="accept", content={"value": f"{context.server_name}: {params.message}"})

    callbacks = Callbacks(on_elicitation=on_elicitation)
    async with MultiServerMCPClient({"asking": connection, "inn": INN}, callbacks=callbacks) as client:
        tools = {tool.name: tool for tool in await client.get_tools()}
        answer = await tools["ask"].ainvoke({})
        met = {name: each.protocol_version for name, each in (await client.get_server_info()).items()}

    assert answer == [{"type": "text", "text": "asking: Who?"}]
    assert met == {"asking": "2025-11-25", "inn": "2026-07-28"}


ASKING = """
from fastmcp import Context, FastMCP

server = FastMCP("asking")


@server.tool
async def ask(context: Context) -> str:
    return (await context.elicit("Who?", response_type=str)).data


server.run(show_banner=False)
"""


async def test_prompts_are_messages(client: MultiServerMCPClient) -> None:
    messages = await client.get_prompt("puppet", "greet", arguments={"who": "Ada"})

    assert [(type(message), message.content) for message in messages] == [(HumanMessage, "Hello."), (AIMessage, "Hi.")]


async def test_prompt_of_another_kind_is_refused(tmp_path: Path) -> None:
    picture = {"role": "user", "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}}
    puppet = Puppet(tmp_path / "pictures", on={"prompts/get": [answer({"messages": [picture]})]})
    async with AsyncClient.connect(puppet.command) as session:
        with pytest.raises(ValueError, match="a message of user with image"):
            await load_mcp_prompt(session, "greet")


async def test_resources_are_blobs(client: MultiServerMCPClient) -> None:
    everything = await client.get_resources("puppet")
    (one,) = await client.get_resources("puppet", uris="mem://a")

    assert [(blob.as_string(), blob.metadata["uri"]) for blob in everything] == [
        ("alpha", "mem://a"),
        ("beta", "mem://b"),
    ]
    assert one.as_string() == "alpha"
    assert len(await client.get_resources(uris=[])) == 0
    async with client.session("puppet") as session:
        with pytest.raises(RuntimeError, match="mem://nowhere"):
            await load_mcp_resources(session, uris=["mem://nowhere"])


@pytest.mark.parametrize(
    ("connection", "target", "options"),
    [
        ({"command": "python", "args": ["a.py"]}, ["python", "a.py"], {}),
        (
            {"transport": "stdio", "command": "python", "env": {"A": "1"}, "cwd": "/tmp", "encoding": "utf-8"},
            ["python"],
            {"env": {"A": "1"}, "cwd": "/tmp"},
        ),
        ({"transport": "streamable_http", "url": "http://x/mcp"}, "http://x/mcp", {}),
        (
            {"transport": "http", "url": "http://x/mcp", "headers": {"A": "1"}, "timeout": timedelta(seconds=5)},
            "http://x/mcp",
            {"headers": {"A": "1"}, "timeout": 5.0},
        ),
        ({"transport": "sse", "url": "http://x/sse", "timeout": 3, "auth": None}, "http://x/sse", {"timeout": 3}),
    ],
)
def test_connections_are_read_as_they_are_written(connection: Any, target: Any, options: Any) -> None:
    assert target_of(connection) == (target, options)


@pytest.mark.parametrize(
    "connection", [{"transport": "websocket", "url": "ws://x"}, {"url": "http://x", "httpx_client_factory": print}]
)
def test_connection_that_there_is_not_is_refused(connection: Any) -> None:
    with pytest.raises(UsageError):
        target_of(connection)
