"""server-everything: all of its tools, and what they tell while they run."""

import gzip
import json
from typing import Any

import pytest

from dragoman import McpTimeout
from dragoman.types import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    LoggingLevel,
    ResourceLink,
    TextContent,
)
from tests.aio.interop.application import Party

pytestmark = pytest.mark.asyncio(loop_scope="module")  # async-only

TOOLS = {
    "echo",
    "get-annotated-message",
    "get-env",
    "get-resource-links",
    "get-resource-reference",
    "get-roots-list",
    "get-structured-content",
    "get-sum",
    "get-tiny-image",
    "gzip-file-as-resource",
    "simulate-research-query",
    "toggle-simulated-logging",
    "toggle-subscriber-updates",
    "trigger-elicitation-request",
    "trigger-long-running-operation",
    "trigger-sampling-request",
    "trigger-url-elicitation",
}
TEXT = "demo://resource/dynamic/text/{}"
BLOB = "demo://resource/dynamic/blob/{}"


# ----------------------------------------------------------------------------------------------------------- who it is


@pytest.mark.feature(2, 5)
async def test_it_is_introduced(everything: Party) -> None:
    client = everything.client

    assert (client.server.name, client.server.title) == ("mcp-servers/everything", "Everything Reference Server")
    assert (client.protocol_version, client.era) == ("2025-11-25", "legacy")
    assert client.instructions is not None
    assert client.instructions.startswith("# Everything Server")
    assert client.capabilities.resources is not None
    assert client.capabilities.resources.subscribe is True


@pytest.mark.feature(81)
async def test_it_answers_a_ping(everything: Party) -> None:
    assert 0 < await everything.client.ping() < 10


# --------------------------------------------------------------------------------------------------------------- tools


@pytest.mark.feature(26, 97, 106, 107)
async def test_all_tools_are_listed(everything: Party) -> None:
    tools = await everything.client.list_tools()

    assert {tool.name for tool in tools} == TOOLS
    assert tools.problems == ()


async def test_tools_have_what_the_server_says_of_them(everything: Party) -> None:
    tool = (await everything.client.list_tools()).get("trigger-long-running-operation")

    assert tool is not None
    assert tool.input_schema["properties"]["duration"]["default"] == 10
    assert tool.annotations is not None
    assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)


@pytest.mark.feature(98)
@pytest.mark.parametrize("message", ["hello", "日本語 🖥️", "a\u2028b\nc", "", "x" * 300_000])
async def test_text_comes_back_as_it_was_sent(everything: Party, message: str) -> None:
    assert await everything.text_of("echo", {"message": message}) == f"Echo: {message}"


async def test_numbers_are_added(everything: Party) -> None:
    assert await everything.text_of("get-sum", {"a": 1, "b": 2.5}) == "The sum of 1 and 2.5 is 3.5."


@pytest.mark.parametrize(
    ("kind", "audience", "priority"),
    [("error", ("user", "assistant"), 1), ("success", ("user",), 0.7), ("debug", ("assistant",), 0.3)],
)
async def test_content_has_its_annotations(
    everything: Party, kind: str, audience: tuple[str, ...], priority: float
) -> None:
    result = await everything.client.call_tool("get-annotated-message", {"messageType": kind, "includeImage": True})
    text, image = result.content

    assert isinstance(text, TextContent)
    assert text.annotations is not None
    assert (text.annotations.audience, text.annotations.priority) == (audience, priority)
    assert isinstance(image, ImageContent)
    assert image.annotations is not None
    assert (image.annotations.audience, image.annotations.priority) == (("user",), 0.5)


@pytest.mark.feature(98)
async def test_image_is_given_as_bytes(everything: Party) -> None:
    before, image, after = (await everything.client.call_tool("get-tiny-image")).content

    assert isinstance(image, ImageContent)
    assert image.mime_type == "image/png"
    assert image.bytes.startswith(b"\x89PNG\r\n")
    assert not isinstance(before, ImageContent | AudioContent)
    assert after == TextContent(text="The image above is the MCP logo.")


