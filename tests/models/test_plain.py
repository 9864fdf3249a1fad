"""No provider at all."""

from typing import Any

import pytest

from dragoman.errors import UsageError
from dragoman.models import plain
from dragoman.models.calls import ToolCall
from tests.models.making import response, tool

CALL = ToolCall("call_1", "find", '{"a":1}')


class Response:
    """What a provider's library would return."""

    def model_dump(self, **options: Any) -> dict[str, Any]:
        assert options == {"mode": "json", "by_alias": True, "exclude_none": True}
        return {"tool_calls": [{"id": "call_1", "function": {"name": "find", "arguments": '{"a":1}'}}]}


def test_definition_is_the_tool_as_it_is() -> None:
    schema = {"type": "object", "anyOf": [{"required": ["a"]}]}

    assert list(plain.definitions([tool(schema, "ä b", description="Finds.")])) == [
        {"name": "ä b", "description": "Finds.", "input_schema": schema}
    ]
    assert plain.definitions([tool({"type": "string"})]).omitted


@pytest.mark.parametrize(
    "given",
    [
        CALL,
        [CALL],
        (CALL,),
        {"id": "call_1", "name": "find", "arguments": '{"a":1}'},
        {"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "find", "arguments": {"a": 1}}}]},
    ],
)
def test_calls_come_in_many_forms(given: Any) -> None:
    assert plain.calls(given) == [CALL]


def test_call_without_an_id_gets_one() -> None:
    assert plain.calls({"name": "find"})[0].id.startswith("call_")


@pytest.mark.parametrize("given", [5, "find", [{"name": 5}], [{"function": 5}], [5]])
def test_what_holds_no_calls_is_refused(given: Any) -> None:
    with pytest.raises(UsageError):
        plain.calls(given)


def test_object_of_a_library_is_read_as_json() -> None:
    assert plain.decoded(Response())["tool_calls"][0]["id"] == "call_1"


@pytest.mark.feature(154)
def test_history_has_the_calls_and_a_message_for_each_response() -> None:
    assert plain.said([CALL]) == [
        {
            "role": "assistant",
            "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"a":1}'}}],
        }
    ]
    assert plain.said([]) == []
    assert plain.answered([response("hello")]) == [
        {"role": "tool", "tool_call_id": "call_1", "name": "find", "content": '[{"text":"hello"}]'}
    ]


def test_what_is_no_object_is_nothing() -> None:
    assert plain.objects([{"a": 1}, None, "x"]) == [{"a": 1}]
    assert plain.objects(None) == []
    assert plain.inner({"a": {"b": 1}}, "a") == {"b": 1}
    assert plain.inner({"a": None}, "a") == {}
    assert (plain.text_at({"a": 1}, "a"), plain.text_at({"a": None}, "a")) == ("1", "")
