# generated from tests/aio/chat/test_turns.py by tools/unasync.py; do not edit
"""Turns of a chat: what they run, where they end, and what they leave behind."""

import json
from collections.abc import Iterator
from typing import Any, Self

import pytest

from dragoman import (
    Chat,
    ChatLimits,
    Client,
    Host,
    ModelUnavailable,
    Policy,
    ResultBudget,
    ScriptedModel,
    ScriptedReply,
    Stop,
    TextDelta,
    ToolAnswered,
    ToolFailed,
    ToolLimits,
    UsageError,
    tool,
)
from dragoman.models.chat.events import ModelEvent, Stopped, Usage
from dragoman.models.chat.messages import Call, ModelMessage, ToolMessage
from dragoman.models.chat.request import ModelRequest
from dragoman.models.results import READ_MORE
from dragoman.sync.runner import SEARCH_TOOLS, ToolRunner
from dragoman.types import ImageContent
from tests.servers.scripts.play import Puppet, Puppeteer, default, refuse, turns
from tests.sync.chat.support import Halting, add, fail, greet, kinds, scripted
from tests.sync.client.support import failure
from tests.sync.runner.support import SCRIPT, Watcher

ADDING = scripted("add", {"a": 1, "b": 2})
GREETING = scripted("greet", {"name": "Zoe"})


@pytest.fixture
def server(puppet: Puppeteer) -> Puppet:
    return puppet(**SCRIPT)


# ------------------------------------------------------------------------------------------------------------- running


@pytest.mark.feature("chat.6")
def test_turn_runs_calls_until_there_are_none() -> None:
    model = ScriptedModel([ADDING, GREETING], scripted("add", {"a": 3, "b": 4}), "Done.")
    chat = Chat(model, add, greet)
    reply = chat.send("Go.")

    assert [each.text for each in reply.responses] == ["3", "Ἀσπάζομαί σε, Zoe", "7"]
    assert (reply.text, reply.stop, reply.rounds) == ("Done.", Stop.END, 3)
    assert kinds(chat.history) == ["UserMessage", *["ModelMessage", "ToolMessage"] * 2, "ModelMessage"]
    assert reply.messages == chat.history[1:]


@pytest.mark.feature(133, 134)
def test_tools_of_servers_and_functions_are_one_thing(puppet: Puppeteer) -> None:
    one, other = puppet(**SCRIPT), puppet(**SCRIPT)
    with Client.connect(one.command, name="one") as a, Client.connect(other.command, name="other") as b:
        model = ScriptedModel(
            [scripted("echo", {"text": "x"}), scripted("other_count"), ADDING],
            lambda request: str(len(request.messages)),
        )
        reply = Chat(model, a, b, add).send("Go.")

    assert [(each.server, each.is_local) for each in reply.responses] == [
        ("one", False),
        ("other", False),
        (None, True),
    ]
    assert reply.text == "3"


def test_failures_are_told_to_the_model(server: Puppet) -> None:
    calls = [scripted(name) for name in ("fail", "refuse", "nothing", "echo")]
    with Client.connect(server.command) as client:
        reply = Chat(ScriptedModel(calls, "Pity."), client).send("Go.")

    assert all(each.is_error for each in reply.responses)
    assert "ENOENT" in reply.responses[0].text
    assert "no such thing" in reply.responses[1].text
    assert "there is no tool 'nothing'" in reply.responses[2].text
    assert reply.text == "Pity."


def test_broken_line_is_told_to_the_model_and_harms_no_other_call(server: Puppet) -> None:
    with Client.connect(server.command) as client:
        model = ScriptedModel([scripted("die"), ADDING], "Pity.")
        reply = Chat(model, client, add).send("Go.")

    assert [each.is_error for each in reply.responses] == [True, False]
    assert reply.text == "Pity."


def test_server_that_cannot_list_its_tools_any_more_keeps_those_of_before(puppet: Puppeteer) -> None:
    failing = turns([default()], [refuse(-32000, "not now")])
    server = puppet(**{**SCRIPT, "on": {**SCRIPT["on"], "tools/list": failing}})
    with Client.connect(server.command, cache=False) as client:
        model = ScriptedModel(scripted("count"), scripted("count"), "So.")
        reply = Chat(model, client, add).send("Go.")

    assert [each.is_error for each in reply.responses] == [False, False]
    assert [len(request.tools) for request in model.requests] == [len(SCRIPT["tools"]) + 1] * 3


