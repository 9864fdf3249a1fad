"""Calls and responses."""

import re

import pytest

from dragoman.models.calls import ToolCall, ToolRun
from tests.models.making import response


@pytest.mark.feature(153)
def test_scripted_call_has_an_id_a_type_a_name_and_its_arguments_as_json() -> None:
    call = ToolCall.scripted("git_log", {"repo_path": "."})

    assert re.fullmatch("call_[0-9a-f]{8}", call.id)
    assert (call.type, call.name, call.arguments) == ("function", "git_log", '{"repo_path":"."}')
    assert ToolCall.scripted("git_log", '{"repo_path":"."}') == call
    assert ToolCall.scripted("now").arguments == "{}"
    assert ToolCall.scripted("now", id="mine").id == "mine"


def test_arguments_are_json_whatever_they_came_as() -> None:
    assert ToolCall("1", "find", {"a": 1}).json == '{"a":1}'
    assert ToolCall("1", "find").json == "{}"
    assert ToolCall("1", "find", '{"a":1}').json == '{"a":1}'


@pytest.mark.feature(156)
def test_message_of_a_server_is_the_json_of_its_content_list() -> None:
    assert response("hello\n").message == '[{"text":"hello\\n"}]'


def test_message_keeps_what_is_no_text() -> None:
    picture = {"type": "image", "data": "AA==", "mimeType": "image/png"}

    assert response(picture).message == '[{"type":"image","data":"AA==","mimeType":"image/png"}]'


def test_message_of_a_function_is_its_text() -> None:
    assert response("hello", is_local=True).message == "hello"
    assert response({"type": "image", "data": "AA==", "mimeType": "image/png"}, is_local=True).message.startswith("[")


@pytest.mark.feature(161, 163)
def test_message_of_a_failure_says_so() -> None:
    failed = response("ENOENT: no such file", is_error=True)

    assert failed.message == "Error calling tool: ENOENT: no such file"
    assert failed.is_error
    assert response(is_error=True).message == "Error calling tool: []"


def test_message_of_a_structured_result_without_text_is_its_json() -> None:
    assert response(structured_content={"a": 1}).message == '{"a":1}'


def test_message_keeps_to_the_budget() -> None:
    assert response("a long text", budgeted="a ... text").message == "a ... text"
    assert response("a long text", budgeted="a ... text", is_error=True).message == "Error calling tool: a ... text"


def test_response_shows_its_result() -> None:
    shown = response("a", structured_content=5)

    assert (shown.text, shown.structured, len(shown.content)) == ("a", 5, 1)


def test_block_that_is_no_object_is_kept() -> None:
    from dragoman.models.calls import ToolResponse
    from dragoman.types import CallToolResult, UnknownContent

    odd = CallToolResult(content=(UnknownContent(b'"odd"'),))

    assert ToolResponse("1", "find", odd).message == '["odd"]'


def test_run_fails_when_any_call_does() -> None:
    assert not ToolRun([]).is_error
    assert ToolRun([], (response("a"), response("b", is_error=True))).is_error
