"""How messages are dressed up to 2025-11-25."""

import json
from typing import Any

import pytest

from dragoman.protocol.eras.legacy import Legacy
from dragoman.protocol.steps import Notice, Request
from dragoman.types import (
    CallToolParams,
    CancelledParams,
    ListParams,
    LoggingLevel,
    SubscriptionFilter,
)
from tests.protocol.playing import IDENTITY, LEGACY, raw


def written(data: bytes | None) -> Any:
    assert data is not None
    return json.loads(data)


def dressed(request: Request, request_id: int = 7) -> Any:
    return written(LEGACY.outgoing(request, request_id).data)


def test_it_says_what_it_is() -> None:
    assert (LEGACY.name, LEGACY.version, LEGACY.identity) == ("legacy", "2025-11-25", IDENTITY)
    assert LEGACY.announces_changes


def test_a_request_has_an_id_and_a_progress_token_equal_to_it() -> None:
    assert dressed(Request("tools/list", ListParams(cursor="c"))) == {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/list",
        "params": {"_meta": {"progressToken": 7}, "cursor": "c"},
    }


def test_an_outgoing_request_remembers_what_it_is() -> None:
    request = Request("ping")
    outgoing = LEGACY.outgoing(request, 7)

    assert (outgoing.id, outgoing.request, outgoing.era) == (7, request, LEGACY)


@pytest.mark.feature(1)
def test_the_handshake_carries_nothing_but_itself() -> None:
    assert dressed(Request("initialize", ListParams(), {"trace": "t"}))["params"] == {}


def test_the_callers_metadata_is_sent_beside_the_token() -> None:
    request = Request("tools/call", CallToolParams(name="t"), {"trace": "t", "progressToken": "mine"})

    assert dressed(request)["params"] == {"_meta": {"progressToken": 7, "trace": "t"}, "name": "t"}


def test_a_notification_has_no_id() -> None:
    assert written(LEGACY.notice(Notice("notifications/initialized"))) == {
        "jsonrpc": "2.0",
        "method": "notifications/initialized",
    }


def test_a_notification_has_its_params_and_no_token() -> None:
    notice = Notice("notifications/cancelled", CancelledParams(request_id=3))

    assert written(LEGACY.notice(notice))["params"] == {"requestId": 3}


def test_giving_up_names_the_request_and_the_reason() -> None:
    told = written(LEGACY.cancel(7))

    assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", 7)
    assert isinstance(told["params"]["reason"], str)
    assert "id" not in told


@pytest.mark.parametrize("request_id", [3, "three", 0, ""])
def test_an_answer_has_the_id_of_its_question_as_it_came(request_id: Any) -> None:
    assert written(LEGACY.answer(request_id, b'{"roots":[]}')) == {
        "jsonrpc": "2.0",
        "id": request_id,
        "result": {"roots": []},
    }


def test_a_refusal_has_a_code_and_a_message() -> None:
    refusal = written(LEGACY.refuse("q", -32601, "no"))

    assert (refusal["id"], refusal["error"]["code"], refusal["error"]["message"]) == ("q", -32601, "no")


@pytest.mark.parametrize("kind", ["input_required", "complete", "anything", None])
def test_the_kind_of_a_result_means_nothing(kind: Any) -> None:
    assert LEGACY.input_required(raw({"resultType": kind})) is None


def test_an_empty_cursor_is_none() -> None:
    assert not LEGACY.leads_on("")
    assert LEGACY.leads_on("c")


def test_cache_hints_mean_nothing() -> None:
    assert LEGACY.keeps(60_000) == 0


def test_a_ping_is_a_ping() -> None:
    assert dressed(LEGACY.ping())["method"] == "ping"


@pytest.mark.parametrize("level", list(LoggingLevel))
def test_the_log_level_is_asked_for_by_its_word(level: LoggingLevel) -> None:
    era, request = LEGACY.at_log_level(level)

    assert era is LEGACY
    assert request is not None
    assert dressed(request)["method"] == "logging/setLevel"
    assert dressed(request)["params"]["level"] == level.name.lower()


@pytest.mark.parametrize(("wanted", "method"), [(True, "resources/subscribe"), (False, "resources/unsubscribe")])
def test_each_resource_is_watched_by_a_request_of_its_own(wanted: bool, method: str) -> None:
    request = LEGACY.subscription("file:///ü b", wanted)

    assert request is not None
    assert dressed(request)["method"] == method
    assert dressed(request)["params"]["uri"] == "file:///ü b"


def test_there_is_no_stream_to_listen_to() -> None:
    assert LEGACY.listen(SubscriptionFilter(tools_list_changed=True)) is None


def test_it_is_a_value() -> None:
    assert Legacy("2025-11-25", IDENTITY) == LEGACY
    assert Legacy("2025-06-18", IDENTITY) != LEGACY


def test_over_http_the_version_is_said_once_it_is_agreed_on() -> None:
    said = {"MCP-Protocol-Version": "2025-11-25"}

    assert LEGACY.headers(Request("initialize")) == {}
    assert LEGACY.headers(Request("tools/call", CallToolParams(name="t"), None, {"Mcp-Param-X": "1"})) == said
    assert LEGACY.headers(None) == said


def test_over_http_a_session_may_tie_requests_together_and_closing_a_stream_cancels_nothing() -> None:
    assert LEGACY.has_sessions
    assert not LEGACY.closing_cancels


def test_no_other_era_can_do_what_this_one_cannot() -> None:
    assert LEGACY.way_out("server-initiated requests are unavailable") is None