def test_server_that_never_lists_its_tools_is_told_at_once(puppet: Puppeteer) -> None:
    server = puppet(**{**SCRIPT, "on": {"tools/list": [refuse(-32000, "not now")]}})
    with Client.connect(server.command) as client:
        error = failure(Chat(ScriptedModel("So."), client).send, "Go.")

    assert "not now" in str(error)


def test_runner_of_ones_own_keeps_its_rules() -> None:
    runner = ToolRunner(add, fail, handle_tool_errors=False)
    chat = Chat(ScriptedModel([ADDING, scripted("fail")], "So."), runner)
    error = failure(chat.send, "Go.")

    assert isinstance(error, ToolFailed)
    assert kinds(chat.history) == ["UserMessage", "ModelMessage", "ToolMessage"]
    assert isinstance(chat.history[2], ToolMessage)
    assert [each.id for each in chat.history[2].responses] == [ADDING.id, scripted("fail").id]
    assert chat.proceed().text == "So."
    assert chat.runner is runner


def test_observers_see_every_call() -> None:
    watcher = Watcher()
    Chat(ScriptedModel(ADDING, "3"), add, observers=[watcher]).send("Go.")

    assert [each.definition.name for each in watcher.stopped] == ["add"]


@pytest.mark.feature("chat.5")
def test_calls_want_leave_where_the_policy_says_so() -> None:
    asked: list[str] = []

    def approve(act: Any) -> bool:
        asked.append(act.name)
        return bool(act.name == "add")

    policy = Policy.careful()
    chat = Chat(ScriptedModel([ADDING, GREETING], "So."), add, greet, policy=policy, approve=approve)
    reply = chat.send("Go.")

    assert sorted(asked) == ["add", "greet"]
    assert [each.is_error for each in reply.responses] == [False, True]


def test_pictures_reach_the_model_and_come_from_the_user() -> None:
    picture = ImageContent(data="AAAA", mime_type="image/png")

    @tool
    def draw() -> ImageContent:
        """Draw."""
        return picture

    model = ScriptedModel(scripted("draw"), "Nice.")
    chat = Chat(model, draw)
    chat.send("Like this:", picture)

    assert chat.history[0].content[1] == picture  # type: ignore[union-attr]
    assert model.requests[1].messages[2].responses[0].content == (picture,)  # type: ignore[union-attr]


# -------------------------------------------------------------------------------------------------------------- limits


def test_rounds_are_limited() -> None:
    model = ScriptedModel(*[ADDING] * 3, "Done.")
    chat = Chat(model, add, limits=ChatLimits(rounds=2))
    reply = chat.send("Go.")

    assert (reply.stop, reply.said) == (Stop.LIMIT, "the limit of 2 replies in one turn is reached")
    assert len(reply.responses) == 2
    assert chat.proceed().text == "Done."


@pytest.mark.feature("chat.5")
def test_calls_of_a_turn_are_limited() -> None:
    model = ScriptedModel([ADDING, GREETING], GREETING, "Done.", GREETING, "Hi.")
    chat = Chat(model, add, greet, limits=ChatLimits(calls=1))
    reply = chat.send("Go.")

    assert [each.is_error for each in reply.responses] == [False, True, True]
    assert reply.text == "Done."
    assert [each.is_error for each in chat.send("Again.").responses] == [False]


def test_calls_are_limited_in_all_and_by_tool() -> None:
    limits = ToolLimits(calls=2, calls_per_tool={"add": 1})
    model = ScriptedModel([ADDING], [ADDING], [GREETING], [GREETING], "Done.")
    reply = Chat(model, add, greet, tool_limits=limits).send("Go.")

    assert [each.is_error for each in reply.responses] == [False, True, False, True]


@pytest.mark.feature("chat.5")
def test_tokens_are_limited() -> None:
    spent = ScriptedReply("Well.", (ADDING,), usage=Usage(50, 50))
    chat = Chat(ScriptedModel(spent, "Done."), add, limits=ChatLimits(tokens=100))
    reply = chat.send("Go.")
    after = chat.send("More.")

    assert (reply.stop, reply.usage, reply.rounds) == (Stop.LIMIT, Usage(50, 50), 1)
    assert (after.stop, after.rounds, after.text) == (Stop.LIMIT, 0, "")
    assert chat.usage == Usage(50, 50)


