"""What the demo's servers of both eras do alike."""

import json

import pytest

from tests.demo.line import Line

TOOLS = [
    "echo", "travel", "distance", "book_room", "translate", "write_note", "log", "open_cellar", "fail", "crash",
]  # fmt: skip


def text(result: dict[str, object]) -> str:
    block = result["content"][0]  # type: ignore[index]
    return str(block["text"])


def test_lists_have_pages_of_two(line: Line) -> None:
    first = line.ask("tools/list")
    second = line.ask("tools/list", {"cursor": first["nextCursor"]})

    assert [tool["name"] for tool in first["tools"] + second["tools"]] == TOOLS[:4]


@pytest.mark.parametrize(
    ("method", "field", "names"),
    [
        ("tools/list", "tools", TOOLS),
        ("resources/list", "resources", ["guide", "note", "clock"]),
        ("resources/templates/list", "resourceTemplates", ["city", "distance", "phrase"]),
        ("prompts/list", "prompts", ["greeting", "day_plan", "house_rules"]),
    ],
)
def test_the_pages_of_a_list_end(line: Line, method: str, field: str, names: list[str]) -> None:
    assert [item["name"] for item in line.every(method, field)] == names


def test_the_last_page_has_no_cursor(line: Line) -> None:
    page = line.ask("prompts/list", {"cursor": line.ask("prompts/list")["nextCursor"]})

    assert "nextCursor" not in page


@pytest.mark.parametrize("cursor", ["from-99", "nonsense", "from--1", 2])
def test_an_unknown_cursor_is_refused(line: Line, cursor: object) -> None:
    assert line.refused("tools/list", {"cursor": cursor})["code"] == -32602


def test_echo_says_what_was_said(line: Line) -> None:
    assert text(line.call("echo", {"text": "päivää 🌍"})) == "päivää 🌍"


def test_a_structured_result_comes_with_its_text(line: Line) -> None:
    result = line.call("distance", {"origin": "Venice", "destination": "Istanbul"})

    assert result["structuredContent"] == {"origin": "Venice", "destination": "Istanbul", "kilometres": 1433}
    assert text(result) == "1433 km"


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("fail", {}, "the bridge is out"),
        ("echo", {}, "'text' is missing"),
        ("echo", {"text": 1}, "'text' is not of type string"),
        ("travel", {"stages": True}, "'stages' is not of type integer"),
        ("echo", {"text": "a", "loud": True}, "'loud' is not asked for"),
        ("distance", {"origin": "Atlantis", "destination": "Cairo"}, "'Atlantis' is on no map here"),
    ],
)
def test_a_tool_that_fails_says_why_in_its_result(
    line: Line, tool: str, arguments: dict[str, object], says: str
) -> None:
    result = line.call(tool, arguments)

    assert result["isError"] is True
    assert text(result).startswith(says)


def test_a_slow_job_reports_its_progress(line: Line) -> None:
    arguments = {"stages": 3, "seconds": 0.03}
    result = line.call("travel", arguments, _meta={"progressToken": "t"})
    reports = [message["params"] for message in line.heard if message.get("method") == "notifications/progress"]

    assert text(result) == "arrived after 3 stages"
    assert [(report["progressToken"], report["progress"], report["total"]) for report in reports] == [
        ("t", 1, 3), ("t", 2, 3), ("t", 3, 3),
    ]  # fmt: skip


def test_no_progress_is_reported_unasked(line: Line) -> None:
    line.call("travel", {"stages": 2, "seconds": 0})

    assert not [message for message in line.heard if message.get("method") == "notifications/progress"]


def test_the_next_request_is_answered_while_a_slow_one_runs(line: Line) -> None:
    slow = line.request("tools/call", {"name": "travel", "arguments": {"seconds": 30}})
    quick = line.request("tools/call", {"name": "echo", "arguments": {"text": "meanwhile"}})

    assert line.receive()["id"] == quick
    line.send({"method": "notifications/cancelled", "params": {"requestId": slow}})


def test_a_cancelled_job_is_never_answered(line: Line) -> None:
    slow = line.request("tools/call", {"name": "travel", "arguments": {"seconds": 0.2}})
    line.send({"method": "notifications/cancelled", "params": {"requestId": slow}})
    line.call("travel", {"seconds": 0.4})

    assert slow not in [message.get("id") for message in line.heard + line.hang_up()]


def test_a_cancellation_of_nothing_does_nothing(line: Line) -> None:
    line.send({"method": "notifications/cancelled", "params": {"requestId": 99}})
    line.send({"method": "notifications/cancelled"})

    assert text(line.call("echo", {"text": "still here"})) == "still here"


