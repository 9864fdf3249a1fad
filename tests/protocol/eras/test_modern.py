"""How messages are dressed from 2026-07-28 on."""

import json
from typing import Any

import pytest

from dragoman.errors import ProtocolError
from dragoman.protocol.eras.modern import Modern
from dragoman.protocol.steps import Notice, Request
from dragoman.types import CallToolParams, ElicitationCapability, ListParams, LoggingLevel, SubscriptionFilter
from tests.protocol.playing import IDENTITY, MODERN, identity, raw

INTRODUCTION = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def dressed(request: Request, era: Modern = MODERN, request_id: int = 7) -> Any:
    return json.loads(era.outgoing(request, request_id).data)


def test_it_says_what_it_is() -> None:
    assert (MODERN.name, MODERN.version, MODERN.identity) == ("modern", "2026-07-28", IDENTITY)
    assert not MODERN.announces_changes


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "subscriptions/listen"])
def test_every_request_introduces_itself(method: str) -> None:
    assert dressed(Request(method)) == {
        "jsonrpc": "2.0",
        "id": 7,
        "method": method,
        "params": {"_meta": {"progressToken": 7, **INTRODUCTION}},
    }


def test_params_stand_beside_the_introduction() -> None:
    assert dressed(Request("tools/list", ListParams(cursor="c")))["params"] == {
        "_meta": {"progressToken": 7, **INTRODUCTION},
        "cursor": "c",
    }


@pytest.mark.feature(9)
def test_the_introduction_says_what_the_client_can_do() -> None:
    era = Modern("2026-07-28", identity(elicitation=ElicitationCapability(form={}, url={})))
    said = dressed(Request("tools/list"), era)["params"]["_meta"]

    assert said["io.modelcontextprotocol/clientCapabilities"] == {"elicitation": {"form": {}, "url": {}}}


def test_the_callers_metadata_never_replaces_the_introduction() -> None:
    mine = {"trace": "t", "progressToken": "mine", **dict.fromkeys(INTRODUCTION, "mine")}

    assert dressed(Request("tools/list", None, mine))["params"]["_meta"] == {
        "trace": "t",
        "progressToken": 7,
        **INTRODUCTION,
    }


def test_an_outgoing_request_remembers_what_it_is() -> None:
    request = Request("tools/call", CallToolParams(name="t"))
    outgoing = MODERN.outgoing(request, 7)

    assert (outgoing.id, outgoing.request, outgoing.era) == (7, request, MODERN)


def test_there_are_no_notifications() -> None:
    assert MODERN.notice(Notice("notifications/roots/list_changed")) is None


def test_giving_up_names_the_request_and_the_reason() -> None:
    data = MODERN.cancel(7)

    assert data is not None
    told = json.loads(data)
    assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", 7)
    assert isinstance(told["params"]["reason"], str)


def test_no_answer_is_ever_written() -> None:
    assert MODERN.answer("q", b"{}") is None
    assert MODERN.refuse("q", -32601, "no") is None


@pytest.mark.edge("B47")
@pytest.mark.parametrize("result", [{}, {"resultType": None}, {"resultType": "complete"}])
def test_a_result_without_a_kind_is_complete(result: Any) -> None:
    assert MODERN.input_required(raw(result)) is None


@pytest.mark.parametrize("result", [[], None, 5, "input_required"])
def test_what_is_no_object_asks_for_nothing(result: Any) -> None:
    assert MODERN.input_required(raw(result)) is None


def test_what_is_nested_beyond_reason_asks_for_nothing() -> None:
    assert MODERN.input_required(raw(b'{"content":' + b"[" * 100_000 + b"]" * 100_000 + b"}")) is None


def test_a_wish_for_input_is_read() -> None:
    wish = {
        "resultType": "input_required",
        "inputRequests": {"where": {"method": "roots/list"}},
        "requestState": "s\u00e9\U0001f511 \n",
    }
    needed = MODERN.input_required(raw(wish))

    assert needed is not None
    assert needed.request_state == "s\u00e9\U0001f511 \n"
    assert needed.input_requests is not None
    assert needed.input_requests["where"].method == "roots/list"