def test_long_results_are_shortened() -> None:
    @tool
    def shout() -> str:
        """Shout."""
        return "A" * 10_000

    model = ScriptedModel(scripted("shout"), "Done.")
    reply = Chat(model, shout, budget=ResultBudget(100)).send("Go.")

    assert len(reply.responses[0].budgeted or "") < 400
    assert READ_MORE in model.requests[0].tools.names


def test_tools_are_searched_for_when_they_are_too_many() -> None:
    model = ScriptedModel(scripted(SEARCH_TOOLS, {"query": "greet somebody"}), GREETING, "Done.")
    reply = Chat(model, add, greet, fail, tool_tokens=1, keep=["add"]).send("Go.")

    assert [sorted(request.tools.names) for request in model.requests] == [
        ["add", SEARCH_TOOLS],
        ["add", SEARCH_TOOLS, "greet"],
        ["add", SEARCH_TOOLS, "greet"],
    ]
    assert not reply.responses[1].is_error


def test_reply_that_is_cut_off_runs_nothing() -> None:
    cut = ScriptedReply("Well,", (ADDING, scripted("greet", '{"name": "Z')), stop=Stop.MAX_TOKENS)
    chat = Chat(ScriptedModel(cut, "Sorry."), add, greet)
    reply = chat.send("Go.")

    assert (reply.stop, [each.is_error for each in reply.responses]) == (Stop.MAX_TOKENS, [True])
    assert isinstance(chat.history[1], ModelMessage)
    assert [call.id for call in chat.history[1].calls] == [ADDING.id]
    assert chat.proceed().text == "Sorry."


def test_model_that_pauses_is_asked_again() -> None:
    paused = ScriptedReply("One moment.", stop=Stop.PAUSED)
    reply = Chat(ScriptedModel(paused, "Done.")).send("Go.")

    assert (reply.text, reply.rounds, len(reply.messages)) == ("Done.", 2, 2)


# -------------------------------------------------------------------------------------------------- leaving and failing


def test_failure_loses_nothing() -> None:
    busy = ModelUnavailable("busy")
    chat = Chat(ScriptedModel(ADDING, busy, "3"), add)
    error = failure(chat.send, "Go.")

    assert error is busy
    assert kinds(chat.history) == ["UserMessage", "ModelMessage", "ToolMessage"]
    assert chat.proceed().text == "3"


def test_turn_that_is_left_keeps_what_was_said() -> None:
    model = Halting()
    chat = Chat(model)
    with chat.stream("Go.") as turn:
        for event in turn:
            if isinstance(event, TextDelta):
                break

    assert model.is_closed
    assert turn.is_ended
    assert (turn.reply.stop, turn.reply.text) == (Stop.CANCELLED, "Well, ")
    assert kinds(chat.history) == ["UserMessage", "ModelMessage"]


def test_turn_that_is_called_off_ends_at_its_next_event() -> None:
    model = Halting()
    chat = Chat(model)
    turn = chat.stream("Go.")
    seen = []
    for event in turn:
        seen.append(event)
        turn.cancel()

    assert seen == [TextDelta("Well, ")]
    assert model.is_closed
    assert (turn.reply.stop, turn.reply.text, kinds(chat.history)) == (
        Stop.CANCELLED,
        "Well, ",
        ["UserMessage", "ModelMessage"],
    )


def test_turn_that_is_called_off_among_calls_asks_no_more() -> None:
    model = ScriptedModel([ADDING, GREETING], "Done.")
    chat = Chat(model, add, greet)
    turn = chat.stream("Go.")
    for event in turn:
        if isinstance(event, ToolAnswered):
            turn.cancel()

    assert (turn.reply.stop, len(turn.reply.responses), len(model.requests)) == (Stop.CANCELLED, 2, 1)
    assert chat.proceed().text == "Done."


def test_calls_of_a_given_history_are_answered() -> None:
    asked = ModelMessage((Call("c1", "add"),))
    chat = Chat(ScriptedModel("So."), add, history=[asked])

    assert kinds(chat.history) == ["ModelMessage", "ToolMessage"]


@pytest.mark.feature("chat.3")
def test_turn_that_is_left_among_calls_has_answered_them_all() -> None:
    chat = Chat(ScriptedModel([ADDING, GREETING], "Done."), add, greet)
    with chat.stream("Go.") as turn:
        for event in turn:
            if isinstance(event, ToolAnswered):
                break

    assert isinstance(chat.history[-1], ToolMessage)
    assert len(chat.history[-1].responses) == 2
    assert turn.reply.stop is Stop.CANCELLED
    assert chat.send("Go on.").text == "Done."


