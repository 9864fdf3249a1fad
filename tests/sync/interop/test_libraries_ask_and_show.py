# generated from tests/aio/interop/test_libraries_ask_and_show.py by tools/unasync.py; do not edit
"""Servers written with the libraries people use, again: what they ask, and their resources and prompts."""

from typing import Any
from uuid import uuid4

import pytest

from dragoman import NotOffered, ServerError, ToolFailed
from dragoman.types import (
    BooleanSchema,
    CreateMessageResult,
    ListToolsResult,
    NumberSchema,
    StringSchema,
    TextContent,
)
from tests.servers import mcp_server
from tests.sync.interop.application import HOME
from tests.sync.interop.variants import (
    COUNTER,
    TOOLS,
    Connected,
    a_process,
    announced,
    by_fastmcp,
    in_python,
    in_typescript,
    legacy,
    modern,
    of,
    watched,
)

# The servers use what the protocol has deprecated and clients must go on serving.
pytestmark = [pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")]


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
def test_form_is_filled_in(each: Connected, answer: Any, text: str) -> None:
    each.application.form = answer

    assert each.text_of("ask") == text


@of()
@pytest.mark.feature(61)
def test_form_has_its_fields(each: Connected) -> None:
    each.text_of("ask")
    form = each.application.asked[-1]

    assert form.message == "Who are you?"
    assert [type(field) for field in form.fields.values()] == [StringSchema, NumberSchema, BooleanSchema]
    assert form.required == ("name",)
    assert (form.fields["name"].min_length, form.fields["age"].default) == (1, 30)


@of()
@pytest.mark.feature(62)
@pytest.mark.parametrize(("answer", "action"), [(True, "accept"), (False, "decline"), (None, "cancel")])
def test_user_is_sent_to_a_page(each: Connected, answer: Any, action: str) -> None:
    each.application.visit = answer

    assert each.text_of("ask_url") == f"the user said {action}"
    assert each.application.asked[-1].url == "https://sign-in.example/start"


@of(legacy)
@pytest.mark.feature(61)
def test_user_is_asked_in_the_middle_of_a_call(each: Connected) -> None:
    each.application.form = False

    assert each.text_of("ask_outright") == "the user said decline"


@of(modern)
@pytest.mark.feature(61)
def test_tool_that_cannot_ask_in_this_era_is_known_by_the_way_out(each: Connected) -> None:
    with pytest.raises(ServerError if each.variant.library == "mcp" else ToolFailed) as failed:
        each.client.call_tool("ask_outright", raise_on_error=True)

    assert failed.value.hint is not None
    assert "connect with versions=['2025-11-25']" in failed.value.hint


@of(legacy, in_python)
@pytest.mark.feature(72)
def test_end_of_a_visit_is_told(each: Connected) -> None:
    each.application.visit = True
    each.text_of("ask_url")

    assert each.client.wait_for_elicitation("visit-1") is True


@of(lambda variant: variant.library == "mcp" or (in_typescript(variant) and legacy(variant)), a_process)
@pytest.mark.feature(73)
def test_call_refused_for_a_visit_is_made_again_after_it(each: Connected) -> None:
    each.application.visit = True
    text = each.text_of("members_only", retry_elicitation=True)

    assert text == "welcome"
    assert each.application.hears("on_elicitation_complete", lambda name: name == "visit-2") == "visit-2"


@of()
@pytest.mark.feature(54, 59)
def test_model_of_the_client_writes(each: Connected) -> None:
    each.application.poem = CreateMessageResult(model="bashō", content=TextContent(text="A frog jumps in"))

    assert each.text_of("sample", {"topic": "ponds"}) == "bashō on ponds: A frog jumps in"
    assert each.application.asked[-1].system_prompt == "You are a poet."
    assert each.application.asked[-1].messages[0].content == TextContent(text="A haiku about ponds, please.")


@of()
@pytest.mark.feature(47, 48, 50)
def test_roots_are_those_of_the_moment(each: Connected) -> None:
    before = each.text_of("roots")
    each.client.add_root("file:///srv/data")
    between = each.text_of("roots")
    each.client.remove_root("file:///srv/data")
    after = each.text_of("roots")

    assert before == after
    assert (HOME.uri in before, "file:///srv/data" in before, "file:///srv/data" in between) == (True, False, True)


# ----------------------------------------------------------------------------------------------- resources and prompts


@of()
@pytest.mark.feature(111, 113)
def test_resources_and_templates_are_listed(each: Connected) -> None:
    resources = each.client.list_resources()
    templates = each.client.list_resource_templates()

    assert {resource.uri for resource in resources} >= {"test://text", "test://blob", COUNTER}
    assert [template.uri_template for template in templates] == ["test://people/{name}"]


@of()
@pytest.mark.feature(112, 113)
def test_resources_are_read(each: Connected) -> None:
    text = each.client.read_resource("test://text")
    blob = each.client.read_resource("test://blob")
    person = each.client.read_resource("test://people/Ada")

    assert (text.text, person.text) == ("some text", "This is Ada.")
    assert blob.contents[0].bytes == mcp_server.PIXEL


@of()
def test_resource_that_is_not_there_raises(each: Connected) -> None:
    with pytest.raises(ServerError, match="test://nothing"):
        each.client.read_resource("test://nothing")


@of(watched)
@pytest.mark.feature(114, 116, 117)
def test_subscribed_resource_is_delivered_until_it_is_unsubscribed(each: Connected) -> None:
    each.client.subscribe_resource(COUNTER)
    counted = each.text_of("count")
    delivered = each.application.hears("on_resource_updated")
    each.client.unsubscribe_resource(COUNTER)
    each.text_of("count")
    each.client.ping()

    assert delivered.text == counted
    assert each.application.heard("on_resource_updated") == []


@of(by_fastmcp)
@pytest.mark.feature(115)
def test_subscribing_where_that_is_not_offered_raises(each: Connected) -> None:
    with pytest.raises(NotOffered, match=r"resources\.subscribe"):
        each.client.subscribe_resource(COUNTER)


@of()
@pytest.mark.feature(105, 110)
def test_tool_and_resource_that_appear_can_be_used(each: Connected) -> None:
    name = f"tree_{uuid4().hex[:8]}"
    each.text_of("grow", {"name": name})

    assert each.text_of(name) == name
    assert each.client.read_resource(f"test://grown/{name}").text == name


@of(announced)
@pytest.mark.feature(106, 107, 108)
def test_lists_that_changed_are_delivered_anew(each: Connected) -> None:
    name = f"tree_{uuid4().hex[:8]}"
    each.text_of("grow", {"name": name})
    tools: ListToolsResult = each.application.hears("on_tools_changed", lambda tools: tools.get(name) is not None)
    uri = f"test://grown/{name}"
    resources = each.application.hears("on_resources_changed", lambda resources: resources.get(uri) is not None)

    assert {tool.name for tool in tools} >= TOOLS
    assert len(resources) >= 4


@of()
@pytest.mark.feature(118, 119)
def test_prompt_is_listed_and_filled_in(each: Connected) -> None:
    (prompt,) = each.client.list_prompts()
    (message,) = each.client.get_prompt(prompt, {"name": "Ada", "style": "formal"}).messages

    assert [(argument.name, bool(argument.required)) for argument in prompt.arguments or ()] == [
        ("name", True),
        ("style", False),
    ]
    assert (message.role, message.content) == ("user", TextContent(text="Greet Ada in a formal way."))


@of()
def test_prompt_without_a_required_argument_raises(each: Connected) -> None:
    with pytest.raises(ServerError):
        each.client.get_prompt("greet")


@of()
def test_prompts_and_templates_are_completed(each: Connected) -> None:
    (prompt,) = each.client.list_prompts()
    (template,) = each.client.list_resource_templates()

    assert each.client.complete(prompt, "name", "A").completion.values == ("Ada", "Adele")
    assert each.client.complete(template, "name", "G").completion.values == ("Grace", "Grete")
