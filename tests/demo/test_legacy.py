"""What the demo's legacy server does in the way of its era."""

import pytest

from tests.demo.line import Line


def book(line: Line) -> tuple[int, dict[str, object]]:
    number = line.request("tools/call", {"name": "book_room"})
    return number, line.receive()


def test_discovery_is_an_unknown_method(fresh_legacy: Line) -> None:
    assert fresh_legacy.refused("server/discover")["code"] == -32601


def test_nothing_but_ping_is_answered_before_the_handshake(fresh_legacy: Line) -> None:
    assert fresh_legacy.ask("ping") == {}
    assert fresh_legacy.refused("tools/list")["message"] == "send initialize first"


def test_it_answers_any_version_with_its_own(fresh_legacy: Line) -> None:
    params = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}

    assert fresh_legacy.ask("initialize", params)["protocolVersion"] == "2025-11-25"
    assert "before" in fresh_legacy.refused("initialize", params)["message"]


def test_results_carry_nothing_of_the_other_era(legacy: Line) -> None:
    assert legacy.ask("resources/read", {"uri": "demo://guide"}).keys() == {"contents"}


def test_a_missing_resource_has_the_code_of_its_era(legacy: Line) -> None:
    assert legacy.refused("resources/read", {"uri": "demo://nowhere"})["code"] == -32002


def test_it_asks_the_user_in_the_middle_of_a_call(legacy: Line) -> None:
    number, question = book(legacy)
    answer = {"action": "accept", "content": {"name": "Ada", "nights": 3, "room": "tower", "breakfast": True}}
    legacy.send({"id": question["id"], "result": answer})

    assert question["method"] == "elicitation/create"
    assert legacy.answer(number)["result"]["content"][0]["text"] == "a tower room for Ada, 3 nights, with breakfast"


def test_it_asks_again_before_a_long_stay(legacy: Line) -> None:
    number, question = book(legacy)
    legacy.send({"id": question["id"], "result": {"action": "accept", "content": {"name": "Ada", "nights": 9}}})
    again = legacy.receive()
    legacy.send({"id": again["id"], "result": {"action": "accept", "content": {"sure": False}}})

    assert again["params"]["message"] == "Really 9 nights?"
    assert legacy.answer(number)["result"]["content"][0]["text"] == "no room was booked"


def test_a_user_may_decline(legacy: Line) -> None:
    number, question = book(legacy)
    legacy.send({"id": question["id"], "result": {"action": "decline"}})

    assert legacy.answer(number)["result"]["content"][0]["text"] == "no room was booked"


def test_a_client_that_answers_with_an_error_is_quoted(legacy: Line) -> None:
    number, question = book(legacy)
    legacy.send({"id": question["id"], "error": {"code": -1, "message": "User rejected"}})

    result = legacy.answer(number)["result"]
    assert (result["isError"], result["content"][0]["text"]) == (True, "the client would not answer: User rejected")


def test_cancelling_the_call_cancels_its_question(legacy: Line) -> None:
    number, question = book(legacy)
    legacy.send({"method": "notifications/cancelled", "params": {"requestId": number}})

    assert legacy.receive() == {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": question["id"]},
    }


def test_it_has_the_client_sample(legacy: Line) -> None:
    number = legacy.request("tools/call", {"name": "translate", "arguments": {"text": "tea", "language": "Turkish"}})
    question = legacy.receive()
    reply = {"role": "assistant", "content": {"type": "text", "text": "çay"}, "model": "m"}
    legacy.send({"id": question["id"], "result": reply})

    assert question["params"]["messages"][0]["content"]["text"] == "Translate into Turkish: tea"
    assert legacy.answer(number)["result"]["content"] == [{"type": "text", "text": "çay"}]


def test_a_client_without_the_capability_is_not_asked(fresh_legacy: Line) -> None:
    fresh_legacy.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}})

    assert fresh_legacy.call("book_room")["isError"] is True


def test_a_subscriber_hears_of_a_change(legacy: Line) -> None:
    legacy.ask("resources/subscribe", {"uri": "demo://note"})
    legacy.call("write_note", {"text": "new"})

    updated = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "demo://note"}}
    assert updated in legacy.heard


def test_nobody_else_hears_of_it(legacy: Line) -> None:
    legacy.ask("resources/subscribe", {"uri": "demo://note"})
    legacy.ask("resources/unsubscribe", {"uri": "demo://note"})
    legacy.call("write_note", {"text": "new"})

    assert not [message for message in legacy.heard if "method" in message]


def test_the_clock_ticks_while_it_is_watched(legacy: Line) -> None:
    before = legacy.ask("resources/read", {"uri": "demo://clock"})["contents"][0]["text"]
    legacy.ask("resources/subscribe", {"uri": "demo://clock"})
    ticks = [legacy.receive()["params"]["uri"] for _ in range(2)]

    assert before == "tick 0"
    assert ticks == ["demo://clock", "demo://clock"]
    assert legacy.ask("resources/read", {"uri": "demo://clock"})["contents"][0]["text"] != before


def test_what_does_not_exist_cannot_be_watched(legacy: Line) -> None:
    assert legacy.refused("resources/subscribe", {"uri": "demo://nowhere"})["code"] == -32002


def test_changed_lists_are_announced_once(legacy: Line) -> None:
    legacy.call("open_cellar")
    legacy.call("open_cellar")

    assert [message["method"] for message in legacy.heard if "method" in message] == [
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
    ]


@pytest.mark.parametrize(("level", "heard"), [("debug", 8), ("info", 7), ("error", 4), ("emergency", 1)])
def test_logs_start_at_the_level_that_was_set(legacy: Line, level: str, heard: int) -> None:
    legacy.ask("logging/setLevel", {"level": level})
    legacy.call("log")
    logs = [message["params"]["level"] for message in legacy.heard if message.get("method") == "notifications/message"]

    assert (logs[0], len(logs)) == (level, heard)


def test_an_unknown_level_is_refused(legacy: Line) -> None:
    assert legacy.refused("logging/setLevel", {"level": "loud"})["code"] == -32602
