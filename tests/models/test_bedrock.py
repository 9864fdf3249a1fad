"""Bedrock's Converse API."""

from typing import Any

import pytest

from dragoman.models import bedrock
from dragoman.models.calls import ToolCall
from tests.models.making import response, tool

MESSAGE = {
    "role": "assistant",
    "content": [{"text": "Hm."}, {"toolUse": {"toolUseId": "t1", "name": "find", "input": {"a": 1}}}],
}


def specification(schema: Any, **fields: Any) -> Any:
    return bedrock.definitions([tool(schema, **fields)])[0]["toolSpec"]


def content(*blocks: Any, **fields: Any) -> Any:
    (message,) = bedrock.answered([response(*blocks, **fields)])
    return message["content"][0]["toolResult"]["content"]


def resource(mime_type: str, uri: str = "file:///a", blob: str = "AAAA") -> Any:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "blob": blob}}


def test_root_has_what_every_model_takes() -> None:
    found = bedrock.definitions(
        [
            tool(
                {
                    "type": "object",
                    "properties": {"a": {}},
                    "additionalProperties": False,
                    "minProperties": 1,
                    "title": "x",
                },
                description="Finds.",
            )
        ]
    )

    assert found.request == {"toolConfig": {"tools": list(found)}}
    assert found[0]["toolSpec"]["inputSchema"] == {"json": {"type": "object", "properties": {"a": {}}}}
    assert found[0]["toolSpec"]["description"].startswith("Finds. No other arguments are taken. The whole has to fit")
    assert [note.path for note in found.notes["find"]] == ["/additionalProperties", "/minProperties"]


def test_open_root_needs_no_words() -> None:
    assert "description" not in specification({"type": "object", "additionalProperties": True})


def test_words_of_the_root_are_words_of_the_tool() -> None:
    assert specification({"type": "object", "description": "Give all."})["description"] == "Give all."


@pytest.mark.feature(132)
def test_calls_are_read_and_the_message_kept() -> None:
    assert bedrock.calls({"output": {"message": MESSAGE}}) == [ToolCall("t1", "find", {"a": 1})]
    assert bedrock.calls(MESSAGE) == [ToolCall("t1", "find", {"a": 1})]
    assert bedrock.calls({"output": {"message": None}}) == []
    assert bedrock.said({"output": {"message": MESSAGE}}) == [MESSAGE]


@pytest.mark.feature(133, 137)
def test_results_have_a_status() -> None:
    assert bedrock.answered([response("a"), response("b", id="call_2", is_error=True)]) == [
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "call_1", "content": [{"text": "a"}], "status": "success"}},
                {"toolResult": {"toolUseId": "call_2", "content": [{"text": "b"}], "status": "error"}},
            ],
        }
    ]
    assert bedrock.answered([]) == []


def test_structured_result_without_text_is_json() -> None:
    assert content(structured_content={"a": 1}) == [{"json": {"a": 1}}]
    assert content(structured_content=[1]) == [{"text": "[1]"}]
    assert content("x", structured_content={"a": 1}) == [{"text": "x"}, {"text": '{"a":1}'}]


def test_pictures_and_documents_are_bytes() -> None:
    assert content({"type": "image", "data": "AAAA", "mimeType": "image/png"}) == [
        {"image": {"format": "png", "source": {"bytes": b"\0\0\0"}}}
    ]
    (found,) = content(resource("application/pdf", "file:///x/a_b.pdf"))
    assert found["document"]["format"] == "pdf"
    assert found["document"]["source"] == {"bytes": b"\0\0\0"}
    assert found["document"]["name"].startswith("file x a b pdf ")
    assert content(resource("application/pdf", "☃"))[0]["document"]["name"].startswith("document ")


def test_no_two_documents_share_a_name() -> None:
    pdf = resource("application/pdf")
    first, second = bedrock.answered([response(pdf, pdf), response(pdf, id="call_2")])[0]["content"]
    blocks = [*first["toolResult"]["content"], *second["toolResult"]["content"]]

    assert len({block["document"]["name"] for block in blocks}) == 3


def test_what_is_too_large_for_the_service_is_text() -> None:
    picture = {"type": "image", "data": "AAAA" * 1_300_000, "mimeType": "image/png"}

    assert content(picture) == [{"text": "[image: image/png, 3,900,000 bytes]"}]


def test_what_no_model_takes_is_text() -> None:
    assert content(resource("application/zip"))[0]["text"].startswith("[resource file:///a: application/zip")
    assert content({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"})[0]["text"].startswith("[sound")
    assert content(resource("application/pdf", blob="not base64!"))[0]["text"].startswith("[resource")
