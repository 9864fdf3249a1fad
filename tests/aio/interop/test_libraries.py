"""Servers written with the libraries people use, in both eras, as processes and inside this one."""

from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import pytest
from msgspec import Struct

from dragoman import InvalidParams, McpTimeout, NotOffered, ServerError, ToolFailed
from dragoman.types import (
    BooleanSchema,
    CreateMessageResult,
    ImageContent,
    ListToolsResult,
    LoggingLevel,
    NumberSchema,
    StringSchema,
    TextContent,
)
from tests.aio.interop._runtime import shared
from tests.aio.interop.application import HOME, Party, party
from tests.aio.transports.wire import together
from tests.servers import fastmcp_server, mcp_server, written

# The servers use what the protocol has deprecated and clients must go on serving.
pytestmark = [pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")]
pytestmark.append(pytest.mark.asyncio(loop_scope="module"))  # async-only

TOOLS = {"echo", "add", "weather", "slow", "log", "ask", "ask_url", "sample", "roots", "fail", "big", "image", "count"}
COUNTER = "test://counter"
LEGACY = ("2025-11-25",)
MODERN = ("2026-07-28",)


class Variant(Struct, frozen=True):
    """One way to have a server: the library it is written with, the era, and what `connect` is pointed at."""

    library: str
    version: tuple[str]
    target: Callable[[], Any]
    is_process: bool = True

    @property
    def name(self) -> str:
        place = "stdio" if self.is_process else "memory"
        return f"{self.library}-{self.version[0]}-{place}"


VARIANTS = [
    variant
    for version in (MODERN, LEGACY)
    for variant in (
        Variant("mcp", version, written.mcp_server),
        Variant("mcp", version, lambda: mcp_server.server, is_process=False),
        Variant("fastmcp", version, written.fastmcp_server),
        Variant("fastmcp", version, lambda: fastmcp_server.server, is_process=False),
        Variant("typescript", version, written.typescript_server),
    )
]


class Connected(Party):
    """A program with its server, and which one that is."""

    variant: Variant

    @property
    def is_modern(self) -> bool:
        return self.variant.version == MODERN


@shared
async def each(request: pytest.FixtureRequest) -> AsyncIterator[Connected]:
    variant: Variant = request.param
    async with party(variant.target(), versions=variant.version) as plain:
        connected = Connected(plain.client, plain.application)
        connected.variant = variant
        yield connected


def of(*wanted: Callable[[Variant], bool]) -> pytest.MarkDecorator:
    """Run a test for the variants that are all of what is wanted."""
    chosen = [variant for variant in VARIANTS if all(is_wanted(variant) for is_wanted in wanted)]
    return pytest.mark.parametrize("each", chosen, indirect=True, ids=[variant.name for variant in chosen])


def modern(variant: Variant) -> bool:
    return variant.version == MODERN


def legacy(variant: Variant) -> bool:
    return variant.version == LEGACY


def by_fastmcp(variant: Variant) -> bool:
    return variant.library == "fastmcp"


def in_typescript(variant: Variant) -> bool:
    return variant.library == "typescript"


def in_python(variant: Variant) -> bool:
    return variant.library != "typescript"


def watched(variant: Variant) -> bool:
    return variant.library != "fastmcp"


def announced(variant: Variant) -> bool:
    return not (by_fastmcp(variant) and modern(variant))


def a_process(variant: Variant) -> bool:
    return variant.is_process


# ----------------------------------------------------------------------------------------------------------- who it is


@of()
@pytest.mark.feature(2, 5)
async def test_server_is_introduced(each: Connected) -> None:
    server = each.client.server

    assert (server.name, server.version) == (f"test-{each.variant.library}", "1.2.3")
    assert each.client.instructions == "Ask for anything."


@of()
@pytest.mark.feature(4)
async def test_the_only_version_offered_is_spoken(each: Connected) -> None:
    assert each.client.protocol_version == each.variant.version[0]
    assert each.client.era == ("modern" if each.is_modern else "legacy")


@of()
@pytest.mark.feature(81)
async def test_ping_is_answered(each: Connected) -> None:
    assert 0 < await each.client.ping() < 10


# --------------------------------------------------------------------------------------------------------------- tools


@of()
@pytest.mark.feature(26, 97)
async def test_tools_are_listed(each: Connected) -> None:
    tools = await each.client.list_tools()

    assert {tool.name for tool in tools} >= TOOLS
    assert tools.problems == ()


@of(in_typescript, modern)
async def test_list_is_kept_as_long_as_the_server_says(each: Connected) -> None:
    listed = await each.client.list_tools()

    assert listed.ttl_ms == 60_000
    assert await each.client.list_tools() is listed


@of(legacy)
async def test_list_without_such_a_word_is_not_kept(each: Connected) -> None:
    assert await each.client.list_tools() is not await each.client.list_tools()


@of()
@pytest.mark.parametrize("text", ["hello", "naïve ✓ 🖥️", "a\u2028b\u0085c\r\nd", ""])
async def test_text_comes_back_as_it_was_sent(each: Connected, text: str) -> None:
    assert await each.text_of("echo", {"text": text}) == text


@of()
@pytest.mark.feature(98, 101)
async def test_structured_result_fits_its_schema(each: Connected) -> None:
    await each.client.list_tools()
    result = await each.client.call_tool("weather", {"city": "Rome"})

    assert result.structured == {"city": "Rome", "celsius": 21.5, "hours": [9, 12, 15]}
    assert result.violations == ()


@of(in_python)
async def test_plain_result_is_structured_by_the_library(each: Connected) -> None:
    assert (await each.client.call_tool("add", {"a": 1, "b": 2})).structured == {"result": 3}


@of()
@pytest.mark.feature(92)
async def test_failing_tool_is_a_result(each: Connected) -> None:
    result = await each.client.call_tool("fail")

    assert result.is_error is True
    assert result.text.endswith("it broke")


@of()
async def test_failing_tool_raises_where_that_is_wished_for(each: Connected) -> None:
    with pytest.raises(ToolFailed, match="it broke") as caught:
        await each.client.call_tool("fail", raise_on_error=True)

    assert caught.value.result.is_error is True


@of()
async def test_wrong_arguments_are_a_result(each: Connected) -> None:
    result = await each.client.call_tool("add", {"a": "one"})

    assert result.is_error is True
    assert "valid" in result.text.lower()


@of(in_python)
async def test_unknown_tool_is_a_result(each: Connected) -> None:
    result = await each.client.call_tool("nothing")

    assert result.is_error is True
    assert "Unknown tool" in result.text


@of(in_typescript)
async def test_unknown_tool_raises_where_the_server_says_so(each: Connected) -> None:
    with pytest.raises(InvalidParams, match="Tool nothing not found"):
        await each.client.call_tool("nothing")


@of()
async def test_long_text_arrives_whole(each: Connected) -> None:
    assert len(await each.text_of("big", {"megabytes": 2})) == 2_000_000


@of()
async def test_picture_arrives(each: Connected) -> None:
    (image,) = (await each.client.call_tool("image")).content

    assert isinstance(image, ImageContent)
    assert (image.mime_type, image.bytes) == ("image/png", mcp_server.PIXEL)


@of()
async def test_calls_may_be_made_at_once(each: Connected) -> None:
    def called(number: int) -> Callable[[], Any]:
        async def call() -> str:
            return await each.text_of("echo", {"text": str(number)})

        return call

    assert await together(*map(called, range(20))) == [str(number) for number in range(20)]


# ----------------------------------------------------------------------------------------------- progress, cancel, logs


@of()
@pytest.mark.feature(79)
async def test_progress_has_its_message(each: Connected) -> None:
    await each.application.heard("on_progress")
    assert await each.text_of("slow", {"steps": 3, "seconds": 0.06}) == "3 steps"
    heard = [(told.progress, told.total, told.message) for told in await each.application.heard("on_progress")]

    assert heard == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@of()
@pytest.mark.feature(91)
@pytest.mark.edge("B59")
async def test_call_that_timed_out_is_cancelled_at_the_server(each: Connected) -> None:
    before = await each.text_of("cancelled")
    with pytest.raises(McpTimeout):
        await each.client.call_tool("slow", {"steps": 1, "seconds": 30}, timeout=0.1)
    now = await each.text_of("cancelled")
    while now == before:
        now = await each.text_of("cancelled")

    assert int(now) == int(before) + 1


@of()
@pytest.mark.feature(75, 76)
async def test_log_messages_from_the_level_upwards_are_heard(each: Connected) -> None:
    await each.client.set_log_level("warning")
    await each.application.heard("on_log")
    await each.text_of("log")
    levels = [(await each.application.hears("on_log")).level for _ in range(5)]
    await each.client.set_log_level("debug")

    assert levels == [level for level in LoggingLevel if level >= LoggingLevel.WARNING]


@of()
@pytest.mark.feature(75)
async def test_log_message_names_its_logger(each: Connected) -> None:
    await each.client.set_log_level("emergency")
    await each.text_of("log")
    message = await each.application.hears("on_log", lambda message: message.level is LoggingLevel.EMERGENCY)

    assert message.logger == "test"
    assert message.data == (
        {"msg": "said emergency", "extra": None} if each.variant.library == "fastmcp" else {"said": "emergency"}
    )


# ----------------------------------------------------------------------------------------------------------- questions


@of()
@pytest.mark.feature(61, 64, 65)
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"name": "Ada", "age": 36, "subscribe": True}, "Ada, 36, subscribed"),
        ({"name": "Ada"}, "Ada, 30, not subscribed"),
        (False, "the user said decline"),
        (None, "the user said cancel"),
    ],
)
async def test_form_is_filled_in(each: Connected, answer: Any, text: str) -> None:
    each.application.form = answer

    assert await each.text_of("ask") == text


