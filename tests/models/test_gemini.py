"""Gemini."""

from typing import Any

import pytest

from dragoman.models import gemini
from dragoman.models.calls import ToolCall
from dragoman.models.results import Part
from tests.models.making import response, tool

SCHEMA = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}
CONTENT = {
    "role": "model",
    "parts": [{"text": "Hm."}, {"functionCall": {"name": "find", "args": {"a": "x"}}, "thoughtSignature": "s"}],
}


def answered(*content: Any, **fields: Any) -> Any:
    (turn,) = gemini.answered([response(*content, **fields)])
    return turn["parts"][0]["functionResponse"]


@pytest.mark.edge("B88")
def test_declaration_is_by_json_schema_where_that_is_known() -> None:
    found = gemini.definitions([tool(SCHEMA, description="Finds.")])

    assert found.request == {
        "tools": [{"functionDeclarations": [{"name": "find", "description": "Finds.", "parametersJsonSchema": SCHEMA}]}]
    }


@pytest.mark.edge("B88")
def test_declaration_in_the_subset_has_no_types_in_lists() -> None:
    assert gemini.openapi_definitions([tool(SCHEMA)])[0]["parameters"] == {
        "type": "OBJECT",
        "properties": {"a": {"type": "STRING", "nullable": True}},
    }


@pytest.mark.edge("B88")
def test_nothing_to_declare_is_no_key_of_the_request() -> None:
    assert gemini.definitions([]).request == {}
    assert "parameters" not in gemini.openapi_definitions([tool({"type": "object"})])[0]


@pytest.mark.feature(132)
def test_calls_are_read_and_the_turn_kept() -> None:
    given = {"candidates": [{"content": CONTENT}]}

    assert gemini.calls(given) == [ToolCall("", "find", {"a": "x"})]
    assert gemini.said(given) == [CONTENT]
    assert gemini.calls(CONTENT) == gemini.calls(given)
    assert gemini.calls({"candidates": []}) == []
    assert gemini.calls({"candidates": [{"content": None}]}) == []


@pytest.mark.feature(133)
def test_results_go_back_in_one_turn() -> None:
    assert answered("a") == {"name": "find", "response": {"output": "a"}, "id": "call_1"}
    assert "id" not in answered("a", id="")
    assert gemini.answered([]) == []


def test_structured_result_is_given_as_it_is() -> None:
    assert answered('{"a":1}', structured_content={"a": 1})["response"] == {"output": {"a": 1}}
    assert answered("told", structured_content={"a": 1})["response"] == {"output": 'told\n{"a":1}'}
    assert answered('{"a":1}', structured_content={"a": 1}, budgeted="{")["response"] == {"output": "{"}


PICTURE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
SOUND = {"type": "audio", "data": "AAAA", "mimeType": "audio/x-wav"}


def test_pictures_are_parts_of_the_response_and_sounds_beside_it() -> None:
    response_, words, sound = gemini.answered([response(PICTURE, SOUND)])[0]["parts"]

    assert response_["functionResponse"]["parts"] == [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]
    assert response_["functionResponse"]["response"] == {"output": "[sound: audio/wav, 3 bytes]"}
    assert words == {"text": "[sound: audio/wav, 3 bytes], which the call call_1 of find returned:"}
    assert sound == {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}


def test_picture_alone_is_told_of_in_the_output() -> None:
    assert answered(PICTURE)["response"] == {"output": "[image: image/png, 3 bytes]"}


def test_older_models_have_pictures_beside_the_responses() -> None:
    first, second, words, picture = gemini.answered_openapi([response("a", PICTURE), response("b", id="call_2")])[0][
        "parts"
    ]

    assert first["functionResponse"]["response"] == {"output": "a\n[image: image/png, 3 bytes]"}
    assert "parts" not in first["functionResponse"]
    assert second["functionResponse"]["id"] == "call_2"
    assert "call_1 of find" in words["text"]
    assert picture == {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}


@pytest.mark.feature(137)
def test_failure_is_an_error() -> None:
    assert answered("no", is_error=True)["response"] == {"error": "no"}


def test_what_is_not_taken_is_told_of_in_text() -> None:
    assert gemini.piece(Part("document", "[resource a.zip]", "AAAA", "application/zip")) == {"text": "[resource a.zip]"}


def test_nothing_stands_beside_a_reference() -> None:
    schema: Any = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/x", "description": "It."}, "b": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"type": "string", "const": "y"}},
    }
    schema["properties"] |= {"c": {"$ref": "#/$defs/x", "anyOf": [{"maxLength": 1}]}, "d": True, "e": {"not": True}}
    schema["properties"]["f"] = {"type": "array", "items": False}
    (found,) = gemini.definitions([tool(schema)])

    assert found["parametersJsonSchema"]["properties"] == {
        "a": {"anyOf": [{"$ref": "#/$defs/x"}], "description": "It."},
        "c": {"anyOf": [{"maxLength": 1}], "allOf": [{"$ref": "#/$defs/x"}]},
        "d": {},
        "e": {"not": {}},
        "f": {"type": "array", "items": False},
        "b": {"$ref": "#/$defs/x"},
    }
    assert found["parametersJsonSchema"]["$defs"] == {"x": {"type": "string", "enum": ["y"]}}