def test_opening_the_cellar_brings_new_things_to_light(line: Line) -> None:
    line.call("open_cellar")

    assert line.every("tools/list", "tools")[-1]["name"] == "treasure"
    assert line.every("prompts/list", "prompts")[-1]["name"] == "riddle"
    assert line.ask("resources/read", {"uri": "demo://treasure"})["contents"][0]["mimeType"] == "image/png"


def test_what_is_in_the_cellar_is_unknown_before(line: Line) -> None:
    assert line.refused("tools/call", {"name": "treasure"})["code"] == -32602
    assert line.refused("prompts/get", {"name": "riddle"})["code"] == -32602
    assert "demo://treasure" in line.refused("resources/read", {"uri": "demo://treasure"})["message"]


def test_a_note_can_be_written_and_read(line: Line) -> None:
    line.call("write_note", {"text": "gone fishing"})

    assert line.ask("resources/read", {"uri": "demo://note"})["contents"][0]["text"] == "gone fishing"


def test_templates_can_be_expanded_and_read(line: Line) -> None:
    (city,) = line.ask("resources/read", {"uri": "demo://cities/Cairo"})["contents"]
    (way,) = line.ask("resources/read", {"uri": "demo://distances/Cairo/Aleppo"})["contents"]
    (phrase,) = line.ask("resources/read", {"uri": "demo://phrases/Turkish"})["contents"]

    assert json.loads(city["text"])["latitude"] == 30.04
    assert json.loads(way["text"]) == {"kilometres": 879}
    assert phrase["text"] == "merhaba"


@pytest.mark.parametrize("uri", ["demo://cities/Atlantis", "demo://cities", "demo://distances/Cairo", "file:///etc/x"])
def test_a_resource_that_does_not_exist_is_named(line: Line, uri: str) -> None:
    error = line.refused("resources/read", {"uri": uri})

    assert error["data"] == {"uri": uri}


def test_a_prompt_is_filled_in(line: Line) -> None:
    prompt = line.ask("prompts/get", {"name": "greeting", "arguments": {"name": "Ada"}})

    assert prompt["messages"][0]["content"]["text"] == "Greet Ada at the door of the inn, in English."


def test_a_prompt_may_embed_a_resource(line: Line) -> None:
    _, embedded = line.ask("prompts/get", {"name": "house_rules"})["messages"]

    assert embedded["content"]["resource"]["uri"] == "demo://guide"


def test_a_prompt_without_its_argument_is_refused(line: Line) -> None:
    assert "'city'" in line.refused("prompts/get", {"name": "day_plan", "arguments": {"interest": "tea"}})["message"]


@pytest.mark.parametrize(
    ("name", "value", "known", "values"),
    [
        ("city", "i", {}, ["Isfahan", "Istanbul"]),
        ("destination", "", {"origin": "Cairo"}, ["Aleppo", "Isfahan", "Istanbul", "Samarkand", "Venice"]),
        ("interest", "m", {"city": "Venice"}, ["masks"]),
        ("interest", "ma", {"city": "Cairo"}, []),
        ("language", "Tu", {}, ["Turkish"]),
        ("name", "A", {}, []),
    ],
)
def test_arguments_are_completed(line: Line, name: str, value: str, known: dict[str, str], values: list[str]) -> None:
    argument = {"name": name, "value": value}
    reference = {"type": "ref/prompt", "name": "day_plan"}
    result = line.ask("completion/complete", {"ref": reference, "argument": argument, "context": {"arguments": known}})

    assert result["completion"] == {"values": values, "total": len(values), "hasMore": False}


def test_an_unknown_method_is_not_found(line: Line) -> None:
    assert line.refused("tools/sing")["code"] == -32601


def test_parameters_of_the_wrong_type_are_refused(line: Line) -> None:
    assert line.refused("tools/call", {"name": "echo", "arguments": [1]})["code"] == -32602
    assert line.refused("resources/read", {"uri": 7})["code"] == -32602


def test_what_is_no_message_is_answered_without_an_id(line: Line) -> None:
    line.send_raw(b"hello\n[]\n" + b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n')
    answers = [line.receive() for _ in range(3)]

    assert [answer["error"]["code"] for answer in answers] == [-32700, -32600, -32600]
    assert not any("id" in answer for answer in answers)


def test_crash_ends_the_process_without_an_answer(line: Line) -> None:
    line.request("tools/call", {"name": "crash"})

    assert line.process.wait(10) == 3
    assert line.process.stdout
    assert line.process.stdout.read() == b""


def test_the_server_ends_when_its_stdin_does(line: Line) -> None:
    line.request("tools/call", {"name": "travel", "arguments": {"seconds": 60}})
    line.hang_up()

    assert line.process.wait(10) == 0
