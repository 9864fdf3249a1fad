"""Prompts, resources, completion, logging, tasks, subscriptions and rounds."""

import json
from typing import Any

import msgspec
import pytest

from dragoman import types
from dragoman.types import LoggingLevel, decode, encode

LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


def test_levels_are_ordered_from_debug_to_emergency() -> None:
    assert [level.word for level in LoggingLevel] == LEVELS
    assert [int(level) for level in LoggingLevel] == list(range(8))
    assert LoggingLevel.WARNING > LoggingLevel.NOTICE


@pytest.mark.parametrize("word", LEVELS)
def test_a_level_is_found_by_its_word(word: str) -> None:
    assert LoggingLevel(word).word == word  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("WARN", LoggingLevel.WARNING),
        (" Fatal", LoggingLevel.CRITICAL),
        ("trace", LoggingLevel.DEBUG),
        ("debug", LoggingLevel.DEBUG),
        ("verbose", LoggingLevel.INFO),
        (None, LoggingLevel.INFO),
        (99, LoggingLevel.INFO),
    ],
)
def test_a_level_in_other_words_is_the_nearest(word: Any, level: LoggingLevel) -> None:
    message = decode(json.dumps({"level": word, "data": 1}).encode(), types.LogMessage)

    assert message.level is level
    assert message.level_word == word


@pytest.mark.parametrize("word", ["verbose", 99, None])
def test_no_level_is_made_up_for_a_word_that_nobody_knows(word: Any) -> None:
    with pytest.raises(ValueError, match="not a valid LoggingLevel"):
        LoggingLevel(word)


def test_a_log_message_without_a_level_is_still_one() -> None:
    message = decode(b'{"data":{"a":1}}', types.LogMessage)

    assert (message.level, message.data) == (LoggingLevel.INFO, {"a": 1})


def test_lists_are_searched_by_what_names_their_items() -> None:
    prompt, task = types.Prompt("greet"), types.Task("t1", "working", "", "", None)
    resource, template = types.Resource("a:b", "n"), types.ResourceTemplate("a:{b}", "n")
    resources = types.ListResourcesResult((resource,))
    templates = types.ListResourceTemplatesResult((template,))
    prompts = types.ListPromptsResult((prompt,))

    assert prompts.by_name == {"greet": prompt}
    assert resources.by_uri == {"a:b": resource}
    assert templates.by_uri_template == {"a:{b}": template}
    assert resources.get("a:b") is resource
    assert templates.get("a:{b}") is template
    assert types.ListTasksResult((task,)).get("t1") is task


def test_the_text_of_a_prompt_is_that_of_all_messages() -> None:
    messages = [types.PromptMessage("user", types.TextContent(text)) for text in ("one", "two")]

    assert types.GetPromptResult(tuple(messages)).text == "one\ntwo"


def test_a_completion_is_reached_through_its_result() -> None:
    result = decode(b'{"completion":{"values":["a","b"],"total":7,"hasMore":true}}', types.CompleteResult)

    assert (result.values, result.total, result.has_more) == (("a", "b"), 7, True)
    assert types.CompleteResult(types.Completion()).has_more is False


@pytest.mark.parametrize(
    "ref", [types.PromptReference("greet"), types.ResourceTemplateReference("a:{b}")], ids=["prompt", "template"]
)
def test_what_is_completed_is_told_by_its_kind(ref: types.CompletionReference) -> None:
    params = types.CompleteParams(ref, types.CompletionArgument("city", "W"))

    assert decode(encode(params), types.CompleteParams) == params
    assert json.loads(encode(params))["ref"]["type"] == ref.type


@pytest.mark.parametrize(("status", "over"), [("working", False), ("input_required", False), ("failed", True)])
def test_a_task_is_over_when_its_status_will_not_change(status: str, over: bool) -> None:
    assert types.Task("t1", status, "", "", None).is_over is over


def test_a_task_kept_for_ever_says_so() -> None:
    assert json.loads(encode(types.Task("t1", "working", "", "", None)))["ttl"] is None


def test_a_stream_is_named_by_the_request_that_opened_it() -> None:
    assert (
        decode(b'{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}', types.ListenResult).subscription_id == "s"
    )
    assert types.ListenResult().subscription_id is None
    assert types.ListChangedParams(meta={types.SUBSCRIPTION_ID_KEY: 3}).subscription_id == 3
    assert types.ListChangedParams().subscription_id is None


@pytest.mark.parametrize(
    ("method", "params", "kind"),
    [
        ("sampling/createMessage", {"messages": [], "maxTokens": 5}, types.CreateMessageParams),
        ("elicitation/create", {"message": "m", "requestedSchema": {}}, types.ElicitFormParams),
        ("elicitation/create", {"mode": "url", "message": "m", "url": "u"}, types.ElicitUrlParams),
        ("roots/list", {}, types.ListRootsParams),
    ],
)
def test_a_question_in_a_result_is_read_by_its_method(method: str, params: Any, kind: type[Any]) -> None:
    wire = {"inputRequests": {"q": {"method": method, "params": params, "id": 1}}, "resultType": "input_required"}
    result = decode(json.dumps(wire).encode(), types.InputRequiredResult)

    assert result.input_requests is not None
    assert type(result.input_requests["q"].params) is kind


def test_a_question_without_params_has_empty_ones() -> None:
    assert types.InputRequest("roots/list").params == types.ListRootsParams()
    assert types.read_question_params("roots/list", None) == types.ListRootsParams()
    assert types.read_question_params("roots/list", b"null") == types.ListRootsParams()


def test_a_question_that_no_server_can_ask_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="a server cannot ask for 'tools/call'"):
        types.read_question_params("tools/call", b"{}")


def test_answers_go_back_under_their_names() -> None:
    answers = {"who": types.ElicitResult("accept", {"name": "Ada"}), "where": types.ListRootsResult(())}
    params = types.CallToolParams("weigh", {}, input_responses=answers, request_state="s")

    assert json.loads(encode(params)) == {
        "name": "weigh",
        "arguments": {},
        "inputResponses": {"who": {"action": "accept", "content": {"name": "Ada"}}, "where": {"roots": []}},
        "requestState": "s",
    }


def test_a_cancellation_need_not_name_its_request() -> None:
    assert decode(b'{"reason":"tired"}', types.CancelledParams).request_id is None


def test_decoded_json_is_told_apart() -> None:
    assert types.is_object({})
    assert not types.is_object([])
    assert types.is_array([])
    assert not types.is_array({})