@of()
@pytest.mark.feature(61)
async def test_form_has_its_fields(each: Connected) -> None:
    await each.text_of("ask")
    form = each.application.asked[-1]

    assert form.message == "Who are you?"
    assert [type(field) for field in form.fields.values()] == [StringSchema, NumberSchema, BooleanSchema]
    assert form.required == ("name",)
    assert (form.fields["name"].min_length, form.fields["age"].default) == (1, 30)


@of()
@pytest.mark.feature(62)
@pytest.mark.parametrize(("answer", "action"), [(True, "accept"), (False, "decline"), (None, "cancel")])
async def test_user_is_sent_to_a_page(each: Connected, answer: Any, action: str) -> None:
    each.application.visit = answer

    assert await each.text_of("ask_url") == f"the user said {action}"
    assert each.application.asked[-1].url == "https://sign-in.example/start"


@of(legacy, in_python)
@pytest.mark.feature(72)
async def test_end_of_a_visit_is_told(each: Connected) -> None:
    each.application.visit = True
    await each.text_of("ask_url")

    assert await each.client.wait_for_elicitation("visit-1") is True


@of(lambda variant: variant.library == "mcp" or (in_typescript(variant) and legacy(variant)), a_process)
@pytest.mark.feature(73)
async def test_call_refused_for_a_visit_is_made_again_after_it(each: Connected) -> None:
    each.application.visit = True
    text = await each.text_of("members_only", retry_elicitation=True)

    assert text == "welcome"
    assert await each.application.hears("on_elicitation_complete", lambda name: name == "visit-2") == "visit-2"


