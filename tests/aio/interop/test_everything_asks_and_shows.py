"""server-everything: what it asks, and all of its resources and prompts."""

import json
from typing import Any

import pytest

from dragoman import InvalidParams, ServerError, UrlElicitationRequired
from dragoman.types import (
    ElicitResult,
    ElicitUrlParams,
    EmbeddedResource,
    MultiSelectSchema,
    NumberSchema,
    SelectSchema,
    StringSchema,
    TextContent,
)
from tests.aio.interop.application import HOME, Party

pytestmark = pytest.mark.asyncio(loop_scope="module")  # async-only

TEXT = "demo://resource/dynamic/text/{}"
BLOB = "demo://resource/dynamic/blob/{}"
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
