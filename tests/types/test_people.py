"""Who speaks, and what servers ask of the user and the model."""

import json
from typing import Any

import msgspec
import pytest

from dragoman import types
from dragoman.types import (
    Choice,
    ClientCapabilities,
    CreateMessageResult,
    ElicitationCapability,
    RootsCapability,
    SamplingCapability,
    SamplingMessage,
    ServerCapabilities,
    TextContent,
    ToolUseContent,
    UnknownContent,
    decode,
    encode,
    read_elicit_params,
    read_primitive_schema,
    read_server_capabilities,
)


@pytest.mark.parametrize(
    ("capabilities", "wire"),
    [
        (ClientCapabilities(), {}),
        (ClientCapabilities(elicitation=ElicitationCapability()), {"elicitation": {}}),
        (ClientCapabilities(elicitation=ElicitationCapability({}, {})), {"elicitation": {"form": {}, "url": {}}}),
        (ClientCapabilities(roots=RootsCapability(True)), {"roots": {"listChanged": True}}),
        (ClientCapabilities(roots=RootsCapability(False)), {"roots": {"listChanged": False}}),
        (ClientCapabilities(sampling=SamplingCapability(tools={})), {"sampling": {"tools": {}}}),
        (ClientCapabilities(extensions={"x": {}}), {"extensions": {"x": {}}}),
    ],
)
def test_a_capability_is_written_exactly_as_stated(capabilities: ClientCapabilities, wire: Any) -> None:
    assert json.loads(encode(capabilities)) == wire


def test_an_empty_capability_is_offered_and_an_absent_one_is_not() -> None:
    capabilities = decode(b'{"prompts":{},"resources":null}', ServerCapabilities)

    assert capabilities.prompts == types.PromptsCapability()
    assert capabilities.resources is None
    assert capabilities.tools is None


@pytest.mark.parametrize(
    ("wire", "read"),
    [
        (b'{"tools":true,"logging":true}', ServerCapabilities(tools=types.ToolsCapability(), logging={})),
        (b'{"tools":false,"prompts":"yes","resources":[]}', ServerCapabilities()),
        (b'{"tools":{"listChanged":"yes"}}', ServerCapabilities(tools=types.ToolsCapability())),
        (b'{"tools":{"listChanged":true}}', ServerCapabilities(tools=types.ToolsCapability(True))),
        (b'{"resources":{"subscribe":true}}', ServerCapabilities(resources=types.ResourcesCapability(True))),
        (b"[]", ServerCapabilities()),
    ],
)
def test_odd_capabilities_are_read_each_by_itself(wire: bytes, read: ServerCapabilities) -> None:
    assert read_server_capabilities(wire) == read


def test_a_server_that_says_little_can_still_be_greeted() -> None:
    result = decode(b'{"protocolVersion":"2025-03-26"}', types.InitializeResult)

    assert result.capabilities == ServerCapabilities()
    assert result.server_info == types.Implementation("")


@pytest.mark.parametrize(
    ("meta", "name"),
    [(None, None), ({}, None), ({"name": "scales"}, "scales"), ({"version": "1"}, None), ("scales", None)],
)
def test_a_discovered_server_may_say_who_it_is(meta: Any, name: str | None) -> None:
    wire = {"supportedVersions": ["2026-07-28"], "_meta": {types.SERVER_INFO_KEY: meta}}
    info = decode(json.dumps(wire).encode(), types.DiscoverResult).server_info

    assert (info and info.name) == name


def test_a_discovered_server_without_metadata_says_nothing() -> None:
    assert types.DiscoverResult(()).server_info is None


def test_a_form_is_what_has_no_mode() -> None:
    form = read_elicit_params(b'{"message":"m","requestedSchema":{}}')

    assert type(form) is types.ElicitFormParams
    assert form.mode is None
    assert type(read_elicit_params(b'{"mode":"form","message":"m","requestedSchema":{}}')) is types.ElicitFormParams


def test_a_link_is_told_by_its_mode() -> None:
    link = read_elicit_params(b'{"mode":"url","message":"m","url":"u"}')

    assert type(link) is types.ElicitUrlParams
    assert (link.mode, link.url, link.elicitation_id) == ("url", "u", None)


def test_a_mode_that_nobody_knows_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="mode is 'voice'; known are 'form' and 'url'"):
        read_elicit_params(b'{"mode":"voice","message":"m"}')


RED_AND_BLUE = (Choice("r", "Red"), Choice("b", "Blue"))