@of()
@pytest.mark.feature(54, 59)
async def test_model_of_the_client_writes(each: Connected) -> None:
    each.application.poem = CreateMessageResult(model="bashō", content=TextContent(text="A frog jumps in"))

    assert await each.text_of("sample", {"topic": "ponds"}) == "bashō on ponds: A frog jumps in"
    assert each.application.asked[-1].system_prompt == "You are a poet."
    assert each.application.asked[-1].messages[0].content == TextContent(text="A haiku about ponds, please.")


@of()
@pytest.mark.feature(47, 48, 50)
async def test_roots_are_those_of_the_moment(each: Connected) -> None:
    before = await each.text_of("roots")
    await each.client.add_root("file:///srv/data")
    between = await each.text_of("roots")
    await each.client.remove_root("file:///srv/data")
    after = await each.text_of("roots")

    assert before == after
    assert (HOME.uri in before, "file:///srv/data" in before, "file:///srv/data" in between) == (True, False, True)


# ----------------------------------------------------------------------------------------------- resources and prompts


@of()
@pytest.mark.feature(111, 113)
async def test_resources_and_templates_are_listed(each: Connected) -> None:
    resources = await each.client.list_resources()
    templates = await each.client.list_resource_templates()

    assert {resource.uri for resource in resources} >= {"test://text", "test://blob", COUNTER}
    assert [template.uri_template for template in templates] == ["test://people/{name}"]


