"""Conversations as JSON."""

import json
from typing import Any

import pytest

from dragoman.errors import UsageError
from dragoman.models.chat.events import Usage
from dragoman.models.chat.history import history_from_json, history_to_json, usage_from_json
from dragoman.models.chat.messages import ModelMessage, ToolMessage, UserMessage
from dragoman.types import CallToolResult, read_content
from tests.models.chat.making import CALL, answered, talk


def again(history: Any) -> Any:
    return history_from_json(json.loads(json.dumps(history_to_json(history))))


def test_history_comes_back_as_it_was() -> None:
    history = talk("anthropic", {"type": "thinking", "signature": "s"})

    assert again(history) == history


def test_structured_results_and_unknown_content_come_back() -> None:
    unknown = read_content(b'{"type": "hologram", "depth": 3}')
    structured = answered(CALL).__class__("c1", "count", CallToolResult(structured_content={"n": 3}), is_unfit=True)
    history = (UserMessage((unknown,)), ModelMessage((CALL,)), ToolMessage((structured,)))

    assert again(history) == history


def test_calls_that_nothing_came_of_are_answered() -> None:
    read = again((ModelMessage((CALL,)),))

    assert read[1].responses[0].id == "c1"
    assert read[1].responses[0].is_error


@pytest.mark.parametrize(
    "broken",
    [
        None,
        {"history": []},
        [{"role": "ghost"}],
        [{}],
        ["text"],
        [{"role": "user", "content": "text"}],
        [{"role": "user", "content": [{"type": "text"}]}],
        [{"role": "model", "parts": [{"type": "dance"}]}],
        [{"role": "tool", "responses": [{"id": "c1"}]}],
        [{"role": "tool", "responses": [{"id": 1, "name": "a", "result": {"content": []}}]}],
    ],
)
def test_what_is_no_history_is_refused(broken: Any) -> None:
    with pytest.raises(UsageError, match="no history of a chat"):
        history_from_json(broken)


def test_usage_is_read() -> None:
    assert usage_from_json({"input": 1, "output": 2}) == Usage(1, 2)
    assert usage_from_json(None) == Usage()


@pytest.mark.parametrize("wrong", ["x", {"input": "a"}, [1]])
def test_what_is_no_usage_is_refused(wrong: Any) -> None:
    with pytest.raises(UsageError, match="no usage of a chat"):
        usage_from_json(wrong)
