"""server-everything: all of its tools, prompts, resources and habits."""

import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dragoman import InvalidParams, McpTimeout, ServerError, UrlElicitationRequired
from dragoman.types import (
    AudioContent,
    ElicitResult,
    ElicitUrlParams,
    EmbeddedResource,
    ImageContent,
    LoggingLevel,
    MultiSelectSchema,
    NumberSchema,
    ResourceLink,
    SelectSchema,
    StringSchema,
    TextContent,
)
from tests.aio.interop._runtime import shared
from tests.aio.interop.application import HOME, Party, party
from tests.servers.installed import npm_server

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
SECRET = "not for every child"
FORM = {
    "name": "Ada",
    "check": True,
    "firstLine": "Call me Ishmael.",
    "email": "ada@example.com",
    "homepage": "https://ada.example/",
    "birthdate": "1815-12-10",
    "integer": 7,
    "number": 2.5,
    "untitledSingleSelectEnum": "Joey",
    "untitledMultipleSelectEnum": ["Piano", "Drums"],
    "titledSingleSelectEnum": "hero-2",
    "titledMultipleSelectEnum": ["fish-3"],
    "legacyTitledEnum": "pet-3",
}


@shared
async def everything() -> AsyncIterator[Party]:
    async with party(npm_server("server-everything"), env={"ASKED_FOR": "yes"}) as connected:
        # It adds the tools that need something of the client one by one, after the handshake.
        await connected.application.hears("on_tools_changed", lambda tools: len(tools) == len(TOOLS))
        yield connected


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


# ----------------------------------------------------------------------------------------------------------- questions


@pytest.mark.feature(54, 59)
async def test_model_of_the_client_writes(everything: Party) -> None:
    text = await everything.text_of("trigger-sampling-request", {"prompt": "a haiku", "maxTokens": 17})
    asked = everything.application.asked[-1]

    assert (asked.max_tokens, asked.temperature, asked.system_prompt) == (17, 0.7, "You are a helpful test server.")
    assert asked.messages[0].content.text.endswith("a haiku")
    assert "An old silent pond" in text


@pytest.mark.feature(61, 65)
async def test_form_has_a_field_of_every_kind(everything: Party) -> None:
    await everything.text_of("trigger-elicitation-request")
    fields = everything.application.asked[-1].fields

    assert list(fields) == list(FORM)
    assert fields["birthdate"] == StringSchema(
        title="String with date format", description="Your date of birth", format="date"
    )
    assert isinstance(fields["integer"], NumberSchema)
    assert (fields["integer"].type, fields["integer"].minimum, fields["integer"].maximum) == ("integer", 1, 100)
    assert isinstance(fields["titledMultipleSelectEnum"], MultiSelectSchema)
    assert [choice.label for choice in fields["titledMultipleSelectEnum"].choices] == ["Tuna", "Salmon", "Trout"]
    assert isinstance(fields["legacyTitledEnum"], SelectSchema)
    assert fields["legacyTitledEnum"].choices[2].label == "Birds"


@pytest.mark.feature(61, 64)
@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (FORM, {"action": "accept", "content": FORM}),
        (ElicitResult("accept", {"name": "Ada"}), {"action": "accept", "content": {"name": "Ada"}}),
        (False, {"action": "decline"}),
        (None, {"action": "cancel"}),
    ],
)
async def test_answer_to_a_form_reaches_the_server(everything: Party, answer: Any, result: Any) -> None:
    everything.application.form = answer
    text = await everything.text_of("trigger-elicitation-request")

    assert json.loads(text.partition("Raw result: ")[2]) == result


@pytest.mark.feature(62, 63)
@pytest.mark.parametrize(("answer", "action"), [(True, "accept"), (False, "decline"), (None, "cancel")])
async def test_url_is_put_to_its_own_handler(everything: Party, answer: Any, action: str) -> None:
    everything.application.visit = answer
    arguments = {"url": "https://example.com/sign-in", "message": "Sign in.", "elicitationId": "visit-1"}
    text = await everything.text_of("trigger-url-elicitation", arguments)

    assert everything.application.asked[-1] == ElicitUrlParams(
        message="Sign in.", url="https://example.com/sign-in", elicitation_id="visit-1"
    )
    assert json.loads(text.partition("Raw result: ")[2]) == {"action": action}


@pytest.mark.feature(69, 70)
async def test_url_that_has_to_be_visited_first_is_a_typed_error(everything: Party) -> None:
    arguments = {"url": "https://example.com/a", "errorPath": True}
    with pytest.raises(UrlElicitationRequired) as caught:
        await everything.client.call_tool("trigger-url-elicitation", arguments)

    assert caught.value.code == -32042
    assert [each.url for each in caught.value.elicitations] == ["https://modelcontextprotocol.io"]


@pytest.mark.feature(73)
async def test_call_is_made_again_even_if_the_server_never_says_that_the_visit_is_over(everything: Party) -> None:
    everything.application.visit = {}
    arguments = {"url": "https://example.com/b", "errorPath": True}
    options = {"retry_elicitation": True, "timeout": 0.3}

    assert "completed" in await everything.text_of("trigger-url-elicitation", arguments, **options)


@pytest.mark.feature(47, 48, 50, 51, 52)
async def test_roots_are_those_of_the_moment(everything: Party) -> None:
    client, hears = everything.client, everything.application.hears
    before = await everything.text_of("get-roots-list")
    await client.add_root("file:///srv", "more")
    await hears("on_log", lambda message: message.data.startswith("Roots updated: 2"))
    between = await everything.text_of("get-roots-list")
    await client.remove_root("file:///srv")
    await hears("on_log", lambda message: message.data.startswith("Roots updated: 1"))

    assert f"1. home\n   URI: {HOME.uri}" in before
    assert "2. more\n   URI: file:///srv" in between
    assert await everything.text_of("get-roots-list") == before