@of()
@pytest.mark.feature(112, 113)
async def test_resources_are_read(each: Connected) -> None:
    text = await each.client.read_resource("test://text")
    blob = await each.client.read_resource("test://blob")
    person = await each.client.read_resource("test://people/Ada")

    assert (text.text, person.text) == ("some text", "This is Ada.")
    assert blob.contents[0].bytes == mcp_server.PIXEL


@of()
async def test_resource_that_is_not_there_raises(each: Connected) -> None:
    with pytest.raises(ServerError, match="test://nothing"):
        await each.client.read_resource("test://nothing")


@of(watched)
@pytest.mark.feature(114, 116, 117)
async def test_subscribed_resource_is_delivered_until_it_is_unsubscribed(each: Connected) -> None:
    await each.client.subscribe_resource(COUNTER)
    counted = await each.text_of("count")
    delivered = await each.application.hears("on_resource_updated")
    await each.client.unsubscribe_resource(COUNTER)
    await each.text_of("count")
    await each.client.ping()

    assert delivered.text == counted
    assert await each.application.heard("on_resource_updated") == []


@of(by_fastmcp)
@pytest.mark.feature(115)
async def test_subscribing_where_that_is_not_offered_raises(each: Connected) -> None:
    with pytest.raises(NotOffered, match=r"resources\.subscribe"):
        await each.client.subscribe_resource(COUNTER)


@of()
@pytest.mark.feature(105, 110)
async def test_tool_and_resource_that_appear_can_be_used(each: Connected) -> None:
    name = f"tree_{uuid4().hex[:8]}"
    await each.text_of("grow", {"name": name})

    assert await each.text_of(name) == name
    assert (await each.client.read_resource(f"test://grown/{name}")).text == name


@of(announced)
@pytest.mark.feature(106, 107, 108)
async def test_lists_that_changed_are_delivered_anew(each: Connected) -> None:
    name = f"tree_{uuid4().hex[:8]}"
    await each.text_of("grow", {"name": name})
    tools: ListToolsResult = await each.application.hears("on_tools_changed", lambda tools: tools.get(name) is not None)
    uri = f"test://grown/{name}"
    resources = await each.application.hears("on_resources_changed", lambda resources: resources.get(uri) is not None)

    assert {tool.name for tool in tools} >= TOOLS
    assert len(resources) >= 4


@of()
@pytest.mark.feature(118, 119)
async def test_prompt_is_listed_and_filled_in(each: Connected) -> None:
    (prompt,) = await each.client.list_prompts()
    (message,) = (await each.client.get_prompt(prompt, {"name": "Ada", "style": "formal"})).messages

    assert [(argument.name, bool(argument.required)) for argument in prompt.arguments or ()] == [
        ("name", True),
        ("style", False),
    ]
    assert (message.role, message.content) == ("user", TextContent(text="Greet Ada in a formal way."))


@of()
async def test_prompt_without_a_required_argument_raises(each: Connected) -> None:
    with pytest.raises(ServerError):
        await each.client.get_prompt("greet")


@of()
async def test_prompts_and_templates_are_completed(each: Connected) -> None:
    (prompt,) = await each.client.list_prompts()
    (template,) = await each.client.list_resource_templates()

    assert (await each.client.complete(prompt, "name", "A")).completion.values == ("Ada", "Adele")
    assert (await each.client.complete(template, "name", "G")).completion.values == ("Grace", "Grete")
