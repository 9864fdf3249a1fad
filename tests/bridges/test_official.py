"""Programs for the official library's sessions, in the shape of its own examples, with another import."""

import io
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import types as official
from mcp.types import PromptReference as OfficialReference

from dragoman import UsageError, types
from dragoman.bridges.langchain import load_mcp_tools
from dragoman.bridges.official import (
    ClientSession,
    StdioServerParameters,
    get_display_name,
    sse_client,
    stdio_client,
    streamable_http_client,
    streamablehttp_client,
)
from dragoman.bridges.official import types as spoken_types
from tests.servers.scripts.play import Puppet, answer, ask, progress, stderr, tell, text
from tests.servers.scripts.play import tool as listed

INN = StdioServerParameters(command=sys.executable, args=["-m", "dragoman.demo.legacy"])


def server(puppet: Puppet, **more: Any) -> StdioServerParameters:
    command, *args = puppet.command
    return StdioServerParameters(command, args, **more)


@pytest.mark.feature(128)
async def test_program_lists_gets_reads_and_calls() -> None:
    async with stdio_client(INN) as (read, write), ClientSession(read, write) as session:
        met = await session.initialize()
        prompts = await session.list_prompts()
        prompt = await session.get_prompt(prompts.prompts[0].name, arguments={"name": "Ada"})
        resources = await session.list_resources()
        tools = await session.list_tools()
        content = await session.read_resource(resources.resources[0].uri)
        result = await session.call_tool("echo", arguments={"text": "hi"})
        loaded = await load_mcp_tools(session)

    assert met.protocolVersion == met.protocol_version == "2025-11-25"
    assert met.serverInfo.name
    assert isinstance(prompt.messages[0].content, types.TextContent)
    assert content.contents[0].text
    assert "echo" in [tool.name for tool in tools.tools]
    assert tools.tools[0].inputSchema == tools.tools[0].input_schema
    assert (result.content[0].text, result.isError, result.structuredContent) == ("hi", False, None)
    assert {tool.name for tool in tools.tools} < {tool.name for tool in loaded}  # a page, and all of them


async def test_program_parses_results(tmp_path: Path) -> None:
    puppet = Puppet(
        tmp_path / "puppet",
        tools=[listed("everything")],
        on={
            "tools/call everything": [
                answer(
                    {
                        "content": [
                            {"type": "text", "text": "a"},
                            {"type": "image", "data": "AA==", "mimeType": "image/png"},
                            {"type": "resource", "resource": {"uri": "mem://a", "text": "b", "mimeType": "text/plain"}},
                        ],
                        "structuredContent": {"name": "Ada"},
                        "isError": True,
                    }
                )
            ]
        },
    )
    async with stdio_client(server(puppet)) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        result = await session.call_tool("everything", {})
    first, picture, resource = result.content

    assert isinstance(first, types.TextContent)
    assert (picture.mimeType, picture.mime_type) == ("image/png", "image/png")
    assert isinstance(resource.resource, types.ResourceContents)
    assert resource.resource.text == "b"
    assert result.structured_content == {"name": "Ada"}
    assert result.is_error
    assert first == types.TextContent(text="a")
    assert first == first  # noqa: PLR0124 - of two proxies of one value
    assert {first, types.TextContent(text="a")} == {first}
    assert repr(first) == repr(types.TextContent(text="a"))
    with pytest.raises(AttributeError):
        getattr(first, "nothing")  # noqa: B009


async def test_program_completes(tmp_path: Path) -> None:
    values = {"completion": {"values": ["model", "modern"], "hasMore": False}}
    puppet = Puppet(tmp_path / "puppet", on={"completion/complete": [answer(values)]})
    async with stdio_client(server(puppet)) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        (template,) = await session.list_resource_templates()
        found = await session.complete(
            ref={"type": "ref/resource", "uri": template.uriTemplate},
            argument={"name": "letter", "value": "mod"},
            context_arguments={"owner": "us"},
        )
        again = await session.complete(OfficialReference(name="greet"), {"name": "who", "value": ""})

    assert found.completion.values == again.completion.values == ["model", "modern"]
    assert [params["ref"]["type"] for params in puppet.params("completion/complete")] == ["ref/resource", "ref/prompt"]


