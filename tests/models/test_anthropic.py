"""Anthropic's Messages API."""

from typing import Any

import pytest

from dragoman.models import anthropic
from dragoman.models.calls import ToolCall
from tests.models.making import response, tool

PICTURE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
MESSAGE = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"a": 1}},
    ],
}


def block(*content: Any, **fields: Any) -> Any:
    (message,) = anthropic.answered([response(*content, **fields)])
    return message["content"][0]


@pytest.mark.feature(129)
def test_definition_has_name_description_and_input_schema() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}

    assert list(anthropic.definitions([tool(schema, description="Finds.")])) == [
        {"name": "find", "input_schema": schema, "description": "Finds."}
    ]
    assert "description" not in anthropic.definitions([tool(schema)])[0]


@pytest.mark.feature(132)
def test_calls_are_read_and_the_message_kept() -> None:
    assert anthropic.calls(MESSAGE) == [ToolCall("toolu_1", "find", {"a": 1})]
    assert anthropic.calls({"content": "Hello."}) == []
    assert anthropic.said(MESSAGE) == [MESSAGE]


@pytest.mark.feature(133)
def test_results_go_back_in_one_message() -> None:
    assert anthropic.answered([response("a"), response("b", id="call_2")]) == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "a"}]},
                {"type": "tool_result", "tool_use_id": "call_2", "content": [{"type": "text", "text": "b"}]},
            ],
        }
    ]
    assert anthropic.answered([]) == []


def test_pictures_and_documents_are_what_they_are() -> None:
    pdf = {"type": "resource", "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "AAAA"}}

    assert block(PICTURE)["content"] == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    ]
    assert block(pdf)["content"][0]["type"] == "document"


def test_what_the_api_does_not_take_is_text() -> None:
    assert block({**PICTURE, "mimeType": "image/svg+xml"})["content"] == [
        {"type": "text", "text": "[image: image/svg+xml, 3 bytes]"}
    ]
    assert block({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"})["content"][0]["type"] == "text"


@pytest.mark.edge("B97")
@pytest.mark.feature(135, 137)
def test_failure_is_flagged_and_its_words_are_kept() -> None:
    failed = block("no such file", is_error=True)

    assert (failed["is_error"], failed["content"][0]["text"]) == (True, "no such file")