@pytest.mark.parametrize(
    ("schema", "kind", "choices"),
    [
        ({"type": "string", "enum": ["r", "b"]}, types.SelectSchema, (Choice("r"), Choice("b"))),
        ({"type": "string", "enum": ["r", "b"], "enumNames": ["Red", "Blue", "?"]}, types.SelectSchema, RED_AND_BLUE),
        (
            {"type": "string", "enum": ["r", "b"], "enumNames": ["Red"]},
            types.SelectSchema,
            (Choice("r", "Red"), Choice("b")),
        ),
        (
            {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]},
            types.SelectSchema,
            RED_AND_BLUE,
        ),
        (
            {"type": "array", "items": {"type": "string", "enum": ["r", "b"]}},
            types.MultiSelectSchema,
            (Choice("r"), Choice("b")),
        ),
        (
            {
                "type": "array",
                "items": {"anyOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]},
            },
            types.MultiSelectSchema,
            RED_AND_BLUE,
        ),
        ({"type": "array", "items": {}}, types.MultiSelectSchema, ()),
    ],
)
def test_choices_are_read_however_they_are_written(schema: Any, kind: type[Any], choices: Any) -> None:
    read = read_primitive_schema(schema)

    assert type(read) is kind
    assert isinstance(read, types.SelectSchema | types.MultiSelectSchema)
    assert read.choices == choices


def test_a_choice_is_shown_by_its_title() -> None:
    assert [choice.label for choice in (Choice("r", "Red"), Choice("r"), Choice("r", ""))] == ["Red", "r", ""]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string", "format": "email"}, types.StringSchema),
        ({"type": "number"}, types.NumberSchema),
        ({"type": "integer", "default": 1}, types.NumberSchema),
        ({"type": "boolean", "default": False}, types.BooleanSchema),
        ({"type": "object"}, types.OtherSchema),
        ({"type": ["string", "null"]}, types.OtherSchema),
        ({"type": "string", "enum": [1, 2]}, types.OtherSchema),
        ({}, types.OtherSchema),
        (True, types.OtherSchema),
    ],
)
def test_a_field_is_read_as_what_it_is(schema: Any, kind: type[Any]) -> None:
    read = read_primitive_schema(schema)

    assert type(read) is kind
    assert read.raw == (schema if isinstance(schema, dict) else {})


def test_a_form_gives_its_fields_in_order() -> None:
    schema = {"properties": {"b": {"type": "boolean"}, "a": {"type": "number"}}, "required": ["a"]}
    form = types.ElicitFormParams("m", schema)

    assert form.fields == {"b": types.BooleanSchema(), "a": types.NumberSchema("number")}
    assert list(form.fields) == ["b", "a"]
    assert form.required == ("a",)


@pytest.mark.parametrize("schema", [{}, {"properties": [], "required": "a"}])
def test_a_form_without_fields_is_empty(schema: Any) -> None:
    form = types.ElicitFormParams("m", schema)

    assert form.fields == {}
    assert form.required == ()


def test_a_message_has_blocks_whichever_way_it_was_sent() -> None:
    one = decode(b'{"role":"user","content":{"type":"text","text":"hi"}}', SamplingMessage)
    several = decode(b'{"role":"user","content":[{"type":"text","text":"hi"}]}', SamplingMessage)

    assert one.blocks == several.blocks == (TextContent("hi"),)
    assert one.text == several.text == "hi"


def test_an_answer_of_plain_text_has_all_the_wire_wants() -> None:
    answer = CreateMessageResult.from_text("hi", "small-1")

    assert answer.text == "hi"
    assert json.loads(encode(answer)) == {
        "role": "assistant",
        "content": {"type": "text", "text": "hi"},
        "model": "small-1",
        "stopReason": "endTurn",
    }


def test_an_answer_is_written_with_the_blocks_it_was_given() -> None:
    blocks: Any = [TextContent("hi"), ToolUseContent("u1", "weigh", {}), UnknownContent({"type": "thought"})]
    answer = CreateMessageResult(blocks, "small-1")

    assert answer.blocks == tuple(blocks)
    assert [block["type"] for block in json.loads(encode(answer))["content"]] == ["text", "tool_use", "thought"]


def test_an_error_tells_null_data_from_none() -> None:
    assert decode(b'{"code":1,"message":"m"}', types.ErrorObject).data is msgspec.UNSET
    assert decode(b'{"code":1,"data":null}', types.ErrorObject).data is None


def test_what_is_to_be_visited_first_is_read_from_an_error() -> None:
    data = decode(b'{"elicitations":[{"message":"m","url":"u","elicitationId":"e"}]}', types.UrlElicitationRequiredData)

    assert data.elicitations[0].url == "u"
    assert data.elicitations[0].raw["elicitationId"] == "e"
