"""Tools as LangChain tools."""

import sys
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, ToolException

from dragoman.errors import UsageError
from dragoman.models import langchain
from dragoman.models.calls import ToolResponse
from dragoman.models.langchain import langchain_tool
from dragoman.types import Tool, ToolAnnotations
from tests.models.making import response, tool

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def running(found: Any) -> BaseTool:
    def run(name: str, arguments: Any) -> Any:
        return found

    return langchain_tool(tool(SCHEMA, description="Finds."), run=run)


def message(found: Any) -> ToolMessage:
    told: ToolMessage = running(found).invoke({"type": "tool_call", "id": "1", "name": "find", "args": {"a": "x"}})
    return told


@pytest.mark.feature(131)
def test_tool_has_name_description_and_schema() -> None:
    made = running(response("x"))

    assert (made.name, made.description, made.args) == ("find", "Finds.", {"a": {"type": "string"}})
    assert langchain_tool(tool(SCHEMA), name="other").name == "other"


@pytest.mark.feature(133)
def test_content_of_every_kind_is_a_block() -> None:
    found = message(
        response(
            "x",
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "AAAA"}},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
        )
    )

    assert found.content == [
        {"type": "text", "text": "x"},
        {"type": "image", "base64": "AAAA", "mime_type": "image/png"},
        {"type": "text", "text": "[sound: audio/wav, 3 bytes]"},
        {"type": "file", "base64": "AAAA", "mime_type": "application/pdf"},
        {"type": "text", "text": "[resource a: file:///a]"},
    ]
    assert found.artifact is None


def test_structured_result_is_the_artifact() -> None:
    assert message(response("{}", structured_content={"a": 1})).artifact == {"structured_content": {"a": 1}}


@pytest.mark.feature(135, 137)
def test_failure_is_a_message_of_status_error() -> None:
    found = message(response("no such file", is_error=True))

    assert (found.status, found.content) == ("error", [{"type": "text", "text": "no such file"}])


@pytest.mark.feature(136)
def test_failure_raises_where_it_is_not_handled() -> None:
    made = langchain_tool(
        tool(SCHEMA), run=lambda name, arguments: response("no", is_error=True), handle_tool_errors=False
    )
    with pytest.raises(ToolException, match="no"):
        made.invoke({"a": "x"})


def test_exception_of_langchain_s_own_is_told_by_its_words() -> None:
    def run(name: str, arguments: Any) -> ToolResponse:
        raise ToolException("not now")

    assert langchain_tool(tool(SCHEMA), run=run).invoke({}) == "not now"


def test_message_of_langchain_s_own_is_passed_on() -> None:
    own = ToolMessage("mine", tool_call_id="1")

    assert message(own).content == "mine"


async def test_tool_can_be_run_asynchronously() -> None:
    asked: list[Any] = []

    async def arun(name: str, arguments: Any) -> ToolResponse:
        asked.append((name, arguments))
        return response("x")

    made = langchain_tool(tool(SCHEMA), arun=arun)
    await made.ainvoke({"a": "y"})

    assert asked == [("find", {"a": "y"})]


def test_hints_and_metadata_are_kept() -> None:
    hinted = Tool.define("find", SCHEMA, annotations=ToolAnnotations(read_only_hint=True), meta={"x": 1})

    assert langchain_tool(hinted).metadata == {"readOnlyHint": True, "_meta": {"x": 1}}
    assert langchain_tool(tool(SCHEMA)).metadata is None


async def test_plain_function_is_run_for_those_who_wait() -> None:
    assert await running(response("a")).ainvoke({"a": "x"}) == [{"type": "text", "text": "a"}]
    assert await running(response("a")).arun({"a": "x"}) == [{"type": "text", "text": "a"}]


async def test_runtime_is_handed_on_unless_the_tool_has_an_argument_of_that_name() -> None:
    seen: list[Any] = []

    async def run(name: str, arguments: Any, runtime: Any) -> Any:
        seen.append((name, arguments, runtime))
        return response("a")

    own = {"type": "object", "properties": {"runtime": {"type": "string"}}}
    await langchain_tool(tool(SCHEMA), arun_within=run).ainvoke({"a": "x"})
    await langchain_tool(tool(own), arun_within=run).ainvoke({"runtime": "x"})
    await langchain_tool(tool(SCHEMA), arun_within=run).ainvoke({"a": "x", "runtime": 5})

    assert seen == [("find", {"a": "x"}, None), ("find", {"runtime": "x"}, None), ("find", {"a": "x"}, 5)]


def test_asynchronous_tool_says_how_it_is_called() -> None:
    async def run(name: str, arguments: Any) -> Any:
        return response("a")

    with pytest.raises(NotImplementedError, match="ainvoke"):
        langchain_tool(tool(SCHEMA), arun=run).invoke({"a": "x"})


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_core.tools", None)
    langchain._tool_class.cache_clear()  # it remembers that the library is there
    with pytest.raises(UsageError, match=r"dragoman\[langchain\]"):
        langchain_tool(tool(SCHEMA))