async def test_callbacks_are_called_as_there(tmp_path: Path) -> None:
    heard: list[Any] = []
    question = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi."}}], "maxTokens": 5}
    form = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}
    puppet = Puppet(
        tmp_path / "puppet",
        tools=[listed("work")],
        on={
            "tools/call work": [
                progress(1, 2, "half"),
                tell("notifications/message", {"level": "info", "data": "working"}),
                ask("sampling/createMessage", question, "one"),
                ask("elicitation/create", form, "two"),
                ask("roots/list", None, "three"),
                text("json:$answer"),
            ]
        },
    )

    async def sample(context: Any, params: Any) -> Any:
        heard.append(("sampling", params.maxTokens))
        return types.CreateMessageResult(role="assistant", content=types.TextContent(text="Hello."), model="none")

    async def elicit(context: Any, params: Any) -> Any:
        heard.append(("elicitation", params.message))
        return types.ElicitResult(action="decline")

    async def roots(context: Any) -> Any:
        return types.ListRootsResult(roots=(types.Root("file:///home"),))

    async def log(params: Any) -> None:
        heard.append(("log", params.data))

    async def progressed(done: float, total: float | None, message: str | None) -> None:
        heard.append(("progress", message))

    async with (
        stdio_client(server(puppet)) as (read, write),
        ClientSession(
            read,
            write,
            read_timeout_seconds=timedelta(seconds=20),
            sampling_callback=sample,
            elicitation_callback=elicit,
            list_roots_callback=roots,
            logging_callback=log,
            client_info=types.Implementation("test", version="1"),
        ) as session,
    ):
        await session.set_logging_level("info")
        result = await session.call_tool("work", {}, timedelta(seconds=5), progressed)
        await session.send_roots_list_changed()
        assert session.client.timeout == 20

    assert "file:///home" in result.content[0].text
    assert set(heard) == {("sampling", 5), ("elicitation", "Who?"), ("log", "working"), ("progress", "half")}


@pytest.mark.parametrize("kinds", [official, spoken_types], ids=["theirs", "ours"])
async def test_callbacks_answer_with_values_by_the_names_of_the_official_library(tmp_path: Path, kinds: Any) -> None:
    heard: list[Any] = []
    question = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi."}}], "maxTokens": 5}
    form = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
    puppet = Puppet(
        tmp_path / "puppet",
        tools=[listed("work")],
        on={
            "tools/call work": [
                ask("sampling/createMessage", question, "one"),
                ask("elicitation/create", form, "two"),
                ask("roots/list", None, "three"),
                text("json:$answer"),
            ]
        },
    )

    async def sample(context: Any, params: Any) -> Any:
        heard.append(params.maxTokens)
        content = kinds.TextContent(type="text", text="Hello.")
        return kinds.CreateMessageResult(role="assistant", content=content, model="none", stop_reason="endTurn")

    async def elicit(context: Any, params: Any) -> Any:
        heard.append(params.requestedSchema["type"])
        return kinds.ElicitResult(action="accept", content={"name": "Ada"})

    async def roots(context: Any) -> Any:
        return kinds.ListRootsResult(roots=[kinds.Root(uri="file:///home", name="home")])

    async with (
        stdio_client(server(puppet)) as (read, write),
        ClientSession(
            read, write, sampling_callback=sample, elicitation_callback=elicit, list_roots_callback=roots
        ) as session,
    ):
        result = await session.call_tool("work", {})

    assert heard == [5, "object"]
    assert isinstance(result.content[0], spoken_types.TextContent)
    assert "file:///home" in result.content[0].text


@pytest.mark.parametrize("kinds", [official, spoken_types], ids=["theirs", "ours"])
async def test_callback_may_answer_with_an_error(tmp_path: Path, kinds: Any) -> None:
    form = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}
    puppet = Puppet(
        tmp_path / "puppet",
        tools=[listed("work")],
        on={"tools/call work": [ask("elicitation/create", form, "one"), text("json:$answer")]},
    )

    async def elicit(context: Any, params: Any) -> Any:
        return kinds.ErrorData(code=-32602, message="not today")

    async with (
        stdio_client(server(puppet)) as (read, write),
        ClientSession(read, write, elicitation_callback=elicit) as session,
    ):
        await session.call_tool("work", {})
    (error,) = [message["error"] for message in puppet.heard(None) if "error" in message]

    assert (error["code"], error["message"]) == (-32602, "not today")


