"""OpenAI's two APIs."""

from typing import Any

import pytest

from dragoman.models import openai
from dragoman.models.calls import ToolCall
from tests.models.making import response, tool

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
PICTURE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
MESSAGE = {
    "role": "assistant",
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "find", "arguments": "{}"}}],
}
CALL = ToolCall("call_1", "find", "{}")


@pytest.mark.feature(130)
def test_definition_of_a_chat_completion() -> None:
    function = {"name": "find", "description": "Finds.", "parameters": SCHEMA}

    assert list(openai.definitions([tool(SCHEMA, description="Finds.")])) == [
        {"type": "function", "function": function}
    ]
    assert openai.definitions([tool(SCHEMA)], strict=True)[0]["function"]["strict"] is True


@pytest.mark.feature(130)
def test_definition_of_a_response_always_says_whether_it_is_strict() -> None:
    assert list(openai.item_definitions([tool(SCHEMA)])) == [
        {"type": "function", "name": "find", "parameters": SCHEMA, "strict": False}
    ]
    assert openai.item_definitions([tool(SCHEMA)], strict=True)[0]["strict"] is True


@pytest.mark.edge("B84")
@pytest.mark.parametrize(
    "more", [{"additionalProperties": True}, {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]
)
def test_tool_that_strict_mode_would_change_is_not_strict(more: Any) -> None:
    found = openai.definitions([tool({**SCHEMA, "properties": {"a": {"type": "object", **more}}, **more})], strict=True)

    assert "strict" not in found[0]["function"]
    assert any(str(note).startswith("the arguments (weakened): not strict: ") for note in found.notes["find"])


def test_long_description_goes_on_at_the_schema() -> None:
    found = openai.definitions([tool(SCHEMA, description="x" * 1024 + "y" * 10)])

    assert found[0]["function"]["description"] == "x" * 1024
    assert found[0]["function"]["parameters"]["description"] == "(continued) " + "y" * 10
    assert [note.kind for note in found.notes["find"]] == ["shortened"]


@pytest.mark.feature(132)
def test_calls_of_a_completion() -> None:
    assert openai.calls({"choices": [{"message": MESSAGE}]}) == [CALL]
    assert openai.calls(MESSAGE) == [CALL]
    assert openai.calls({"choices": []}) == []
    assert openai.said({"choices": [{"message": MESSAGE}]}) == [{"content": None, **MESSAGE}]


@pytest.mark.feature(133, 137)
def test_results_of_a_completion_are_text() -> None:
    assert openai.answered_in_text([response("a", PICTURE)]) == [
        {"role": "tool", "tool_call_id": "call_1", "content": "a\n[image: image/png, 3 bytes]"}
    ]
    assert openai.answered([response("no", is_error=True)])[0]["content"] == "Error calling tool: no"


@pytest.mark.feature(133)
def test_pictures_and_documents_of_a_completion_follow_all_results_in_a_message_of_the_user_s() -> None:
    pdf = {"type": "resource", "resource": {"uri": "file:///x/a.pdf", "mimeType": "application/pdf", "blob": "AAAA"}}
    first, second, user = openai.answered([response("a", PICTURE), response(pdf, id="call_2")])

    assert (first["content"], second["role"]) == ("a\n[image: image/png, 3 bytes]", "tool")
    assert user == {
        "role": "user",
        "content": [
            {"type": "text", "text": "[image: image/png, 3 bytes], which the call call_1 of find returned:"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {
                "type": "text",
                "text": "[resource file:///x/a.pdf: application/pdf, 3 bytes], which the call call_2 of find returned:",
            },
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
        ],
    }


def test_call_of_free_text_is_left_to_the_program() -> None:
    custom = {"id": "2", "type": "custom", "custom": {"name": "own", "input": "x"}}

    assert openai.calls({"tool_calls": [custom]}) == []
    assert openai.said({"tool_calls": [custom]}) == [{"role": "assistant", "content": None, "tool_calls": [custom]}]


@pytest.mark.feature(132)
def test_calls_of_a_response() -> None:
    item = {"type": "function_call", "call_id": "call_1", "name": "find", "arguments": "{}"}
    given = {"output": [{"type": "reasoning", "id": "r"}, item, 5]}

    assert openai.item_calls(given) == [CALL]
    assert openai.said_items(given) == [{"type": "reasoning", "id": "r"}, item]
    assert openai.said_items({"output": None}) == []


@pytest.mark.feature(133)
def test_results_of_a_response_are_text_or_items() -> None:
    pdf = {"type": "resource", "resource": {"uri": "file:///x/a.pdf", "mimeType": "application/pdf", "blob": "AAAA"}}
    nameless = {"type": "resource", "resource": {"uri": "", "mimeType": "application/pdf", "blob": "AAAA"}}
    (text, items, failed) = openai.answered_items(
        [response("a"), response("a", PICTURE, pdf, nameless), response(PICTURE, is_error=True)]
    )

    assert text == {"type": "function_call_output", "call_id": "call_1", "output": "a"}
    assert items["output"] == [
        {"type": "input_text", "text": "a"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"},
        {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,AAAA"},
    ]
    assert failed["output"][0] == {"type": "input_text", "text": "Error calling tool:"}
