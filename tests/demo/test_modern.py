"""What the demo's modern server does in the way of its era."""

from typing import Any

import pytest

from tests.demo.line import Line, Message, modern_meta

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def listen(line: Line, **wanted: Any) -> tuple[int, Message]:
    number = line.request("subscriptions/listen", {"notifications": wanted})
    return number, line.receive()


def answered(question: Message, **responses: Message) -> Message:
    return {"name": "book_room", "inputResponses": responses, "requestState": question["requestState"]}


def test_it_is_discovered(modern: Line) -> None:
    found = modern.ask("server/discover")

    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["_meta"] == {
        "io.modelcontextprotocol/serverInfo": {"name": "dragoman-demo-modern", "version": "1.0.0"}
    }


def test_a_handshake_is_refused_with_the_versions_it_speaks(modern: Line) -> None:
    error = modern.refused("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})

    assert (error["code"], error["data"]) == (-32022, {"supported": ["2026-07-28"], "requested": "2025-11-25"})


def test_another_version_is_refused(modern: Line) -> None:
    error = modern.refused("tools/list", {"_meta": modern_meta(protocolVersion="2031-01-01")})

    assert (error["code"], error["data"]["requested"]) == (-32022, "2031-01-01")


@pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities"])
def test_a_request_must_introduce_itself(modern: Line, missing: str) -> None:
    error = modern.refused("tools/list", {"_meta": modern_meta(**{missing: None})})

    assert error["code"] == -32602


@pytest.mark.parametrize(
    ("method", "params", "lasting"),
    [
        ("server/discover", {}, 3_600_000),
        ("tools/list", {}, 60_000),
        ("resources/read", {"uri": "demo://note"}, 0),
        ("prompts/get", {"name": "house_rules"}, None),
        ("tools/call", {"name": "echo", "arguments": {"text": ""}}, None),
    ],
)
def test_results_say_what_they_are_and_how_long_they_last(
    modern: Line, method: str, params: Message, lasting: int | None
) -> None:
    result = modern.ask(method, params)

    assert result["resultType"] == "complete"
    assert (result.get("ttlMs"), result.get("cacheScope")) == (lasting, None if lasting is None else "private")


def test_a_missing_resource_has_the_code_of_its_era(modern: Line) -> None:
    assert modern.refused("resources/read", {"uri": "demo://nowhere"})["code"] == -32602


def test_there_is_no_ping_and_no_log_level(modern: Line) -> None:
    assert modern.refused("ping")["code"] == -32601
    assert modern.refused("logging/setLevel", {"level": "info"})["code"] == -32601


def test_it_asks_the_user_by_a_round_of_input(modern: Line) -> None:
    question = modern.call("book_room")
    guest = {"action": "accept", "content": {"name": "Ada", "nights": 3}}
    result = modern.ask("tools/call", answered(question, guest=guest))

    assert question["resultType"] == "input_required"
    assert question["inputRequests"]["guest"]["method"] == "elicitation/create"
    assert result["content"][0]["text"] == "a plain room for Ada, 3 nights, without breakfast"


def test_what_was_answered_before_is_in_the_state(modern: Line) -> None:
    first = modern.call("book_room")
    second = modern.ask(
        "tools/call", answered(first, guest={"action": "accept", "content": {"name": "A", "nights": 9}})
    )
    result = modern.ask(
        "tools/call", answered(second, **{"long stay": {"action": "accept", "content": {"sure": True}}})
    )

    assert [*second["inputRequests"]] == ["long stay"]
    assert result["content"][0]["text"].startswith("a plain room for A, 9 nights")


def test_an_answer_to_another_question_is_asked_again(modern: Line) -> None:
    question = modern.call("book_room")
    again = modern.ask("tools/call", answered(question, visitor={"action": "accept", "content": {}}))

    assert [*again["inputRequests"]] == ["guest"]


def test_a_form_that_comes_back_incomplete_fails_the_tool(modern: Line) -> None:
    question = modern.call("book_room")
    result = modern.ask("tools/call", answered(question, guest={"action": "accept", "content": {"name": "Ada"}}))

    assert (result["isError"], result["content"][0]["text"]) == (True, "'nights' is missing")


@pytest.mark.parametrize("state", ["tampered", "W10=", "eyJ"])
def test_a_state_that_was_changed_is_refused(modern: Line, state: str) -> None:
    error = modern.refused("tools/call", {"name": "book_room", "requestState": state})

    assert error["code"] == -32602


def test_it_has_the_client_sample(modern: Line) -> None:
    arguments = {"text": "tea", "language": "Turkish"}
    question = modern.call("translate", arguments)
    reply = {"role": "assistant", "content": {"type": "text", "text": "çay"}, "model": "m"}
    more = {"inputResponses": {"translation": reply}, "requestState": question["requestState"]}
    result = modern.call("translate", arguments, **more)

    assert question["inputRequests"]["translation"]["method"] == "sampling/createMessage"
    assert result["content"] == [{"type": "text", "text": "çay"}]


def test_a_client_without_the_capability_is_told_which_it_needs(modern: Line) -> None:
    error = modern.refused("tools/call", {"name": "book_room", "_meta": modern_meta(clientCapabilities={})})

    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"elicitation": {}}})


