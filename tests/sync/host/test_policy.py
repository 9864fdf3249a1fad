# generated from tests/aio/host/test_policy.py by tools/unasync.py; do not edit
"""What may happen, who is asked, and what is written down of it."""

import contextlib
import json
import sys
from pathlib import Path
from typing import Any, Literal

import pytest

from dragoman import Act, Host, Policy, Rule, Verdict
from dragoman.deadline import Deadline, now
from dragoman.errors import ConnectionClosed, McpError, PolicyDenied, ServerError
from dragoman.sync._runtime import Event
from dragoman.types import CreateMessageResult, TextContent
from tests.servers.scripts.play import Puppeteer, ask, kill, refuse, structured, text, tool
from tests.sync.client.support import Background, Seen, failure, until
from tests.sync.host.support import entry, states

TOOLS = [
    tool("read", annotations={"readOnlyHint": True}),
    tool("write", annotations={"readOnlyHint": False, "destructiveHint": False}),
    tool("delete", annotations={"destructiveHint": True}),
    tool("silent"),
]
TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


@pytest.mark.feature(138, 174)
def test_whoever_can_be_asked_is_asked_before_anything_changes(puppet: Puppeteer) -> None:
    server, approve = puppet(tools=TOOLS), Seen(False)
    with Host.open({"a": entry(server)}, approve=approve) as host:
        assert host.call_tool("read").text == "read {}"
        for name in ("write", "delete", "silent"):
            error = failure(host.call_tool, name, {"x": 1})
            assert isinstance(error, PolicyDenied)

        assert [(each.name, each.arguments, each.reason) for each in approve.values] == [
            ("write", {"x": 1}, "it changes something"),
            ("delete", {"x": 1}, "it may destroy something"),
            ("silent", {"x": 1}, "it does not say whether it changes anything"),
        ]
        assert [params["name"] for params in server.params("tools/call")] == ["read"]


def test_without_anybody_to_ask_everything_runs_unless_a_policy_says_otherwise(puppet: Puppeteer) -> None:
    server = puppet(tools=TOOLS)
    with Host.open({"a": entry(server)}) as host:
        assert host.call_tool("delete").text == "delete {}"
    with Host.open({"a": entry(server)}, policy="careful") as host:
        error = failure(host.call_tool, "delete")

        assert isinstance(error, PolicyDenied)
        assert "give `approve` a function" in str(error)


@pytest.mark.parametrize(("answer", "asked"), [(True, 2), ("session", 1), ("always", 1), ("never", 1), (False, 2)])
def test_an_answer_holds_as_long_as_it_says(puppet: Puppeteer, answer: Any, asked: int) -> None:
    server, approve = puppet(tools=TOOLS), Seen(answer)
    with Host.open({"a": entry(server)}, approve=approve) as host:
        for _ in range(2):
            if answer in (False, "never"):
                assert isinstance(failure(host.call_tool, "write"), PolicyDenied)
            else:
                host.call_tool("write")

        assert len(approve) == asked


@pytest.mark.parametrize(("answer", "asked"), [("session", 2), ("always", 1)])
def test_what_holds_for_good_holds_in_the_next_host(puppet: Puppeteer, answer: str, asked: int) -> None:
    server, approve = puppet(tools=TOOLS), Seen(answer)
    for _ in range(2):
        with Host.open({"a": entry(server)}, approve=approve) as host:
            host.call_tool("write")

    assert len(approve) == asked


def test_answers_can_be_kept_elsewhere_or_not_at_all(puppet: Puppeteer, tmp_path: Path) -> None:
    server, approve = puppet(tools=TOOLS), Seen("always")
    for approvals in (None, None, tmp_path / "own.jsonl", str(tmp_path / "own.jsonl")):
        with Host.open({"a": entry(server)}, approve=approve, approvals=approvals) as host:
            host.call_tool("write")

    assert len(approve) == 3