# ----------------------------------------------------------------------------------------------- resources and prompts


@pytest.mark.feature(111)
async def test_resources_are_listed(everything: Party) -> None:
    resources = await everything.client.list_resources()
    features = resources.get("demo://resource/static/document/features.md")

    assert features is not None
    assert (features.name, features.mime_type) == ("features.md", "text/markdown")


@pytest.mark.feature(112)
async def test_document_is_read(everything: Party) -> None:
    contents = await everything.client.read_resource("demo://resource/static/document/features.md")

    assert contents.text.startswith("# Everything Server")


@pytest.mark.feature(113)
@pytest.mark.parametrize("uri", [TEXT, BLOB])
async def test_template_leads_to_a_resource(everything: Party, uri: str) -> None:
    templates = await everything.client.list_resource_templates()
    contents = await everything.client.read_resource(uri.format(41))

    assert templates.get(uri.replace("{}", "{resourceId}")) is not None
    assert contents.contents[0].bytes.startswith(b"Resource 41: ")


@pytest.mark.parametrize("uri", ["demo://resource/nowhere", "demo://resource/dynamic/text/0"])
async def test_reading_what_is_not_there_raises(everything: Party, uri: str) -> None:
    with pytest.raises(ServerError) as caught:
        await everything.client.read_resource(uri)

    assert uri in str(caught.value)


@pytest.mark.feature(114, 116, 117)
async def test_subscribed_resource_is_delivered_until_it_is_unsubscribed(everything: Party) -> None:
    client, application = everything.client, everything.application
    await client.subscribe_resource(TEXT.format(1))
    await client.subscribe_resource(TEXT.format(2))
    await everything.text_of("toggle-subscriber-updates")
    first = await application.hears("on_resource_updated")
    second = await application.hears("on_resource_updated")
    await client.unsubscribe_resource(TEXT.format(1))
    # The first message after it is switched on again shows who is still subscribed.
    await everything.text_of("toggle-subscriber-updates")
    await everything.text_of("toggle-subscriber-updates")
    third = await application.hears("on_resource_updated")
    await everything.text_of("toggle-subscriber-updates")
    await client.unsubscribe_resource(TEXT.format(2))

    assert {each.contents[0].uri for each in (first, second)} == {TEXT.format(1), TEXT.format(2)}
    assert third.contents[0].text.startswith("Resource 2: ")
    assert await application.heard("on_resource_updated") == []


@pytest.mark.feature(118)
async def test_prompts_are_listed(everything: Party) -> None:
    prompts = await everything.client.list_prompts()
    arguments = {prompt.name: [each.name for each in prompt.arguments or ()] for prompt in prompts}

    assert arguments == {
        "simple-prompt": [],
        "args-prompt": ["city", "state"],
        "completable-prompt": ["department", "name"],
        "resource-prompt": ["resourceType", "resourceId"],
    }


@pytest.mark.feature(119)
@pytest.mark.parametrize(
    ("prompt", "arguments", "text"),
    [
        ("simple-prompt", None, "This is a simple prompt without arguments."),
        ("args-prompt", {"city": "Oslo"}, "What's weather in Oslo?"),
        ("args-prompt", {"city": "Portland", "state": "Maine"}, "What's weather in Portland, Maine?"),
        (
            "completable-prompt",
            {"department": "Sales", "name": "Eve"},
            "Please promote Eve to the head of the Sales team.",
        ),
    ],
)
async def test_prompt_is_filled_in(everything: Party, prompt: str, arguments: Any, text: str) -> None:
    (message,) = (await everything.client.get_prompt(prompt, arguments)).messages

    assert (message.role, message.content) == ("user", TextContent(text=text))


async def test_prompt_may_hold_a_resource(everything: Party) -> None:
    prompt = await everything.client.get_prompt("resource-prompt", {"resourceType": "Text", "resourceId": "2"})
    embedded = prompt.messages[1].content

    assert isinstance(embedded, EmbeddedResource)
    assert embedded.resource.uri == TEXT.format(2)


@pytest.mark.parametrize(
    ("prompt", "reason"), [("args-prompt", "expected string, received undefined"), ("nothing", "Prompt nothing not")]
)
async def test_prompt_that_cannot_be_filled_in_raises(everything: Party, prompt: str, reason: str) -> None:
    with pytest.raises(InvalidParams, match=reason):
        await everything.client.get_prompt(prompt)


@pytest.mark.parametrize(
    ("argument", "value", "known", "values"),
    [
        ("department", "S", None, ("Sales", "Support")),
        ("name", "", {"department": "Sales"}, ("David", "Eve", "Frank")),
        ("name", "", {"department": "Support"}, ("John", "Kim", "Lee")),
        ("name", "", None, ()),
    ],
)
async def test_prompt_is_completed(
    everything: Party, argument: str, value: str, known: dict[str, str] | None, values: tuple[str, ...]
) -> None:
    prompt = (await everything.client.list_prompts()).get("completable-prompt")
    assert prompt is not None
    completed = await everything.client.complete(prompt, argument, value, context=known)

    assert completed.completion.values == values


@pytest.mark.parametrize(("value", "values"), [("3", ("3",)), ("x", ())])
async def test_template_is_completed(everything: Party, value: str, values: tuple[str, ...]) -> None:
    template = (await everything.client.list_resource_templates())[0]

    assert (await everything.client.complete(template, "resourceId", value)).completion.values == values
