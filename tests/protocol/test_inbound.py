"""What a server asks is answered as its kind wants it, and what it tells is read as far as it can be."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from dragoman.errors import McpError, UsageError
from dragoman.protocol.inbound import (
    Acknowledged,
    Cancelled,
    ElicitationCompleted,
    Event,
    ListChanged,
    Logged,
    Other,
    Refusal,
    ResourceUpdated,
    fulfil,
    read_event,
    read_progress,
)
from dragoman.protocol.jsonrpc import Message, decode
from dragoman.protocol.steps import Ask, Step
from dragoman.types import (
    ClientCapabilities,
    CreateMessageParams,
    CreateMessageResult,
    ElicitationCapability,
    ElicitFormParams,
    ElicitResult,
    ElicitUrlParams,
    ImageContent,
    ListRootsParams,
    ListRootsResult,
    LoggingLevel,
    LogMessage,
    ProgressParams,
    Root,
    RootsCapability,
    SamplingCapability,
    SubscriptionFilter,
    Tool,
)
from tests.protocol.playing import play, raw

EVERYTHING = ClientCapabilities(
    roots=RootsCapability(),
    sampling=SamplingCapability(tools={}),
    elicitation=ElicitationCapability(form={}, url={}),
)
ONLY_URL = ClientCapabilities(elicitation=ElicitationCapability(url={}))
ONLY_FORM = ClientCapabilities(elicitation=ElicitationCapability(form={}))
ELICIT_SOMEHOW = ClientCapabilities(elicitation=ElicitationCapability())

FORM_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "Ada"},
        "age": {"type": "integer", "minimum": 0},
        "born": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["name"],
}
FORM = {"message": "Who are you?", "requestedSchema": FORM_SCHEMA}
VISIT = {"mode": "url", "message": "Go there", "url": "https://example.com/", "elicitationId": "e1"}
SAMPLE = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 5}


def asked(method: str, params: Any, declared: ClientCapabilities = EVERYTHING) -> Any:
    """Give what the application is asked."""
    steps: list[Step] = []
    with pytest.raises(KeyboardInterrupt):
        play(fulfil(method, raw(params), declared), KeyboardInterrupt(), steps=steps)
    [step] = steps
    assert isinstance(step, Ask)
    assert step.method == method
    return step.params


def answered(method: str, params: Any, answer: Any, **options: Any) -> Any:
    """Give what the server is answered, once the application has said something."""
    return json.loads(play(fulfil(method, raw(params), EVERYTHING, **options), answer).result)


def elicited(answer: Any, form: Any = FORM, **options: Any) -> Any:
    return answered("elicitation/create", form, answer, **options)


def sampled(answer: Any) -> Any:
    return answered("sampling/createMessage", SAMPLE, answer)


def refusal(method: str, params: Any, declared: ClientCapabilities = EVERYTHING) -> Refusal:
    with pytest.raises(Refusal) as caught:
        play(fulfil(method, raw(params), declared))
    return caught.value


# ------------------------------------------------------------------------------------------- which questions are put


def test_a_ping_is_answered_without_asking_anybody() -> None:
    assert play(fulfil("ping", UNSET, ClientCapabilities())).result == b"{}"


@pytest.mark.parametrize(
    ("method", "params", "kind"),
    [
        ("roots/list", {}, ListRootsParams),
        ("sampling/createMessage", SAMPLE, CreateMessageParams),
        ("elicitation/create", FORM, ElicitFormParams),
        ("elicitation/create", {"mode": "form", **FORM}, ElicitFormParams),
        ("elicitation/create", VISIT, ElicitUrlParams),
    ],
)
def test_a_question_reaches_the_application_typed(method: str, params: Any, kind: type) -> None:
    assert type(asked(method, params)) is kind


def test_a_question_needs_no_params_when_it_has_none_to_give() -> None:
    assert json.loads(play(fulfil("roots/list", UNSET, EVERYTHING), []).result) == {"roots": []}


@pytest.mark.feature(57)
@pytest.mark.parametrize("context", ["none", "thisServer", "allServers"])
def test_the_wish_for_context_reaches_the_application(context: str) -> None:
    assert asked("sampling/createMessage", {**SAMPLE, "includeContext": context}).include_context == context


def test_a_form_shows_its_message_and_its_schema() -> None:
    question = asked("elicitation/create", FORM)

    assert (question.message, question.requested_schema) == ("Who are you?", FORM_SCHEMA)


@pytest.mark.feature(13)
@pytest.mark.parametrize("method", ["roots/list", "sampling/createMessage", "elicitation/create"])
def test_what_was_not_declared_is_refused(method: str) -> None:
    assert refusal(method, SAMPLE, ClientCapabilities()).code == -32601


@pytest.mark.parametrize("method", ["tools/call", "initialize", "elicitation/createe", ""])
def test_what_no_client_answers_is_refused(method: str) -> None:
    assert refusal(method, {}).code == -32601


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("elicitation/create", {}),
        ("elicitation/create", None),
        ("elicitation/create", {"message": "m"}),
        ("elicitation/create", {"mode": "telepathy", **FORM}),
        ("elicitation/create", {"mode": "url", "message": "m"}),
        ("elicitation/create", {"mode": 5, **FORM}),
        ("elicitation/create", {"mode": ["form"], **FORM}),
        ("elicitation/create", {"message": "m", "requestedSchema": "none"}),
        ("sampling/createMessage", {}),
        ("sampling/createMessage", {"messages": "hi", "maxTokens": 5}),
        ("sampling/createMessage", []),
        ("roots/list", "all"),
        ("roots/list", b"{"),
        ("roots/list", b'{"_meta":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused(method: str, params: Any) -> None:
    assert refusal(method, params).code == -32602


@pytest.mark.feature(11, 63)
@pytest.mark.parametrize(
    ("declared", "params", "mode"),
    [(ONLY_FORM, VISIT, "URL"), (ELICIT_SOMEHOW, VISIT, "URL"), (ONLY_URL, FORM, "form")],
)
def test_a_mode_that_was_not_declared_is_refused(declared: ClientCapabilities, params: Any, mode: str) -> None:
    found = refusal("elicitation/create", params, declared)

    assert found.code == -32602
    assert f"{mode} mode" in found.message


@pytest.mark.parametrize(("declared", "params"), [(ONLY_FORM, FORM), (ELICIT_SOMEHOW, FORM), (ONLY_URL, VISIT)])
def test_a_mode_that_was_declared_is_put(declared: ClientCapabilities, params: Any) -> None:
    assert asked("elicitation/create", params, declared).message == params["message"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "https://example.com/schema"},
        {"properties": {"a": {"pattern": "("}}},
    ],
)
def test_a_form_that_could_not_be_checked_is_refused_before_anybody_fills_it_in(schema: Any) -> None:
    found = refusal("elicitation/create", {"message": "m", "requestedSchema": schema})

    assert found.code == -32602
    assert found.message.startswith("requestedSchema: ")


@pytest.mark.parametrize("wish", [{"tools": []}, {"toolChoice": {"mode": "auto"}}])
@pytest.mark.parametrize(
    "declared",
    [ClientCapabilities(sampling=SamplingCapability()), ClientCapabilities(sampling=SamplingCapability(context={}))],
)
def test_sampling_with_tools_is_refused_unless_it_was_declared(wish: Any, declared: ClientCapabilities) -> None:
    assert refusal("sampling/createMessage", {**SAMPLE, **wish}, declared).code == -32602


def test_sampling_with_tools_is_put_where_it_was_declared() -> None:
    tool = {"name": "weigh", "inputSchema": {"type": "object"}}
    question = asked("sampling/createMessage", {**SAMPLE, "tools": [tool], "toolChoice": {"mode": "required"}})

    assert [type(each) for each in question.tools] == [Tool]
    assert question.tool_choice.mode == "required"


# ------------------------------------------------------------------------------------------------------------ sampling


def use(*ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "t", "input": {}} for id in ids]}  # noqa: A001


def results(*ids: str, **more: Any) -> dict[str, Any]:
    blocks = [{"type": "tool_result", "toolUseId": each, "content": []} for each in ids]
    return {"role": "user", "content": [*blocks, *([more] if more else [])]}


SAID = {"role": "user", "content": {"type": "text", "text": "x"}}


@pytest.mark.parametrize(
    ("messages", "what"),
    [
        ([use("a"), results("a", type="text", text="x")], "mixed with other content"),
        ([use("a"), SAID, results("a")], "a tool result is missing: a is called"),
        ([use("a", "b"), results("a")], "a tool result is missing: b is called"),
        ([SAID, use("a")], "a tool result is missing: a is called"),
        ([SAID, results("a")], "a tool result is for a,"),
        ([use("a"), results("a"), results("a")], "a tool result is for a,"),
    ],
)
def test_calls_and_results_that_are_none_of_each_others_are_refused(messages: list[Any], what: str) -> None:
    refused = refusal("sampling/createMessage", {"messages": messages, "maxTokens": 9})

    assert refused.code == -32602
    assert what in refused.message


def test_calls_that_are_answered_are_put() -> None:
    messages = [SAID, use("a", "b"), results("b", "a"), use("c"), results("c"), SAID]

    assert len(asked("sampling/createMessage", {"messages": messages, "maxTokens": 9}).messages) == 6


def test_text_is_the_message_of_a_model_without_a_name() -> None:
    assert sampled("hello") == {
        "role": "assistant",
        "content": {"type": "text", "text": "hello"},
        "model": "unnamed",
        "stopReason": "endTurn",
    }


@pytest.mark.feature(56)
def test_a_whole_message_is_sent_as_it_is() -> None:
    answer = CreateMessageResult(ImageContent("aGk=", "image/png"), "painter", stop_reason="maxTokens")

    assert sampled(answer) == {
        "role": "assistant",
        "content": {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        "model": "painter",
        "stopReason": "maxTokens",
    }


@pytest.mark.parametrize(
    "answer",
    [None, 5, ["hello"], {"role": "assistant", "content": "hello"}, ListRootsResult(()), ElicitResult("accept")],
)
def test_anything_else_is_no_message(answer: Any) -> None:
    with pytest.raises(UsageError, match="a sampling handler returned"):
        sampled(answer)


# --------------------------------------------------------------------------------------------------------------- roots


@pytest.mark.parametrize(
    "answer",
    [
        ListRootsResult((Root("file:///a"), Root("file:///b", name="B"))),
        [Root("file:///a"), Root("file:///b", name="B")],
        ("file:///a", Root("file:///b", name="B")),
    ],
)
def test_roots_are_given_as_uris_or_whole(answer: Any) -> None:
    assert answered("roots/list", {}, answer) == {"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "B"}]}


@pytest.mark.parametrize("answer", [(), [], iter(())])
def test_there_may_be_no_root(answer: Any) -> None:
    assert answered("roots/list", {}, answer) == {"roots": []}


@pytest.mark.parametrize("answer", [None, 5, "file:///a", True])
def test_anything_else_is_no_list_of_roots(answer: Any) -> None:
    with pytest.raises(UsageError, match="the roots are"):
        answered("roots/list", {}, answer)


# --------------------------------------------------------------------------------------------------------- elicitation


@pytest.mark.feature(64)
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (ElicitResult("accept", {"name": "Bo"}), {"action": "accept", "content": {"name": "Bo"}}),
        ({"name": "Bo"}, {"action": "accept", "content": {"name": "Bo"}}),
        (ElicitResult("decline"), {"action": "decline"}),
        (False, {"action": "decline"}),
        (ElicitResult("cancel"), {"action": "cancel"}),
        (None, {"action": "cancel"}),
    ],
)
def test_a_form_is_filled_in_declined_or_left(answer: Any, expected: Any) -> None:
    assert elicited(answer) == expected


def test_yes_is_a_form_with_nothing_in_it() -> None:
    assert elicited(True, {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {}}}) == {
        "action": "accept",
        "content": {},
    }


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (True, {"action": "accept"}),
        ({"token": "secret"}, {"action": "accept"}),
        (ElicitResult("accept", {"token": "secret"}), {"action": "accept"}),
        (False, {"action": "decline"}),
        (None, {"action": "cancel"}),
    ],
)
def test_a_visit_is_agreed_to_without_any_content(answer: Any, expected: Any) -> None:
    assert elicited(answer, VISIT) == expected


@pytest.mark.parametrize("answer", ["yes", 1, 0, ["a"], object()])
@pytest.mark.parametrize("form", [FORM, VISIT])
def test_anything_else_is_no_answer_of_a_user(answer: Any, form: Any) -> None:
    with pytest.raises(UsageError, match="an elicitation handler returned"):
        elicited(answer, form)


@pytest.mark.parametrize("action", ["yes", "", "Accept"])
def test_there_are_three_actions_and_no_others(action: str) -> None:
    with pytest.raises(UsageError, match="it is accept, decline or cancel"):
        elicited(ElicitResult(action))


def test_metadata_of_an_answer_reaches_the_server() -> None:
    answer = ElicitResult("accept", {"name": "Bo"}, meta={"a": 1})

    assert elicited(answer)["_meta"] == {"a": 1}


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({}, "name"),
        ({"name": 5}, "/name"),
        ({"name": None}, "/name"),
        ({"name": "Bo", "age": -1}, "/age"),
        ({"name": "Bo", "born": "yesterday"}, "/born"),
        ({"name": "Bo", "age": float("nan")}, "age is nan"),
    ],
)
def test_content_that_its_form_does_not_allow_is_not_sent(content: Any, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        elicited(content)


def test_content_is_checked_as_the_server_will_read_it() -> None:
    content = {"name": "Bo", "born": date(1815, 12, 10), "tags": ("a", "b")}

    assert elicited(content)["content"] == {"name": "Bo", "born": "1815-12-10", "tags": ["a", "b"]}


@pytest.mark.parametrize("value", [object(), 1j, "\ud800", {(1, 2): 3}])
def test_content_that_json_has_no_form_for_is_a_mistake_of_the_application(value: Any) -> None:
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        elicited({"name": "Bo", "extra": value})


def test_an_answer_that_json_has_no_form_for_is_a_mistake_of_the_application() -> None:
    with pytest.raises(UsageError, match="sampling/createMessage was answered"):
        sampled(CreateMessageResult(ImageContent("aGk=", "image/png"), "painter", meta={"x": object()}))


@pytest.mark.feature(66)
def test_defaults_are_not_filled_in_unless_asked_for() -> None:
    with pytest.raises(UsageError, match="name"):
        elicited({"age": 3})


@pytest.mark.feature(67)
@pytest.mark.parametrize("answer", [{"age": 3}, ElicitResult("accept", {"age": 3})])
def test_defaults_fill_what_an_accepted_answer_lacks(answer: Any) -> None:
    assert elicited(answer, apply_defaults=True)["content"] == {"age": 3, "name": "Ada"}


@pytest.mark.parametrize("answer", [True, {}, ElicitResult("accept")])
def test_defaults_fill_a_form_that_was_agreed_to_as_it_is(answer: Any) -> None:
    assert elicited(answer, apply_defaults=True)["content"] == {"name": "Ada"}


@pytest.mark.feature(68)
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"name": "Bo"}, {"action": "accept", "content": {"name": "Bo"}}),
        ({"name": ""}, {"action": "accept", "content": {"name": ""}}),
        (False, {"action": "decline"}),
        (None, {"action": "cancel"}),
        (ElicitResult("decline", {"age": 3}), {"action": "decline", "content": {"age": 3}}),
    ],
)
def test_defaults_touch_nothing_that_was_said(answer: Any, expected: Any) -> None:
    assert elicited(answer, apply_defaults=True) == expected


def test_the_applications_own_content_is_not_changed() -> None:
    content = {"age": 3}
    elicited(content, apply_defaults=True)

    assert content == {"age": 3}


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ANY_PARAMS = ANY_JSON | st.dictionaries(
    st.sampled_from(["mode", "message", "requestedSchema", "url", "messages", "maxTokens", "tools"]),
    ANY_JSON | st.sampled_from(["url", "form", FORM_SCHEMA, SAMPLE["messages"]]),
)
ANY_ANSWER = ANY_JSON | st.sampled_from([ElicitResult("accept"), ListRootsResult(()), object()])


@given(st.sampled_from(["roots/list", "sampling/createMessage", "elicitation/create", "ping"]), ANY_PARAMS, ANY_ANSWER)
def test_any_question_with_any_answer_is_answered_refused_or_an_error_of_ours(
    method: str, params: Any, answer: Any
) -> None:
    try:
        result = play(fulfil(method, raw(params), EVERYTHING, apply_defaults=True), answer, to_the_last=False).result
    except (Refusal, McpError):
        return

    assert isinstance(json.loads(result), dict)


# ---------------------------------------------------------------------------------------------------------------- news


def message(method: str, **params: Any) -> Message:
    [found] = decode(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())
    return found


def event(method: str, **params: Any) -> Event:
    return read_event(message(f"notifications/{method}", **params))


@pytest.mark.parametrize("kind", ["tools", "resources", "prompts"])
@pytest.mark.parametrize("params", [UNSET, raw({}), raw(None), raw([1]), raw(b"{")])
def test_a_changed_list_is_news_whatever_is_said_with_it(kind: str, params: Any) -> None:
    assert read_event(Message(method=f"notifications/{kind}/list_changed", params=params)) == ListChanged(kind)


def test_an_updated_resource_is_named_as_the_server_names_it() -> None:
    assert event("resources/updated", uri="FILE:///ü%20b/../c") == ResourceUpdated("FILE:///ü%20b/../c")


@pytest.mark.feature(75)
def test_a_log_message_has_level_logger_and_data() -> None:
    found = event("message", level="warning", logger="disk", data={"free": 0})

    assert isinstance(found, Logged)
    assert (found.message.level, found.message.logger, found.message.data) == (
        LoggingLevel.WARNING,
        "disk",
        {"free": 0},
    )


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("emergency", LoggingLevel.EMERGENCY),
        ("WARN", LoggingLevel.WARNING),
        ("loud", LoggingLevel.INFO),
        (7, LoggingLevel.INFO),
    ],
)
def test_a_log_level_of_the_servers_own_is_no_fault(level: Any, expected: LoggingLevel) -> None:
    found = event("message", level=level, data="x")

    assert isinstance(found, Logged)
    assert found.message.level is expected


def test_a_completed_elicitation_is_named() -> None:
    assert event("elicitation/complete", elicitationId="e1") == ElicitationCompleted("e1")


def test_an_open_stream_says_what_it_carries() -> None:
    expected = Acknowledged(SubscriptionFilter(tools_list_changed=True))

    assert event("subscriptions/acknowledged", notifications={"toolsListChanged": True}) == expected


@pytest.mark.parametrize("request_id", [7, "7", None])
def test_a_cancellation_names_its_request(request_id: Any) -> None:
    assert event("cancelled", requestId=request_id) == Cancelled(request_id)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("moods/changed", {"mood": "good"}),
        ("resources/updated", {"url": "a:a"}),
        ("resources/updated", {"uri": 5}),
        ("elicitation/complete", {}),
        ("subscriptions/acknowledged", {"notifications": 5}),
        ("cancelled", {"requestId": [7]}),
    ],
)
def test_what_is_not_known_or_not_right_is_passed_on_as_it_came(method: str, params: Any) -> None:
    assert event(method, **params) == Other(f"notifications/{method}", params)


@pytest.mark.parametrize("method", ["notifications/moods/changed", "notifications/resources/updated"])
@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (raw(None), None),
        (raw([1, 2]), [1, 2]),
        (raw(b'{"x":"\xff","y":1e400}'), {"x": "\ufffd", "y": 1.7976931348623157e308}),
        (raw(b"[" * 100_000 + b"]" * 100_000), None),
    ],
)
def test_params_that_are_no_object_are_passed_on_as_far_as_they_can_be(method: str, params: Any, expected: Any) -> None:
    assert read_event(Message(method=method, params=params)) == Other(method, expected)


@pytest.mark.edge("B12")
def test_news_with_a_byte_that_is_not_unicode_is_news_all_the_same() -> None:
    logged = Message(method="notifications/message", params=raw(b'{"level":"info","data":"caf\xe9"}'))
    progress = Message(
        method="notifications/progress", params=raw(b'{"progressToken":1,"progress":2,"message":"\xe9"}')
    )

    assert read_event(logged) == Logged(LogMessage("info", "caf\ufffd"))
    assert read_progress(progress) == ProgressParams(1, 2, message="\ufffd")


def test_a_notification_may_have_no_params() -> None:
    assert read_event(Message(method="notifications/moods/changed")) == Other("notifications/moods/changed", {})
    assert read_event(Message(method="notifications/resources/updated")) == Other(
        "notifications/resources/updated", None
    )


@pytest.mark.feature(79)
def test_progress_has_a_total_and_a_message() -> None:
    found = read_progress(message("notifications/progress", progressToken=7, progress=0.5, total=2, message="half way"))

    assert found is not None
    assert (found.progress_token, found.progress, found.total, found.message) == (7, 0.5, 2, "half way")


@pytest.mark.edge("B56")
def test_a_part_of_a_log_message_that_is_wrong_costs_that_part() -> None:
    logged = event("message", level="error", logger={"name": "disk"}, data={"full": True})

    assert isinstance(logged, Logged)
    assert (logged.message.level_word, logged.message.logger, logged.message.data) == ("error", None, {"full": True})


def test_a_log_message_that_is_none_is_passed_on_as_it_came() -> None:
    name = "notifications/message"

    assert read_event(Message(method=name, params=raw(["disk"]))) == Other(name, ["disk"])


@pytest.mark.edge("B56")
def test_a_part_of_a_progress_report_that_is_wrong_costs_that_part() -> None:
    found = read_progress(message("notifications/progress", progressToken=7, progress=2, total="many", message=["a"]))

    assert found is not None
    assert (found.progress, found.total, found.message) == (2, None, None)


@pytest.mark.parametrize(
    "other",
    [
        message("notifications/message", progressToken=7, progress=1),
        Message(method="notifications/progress"),
        message("notifications/progress", progressToken=7),
        message("notifications/progress", progressToken=7, progress="half"),
        Message(method="notifications/progress", params=raw(b"[" * 100_000)),
        Message(id=7, result=raw({})),
    ],
)
def test_anything_else_is_no_progress(other: Message) -> None:
    assert read_progress(other) is None