@pytest.mark.edge("B15")
@pytest.mark.parametrize("everything", ["stdio"], indirect=True)
async def test_environment_is_the_safe_one_and_what_was_given(
    everything: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = json.loads(await everything.text_of("get-env"))

    assert environment["ASKED_FOR"] == "yes"
    assert environment["PATH"] != ""
    assert "PYTEST_CURRENT_TEST" not in environment


@pytest.mark.feature(101)
@pytest.mark.parametrize(("city", "celsius"), [("New York", 33), ("Chicago", 36), ("Los Angeles", 73)])
async def test_structured_result_is_checked_and_given(everything: Party, city: str, celsius: int) -> None:
    await everything.client.list_tools()
    result = await everything.client.call_tool("get-structured-content", {"location": city})

    assert result.structured["temperature"] == celsius
    assert json.loads(result.text) == result.structured
    assert result.violations == ()


@pytest.mark.feature(112)
async def test_resources_that_a_result_links_to_can_be_read(everything: Party) -> None:
    result = await everything.client.call_tool("get-resource-links", {"count": 10})
    links = [block for block in result.content if isinstance(block, ResourceLink)]

    assert len(links) == 10
    for link in links[:2]:
        contents = await everything.client.read_resource(link.uri)
        assert link.name[-1] in contents.contents[0].bytes.decode()


@pytest.mark.parametrize(("kind", "uri"), [("Text", TEXT), ("Blob", BLOB)])
async def test_embedded_resource_has_its_contents(everything: Party, kind: str, uri: str) -> None:
    arguments = {"resourceType": kind, "resourceId": 3}
    embedded = (await everything.client.call_tool("get-resource-reference", arguments)).content[1]

    assert isinstance(embedded, EmbeddedResource)
    assert embedded.resource.uri == uri.format(3)
    assert embedded.resource.is_text is (kind == "Text")
    assert embedded.resource.bytes.startswith(b"Resource 3: ")


@pytest.mark.feature(105, 108)
async def test_resource_that_a_tool_adds_is_announced_and_read(everything: Party) -> None:
    arguments = {"name": "greeting.gz", "data": "data:text/plain,hello"}
    link = (await everything.client.call_tool("gzip-file-as-resource", arguments)).content[0]
    assert isinstance(link, ResourceLink)
    await everything.application.hears("on_resources_changed", lambda resources: resources.get(link.uri) is not None)
    contents = await everything.client.read_resource(link.uri)

    assert gzip.decompress(contents.contents[0].bytes) == b"hello"


async def test_result_may_be_the_resource_itself(everything: Party) -> None:
    arguments = {"name": "whole.gz", "data": "data:text/plain,whole", "outputType": "resource"}
    embedded = (await everything.client.call_tool("gzip-file-as-resource", arguments)).content[0]

    assert isinstance(embedded, EmbeddedResource)
    assert gzip.decompress(embedded.resource.bytes) == b"whole"


@pytest.mark.feature(92)
@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("no-such-tool", {}, "Tool no-such-tool not found"),
        ("get-sum", {"a": "one", "b": 2}, "expected number, received string"),
        ("simulate-research-query", {"topic": "x"}, "requires task augmentation"),
    ],
)
async def test_what_goes_wrong_in_a_tool_is_a_result(
    everything: Party, tool: str, arguments: dict[str, Any], reason: str
) -> None:
    result = await everything.client.call_tool(tool, arguments)

    assert result.is_error is True
    assert reason in result.text


# ------------------------------------------------------------------------------------- progress, time-outs, log messages


@pytest.mark.feature(79, 80)
async def test_progress_reaches_the_call_and_the_client(everything: Party) -> None:
    own: list[tuple[float, float | None]] = []

    async def hear(progress: Any) -> None:
        own.append((progress.progress, progress.total))

    await everything.application.heard("on_progress")
    arguments = {"duration": 0.2, "steps": 4}
    text = await everything.text_of("trigger-long-running-operation", arguments, on_progress=hear)
    of_client = [(each.progress, each.total) for each in await everything.application.heard("on_progress")]

    assert own == of_client == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert text == "Long running operation completed. Duration: 0.2 seconds, Steps: 4."


@pytest.mark.edge("B60")
async def test_progress_keeps_a_call_alive(everything: Party) -> None:
    arguments = {"duration": 1.5, "steps": 6}

    assert "completed" in await everything.text_of("trigger-long-running-operation", arguments, timeout=1.0)


@pytest.mark.feature(96)
async def test_call_that_takes_too_long_is_given_up_and_the_next_works(everything: Party) -> None:
    with pytest.raises(McpTimeout):
        await everything.client.call_tool("trigger-long-running-operation", {"duration": 0.5, "steps": 1}, timeout=0.1)

    assert await everything.text_of("echo", {"message": "still here"}) == "Echo: still here"


@pytest.mark.feature(75)
async def test_log_message_has_level_logger_and_data(everything: Party) -> None:
    await everything.client.send_roots_changed()
    message = await everything.application.hears("on_log", lambda message: message.logger is not None)

    assert (message.level, message.logger) == (LoggingLevel.INFO, "everything-server")
    assert message.data == "Roots updated: 1 root(s) received from client"


@pytest.mark.feature(76)
async def test_simulated_logging_begins_and_ends(everything: Party) -> None:
    await everything.client.set_log_level("debug")
    began = await everything.text_of("toggle-simulated-logging")
    message = await everything.application.hears("on_log", lambda message: "evel" in message.data)
    ended = await everything.text_of("toggle-simulated-logging")

    assert (began.split()[0], ended.split()[0]) == ("Started", "Stopped")
    assert message.data.lower().startswith(str(message.level.word))