def test_chat_over_a_host_keeps_to_the_hosts_rules(server: Puppet) -> None:
    asked: list[str] = []

    def approve(act: Any) -> bool:
        asked.append(act.name)
        return bool(act.name == "echo")

    with Host.open({"inn": server.command}, approve=approve) as host:
        model = ScriptedModel([scripted("echo", {"text": "x"}), scripted("count")], "So.")
        reply = Chat(model, host).send("Go.")

    assert sorted(asked) == ["count", "echo"]
    assert [each.is_error for each in reply.responses] == [False, True]
    assert reply.responses[0].server == "inn"


def test_next_turn_waits_for_the_end_of_the_one_before() -> None:
    chat = Chat(ScriptedModel("One two three.", "Four."))
    turn = chat.stream("Count.")
    next(turn)

    with pytest.raises(UsageError, match="not at its end"):
        chat.stream("Count on.")
    assert chat.send("Count on.").text == "Four."
    assert turn.is_ended


def test_turn_that_was_never_read_says_nothing() -> None:
    chat = Chat(ScriptedModel("Hi."))
    turn = chat.stream("Never.")
    turn.close()

    assert chat.history == ()
    assert turn.is_ended


def test_closing_a_chat_ends_its_turn() -> None:
    model = Halting()
    with Chat(model) as chat:
        next(chat.stream("Go."))

    assert model.is_closed


# --------------------------------------------------------------------------------------------------------- going on


@pytest.mark.feature("chat.4")
def test_chat_goes_on_from_json() -> None:
    chat = Chat(ScriptedModel(ADDING, "3"), add, system="Be brief.")
    chat.send("Go.")
    kept = json.loads(json.dumps(chat.to_json()))
    model = ScriptedModel("Again.")
    again = Chat.from_json(kept, model, add)
    again.send("More.")

    assert again.history[: len(chat.history)] == chat.history
    assert model.requests[0].system == "Be brief."
    assert again.usage == chat.usage + Usage(0, 2)
    assert "scripted, 6 messages" in repr(again)
    assert Chat.from_json({"history": []}, model, system="Other.").history == ()


def test_what_is_no_chat_is_refused() -> None:
    with pytest.raises(UsageError, match="a list is no chat"):
        Chat.from_json([], "openai:x")
    with pytest.raises(UsageError, match="no history of a chat"):
        Chat.from_json({}, "openai:x")


def test_nothing_is_said_of_nothing() -> None:
    chat = Chat(ScriptedModel("Hi."))
    for said in ((), ("",), (" ", "\n")):
        with pytest.raises(UsageError, match="nothing to say"):
            chat.send(*said)
    with pytest.raises(UsageError, match="has to answer"):
        chat.proceed()
    chat.send("Hi.")
    with pytest.raises(UsageError, match="has to answer"):
        chat.proceed()


def test_mistakes_are_told_at_once() -> None:
    misspelt: Any = {"temprature": 1}
    with pytest.raises(UsageError, match="names no model"):
        Chat("claude")
    with pytest.raises(UsageError, match="7 is no model"):
        Chat(7)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no source of tools"):
        Chat("openai:x", 7)
    with pytest.raises(UsageError, match="only source"):
        Chat("openai:x", ToolRunner(), add)
    with pytest.raises(UsageError, match="the runner's own"):
        Chat("openai:x", ToolRunner(), timeout=5)
    with pytest.raises(UsageError, match="on_line_error='explode'"):
        ToolRunner(on_line_error="explode")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="did you mean `temperature`"):
        Chat("openai:x", **misspelt)


def test_stream_of_ones_own_model_may_be_any_iterator() -> None:
    class Plain:
        """An iterator that has nothing to close."""

        def __init__(self) -> None:
            self.left: list[ModelEvent] = [Stopped(Stop.END), TextDelta("Hi.")]

        def __iter__(self) -> Self:
            return self

        def __next__(self) -> ModelEvent:
            if not self.left:
                raise StopIteration
            return self.left.pop()

    class Model:
        name = "own"
        format = "anthropic"

        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            return Plain()

    with Chat(Model(), add) as chat:
        reply = chat.send("Hi.")

    assert (reply.text, reply.stop) == ("Hi.", Stop.END)
