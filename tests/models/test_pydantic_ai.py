"""Tools as tools of Pydantic AI."""

import sys
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic_ai import BinaryContent, BinaryImage, ModelRetry
from pydantic_ai.exceptions import ToolFailed
from pydantic_core import ValidationError

from dragoman.errors import UsageError
from dragoman.models.anthropic import definitions
from dragoman.models.calls import ToolResponse
from dragoman.models.definition import Definition
from dragoman.models.pydantic_ai import arguments_validator, metadata, outcome, pydantic_tool
from dragoman.types import Tool, ToolAnnotations
from tests.models.making import response, tool

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
PICTURE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}


def defined(each: Tool) -> Definition:
    (definition,) = definitions([each]).each()
    return definition


async def never(*_: Any, **__: Any) -> ToolResponse:
    raise AssertionError("nothing calls it")


def test_tool_has_name_description_and_schema() -> None:
    made = pydantic_tool(defined(tool(SCHEMA, description="Finds.")), never).tool_def

    assert (made.name, made.description, made.parameters_json_schema) == ("find", "Finds.", SCHEMA)
    assert made.metadata == {"annotations": None, "meta": None}


def test_name_is_one_that_every_provider_takes() -> None:
    made = pydantic_tool(defined(tool(SCHEMA, "files/find")), never)

    assert made.name.startswith("files_find_")


async def test_call_goes_by_name_and_arguments() -> None:
    asked: list[Any] = []

    async def run(name: str, arguments: Any) -> ToolResponse:
        asked.append((name, arguments))
        return response("x")

    made: Any = pydantic_tool(defined(tool(SCHEMA)), run)

    assert await made.function(a="y", self=1) == "x"
    assert asked == [("find", {"a": "y", "self": 1})]


def test_arguments_are_any_object() -> None:
    validator = arguments_validator()

    assert validator.validate_json('{"a": [1]}') == {"a": [1]}
    with pytest.raises(ValidationError):
        validator.validate_json("[1]")


def test_structured_result_is_returned_as_it_is() -> None:
    assert outcome(response('{"a": 1}', structured_content={"a": 1})) == {"a": 1}


def test_text_is_returned_as_text() -> None:
    assert outcome(response("x")) == "x"
    assert outcome(response("x", "y")) == ["x", "y"]
    assert outcome(response("xyz", budgeted="x...", structured_content={"a": 1})) == "x..."


def test_pictures_sounds_and_documents_are_returned_as_bytes() -> None:
    found = outcome(
        response(
            "x",
            PICTURE,
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "AAAA"}},
            {"type": "resource", "resource": {"uri": "file:///a.bin", "mimeType": "application/zip", "blob": "AAAA"}},
            structured_content={"a": 1},
        )
    )

    assert found == [
        "x",
        BinaryImage(b"\0\0\0", media_type="image/png"),
        BinaryContent(b"\0\0\0", media_type="audio/wav"),
        BinaryContent(b"\0\0\0", media_type="application/pdf"),
        "[resource file:///a.bin: application/zip, 3 bytes]",
        '{"a":1}',
    ]


def test_what_is_no_base64_is_told_of() -> None:
    assert outcome(response({**PICTURE, "data": "~~~"})) == "[image: image/png, base64 that cannot be read]"


def test_failure_makes_the_model_try_again_or_is_told() -> None:
    failed = response("ENOENT", is_error=True)

    with pytest.raises(ModelRetry, match=r"^ENOENT$"):
        outcome(failed)
    with pytest.raises(ToolFailed, match=r"^ENOENT$"):
        outcome(failed, "tell")


def test_arguments_that_do_not_fit_make_the_model_try_again_in_any_case() -> None:
    with pytest.raises(ModelRetry):
        outcome(replace(response("a is missing", is_error=True), is_unfit=True), "tell")


def test_annotations_and_metadata_are_for_the_application() -> None:
    hinted = Tool.define("find", SCHEMA, annotations=ToolAnnotations(read_only_hint=True), meta={"x": 1})

    assert metadata(hinted) == {"annotations": {"readOnlyHint": True}, "meta": {"x": 1}}


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(UsageError, match=r"dragoman\[pydantic-ai\]"):
        pydantic_tool(defined(tool(SCHEMA)), never)
