# generated from tests/aio/client/test_elicitation.py by tools/unasync.py; do not edit
"""Elicitation: the user is asked in the middle of a call, in a form or behind a link."""

import json
from concurrent.futures import CancelledError
from typing import Any

import pytest

from dragoman import Client
from dragoman.errors import McpTimeout, ProtocolError, ServerError, UrlElicitationRequired, UsageError
from dragoman.types import ElicitFormParams, ElicitResult, ElicitUrlParams
from tests.servers.scripts.play import (
    Move,
    Puppet,
    Puppeteer,
    answer,
    ask,
    default,
    fails,
    hear,
    kill,
    refuse,
    say,
    tell,
    text,
    turns,
)
from tests.sync.client.support import Background, Seen, failure, until

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "nights": {"type": "integer", "minimum": 1, "default": 2},
        "room": {"type": "string", "enum": ["plain", "tower"], "default": "plain"},
    },
    "required": ["name"],
}
FORM: dict[str, Any] = {"mode": "form", "message": "Who comes?", "requestedSchema": SCHEMA}
URL: dict[str, Any] = {"mode": "url", "message": "Sign here", "url": "https://x.example/sign", "elicitationId": "e1"}
COMPLETE = "notifications/elicitation/complete"


def eliciting(params: dict[str, Any]) -> dict[str, Any]:
    return {"tools/call book": [ask("elicitation/create", params), text("json:$answer")]}


def elicited(client: Client) -> Any:
    """Give what the server gets for an answer."""
    return json.loads(client.call_tool("book").text)


@pytest.mark.feature(33, 61, 65, "12.7")
def test_the_form_reaches_its_handler_and_the_content_the_server(puppet: Puppeteer, era: str) -> None:
    elicitation = Seen(ElicitResult("accept", {"name": "Ada"}))
    with Client.connect(puppet(era, on=eliciting(FORM)).command, elicitation=elicitation) as client:
        answered = elicited(client)
        (asked,) = elicitation.values

        assert isinstance(asked, ElicitFormParams)
        assert asked.message == "Who comes?"
        assert asked.requested_schema == SCHEMA
        assert answered == {"action": "accept", "content": {"name": "Ada"}}


@pytest.mark.feature(62, "12.7")
def test_the_url_reaches_its_handler_and_the_action_the_server(puppet: Puppeteer, era: str) -> None:
    url_elicitation = Seen(ElicitResult("accept"))
    with Client.connect(puppet(era, on=eliciting(URL)).command, url_elicitation=url_elicitation) as client:
        answered = elicited(client)
        (asked,) = url_elicitation.values

        assert isinstance(asked, ElicitUrlParams)
        assert (asked.message, asked.url, asked.elicitation_id) == ("Sign here", "https://x.example/sign", "e1")
        assert answered == {"action": "accept"}


@pytest.mark.feature(63)
@pytest.mark.parametrize(("params", "reached"), [(FORM, 0), (URL, 1)])
def test_each_mode_reaches_its_own_handler(puppet: Puppeteer, era: str, params: dict[str, Any], reached: int) -> None:
    handlers = [Seen(ElicitResult("accept", {"name": "Ada"})), Seen(True)]
    server = puppet(era, on=eliciting(params))
    with Client.connect(server.command, elicitation=handlers[0], url_elicitation=handlers[1]) as client:
        elicited(client)

        assert [len(handler) for handler in handlers] == [1 - reached, reached]


@pytest.mark.feature(63)
def test_a_mode_that_was_not_declared_is_refused(puppet: Puppeteer) -> None:
    handler = Seen({"name": "Ada"})
    with Client.connect(puppet("legacy", on=eliciting(URL)).command, elicitation=handler) as client:
        answered = elicited(client)

        assert answered["error"]["code"] == -32602
        assert len(handler) == 0


@pytest.mark.feature(64)
@pytest.mark.parametrize(
    ("given", "action"),
    [
        (ElicitResult("accept", {"name": "Ada"}), "accept"),
        (ElicitResult("decline"), "decline"),
        (ElicitResult("cancel"), "cancel"),
        ({"name": "Ada"}, "accept"),
        (False, "decline"),
        (None, "cancel"),
    ],
)
def test_each_action_reaches_the_server(puppet: Puppeteer, era: str, given: Any, action: str) -> None:
    with Client.connect(puppet(era, on=eliciting(FORM)).command, elicitation=Seen(given)) as client:
        assert elicited(client)["action"] == action