def test_what_to_show_a_user_is_the_title_or_else_the_name() -> None:
    assert get_display_name(types.Tool.define("find", {}, annotations=types.ToolAnnotations(title="Find"))) == "Find"
    assert get_display_name(types.Tool.define("find", {}, title="Search")) == "Search"
    assert get_display_name(types.Prompt("greet")) == "greet"


def test_types_are_known_by_their_names_there() -> None:
    text_half = types.ResourceContents("mem://a", text="a")

    assert spoken_types.TextContent(type="text", text="a") == types.TextContent(text="a")
    assert isinstance(text_half, spoken_types.TextResourceContents)
    assert not isinstance(text_half, spoken_types.BlobResourceContents)
    assert spoken_types.PaginatedRequestParams(cursor="x").cursor == "x"
    with pytest.raises(AttributeError, match="Nonsense has no like here"):
        _ = spoken_types.Nonsense


async def test_session_tells_who_was_met() -> None:
    async with stdio_client(INN) as (read, write), ClientSession(read, write) as session:
        assert session.get_server_capabilities() == session.server_capabilities
        assert session.server_info.name == (await session.initialize()).serverInfo.name
        assert (session.protocol_version, session.instructions) == ("2025-11-25", session.client.instructions)
        result = await session.call_tool("echo", {"text": "hi"})

    assert result.model_dump()["content"] == [{"type": "text", "text": "hi"}]
    assert '"text":"hi"' in result.model_dump_json()


async def test_pages_are_pages(tmp_path: Path) -> None:
    puppet = Puppet(tmp_path / "puppet", tools=[listed("a"), listed("b")], page_size=1)

    class Params:
        cursor: str | None = None

    async with stdio_client(server(puppet)) as (read, write), ClientSession(read, write) as session:
        first = await session.list_tools()
        second = await session.list_tools(cursor=first.nextCursor)
        again = await session.list_tools(params=Params())

    assert [len(first), len(second), second.nextCursor] == [1, 1, None]
    assert again.tools[0].name == first.tools[0].name


async def test_subscriptions_and_pings(tmp_path: Path) -> None:
    puppet = Puppet(tmp_path / "puppet")
    async with stdio_client(server(puppet)) as (read, write), ClientSession(read, write) as session:
        await session.subscribe_resource("mem://a")
        await session.unsubscribe_resource("mem://a")
        await session.send_ping()

    assert [len(puppet.heard(f"resources/{verb}")) for verb in ("subscribe", "unsubscribe")] == [1, 1]


async def test_standard_error_goes_where_it_is_wanted(tmp_path: Path) -> None:
    puppet = Puppet(
        tmp_path / "puppet", tools=[listed("warn")], on={"tools/call warn": [stderr("careful\n"), text("x")]}
    )
    errors = io.StringIO()
    streams = stdio_client(server(puppet, cwd=tmp_path), errlog=errors)
    async with streams as (read, write), ClientSession(read, write) as session:
        await session.call_tool("warn")

    assert "careful" in errors.getvalue()


async def test_ways_over_the_web_are_read_as_they_are_written() -> None:
    async with streamablehttp_client("http://x/mcp", headers={"A": "1"}, timeout=timedelta(seconds=3)) as (
        read,
        write,
        session_id,
    ):
        assert (read.target, read.options, session_id()) == (
            "http://x/mcp",
            {"headers": {"A": "1"}, "timeout": 3.0},
            None,
        )
    async with streamable_http_client("http://x/mcp") as (read, write):
        assert write.options == {}
    assert sse_client is streamable_http_client
    with pytest.raises(UsageError, match="httpx_client_factory"):
        async with streamablehttp_client("http://x/mcp", httpx_client_factory=print):
            pass


def test_streams_of_the_other_library_are_none_of_ours() -> None:
    with pytest.raises(UsageError, match="import both"):
        ClientSession(object(), object())