def test_listening_is_acknowledged_with_what_can_be_heard(modern: Line) -> None:
    wanted = {
        "toolsListChanged": True,
        "promptsListChanged": False,
        "resourceSubscriptions": ["demo://note", "demo://x"],
    }
    number, acknowledgement = listen(modern, **wanted)

    assert acknowledgement["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledgement["params"] == {
        "_meta": {SUBSCRIPTION: number},
        "notifications": {"toolsListChanged": True, "resourceSubscriptions": ["demo://note"]},
    }


def test_each_listener_hears_what_it_asked_for(modern: Line) -> None:
    tools, _ = listen(modern, toolsListChanged=True)
    note, _ = listen(modern, resourceSubscriptions=["demo://note"])
    modern.call("open_cellar")
    modern.call("write_note", {"text": "new"})
    heard = [
        (message["method"], message["params"]["_meta"][SUBSCRIPTION]) for message in modern.heard if "method" in message
    ]

    assert heard[2:] == [("notifications/tools/list_changed", tools), ("notifications/resources/updated", note)]


def test_the_clock_ticks_while_it_is_watched(modern: Line) -> None:
    number, _ = listen(modern, resourceSubscriptions=["demo://clock"])

    assert modern.receive()["params"] == {"_meta": {SUBSCRIPTION: number}, "uri": "demo://clock"}
    assert modern.ask("resources/read", {"uri": "demo://clock"})["contents"][0]["text"] != "tick 0"


def test_a_cancelled_listener_hears_no_more(modern: Line) -> None:
    number, _ = listen(modern, resourceSubscriptions=["demo://note"])
    modern.send({"method": "notifications/cancelled", "params": {"requestId": number}})
    modern.call("write_note", {"text": "new"})

    assert "notifications/resources/updated" not in [message.get("method") for message in modern.heard]
    assert modern.hang_up() == []


def test_a_listener_is_answered_when_the_server_ends(modern: Line) -> None:
    number, _ = listen(modern, toolsListChanged=True)

    assert modern.hang_up() == [
        {"jsonrpc": "2.0", "id": number, "result": {"resultType": "complete", "_meta": {SUBSCRIPTION: number}}}
    ]


def test_logs_come_only_with_the_request_that_asks_for_them(modern: Line) -> None:
    modern.call("log")
    modern.call("log", _meta=modern_meta(logLevel="critical"))
    logs = [message["params"]["level"] for message in modern.heard if message.get("method") == "notifications/message"]

    assert logs == ["critical", "alert", "emergency"]


def test_an_unknown_log_level_is_refused(modern: Line) -> None:
    error = modern.refused("tools/call", {"name": "log", "_meta": modern_meta(logLevel="loud")})

    assert error["code"] == -32602