@pytest.mark.feature(66)
def test_defaults_are_not_filled_in_unasked(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, on=eliciting(FORM)).command, elicitation=Seen({"name": "A"})) as client:
        assert elicited(client)["content"] == {"name": "A"}


@pytest.mark.feature(67, 68)
def test_defaults_are_filled_in_where_that_is_wanted(puppet: Puppeteer, era: str) -> None:
    with Client.connect(
        puppet(era, on=eliciting(FORM)).command,
        elicitation=Seen({"name": "A", "room": "tower"}),
        apply_elicitation_defaults=True,
    ) as client:
        assert elicited(client)["content"] == {"name": "A", "room": "tower", "nights": 2}


@pytest.mark.feature(68)
@pytest.mark.parametrize("given", [False, None])
def test_defaults_touch_no_refusal(puppet: Puppeteer, era: str, given: Any) -> None:
    with Client.connect(
        puppet(era, on=eliciting(FORM)).command, elicitation=Seen(given), apply_elicitation_defaults=True
    ) as client:
        assert "content" not in elicited(client)


@pytest.mark.feature(61)
@pytest.mark.parametrize(
    "content", [{"nights": 1}, {"name": 7}, {"name": "A", "nights": 0}, {"name": "A", "room": "x"}]
)
def test_content_that_the_form_does_not_allow_is_not_sent(puppet: Puppeteer, content: dict[str, Any]) -> None:
    with Client.connect(puppet("legacy", on=eliciting(FORM)).command, elicitation=Seen(content)) as client:
        assert elicited(client)["error"]["code"] == -32603


@pytest.mark.feature(61)
def test_content_that_the_form_does_not_allow_is_the_callers_error_on_a_modern_server(puppet: Puppeteer) -> None:
    with Client.connect(puppet("modern", on=eliciting(FORM)).command, elicitation=Seen({})) as client:
        assert isinstance(failure(client.call_tool, "book"), UsageError)


@pytest.mark.feature(74)
def test_elicitation_that_is_not_approved_is_declined(puppet: Puppeteer, era: str) -> None:
    handler = Seen({"name": "Ada"})
    server = puppet(era, on=eliciting(FORM))
    with Client.connect(server.command, elicitation=handler, approve=Seen(False)) as client:
        assert elicited(client) == {"action": "decline"}
        assert len(handler) == 0


# ------------------------------------------------------------------------------------------------- handlers that fail