@pytest.mark.parametrize("kind", ["task", "", 5, True, ["complete"], {"a": 1}])
def test_a_result_of_an_unknown_kind_is_invalid(kind: Any) -> None:
    with pytest.raises(ProtocolError, match="unknown kind"):
        MODERN.input_required(raw({"resultType": kind, "content": []}))


def test_an_empty_cursor_leads_on_like_any_other() -> None:
    assert MODERN.leads_on("")


@pytest.mark.edge("B47")
@pytest.mark.parametrize(
    ("ttl_ms", "seconds"),
    [(1500, 1.5), (0.5, 0.0005), (0, 0.0), (-1, 0.0), (None, 0.0), (10**400, 10**10), (-(10**400), 0.0)],
    ids=["whole", "broken", "nothing", "negative", "absent", "endless", "never"],
)
def test_a_result_is_kept_for_as_long_as_it_says(ttl_ms: float | None, seconds: float) -> None:
    assert MODERN.keeps(ttl_ms) == seconds


def test_a_ping_is_what_every_server_answers() -> None:
    assert MODERN.ping() == Request("server/discover")


def test_the_log_level_is_said_in_each_request_from_then_on() -> None:
    dressed(Request("tools/list"))
    era, request = MODERN.at_log_level(LoggingLevel.WARNING)
    assert isinstance(era, Modern)

    assert request is None
    assert dressed(Request("tools/list"), era)["params"]["_meta"] == {
        "progressToken": 7,
        **INTRODUCTION,
        "io.modelcontextprotocol/logLevel": "warning",
    }
    assert "io.modelcontextprotocol/logLevel" not in dressed(Request("tools/list"))["params"]["_meta"]


@pytest.mark.parametrize("wanted", [True, False])
def test_no_resource_is_watched_by_a_request_of_its_own(wanted: bool) -> None:
    assert MODERN.subscription("file:///a", wanted) is None


def test_everything_that_is_watched_is_watched_by_one_stream() -> None:
    request = MODERN.listen(SubscriptionFilter(tools_list_changed=True, resource_subscriptions=("a:b", "c:d")))

    assert request is not None
    message = dressed(request)
    assert message["method"] == "subscriptions/listen"
    assert message["params"]["notifications"] == {"toolsListChanged": True, "resourceSubscriptions": ["a:b", "c:d"]}


def test_it_is_a_value() -> None:
    dressed(Request("tools/list"))

    assert Modern("2026-07-28", IDENTITY) == MODERN
    assert MODERN.at_log_level(LoggingLevel.ERROR)[0] != MODERN


def test_over_http_a_request_says_its_version_its_method_and_its_name() -> None:
    request = Request("tools/call", CallToolParams(name="t"), None, {"Mcp-Param-X": "1"})

    assert MODERN.headers(request) == {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "t",
        "Mcp-Param-X": "1",
    }


def test_over_http_what_is_no_request_says_its_version() -> None:
    assert MODERN.headers(None) == {"MCP-Protocol-Version": "2026-07-28"}
    assert MODERN.headers(Request("tools/list"))["Mcp-Method"] == "tools/list"


def test_over_http_there_is_no_session_and_closing_a_stream_cancels() -> None:
    assert not MODERN.has_sessions
    assert MODERN.closing_cancels


@pytest.mark.parametrize(
    "refusal",
    [
        "Cannot send 'roots/list': this transport context has no back-channel for server-initiated requests.",
        "elicitation via server-initiated requests is unavailable on 2026-07-28 connections.",
        "Server-to-client requests are not available on protocol revision 2026-07-28",
    ],
)
def test_who_asks_in_the_way_of_the_older_era_is_to_be_met_there(refusal: str) -> None:
    hint = MODERN.way_out(refusal)

    assert hint is not None
    assert "versions=['2025-11-25']" in hint


def test_other_refusals_have_nothing_to_do_with_the_era() -> None:
    assert MODERN.way_out("no such tool") is None