def test_one_question_is_asked_at_a_time_and_one_answer_serves_all(puppet: Puppeteer) -> None:
    asked: list[Act] = []
    inside: list[int] = []

    def approve(act: Act) -> Literal["session"]:
        asked.append(act)
        inside.append(1)
        assert sum(inside) == 1
        until(lambda: len(asked) > 0)
        inside.pop()
        return "session"

    with Host.open({"a": entry(puppet(tools=TOOLS))}, approve=approve) as host:
        calls = [Background(host.call_tool, "write", {"n": n}) for n in range(5)]
        for each in calls:
            each.wait()

    assert len(asked) == 1


def test_whoever_is_asked_and_raises_has_said_no(puppet: Puppeteer, caplog: pytest.LogCaptureFixture) -> None:
    server = puppet(tools=TOOLS)
    with Host.open({"a": entry(server)}, approve=Seen(RuntimeError("no terminal"))) as host:
        assert isinstance(failure(host.call_tool, "write"), PolicyDenied)
        assert server.called("write") == 0
    with Host.open({"a": entry(server)}, approve=Seen("perhaps")) as host:
        assert isinstance(failure(host.call_tool, "write"), PolicyDenied)


@pytest.mark.feature(173)
def test_rules_look_at_arguments(puppet: Puppeteer) -> None:
    policy = Policy((Rule(Verdict.DENY, "a", "write", arguments={"path": "/etc/*"}, reason="that is the system's"),))
    server = puppet(tools=TOOLS)
    with Host.open({"a": entry(server)}, policy=policy) as host:
        host.call_tool("write", {"path": "/tmp/x"})
        error = failure(host.call_tool, "write", {"path": "/tmp/../etc/passwd"})

        assert isinstance(error, PolicyDenied)
        assert "that is the system's" in str(error)
        assert "the rule is: deny server='a', tool='write'" in str(error)
        assert server.called("write") == 1


def test_a_servers_own_rules_can_only_be_stricter(puppet: Puppeteer) -> None:
    servers = {
        "a": entry(puppet(tools=TOOLS), policy=[{"verdict": "deny", "tool": "delete"}]),
        "b": entry(puppet(tools=TOOLS), policy="allow"),
    }
    policy = Policy((Rule(Verdict.DENY, tool="write"),))
    with Host.open(servers, policy=policy, naming="prefix") as host:
        host.call_tool("b_delete")
        assert isinstance(failure(host.call_tool, "a_delete"), PolicyDenied)
        assert isinstance(failure(host.call_tool, "b_write"), PolicyDenied)


def test_rules_that_are_none_cost_their_server_alone(puppet: Puppeteer) -> None:
    servers = {"a": entry(puppet(), policy="lenient"), "b": entry(puppet())}
    with Host.open(servers) as host:
        assert states(host) == {"a": "unusable", "b": "ready"}
        assert "policy: there is no policy 'lenient'" in str(host.status()[0].error)


def test_a_dry_run_does_nothing_and_says_what_it_would_do(puppet: Puppeteer) -> None:
    server = puppet(tools=TOOLS)
    policy = Policy((Rule(Verdict.DRY_RUN),))
    with Host.open({"a": entry(server)}, policy=policy) as host:
        result = host.call_tool("delete", {"path": "x", "token": "hidden"})

        assert result.text == 'dry run, nothing was done: would call delete of a with {"path":"x","token":"***"}'
        assert isinstance(failure(host.read_resource, "mem://a", server="a"), PolicyDenied)
        assert server.heard("tools/call") == server.heard("resources/read") == []


def test_redaction_takes_secrets_out_of_both_directions(puppet: Puppeteer) -> None:
    server = puppet(
        tools=TOOLS,
        contents={"mem://a": f"key {TOKEN}"},
        on={"tools/call read": [structured({"key": TOKEN, "pin": "1234"})]},
    )
    policy = Policy((Rule(Verdict.REDACT, patterns=(r"\b\d{4}\b",)),))
    with Host.open({"a": entry(server)}, policy=policy) as host:
        result = host.call_tool("read", {"text": f"use {TOKEN}"})

        assert server.params("tools/call")[0]["arguments"] == {"text": "use ***"}
        assert result.structured == {"key": "***", "pin": "***"}
        assert TOKEN not in result.text
        assert TOKEN not in json.dumps(result.raw)
        assert host.read_resource("mem://a").contents[0].text == "key ***"