@pytest.mark.edge("B54")
def test_the_callers_error_is_the_handlers_own(puppet: Puppeteer, era: str) -> None:
    """Whatever the server makes of it: an error of the tool's, here."""
    server = puppet(era, on={"tools/call book": [ask("elicitation/create", FORM), fails("elicitation failed")]})
    error = LookupError("the handler's own")
    with Client.connect(server.command, elicitation=Seen(error)) as client:
        raised = failure(client.call_tool, "book")

        assert raised is error
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.edge("B54")
def test_the_callers_error_is_the_handlers_own_when_the_server_refuses(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call book": [ask("elicitation/create", FORM), refuse(-32603, "no answer")]})
    error = LookupError("the handler's own")
    with Client.connect(server.command, elicitation=Seen(error)) as client:
        raised = failure(client.call_tool, "book")

        assert raised is error
        assert isinstance(raised.__cause__, ServerError)


@pytest.mark.edge("B54")
def test_the_server_is_told_of_an_internal_error(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call book": [ask("elicitation/create", FORM), text("json:$answer")]})
    with Client.connect(server.command, elicitation=Seen(LookupError("secret"))) as client:
        answered = elicited(client)

        assert answered["error"]["code"] == -32603
        assert "secret" not in json.dumps(answered)


@pytest.mark.edge("B54")
def test_a_server_that_copes_with_a_failed_question_has_its_result(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call book": [ask("elicitation/create", FORM), text("booked all the same")]})
    with Client.connect(server.command, elicitation=Seen(LookupError("mine"))) as client:
        assert client.call_tool("book").text == "booked all the same"


@pytest.mark.edge("B54")
def test_a_failed_question_is_no_other_calls_error(puppet: Puppeteer) -> None:
    """With two calls under way nobody knows whose question it was: each gets what the server answers."""
    asking = [hear("tools/call", 2), ask("elicitation/create", FORM), fails("no answer")]
    server = puppet("legacy", on={"tools/call book": asking, "tools/call other": [hear(None), text("fine")]})
    with Client.connect(server.command, elicitation=Seen(LookupError("mine"))) as client:
        booking = Background(client.call_tool, "book")
        other = client.call_tool("other")

        assert other.text == "fine"
        assert booking.wait().text == "no answer"


# ------------------------------------------------------------------------------------------------------------- the URL


REQUIRED: dict[str, Any] = {"elicitations": [URL, {**URL, "elicitationId": "e2", "url": "https://x.example/two"}]}


@pytest.mark.feature(69, 70, 71)
@pytest.mark.parametrize("method", ["tools/call", "prompts/get"])
def test_the_error_that_wants_urls_visited_is_typed(puppet: Puppeteer, era: str, method: str) -> None:
    server = puppet(era, on={method: [refuse(-32042, "visit first", REQUIRED)]})
    with Client.connect(server.command) as client:
        error = failure(client.call_tool, "book") if method == "tools/call" else failure(client.get_prompt, "greet")

        assert isinstance(error, UrlElicitationRequired)
        assert error.code == -32042
        assert [each.url for each in error.elicitations] == ["https://x.example/sign", "https://x.example/two"]
        assert [each.elicitation_id for each in error.elicitations] == ["e1", "e2"]


@pytest.mark.feature("12.9")
def test_a_modern_call_that_wants_a_url_visited_raises_the_same_error(puppet: Puppeteer) -> None:
    with Client.connect(puppet("modern", on=eliciting(URL)).command) as client:
        error = failure(client.call_tool, "book")

        assert isinstance(error, UrlElicitationRequired)
        assert error.elicitations[0].url == "https://x.example/sign"


@pytest.mark.feature("12.9")
def test_a_modern_call_that_wants_a_form_that_nobody_takes_breaks_the_protocol(puppet: Puppeteer) -> None:
    with Client.connect(puppet("modern", on=eliciting(FORM)).command) as client:
        assert isinstance(failure(client.call_tool, "book"), ProtocolError)


@pytest.mark.feature("12.8")
def test_a_modern_url_elicitation_is_over_when_the_call_succeeds(puppet: Puppeteer) -> None:
    server = puppet("modern", on={"tools/call book": [ask("elicitation/create", URL), text("booked")]})
    with Client.connect(server.command, url_elicitation=Seen(True)) as client:
        assert client.call_tool("book").text == "booked"
        assert server.called("book") == 2


@pytest.mark.feature(72)
def test_the_notice_of_completion_comes_once(puppet: Puppeteer) -> None:
    done = tell(COMPLETE, {"elicitationId": "e1"})
    server = puppet("legacy", on={"tools/call": [done, done, tell(COMPLETE, {"elicitationId": "e2"}), text("told")]})
    seen = Seen()
    with Client.connect(server.command, on_elicitation_complete=seen) as client:
        client.call_tool("echo")
        seen.at_least(2)

    assert seen.values == ["e1", "e2"]


@pytest.mark.feature(73)
def test_completion_can_be_waited_for_and_the_call_made_again(puppet: Puppeteer) -> None:
    first = [refuse(-32042, "visit first", {"elicitations": [URL]}), tell(COMPLETE, {"elicitationId": "e1"})]
    server = puppet("legacy", on={"tools/call book": turns(first, [text("booked")])})
    with Client.connect(server.command) as client:
        error = failure(client.call_tool, "book")
        is_over = client.wait_for_elicitation(error.elicitations[0].elicitation_id, timeout=10)
        result = client.call_tool("book")

        assert is_over is True
        assert result.text == "booked"


@pytest.mark.feature(73)
def test_completion_that_does_not_come_is_waited_for_no_longer_than_asked(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era).command) as client:
        assert client.wait_for_elicitation("never", timeout=0.1) is False


@pytest.mark.feature(73)
def test_a_call_can_be_made_again_by_the_client_itself(puppet: Puppeteer) -> None:
    first = [refuse(-32042, "visit first", {"elicitations": [URL]})]
    server = puppet(
        "legacy",
        on={
            "tools/call book": turns(first, [text("booked")]),
            "tools/call done": [tell(COMPLETE, {"elicitationId": "e1"}), text("told")],
        },
    )
    visited = Seen(True)
    with Client.connect(server.command, url_elicitation=visited) as client:
        booking = Background(client.call_tool, "book", retry_elicitation=True)
        asked = visited.first()
        client.call_tool("done")
        result = booking.wait()

        assert asked.url == "https://x.example/sign"
        assert result.text == "booked"
        assert server.called("book") == 2


@pytest.mark.feature(73)
def test_a_user_who_declines_the_visit_has_the_call_refused(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call book": [refuse(-32042, "visit first", {"elicitations": [URL]})]})
    with Client.connect(server.command, url_elicitation=Seen(False)) as client:
        error = failure(client.call_tool, "book", retry_elicitation=True)

        assert isinstance(error, UrlElicitationRequired)
        assert server.called("book") == 1


@pytest.mark.parametrize("data", [None, {}, {"elicitations": "x"}, {"elicitations": [7, {"mode": "url"}]}])
def test_an_error_that_names_no_url_is_still_that_error(puppet: Puppeteer, era: str, data: Any) -> None:
    server = puppet(era, on={"tools/call": [refuse(-32042, "visit first", data)]})
    with Client.connect(server.command, url_elicitation=Seen(True)) as client:
        error = failure(client.call_tool, "echo", retry_elicitation=True)

        assert isinstance(error, UrlElicitationRequired)
        assert list(error.elicitations) == []


# ---------------------------------------------------------------------------------------------------------- in the call


@pytest.mark.feature(33, 65)
def test_a_handler_may_call_the_client(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=eliciting(FORM))
    clients: list[Client] = []

    def elicitation(_: Any) -> dict[str, str]:
        return {"name": clients[0].call_tool("echo", {"n": 1}).text}

    with Client.connect(server.command, elicitation=elicitation) as client:
        clients.append(client)
        answered = elicited(client)

        assert answered["content"]["name"] == 'echo {"n": 1}'


@pytest.mark.feature(33)
def test_questions_within_questions_come_to_an_end(puppet: Puppeteer) -> None:
    inner = [ask("elicitation/create", FORM), text("json:$answer")]
    server = puppet("legacy", on={"tools/call book": inner})
    clients: list[Client] = []
    depth: list[int] = []

    def elicitation(_: Any) -> dict[str, str]:
        depth.append(1)
        if len(depth) < 5:
            clients[0].call_tool("book")
        return {"name": str(len(depth))}

    with Client.connect(server.command, elicitation=elicitation) as client:
        clients.append(client)
        client.call_tool("book", timeout=10)

        assert len(depth) == 5


@pytest.mark.feature(65)
def test_questions_of_several_calls_are_answered_side_by_side(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=eliciting(FORM))
    under_way: list[int] = []

    def elicitation(_: Any) -> dict[str, str]:
        under_way.append(1)
        until(lambda: len(under_way) == 4)
        return {"name": "Ada"}

    with Client.connect(server.command, elicitation=elicitation) as client:
        calls = [Background(client.call_tool, "book") for _ in range(4)]
        results = [json.loads(each.wait().text) for each in calls]

        assert [answered["content"] for answered in results] == [{"name": "Ada"}] * 4


def test_a_question_during_the_handshake_is_answered(puppet: Puppeteer) -> None:
    greeting = [ask("ping"), default()]
    with Client.connect(puppet("legacy", on={"initialize": greeting}).command) as client:
        assert client.protocol_version == "2025-11-25"


def test_a_form_of_an_unusable_schema_is_refused_before_the_user_sees_it(puppet: Puppeteer) -> None:
    bad = {"mode": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {"a": {"type": "who"}}}}
    handler = Seen({"a": 1})
    with Client.connect(puppet("legacy", on=eliciting(bad)).command, elicitation=handler) as client:
        assert elicited(client)["error"]["code"] == -32602
        assert len(handler) == 0


def test_a_result_of_a_modern_prompt_may_need_an_answer_too(puppet: Puppeteer) -> None:
    got = answer({"messages": [{"role": "user", "content": {"type": "text", "text": "json:$answer"}}]})
    server = puppet("modern", on={"prompts/get": [ask("elicitation/create", FORM), got]})
    with Client.connect(server.command, elicitation=Seen({"name": "Ada"})) as client:
        result = client.get_prompt("greet")

        assert "Ada" in str(getattr(result.messages[0].content, "text", ""))


# ---------------------------------------------------------------------------------------- handlers that end otherwise


@pytest.mark.parametrize("outcome", [fails("so be it"), text("done without")], ids=["fails", "succeeds"])
@pytest.mark.parametrize("ending", [SystemExit(3), KeyboardInterrupt()], ids=["exit", "interrupt"])
def test_a_handler_that_ends_the_program_has_the_server_answered_and_its_caller_told(
    puppet: Puppeteer, ending: BaseException, outcome: Any
) -> None:
    server = puppet("legacy", on={"tools/call book": [ask("elicitation/create", FORM), hear(None), outcome]})

    def elicitation(_: Any) -> None:
        raise ending

    with Client.connect(server.command, elicitation=elicitation, timeout=30) as client:
        with pytest.raises(type(ending)):
            client.call_tool("book")
        assert client.call_tool("echo").text == "echo {}"

    assert answers(server)[0]["error"]["code"] == -32603


def test_a_modern_servers_caller_is_told_too_of_a_handler_that_ends_the_program(puppet: Puppeteer) -> None:
    def elicitation(_: Any) -> None:
        raise SystemExit(3)

    with Client.connect(puppet("modern", on=eliciting(FORM)).command, elicitation=elicitation) as client:
        with pytest.raises(SystemExit):
            client.call_tool("book")
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.feature(64)
def test_a_handler_that_is_cancelled_has_cancelled_the_question(puppet: Puppeteer, era: str) -> None:
    """As when the application closes the dialogue on which its handler waits."""
    handler = Seen(CancelledError())
    with Client.connect(puppet(era, on=eliciting(FORM)).command, elicitation=handler) as client:
        assert elicited(client) == {"action": "cancel"}


def test_a_handler_that_is_asked_knows_for_the_sake_of_which_call(puppet: Puppeteer, era: str) -> None:
    contexts: list[Any] = []

    def elicitation(_: Any, context: Any) -> dict[str, str]:
        contexts.append(context)
        return {"name": "Ada"}

    with Client.connect(puppet(era, on=eliciting(FORM)).command, elicitation=elicitation) as client:
        client.call_tool("book")

        assert [context.request.params.name for context in contexts] == ["book"]


# ------------------------------------------------------------------------------------------- questions that are over


def asked(identifier: str) -> Move:
    return say({"id": identifier, "method": "elicitation/create", "params": FORM})


class Doors:
    """A handler whose every question waits at a door of its own, and is answered by the number of that door.

    Whoever is interrupted has passed as well.
    """

    def __init__(self) -> None:
        self.waiting = 0
        self.open: set[int] = set()
        self.passed: set[int] = set()

    def __call__(self, _: Any) -> dict[str, str]:
        number = self.waiting
        self.waiting += 1
        try:
            until(lambda: number in self.open)
        finally:
            self.passed.add(number)
        return {"name": str(number)}

    def let_through(self, number: int) -> None:
        until(lambda: self.waiting > number)
        self.open.add(number)
        until(lambda: number in self.passed)


def test_an_answer_never_reaches_another_process_than_the_one_that_asked(puppet: Puppeteer) -> None:
    """The new one may have asked something else under the same number."""
    first = {"tools/call book": [asked("q")], "tools/call die": [kill()]}
    server = puppet("legacy", lives=[{"on": first}, {"on": {"tools/call book": [asked("q"), hear(None), text("so")]}}])
    doors = Doors()
    with Client.connect(server.command, elicitation=doors) as client:
        lost = Background(client.call_tool, "book")
        until(lambda: doors.waiting == 1)
        failure(client.call_tool, "die")
        lost.failure()
        booking = Background(client.call_tool, "book")
        until(lambda: doors.waiting == 2)
        doors.let_through(0)
        client.ping()
        doors.let_through(1)
        booking.wait()

    assert [message["result"]["content"]["name"] for message in answers(server)] == ["1"]


def test_a_question_that_the_server_takes_back_is_not_answered(puppet: Puppeteer) -> None:
    back = tell("notifications/cancelled", {"requestId": "one", "reason": "never mind"})
    server = puppet("legacy", on={"tools/call book": [asked("one"), back, asked("two"), hear(None), text("so")]})
    doors = Doors()
    with Client.connect(server.command, elicitation=doors) as client:
        booking = Background(client.call_tool, "book")
        until(lambda: doors.waiting == 2)
        doors.let_through(0)
        client.ping()
        doors.let_through(1)
        booking.wait()

    assert [message["id"] for message in answers(server)] == ["two"]


def test_a_question_that_the_server_takes_back_no_longer_stops_the_clock(puppet: Puppeteer) -> None:
    back = tell("notifications/cancelled", {"requestId": "one"})
    server = puppet("legacy", on={"tools/call book": [asked("one"), back]})
    doors = Doors()
    with Client.connect(server.command, elicitation=doors) as client:
        error = failure(client.call_tool, "book", timeout=0.3)
        doors.open.add(0)

        assert isinstance(error, McpTimeout)
        assert error.waited < 5


def answers(server: Puppet) -> list[Any]:
    return [message for message in server.heard() if "method" not in message]
