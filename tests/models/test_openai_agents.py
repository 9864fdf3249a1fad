"""Tools as function tools of the OpenAI Agents SDK."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from agents.tool import ToolOutputFileContent, ToolOutputImage, ToolOutputText

from dragoman.errors import ConnectionLost, UsageError
from dragoman.models.calls import ToolResponse
from dragoman.models.definition import Definition
from dragoman.models.openai import item_definitions
from dragoman.models.openai_agents import function_tool, output
from dragoman.types import Tool
from tests.models.making import response, tool
from tests.models.test_corpus import ALL

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
OPEN = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}
CONTEXT: Any = SimpleNamespace(tool_call_id="call_7")


def defined(each: Tool) -> Definition:
    (definition,) = item_definitions([each], strict=True).each()
    return definition


async def invoked(found: ToolResponse | Exception, **options: Any) -> Any:
    async def run(name: str, arguments: str, **more: Any) -> ToolResponse:
        if isinstance(found, Exception):
            raise found
        return found

    return await function_tool(defined(tool(SCHEMA)), run, **options).on_invoke_tool(CONTEXT, "{}")


async def never(*_: Any, **__: Any) -> ToolResponse:
    raise AssertionError("nothing calls it")


@pytest.mark.parametrize(("schema", "is_strict"), [(SCHEMA, True), (OPEN, False)])
def test_tool_is_strict_only_where_that_changes_nothing(schema: Any, is_strict: bool) -> None:
    made = function_tool(defined(tool(schema, description="Finds.")), never)

    assert (made.name, made.description, made.strict_json_schema) == ("find", "Finds.", is_strict)
    assert made.params_json_schema == schema


def test_tool_without_a_description_has_an_empty_one() -> None:
    assert function_tool(defined(tool(SCHEMA)), never).description == ""


def test_sdk_leaves_the_schemas_of_real_servers_as_they_are() -> None:
    definitions = [each for known in ALL for each in item_definitions([known], strict=True).each()]
    changed = [
        each.name
        for each in definitions
        if (made := function_tool(each, never)).params_json_schema != each.json["parameters"]
        or made.strict_json_schema is not each.json["strict"]
    ]

    assert len(definitions) > 100
    assert changed == []


async def test_call_goes_by_the_name_the_json_and_the_id_of_the_model() -> None:
    asked: list[Any] = []

    async def run(name: str, arguments: str, **more: Any) -> ToolResponse:
        asked.append((name, arguments, more))
        return response("x")

    assert await function_tool(defined(tool(SCHEMA)), run).on_invoke_tool(CONTEXT, '{"a":"y"}') == "x"
    assert asked == [("find", '{"a":"y"}', {"id": "call_7"})]


async def test_broken_line_is_told_to_the_model_unless_it_is_to_be_raised() -> None:
    lost = ConnectionLost("the line broke")

    assert await invoked(lost) == f"Error calling tool: {lost}"
    with pytest.raises(ConnectionLost):
        await invoked(lost, raises=True)


def test_options_are_those_of_the_sdk() -> None:
    made = function_tool(defined(tool(SCHEMA)), never, needs_approval=True, timeout_seconds=3)

    assert (made.needs_approval, made.timeout_seconds) == (True, 3)


def test_text_is_text_and_failure_says_so() -> None:
    assert output(response("a", "b")) == "a\nb"
    assert output(response("ENOENT", is_error=True)) == "Error calling tool: ENOENT"


def test_structured_result_is_told_once() -> None:
    assert output(response(structured_content={"a": 1})) == '{"a":1}'
    assert output(response('{"a": 1}', structured_content={"a": 1})) == '{"a": 1}'


def test_pictures_and_documents_are_what_they_are() -> None:
    blocks = (
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///b/a.pdf", "mimeType": "application/pdf", "blob": "AAAA"}},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    )
    expected = [
        ToolOutputImage(image_url="data:image/png;base64,AAAA"),
        ToolOutputFileContent(file_data="data:application/pdf;base64,AAAA", filename="a.pdf"),
        ToolOutputText(text="[sound: audio/wav, 3 bytes]"),
    ]

    assert output(response(*blocks)) == expected
    assert output(response(*blocks, is_error=True)) == [ToolOutputText(text="Error calling tool:"), *expected]


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "agents", None)
    with pytest.raises(UsageError, match=r"dragoman\[openai-agents\]"):
        function_tool(defined(tool(SCHEMA)), never)
