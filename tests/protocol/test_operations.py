"""Each thing that a client can ask is a conversation: what it sends, what it reads, and how it comes to an end."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from dragoman.errors import McpError, ProtocolError, ServerError, UrlElicitationRequired, UsageError
from dragoman.protocol.eras import Era
from dragoman.protocol.eras.legacy import Legacy
from dragoman.protocol.eras.modern import Modern
from dragoman.protocol.lists import LISTS, PROMPTS, TOOLS, Kind
from dragoman.protocol.operations import (
    MAX_IDLE_PAGES,
    MAX_PAGES,
    MAX_ROUNDS,
    ask,
    call_tool,
    complete,
    every_page,
    get_prompt,
    one_page,
    ping,
    read_resource,
)
from dragoman.protocol.steps import Ask, Call, Pause, Reply, Request, Step
from dragoman.types import (
    CallToolParams,
    CompleteParams,
    CompletionArgument,
    CreateMessageParams,
    ElicitationCapability,
    ElicitFormParams,
    ElicitUrlParams,
    GetPromptParams,
    ListRootsParams,
    PromptReference,
    ReadResourceParams,
    RootsCapability,
    SamplingCapability,
    UnknownContent,
)
from tests.protocol.playing import LEGACY, MODERN, Played, identity, play, raw, wire

ABLE = Modern(
    "2026-07-28",
    identity(
        roots=RootsCapability(),
        sampling=SamplingCapability(),
        elicitation=ElicitationCapability(form={}, url={}),
    ),
)
ONLY_FORM = Modern("2026-07-28", identity(elicitation=ElicitationCapability(form={})))
CALL = CallToolParams(name="deploy", arguments={"to": "prod"})
DONE = {"content": [{"type": "text", "text": "done"}]}
FORM = {
    "method": "elicitation/create",
    "params": {
        "message": "Sure?",
        "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean", "default": True}}},
    },
}
VISIT = {"method": "elicitation/create", "params": {"mode": "url", "message": "Pay", "url": "https://example.com/pay"}}
SIGN = {"method": "elicitation/create", "params": {"mode": "url", "message": "Sign", "url": "https://example.com/sign"}}
SAMPLE = {
    "method": "sampling/createMessage",
    "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 5},
}
ROOTS = {"method": "roots/list"}


def wish(state: Any = None, **questions: Any) -> dict[str, Any]:
    asked = {"inputRequests": questions} if questions else {}
    return {"resultType": "input_required", **asked, **({} if state is None else {"requestState": state})}


def called(*answers: Any, era: Era = ABLE, steps: list[Step] | None = None, **taste: Any) -> Played[Any]:
    return play(call_tool(CALL, **taste), *answers, era=era, steps=steps)


def params(played: Played[Any], era: Era = ABLE) -> list[Any]:
    """Give what was sent in each round, without `_meta`."""
    sent = [wire(step, era)["params"] for step in played.steps if isinstance(step, Call)]
    return [{name: value for name, value in each.items() if name != "_meta"} for each in sent]


# ---------------------------------------------------------------------------------------------------------- each verb


@pytest.mark.parametrize("era", [MODERN, LEGACY], ids=["modern", "legacy"])
def test_a_tool_is_called_by_its_name_with_its_arguments(era: Era) -> None:
    played = called(DONE, era=era)
    [call] = played.steps

    assert wire(call, era)["method"] == "tools/call"
    assert params(played, era) == [{"name": "deploy", "arguments": {"to": "prod"}}]
    assert played.result[0].text == "done"


@pytest.mark.feature("13.6")
def test_a_tool_that_fails_is_a_result() -> None:
    result, problems = called({**DONE, "isError": True}).result

    assert (result.is_error, result.text, problems) == (True, "done", ())


@pytest.mark.edge("B57")
def test_a_block_of_an_unknown_type_is_kept_among_its_neighbours() -> None:
    block = {"type": "hologram", "data": [1, 2]}
    result, problems = called({"content": [{"type": "text", "text": "a"}, block, {"type": "text", "text": "b"}]}).result

    assert isinstance(result.content[1], UnknownContent)
    assert result.content[1].raw == block
    assert result.text == "a\nb"
    assert problems == ()


def test_a_resource_is_read_by_its_uri() -> None:
    answer = {"contents": [{"uri": "a:b", "text": "hi"}]}
    played = play(read_resource(ReadResourceParams(uri="FILE:///ü%20/../b")), answer)

    assert params(played) == [{"uri": "FILE:///ü%20/../b"}]
    assert played.requests == ["resources/read"]
    assert played.result[0].contents[0].text == "hi"


def test_a_prompt_is_got_by_its_name() -> None:
    answer = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]}
    played = play(get_prompt(GetPromptParams(name="p", arguments={"a": "1"})), answer)

    assert params(played) == [{"name": "p", "arguments": {"a": "1"}}]
    assert played.requests == ["prompts/get"]
    assert len(played.result[0].messages) == 1


def test_what_could_follow_is_asked_for_by_reference_and_argument() -> None:
    given = CompleteParams(ref=PromptReference("p"), argument=CompletionArgument("city", "Pa"))
    played = play(complete(given), {"completion": {"values": ["Paris"]}})

    assert params(played) == [{"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "city", "value": "Pa"}}]
    assert played.requests == ["completion/complete"]
    assert played.result[0].completion.values == ("Paris",)


@pytest.mark.feature("12.2")
@pytest.mark.parametrize(("era", "method"), [(MODERN, "server/discover"), (LEGACY, "ping")])
def test_a_ping_is_answered_by_anything(era: Era, method: str) -> None:
    assert play(ping(era), [1], era=era).requests == [method]


def test_a_request_may_be_made_for_its_success_alone() -> None:
    request = Request("logging/setLevel")

    assert play(ask(request), {}, era=LEGACY).steps == [Call(request)]


@pytest.mark.parametrize(
    "conversation",
    [lambda: call_tool(CALL), lambda: every_page(TOOLS), lambda: ping(MODERN), lambda: ask(Request("x"))],
)
def test_an_error_of_the_servers_goes_to_the_caller(conversation: Any) -> None:
    refusal = ServerError("no", code=-32603)

    with pytest.raises(ServerError) as caught:
        play(conversation(), refusal)
    assert caught.value is refusal


def test_a_call_says_whether_it_may_be_made_twice() -> None:
    [tool] = called(DONE).steps
    [read_only] = called(DONE, is_repeatable=True).steps
    [resource] = play(read_resource(ReadResourceParams(uri="a:b")), {"contents": []}).steps

    assert [step.is_repeatable for step in (tool, read_only, resource) if isinstance(step, Call)] == [False, True, True]


def test_what_is_wrong_with_an_answer_is_told() -> None:
    result, problems = called({"content": [{"type": "text", "text": 5}, {"type": "text", "text": "ok"}]}).result

    assert len(problems) == 1
    assert result.text.endswith("ok")


def test_an_answer_that_is_none_is_refused() -> None:
    with pytest.raises(ProtocolError):
        called([])


@pytest.mark.edge("B54")
def test_of_a_call_that_failed_for_our_own_handler_the_caller_sees_why() -> None:
    failure = ZeroDivisionError("in the handler")

    with pytest.raises(ZeroDivisionError, match="in the handler"):
        called(Reply(raw({**DONE, "isError": True}), LEGACY, failure))


def test_a_call_that_succeeded_in_spite_of_our_handler_is_a_success() -> None:
    assert called(Reply(raw(DONE), LEGACY, ZeroDivisionError())).result[0].text == "done"


def test_a_call_that_succeeded_does_not_hide_that_our_handler_wants_the_program_to_end() -> None:
    with pytest.raises(SystemExit):
        called(Reply(raw(DONE), LEGACY, SystemExit()))


# ------------------------------------------------------------------------------------------------------------ metadata


@pytest.mark.parametrize("own", [{"a": 1, "b": 1}, Raw(b'{"a":1,"b":1}')])
@pytest.mark.parametrize("era", [MODERN, LEGACY], ids=["modern", "legacy"])
def test_metadata_in_the_params_joins_the_callers(own: Any, era: Era) -> None:
    given = CallToolParams(name="t", meta=own)
    [step] = play(call_tool(given, {"b": 2}), DONE, era=era).steps
    assert isinstance(step, Call)
    data = era.outgoing(step.request, 7).data
    meta = wire(step, era)["params"]["_meta"]

    assert data.count(b'"_meta"') == 1
    assert (meta["a"], meta["b"], meta["progressToken"]) == (1, 2, 7)


def test_metadata_goes_along_in_every_round() -> None:
    played = play(call_tool(CALL, {"trace": "t"}), wish(where=ROOTS), [], DONE, era=ABLE)

    assert [wire(step, ABLE)["params"]["_meta"]["trace"] for step in played.steps if isinstance(step, Call)] == [
        "t",
        "t",
    ]


def test_mirrored_arguments_go_along_in_every_round() -> None:
    played = called(wish(where=ROOTS), [], DONE, mirrored={"Mcp-Param-To": "prod"})

    assert [step.request.mirrored for step in played.steps if isinstance(step, Call)] == [{"Mcp-Param-To": "prod"}] * 2


# --------------------------------------------------------------------------------------------------------- input rounds


@pytest.mark.feature("12.7")
def test_the_questions_of_a_call_are_put_and_their_answers_sent_by_name() -> None:
    played = called(wish("s1", form=FORM, model=SAMPLE, where=ROOTS), {"sure": True}, "hello", ["file:///a"], DONE)

    assert [type(step.params) for step in played.steps if isinstance(step, Ask)] == [
        ElicitFormParams,
        CreateMessageParams,
        ListRootsParams,
    ]
    assert params(played)[1] == {
        "name": "deploy",
        "arguments": {"to": "prod"},
        "requestState": "s1",
        "inputResponses": {
            "form": {"action": "accept", "content": {"sure": True}},
            "model": {
                "role": "assistant",
                "content": {"type": "text", "text": "hello"},
                "model": "unnamed",
                "stopReason": "endTurn",
            },
            "where": {"roots": [{"uri": "file:///a"}]},
        },
    }
    assert played.result[0].text == "done"


@pytest.mark.parametrize(
    "conversation",
    [
        lambda: read_resource(ReadResourceParams(uri="a:b")),
        lambda: get_prompt(GetPromptParams(name="p")),
    ],
)
def test_prompts_and_resources_may_ask_too(conversation: Any) -> None:
    played = play(conversation(), wish(where=ROOTS), [], {"contents": [], "messages": []}, era=ABLE)

    assert params(played)[1]["inputResponses"] == {"where": {"roots": []}}


@pytest.mark.parametrize("state", ["", "s", '\u00e9\u2028\U0001f511"\\/\u0000 ', "eyJhIjoxfQ==", " " * 3])
def test_the_state_goes_back_exactly_as_it_came(state: str) -> None:
    assert params(called(wish(state, where=ROOTS), [], DONE))[1]["requestState"] == state


def test_a_state_that_did_not_come_does_not_go_back() -> None:
    rounds = params(called(wish("s1", where=ROOTS), [], wish(where=ROOTS), [], wish("s3"), DONE))

    assert [each.get("requestState") for each in rounds] == [None, "s1", None, "s3"]
    assert "requestState" not in rounds[2]


def test_answers_are_sent_once() -> None:
    rounds = params(called(wish("s1", a=ROOTS), [], wish("s2", b=ROOTS), [], wish("s3"), DONE))

    assert [list(each.get("inputResponses", ())) for each in rounds] == [[], ["a"], ["b"], []]
    assert "inputResponses" not in rounds[3]


def test_a_server_that_only_wants_to_be_asked_again_is_given_more_and_more_time() -> None:
    played = called(wish("s1"), wish("s2"), wish("s3"), DONE)

    assert [step.seconds for step in played.steps if isinstance(step, Pause)] == [0.05, 0.1, 0.2]
    assert [each.get("requestState") for each in params(played)] == [None, "s1", "s2", "s3"]


def test_no_time_is_lost_when_there_was_something_to_answer() -> None:
    assert not any(isinstance(step, Pause) for step in called(wish(where=ROOTS), [], DONE).steps)


@pytest.mark.feature("12.7")
def test_a_server_that_never_stops_asking_is_left() -> None:
    steps: list[Step] = []
    with pytest.raises(ProtocolError, match="16 times in a row"):
        called(*[wish("s")] * MAX_ROUNDS, steps=steps)

    assert sum(isinstance(step, Call) for step in steps) == MAX_ROUNDS
    assert sum(step.seconds for step in steps if isinstance(step, Pause)) < 30


@pytest.mark.parametrize("taste", [{}, {"apply_defaults": True}])
def test_defaults_are_filled_in_only_where_that_was_asked_for(taste: dict[str, Any]) -> None:
    content = params(called(wish(form=FORM), {}, DONE, **taste))[1]["inputResponses"]["form"]["content"]

    assert content == ({"sure": True} if taste else {})


def test_what_the_application_gets_wrong_is_its_own_error() -> None:
    with pytest.raises(UsageError):
        called(wish(form=FORM), "yes")


def test_what_a_handler_raises_is_what_the_caller_sees() -> None:
    with pytest.raises(ZeroDivisionError):
        called(wish(form=FORM), ZeroDivisionError())


def test_a_legacy_server_asks_for_no_input_whatever_it_says() -> None:
    able = Legacy("2025-11-25", ABLE.identity)

    assert called({**DONE, **wish("s")}, era=able).result[0].text == "done"


@pytest.mark.parametrize(
    "questions",
    [
        {"a": {"method": "tools/call", "params": {}}},
        {"a": {"method": "ping"}},
        {"a": {"method": "elicitation/create", "params": {"message": "m"}}},
        {"a": {"method": "elicitation/create", "params": {"mode": "telepathy", "message": "m"}}},
        {"a": {"method": "sampling/createMessage", "params": {**SAMPLE["params"], "tools": []}}},  # type: ignore[dict-item]
        {"a": {"method": 5}},
        {"a": {}},
        {"a": None},
        {"a": FORM, "b": {"method": "moods/read"}},
        {"a": FORM, "b": "x"},
    ],
)
def test_nobody_is_asked_anything_when_one_question_cannot_be_answered(questions: Any) -> None:
    steps: list[Step] = []
    with pytest.raises(ProtocolError):
        called(wish("s", **questions), steps=steps)

    assert [type(step) for step in steps] == [Call]


def test_a_question_nested_beyond_reason_cannot_be_answered() -> None:
    deep = b"[" * 900 + b"]" * 900
    params = b'{"message":"m","requestedSchema":{"enum":' + deep + b"}}"
    wished = b'{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":' + params

    with pytest.raises(ProtocolError):
        called(wished + b"}}}")


def test_what_was_not_declared_is_not_answered() -> None:
    with pytest.raises(ProtocolError, match="does not offer sampling"):
        called(wish(model=SAMPLE), era=MODERN)


@pytest.mark.parametrize(
    "wished",
    [
        {"resultType": "input_required"},
        {"resultType": "input_required", "inputRequests": {}},
        {"resultType": "input_required", "inputRequests": None, "requestState": None},
        {"resultType": "input_required", "inputRequests": [ROOTS]},
    ],
)
def test_a_wish_for_nothing_is_not_granted_again_and_again(wished: Any) -> None:
    steps: list[Step] = []
    with pytest.raises(ProtocolError, match="does not say for which"):
        called(wished, steps=steps)

    assert len(steps) == 1


def test_a_result_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ProtocolError, match="unknown kind"):
        called({**DONE, "resultType": "task"})


# ------------------------------------------------------------------------------------------------------ URLs to visit


@pytest.mark.feature("12.9", 71)
@pytest.mark.parametrize("era", [MODERN, ONLY_FORM])
@pytest.mark.parametrize(
    ("conversation", "method"),
    [(lambda: call_tool(CALL), "tools/call"), (lambda: get_prompt(GetPromptParams(name="p")), "prompts/get")],
)
def test_a_visit_that_nobody_makes_is_the_error_that_older_servers_give(
    era: Era, conversation: Any, method: str
) -> None:
    with pytest.raises(UrlElicitationRequired, match="Pay") as caught:
        play(conversation(), wish("s", pay=VISIT, sign=SIGN), era=era)

    assert (caught.value.code, caught.value.method) == (-32042, method)
    assert [each.url for each in caught.value.elicitations] == ["https://example.com/pay", "https://example.com/sign"]
    assert caught.value.data == {"elicitations": [VISIT["params"], SIGN["params"]]}


def test_nobody_is_asked_anything_when_a_visit_would_be_in_vain() -> None:
    steps: list[Step] = []
    with pytest.raises(UrlElicitationRequired):
        called(wish("s", form=FORM, pay=VISIT), era=ONLY_FORM, steps=steps)

    assert [type(step) for step in steps] == [Call]


def test_a_visit_that_somebody_makes_is_answered() -> None:
    played = called(wish("s", pay=VISIT), True, DONE)

    assert [type(step.params) for step in played.steps if isinstance(step, Ask)] == [ElicitUrlParams]
    assert params(played)[1]["inputResponses"] == {"pay": {"action": "accept"}}


def test_a_visit_without_a_url_cannot_be_made() -> None:
    with pytest.raises(ProtocolError):
        called(wish(pay={"method": "elicitation/create", "params": {"mode": "url", "message": "m"}}))


# --------------------------------------------------------------------------------------------------------------- lists


def prompts(*names: str, **members: Any) -> dict[str, Any]:
    return {"prompts": [{"name": name} for name in names], **members}


def listed(*answers: Any, era: Era = MODERN) -> Played[Any]:
    return play(every_page(PROMPTS), *answers, era=era)


def names(played: Played[Any]) -> list[str]:
    return [item.name for item in played.result.result]


def cursors(played: Played[Any]) -> list[Any]:
    return [each.get("cursor", "none") for each in params(played)]


@pytest.mark.feature(120, 123)
@pytest.mark.parametrize("kind", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("era", [MODERN, LEGACY], ids=["modern", "legacy"])
def test_a_page_is_asked_for_with_its_cursor_and_metadata(kind: Kind, era: Era) -> None:
    played = play(one_page(kind, "c\u00e9", {"trace": "t"}), {}, era=era)
    message = wire(played.steps[0], era)

    assert message["method"] == kind.method
    assert message["params"]["cursor"] == "c\u00e9"
    assert message["params"]["_meta"]["trace"] == "t"


def test_the_first_page_is_asked_for_without_a_cursor() -> None:
    assert cursors(play(one_page(PROMPTS, None), prompts())) == ["none"]
    assert cursors(play(one_page(PROMPTS, ""), prompts())) == [""]


def test_a_page_says_where_the_next_one_starts() -> None:
    assert play(one_page(PROMPTS, None), prompts("a", nextCursor="c")).result.result.next_cursor == "c"


@pytest.mark.feature(121, 122)
@pytest.mark.edge("B110")
@pytest.mark.parametrize("era", [MODERN, LEGACY], ids=["modern", "legacy"])
def test_a_list_has_every_page(era: Era) -> None:
    played = listed(
        prompts("a", nextCursor="2"), prompts("b", "c", nextCursor="3"), prompts(nextCursor="4"), prompts("d"), era=era
    )

    assert names(played) == ["a", "b", "c", "d"]
    assert cursors(played) == ["none", "2", "3", "4"]
    assert played.result.problems == ()
    assert played.result.result.next_cursor is None


@pytest.mark.parametrize("cursor", [None, ""])
def test_a_legacy_list_ends_where_no_cursor_is_written(cursor: Any) -> None:
    played = listed(prompts("a", nextCursor=cursor, later=1), era=LEGACY)

    assert names(played) == ["a"]
    assert played.result.result.next_cursor is None
    assert played.result.result.raw["later"] == 1
    assert played.result.problems == ()


def test_a_modern_list_goes_on_at_an_empty_cursor() -> None:
    played = listed(prompts("a", nextCursor=""), prompts("b", nextCursor=None))

    assert names(played) == ["a", "b"]
    assert cursors(played) == ["none", ""]


@pytest.mark.parametrize("cursor", ["", "c"])
def test_a_cursor_that_comes_again_ends_the_list(cursor: str) -> None:
    played = listed(prompts("a", nextCursor=cursor), prompts("b", nextCursor=cursor))

    assert names(played) == ["a", "b"]
    assert [problem.reason for problem in played.result.problems] == [f"the cursor {cursor!r} came twice"]


def test_a_longer_circle_of_cursors_ends_too() -> None:
    played = listed(prompts("a", nextCursor="2"), prompts("b", nextCursor="3"), prompts("c", nextCursor="2"))

    assert names(played) == ["a", "b", "c"]
    assert len(played.result.problems) == 1


@pytest.mark.feature(100)
def test_an_item_that_comes_again_on_another_page_is_kept_once_and_reported() -> None:
    played = listed(prompts("a", "b", nextCursor="2"), prompts("b", "c"))

    assert names(played) == ["a", "b", "c"]
    assert [problem.name for problem in played.result.problems] == ["b"]


@pytest.mark.parametrize("again", [[], ["a"]])
def test_pages_that_bring_nothing_new_for_ever_end_the_list(again: list[str]) -> None:
    pages = [prompts("a", nextCursor="0"), *(prompts(*again, nextCursor=f"c{i}") for i in range(MAX_IDLE_PAGES))]
    played = listed(*pages)

    assert names(played) == ["a"]
    assert "nothing new" in played.result.problems[-1].reason


def test_an_empty_page_now_and_then_ends_nothing() -> None:
    played = listed(
        prompts(nextCursor="2"),
        prompts(nextCursor="3"),
        prompts("a", nextCursor="4"),
        prompts(),
    )

    assert names(played) == ["a"]
    assert played.result.problems == ()


def test_a_list_without_an_end_is_given_one() -> None:
    played = listed(*(prompts(f"p{page}", nextCursor=f"c{page}") for page in range(MAX_PAGES)))

    assert len(played.result.result) == MAX_PAGES
    assert f"after {MAX_PAGES} pages" in played.result.problems[-1].reason


@pytest.mark.edge("B56")
def test_a_bad_item_on_any_page_costs_itself_and_is_reported() -> None:
    good = {"inputSchema": {"type": "object"}}
    played = play(
        every_page(TOOLS),
        {"tools": [{"name": "a", **good}, {"name": "bad", "inputSchema": 5}], "nextCursor": "2"},
        {"tools": [{"description": "nameless", **good}, {"name": "b", **good}]},
    )

    assert names(played) == ["a", "b"]
    assert [problem.name for problem in played.result.problems] == ["bad", ""]


@pytest.mark.parametrize(
    "conversation",
    [
        lambda: every_page(TOOLS),
        lambda: complete(CompleteParams(ref=PromptReference("p"), argument=CompletionArgument("a", ""))),
    ],
)
def test_neither_lists_nor_completions_may_ask_for_input(conversation: Any) -> None:
    with pytest.raises(ProtocolError, match="not allowed"):
        play(conversation(), wish("s", where=ROOTS), era=ABLE)


# ------------------------------------------------------------------------------------------------------------ anything

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ANY_QUESTION = st.sampled_from([FORM, VISIT, SAMPLE, ROOTS]) | st.fixed_dictionaries(
    {"method": st.sampled_from(["elicitation/create", "roots/list", "ping", 5]), "params": ANY_JSON}
)
ANY_RESULT = st.one_of(
    ANY_JSON,
    st.just(DONE),
    st.fixed_dictionaries(
        {"resultType": st.sampled_from(["input_required", "complete", None, "task", 5])},
        optional={
            "inputRequests": st.dictionaries(st.text(max_size=3), ANY_QUESTION, max_size=2) | ANY_JSON,
            "requestState": st.text(max_size=3) | ANY_JSON,
            "content": st.just(DONE["content"]) | ANY_JSON,
            "nextCursor": st.sampled_from(["", "a", "b", None, 5]),
            "prompts": st.just([{"name": "a"}]) | ANY_JSON,
        },
    ),
    st.just(ServerError("no", code=-32603)),
)
VERBS: list[Any] = [
    lambda: call_tool(CALL, apply_defaults=True),
    lambda: read_resource(ReadResourceParams(uri="a:b")),
    lambda: get_prompt(GetPromptParams(name="p")),
    lambda: every_page(PROMPTS),
    lambda: complete(CompleteParams(ref=PromptReference("p"), argument=CompletionArgument("a", ""))),
]


@given(st.sampled_from(VERBS), st.lists(ANY_RESULT, min_size=1, max_size=4), st.sampled_from([ABLE, MODERN, LEGACY]))
def test_whatever_is_answered_every_verb_ends_in_a_value_or_an_error_of_ours(
    verb: Any, answers: list[Any], era: Era
) -> None:
    try:
        assert play(verb(), *answers * 60, era=era, to_the_last=False).result is not None
    except McpError:
        return