def test_data_of_one_server_is_kept_from_another(puppet: Puppeteer) -> None:
    crm = puppet(tools=[tool("customer")], on={"tools/call customer": [text("Jane Doe, account 4711-0815-1234")]})
    web = puppet(tools=[tool("post")])
    policy = Policy((Rule(Verdict.DENY, "web", origin="crm", reason="it is the customers'"),))
    with Host.open({"crm": entry(crm), "web": entry(web)}, policy=policy) as host:
        host.call_tool("post", {"body": "hello"})
        found = host.call_tool("customer")
        error = failure(host.call_tool, "post", {"body": f"see {found.text}"})
        assert isinstance(error, PolicyDenied)
        stated = failure(host.call_tool, "post", {"body": "she"}, origins=["crm"])
        assert isinstance(stated, PolicyDenied)

        host.call_tool("customer", {"account": "4711-0815-1234"})
        assert web.called("post") == 1


def test_functions_of_the_program_pass_the_same_gate() -> None:
    def wipe() -> str:
        """Wipe everything."""
        return "wiped"

    with Host.open({}, local=[wipe], policy="careful") as host:
        assert isinstance(failure(host.call_tool, "wipe"), PolicyDenied)


# ------------------------------------------------------------------------------------------------------------ questions


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_questions_of_servers_pass_the_same_gate(puppet: Puppeteer, era: str) -> None:
    form = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
    sample = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 5}
    server = puppet(
        era,
        tools=[tool("form", annotations={"readOnlyHint": True}), tool("sample", annotations={"readOnlyHint": True})],
        on={
            "tools/call form": [ask("elicitation/create", form), text("json:$answer")],
            "tools/call sample": [ask("sampling/createMessage", sample), text("json:$answer")],
        },
    )
    approve = Seen(False)
    answer = CreateMessageResult(role="assistant", content=TextContent(text="hello"), model="m")
    with Host.open(
        {"a": entry(server)}, approve=approve, elicitation=Seen({"name": "me"}), sampling=Seen(answer)
    ) as host:
        assert json.loads(host.call_tool("form").text)["content"] == {"name": "me"}
        failure(host.call_tool, "sample") if era == "modern" else host.call_tool("sample")

        assert [(each.kind, each.name, each.server) for each in approve.values] == [("sampling", "sampling", "a")]
        assert approve.values[0].reason == "the server wants to use your model"


@pytest.mark.parametrize(("answer", "action"), [(True, "accept"), (False, "decline")])
def test_visits_to_a_url_are_asked_for(puppet: Puppeteer, answer: bool, action: str) -> None:
    url = {"mode": "url", "message": "Log in", "url": "https://x/login", "elicitationId": "e1"}
    server = puppet(
        tools=[tool("login", annotations={"readOnlyHint": True})],
        on={"tools/call login": [ask("elicitation/create", url), text("json:$answer")]},
    )
    approve = Seen(answer)
    with Host.open({"a": entry(server)}, approve=approve, url_elicitation=Seen(True)) as host:
        assert json.loads(host.call_tool("login").text)["action"] == action

        assert [(each.kind, each.name, each.arguments["url"]) for each in approve.values] == [
            ("elicitation", "url", "https://x/login")
        ]


# ---------------------------------------------------------------------------------------------------------- the audit


def test_the_audit_log_accounts_for_each_call(puppet: Puppeteer, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    server = puppet(
        tools=[*TOOLS, tool("refuses"), tool("dies")],
        on={"tools/call refuses": [refuse(-32000, f"bad {TOKEN}")], "tools/call dies": [kill()]},
    )
    policy = Policy(
        (Rule(Verdict.DENY, tool="delete"), Rule(Verdict.ASK, tool="write"), Rule(Verdict.DRY_RUN, tool="silent"))
    )
    servers = {"a": entry(server, env={"API_KEY": "hidden-value-1"})}
    with Host.open(servers, policy=policy, approve=Seen(True), audit=file) as host:
        host.call_tool("read", {"password": "hidden", "text": "with hidden-value-1 in it"})
        host.call_tool("write")
        host.call_tool("silent")
        failure(host.call_tool, "delete")
        assert isinstance(failure(host.call_tool, "refuses"), ServerError)
        failure(host.call_tool, "dies")
        host.read_resource("mem://a")
        host.get_prompt("greet", {"who": "me"})

    found = records(file)
    told = [(each["call"], each["event"], each["name"], each.get("verdict") or each.get("outcome")) for each in found]
    assert told == [
        (1, "decision", "read", "allow"),
        (1, "call", "read", None),
        (1, "outcome", "read", "ok"),
        (2, "decision", "write", "allow"),
        (2, "call", "write", None),
        (2, "outcome", "write", "ok"),
        (3, "decision", "silent", "dry-run"),
        (3, "dry-run", "silent", None),
        (4, "decision", "delete", "deny"),
        (5, "decision", "refuses", "allow"),
        (5, "call", "refuses", None),
        (5, "outcome", "refuses", "ServerError"),
        (6, "decision", "dies", "allow"),
        (6, "call", "dies", None),
        (6, "outcome", "dies", "OutcomeUnknown"),
        (7, "decision", "mem://a", "allow"),
        (7, "call", "mem://a", None),
        (7, "outcome", "mem://a", "ok"),
        (8, "decision", "greet", "allow"),
        (8, "call", "greet", None),
        (8, "outcome", "greet", "ok"),
    ]
    assert found[3]["by"] == "asked (once)"
    assert found[1]["arguments"] == {"password": "***", "text": "with *** in it"}
    assert found[11]["error"] == "a: tools/call failed: bad *** [-32000]"
    assert "hidden" not in file.read_text("utf-8")
    assert [each["number"] for each in found] == list(range(1, len(found) + 1))


@pytest.mark.edge("B118")
def test_the_audit_log_has_no_secrets_wherever_they_stand(puppet: Puppeteer, tmp_path: Path) -> None:
    server, file = (
        puppet(tools=TOOLS, on={"tools/call": [refuse(-32000, "bad hunter2b, see https://x/?token=hunter2a")]}),
        tmp_path / "log",
    )
    given = entry(server, env={"TOKEN": "hunter2b"})
    given["args"] = [*given["args"], "${input:pw}"]
    config = {"inputs": [{"id": "pw", "password": True}], "servers": {"a": given}}
    with Host.open(config, audit=file, inputs={"pw": "hunter2c"}) as host:
        for arguments in (
            {"url": "https://x/?key=hunter2a"},
            {"q": "hunter2b"},
            {"q": "it is hunter2c"},
            {"hunter2c": 1},
        ):
            failure(host.call_tool, "silent", arguments)
        failure(host.read_resource, "https://me:hunter2a@x/?token=hunter2a", server="a")

    assert len(records(file)) > 10
    assert b"hunter2" not in file.read_bytes()


def test_what_cannot_be_recorded_is_not_done(puppet: Puppeteer, tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    server = puppet()
    with Host.open({"a": entry(server)}, audit=tmp_path / "audit") as host:
        assert isinstance(failure(host.call_tool, "echo"), PolicyDenied)
        assert server.called("echo") == 0


def test_how_a_call_went_is_owed_to_the_caller_even_when_it_cannot_be_recorded(puppet: Puppeteer) -> None:
    def record(facts: dict[str, Any]) -> None:
        if facts["event"] == "outcome":
            raise PolicyDenied("the disk is full")

    with Host.open({"a": entry(puppet())}, audit=record) as host:
        assert host.call_tool("echo").text == "echo {}"


# ------------------------------------------------------------------------------------------------- applications' mistakes


def test_whoever_is_asked_cannot_ask_for_more(puppet: Puppeteer) -> None:
    hosts: list[Host] = []
    refused: list[Any] = []

    def approve(act: Act) -> bool:
        assert hosts[0].call_tool("read").text == "read {}"
        refused.append(failure(hosts[0].call_tool, "delete"))
        return act.name == "write"

    with Host.open({"a": entry(puppet(tools=TOOLS))}, approve=approve) as host:
        hosts.append(host)
        assert host.call_tool("write", timeout=10).text == "write {}"
        assert isinstance(refused[0], PolicyDenied)
        assert "before they have answered" in str(refused[0])

        # Once it is answered, the next question is as good as the first.
        assert host.call_tool("write", timeout=10).text == "write {}"


def test_a_result_is_given_although_it_could_not_be_recorded(puppet: Puppeteer) -> None:
    def audit(record: dict[str, Any]) -> None:
        if record["event"] == "outcome":
            raise RuntimeError("no room")

    with Host.open({"a": entry(puppet(tools=TOOLS))}, audit=audit) as host:
        assert host.call_tool("write").text == "write {}"


def test_what_is_not_recorded_is_not_done(puppet: Puppeteer) -> None:
    def audit(record: dict[str, Any]) -> None:
        raise RuntimeError("no room")

    server = puppet(tools=TOOLS)
    with Host.open({"a": entry(server)}, audit=audit) as host:
        error = failure(host.call_tool, "write")

        assert isinstance(error, PolicyDenied)
        assert "RuntimeError: no room" in str(error)
        assert server.called("write") == 0


# ----------------------------------------------------------------------------------------------------- a server's own


@pytest.mark.feature(74)
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_servers_own_rules_hold_for_what_it_asks(puppet: Puppeteer, era: str) -> None:
    params = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 9}
    on = {"tools/call": [ask("sampling/createMessage", params), text("json:$answer")]}
    sampling = Seen(CreateMessageResult(role="assistant", content=TextContent(text="yes"), model="m"))
    servers = {
        "open": entry(puppet(era, on=on)),
        "closed": entry(puppet(era, on=on), policy=[{"verdict": "deny", "kind": "sampling"}]),
    }
    with Host.open(servers, sampling=sampling, policy="allow") as host:
        host.call_tool("echo")
        assert len(sampling) == 1
        with contextlib.suppress(McpError):  # whether the server is told by an error is the era's
            host.call_tool("closed_echo")
        assert len(sampling) == 1


def test_what_was_answered_for_one_server_holds_for_no_other_of_its_name(puppet: Puppeteer) -> None:
    approve = Seen("always")
    for server in (first := puppet(tools=TOOLS), puppet(tools=TOOLS), first):
        with Host.open({"a": entry(server)}, approve=approve) as host:
            host.call_tool("write")

    assert len(approve) == 2


@pytest.mark.parametrize("change", [{"env": {"DB": "prod"}}, {"cwd": "/"}, {"inherit_env": "all"}])
def test_what_was_answered_holds_as_long_as_a_server_is_given_the_same(
    puppet: Puppeteer, change: dict[str, Any]
) -> None:
    server, approve = puppet(tools=TOOLS), Seen("always")
    several: list[dict[str, Any]] = [{}, change, {}]
    for more in several:
        with Host.open({"a": entry(server, **more)}, approve=approve) as host:
            host.call_tool("write")

    assert len(approve) == 2


def test_what_was_answered_for_a_function_holds_for_none_of_another_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def write() -> str:
        """Write it down."""
        return "done"

    approve = Seen("always")
    for program in ("/one.py", "/two.py", "/one.py"):
        monkeypatch.setattr(sys.modules["__main__"], "__file__", program, raising=False)
        with Host.open({}, local=[write], approve=approve) as host:
            host.call_tool("write")

    assert len(approve) == 2


def test_closing_waits_for_no_answer(puppet: Puppeteer) -> None:
    go = Event()
    asked = Seen()

    def approve(act: Act) -> bool:
        asked(act)
        go.wait(Deadline(60))
        return True

    server = puppet(tools=TOOLS)
    host = Host.open({"a": entry(server)}, policy="ask", approve=approve)
    calls = [Background(host.call_tool, "write") for _ in range(3)]
    asked.first()
    began = now()
    host.close()
    assert now() - began < 10

    go.set()  # a plain function of the sync colour has its caller's thread, and ends by itself
    for call in calls:
        assert isinstance(call.failure(), ConnectionClosed)
    assert len(asked) == 1
    assert server.called("write") == 0
