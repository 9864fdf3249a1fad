"""Turns of a chat: what they run, where they end, and what they leave behind."""

import json
from collections.abc import AsyncIterator
from typing import Any, Self

import pytest

from dragoman import (
    AsyncChat,
    AsyncClient,
    AsyncHost,
    ChatLimits,
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
from dragoman.aio.runner import SEARCH_TOOLS, AsyncToolRunner
from dragoman.models.chat.events import ModelEvent, Stopped, Usage
from dragoman.models.chat.messages import Call, ModelMessage, ToolMessage
from dragoman.models.chat.request import ModelRequest
from dragoman.models.results import READ_MORE
from dragoman.types import ImageContent
from tests.aio.chat.support import Halting, add, fail, greet, kinds, scripted
from tests.aio.client.support import failure
from tests.aio.runner.support import SCRIPT, Watcher
from tests.servers.scripts.play import Puppet, Puppeteer, default, refuse, turns

ADDING = scripted("add", {"a": 1, "b": 2})
GREETING = scripted("greet", {"name": "Zoe"})


@pytest.fixture
def server(puppet: Puppeteer) -> Puppet:
    return puppet(**SCRIPT)


# ------------------------------------------------------------------------------------------------------------- running


@pytest.mark.feature("chat.6")
async def test_turn_runs_calls_until_there_are_none() -> None:
    model = ScriptedModel([ADDING, GREETING], scripted("add", {"a": 3, "b": 4}), "Done.")
    chat = AsyncChat(model, add, greet)
    reply = await chat.send("Go.")

    assert [each.text for each in reply.responses] == ["3", "Ἀσπάζομαί σε, Zoe", "7"]
    assert (reply.text, reply.stop, reply.rounds) == ("Done.", Stop.END, 3)
    assert kinds(chat.history) == ["UserMessage", *["ModelMessage", "ToolMessage"] * 2, "ModelMessage"]
    assert reply.messages == chat.history[1:]


@pytest.mark.feature(133, 134)
async def test_tools_of_servers_and_functions_are_one_thing(puppet: Puppeteer) -> None:
    one, other = puppet(**SCRIPT), puppet(**SCRIPT)
    async with AsyncClient.connect(one.command, name="one") as a, AsyncClient.connect(other.command, name="other") as b:
        model = ScriptedModel(
            [scripted("echo", {"text": "x"}), scripted("other_count"), ADDING],
            lambda request: str(len(request.messages)),
        )
        reply = await AsyncChat(model, a, b, add).send("Go.")

    assert [(each.server, each.is_local) for each in reply.responses] == [
        ("one", False),
        ("other", False),
        (None, True),
    ]
    assert reply.text == "3"


async def test_failures_are_told_to_the_model(server: Puppet) -> None:
    calls = [scripted(name) for name in ("fail", "refuse", "nothing", "echo")]
    async with AsyncClient.connect(server.command) as client:
        reply = await AsyncChat(ScriptedModel(calls, "Pity."), client).send("Go.")

    assert all(each.is_error for each in reply.responses)
    assert "ENOENT" in reply.responses[0].text
    assert "no such thing" in reply.responses[1].text
    assert "there is no tool 'nothing'" in reply.responses[2].text
    assert reply.text == "Pity."


async def test_broken_line_is_told_to_the_model_and_harms_no_other_call(server: Puppet) -> None:
    async with AsyncClient.connect(server.command) as client:
        model = ScriptedModel([scripted("die"), ADDING], "Pity.")
        reply = await AsyncChat(model, client, add).send("Go.")

    assert [each.is_error for each in reply.responses] == [True, False]
    assert reply.text == "Pity."


async def test_server_that_cannot_list_its_tools_any_more_keeps_those_of_before(puppet: Puppeteer) -> None:
    failing = turns([default()], [refuse(-32000, "not now")])
    server = puppet(**{**SCRIPT, "on": {**SCRIPT["on"], "tools/list": failing}})
    async with AsyncClient.connect(server.command, cache=False) as client:
        model = ScriptedModel(scripted("count"), scripted("count"), "So.")
        reply = await AsyncChat(model, client, add).send("Go.")

    assert [each.is_error for each in reply.responses] == [False, False]
    assert [len(request.tools) for request in model.requests] == [len(SCRIPT["tools"]) + 1] * 3


async def test_server_that_never_lists_its_tools_is_told_at_once(puppet: Puppeteer) -> None:
    server = puppet(**{**SCRIPT, "on": {"tools/list": [refuse(-32000, "not now")]}})
    async with AsyncClient.connect(server.command) as client:
        error = await failure(AsyncChat(ScriptedModel("So."), client).send, "Go.")

    assert "not now" in str(error)


async def test_runner_of_ones_own_keeps_its_rules() -> None:
    runner = AsyncToolRunner(add, fail, handle_tool_errors=False)
    chat = AsyncChat(ScriptedModel([ADDING, scripted("fail")], "So."), runner)
    error = await failure(chat.send, "Go.")

    assert isinstance(error, ToolFailed)
    assert kinds(chat.history) == ["UserMessage", "ModelMessage", "ToolMessage"]
    assert isinstance(chat.history[2], ToolMessage)
    assert [each.id for each in chat.history[2].responses] == [ADDING.id, scripted("fail").id]
    assert (await chat.proceed()).text == "So."
    assert chat.runner is runner


async def test_observers_see_every_call() -> None:
    watcher = Watcher()
    await AsyncChat(ScriptedModel(ADDING, "3"), add, observers=[watcher]).send("Go.")

    assert [each.definition.name for each in watcher.stopped] == ["add"]


@pytest.mark.feature("chat.5")
async def test_calls_want_leave_where_the_policy_says_so() -> None:
    asked: list[str] = []

    def approve(act: Any) -> bool:
        asked.append(act.name)
        return bool(act.name == "add")

    policy = Policy.careful()
    chat = AsyncChat(ScriptedModel([ADDING, GREETING], "So."), add, greet, policy=policy, approve=approve)
    reply = await chat.send("Go.")

    assert sorted(asked) == ["add", "greet"]
    assert [each.is_error for each in reply.responses] == [False, True]


async def test_pictures_reach_the_model_and_come_from_the_user() -> None:
    picture = ImageContent(data="AAAA", mime_type="image/png")

    @tool
    def draw() -> ImageContent:
        """Draw."""
        return picture

    model = ScriptedModel(scripted("draw"), "Nice.")
    chat = AsyncChat(model, draw)
    await chat.send("Like this:", picture)

    assert chat.history[0].content[1] == picture  # type: ignore[union-attr]
    assert model.requests[1].messages[2].responses[0].content == (picture,)  # type: ignore[union-attr]


# -------------------------------------------------------------------------------------------------------------- limits


async def test_rounds_are_limited() -> None:
    model = ScriptedModel(*[ADDING] * 3, "Done.")
    chat = AsyncChat(model, add, limits=ChatLimits(rounds=2))
    reply = await chat.send("Go.")

    assert (reply.stop, reply.said) == (Stop.LIMIT, "the limit of 2 replies in one turn is reached")
    assert len(reply.responses) == 2
    assert (await chat.proceed()).text == "Done."


@pytest.mark.feature("chat.5")
async def test_calls_of_a_turn_are_limited() -> None:
    model = ScriptedModel([ADDING, GREETING], GREETING, "Done.", GREETING, "Hi.")
    chat = AsyncChat(model, add, greet, limits=ChatLimits(calls=1))
    reply = await chat.send("Go.")

    assert [each.is_error for each in reply.responses] == [False, True, True]
    assert reply.text == "Done."
    assert [each.is_error for each in (await chat.send("Again.")).responses] == [False]


async def test_calls_are_limited_in_all_and_by_tool() -> None:
    limits = ToolLimits(calls=2, calls_per_tool={"add": 1})
    model = ScriptedModel([ADDING], [ADDING], [GREETING], [GREETING], "Done.")
    reply = await AsyncChat(model, add, greet, tool_limits=limits).send("Go.")

    assert [each.is_error for each in reply.responses] == [False, True, False, True]


@pytest.mark.feature("chat.5")
async def test_tokens_are_limited() -> None:
    spent = ScriptedReply("Well.", (ADDING,), usage=Usage(50, 50))
    chat = AsyncChat(ScriptedModel(spent, "Done."), add, limits=ChatLimits(tokens=100))
    reply = await chat.send("Go.")
    after = await chat.send("More.")

    assert (reply.stop, reply.usage, reply.rounds) == (Stop.LIMIT, Usage(50, 50), 1)
    assert (after.stop, after.rounds, after.text) == (Stop.LIMIT, 0, "")
    assert chat.usage == Usage(50, 50)


async def test_long_results_are_shortened() -> None:
    @tool
    def shout() -> str:
        """Shout."""
        return "A" * 10_000

    model = ScriptedModel(scripted("shout"), "Done.")
    reply = await AsyncChat(model, shout, budget=ResultBudget(100)).send("Go.")

    assert len(reply.responses[0].budgeted or "") < 400
    assert READ_MORE in model.requests[0].tools.names


async def test_tools_are_searched_for_when_they_are_too_many() -> None:
    model = ScriptedModel(scripted(SEARCH_TOOLS, {"query": "greet somebody"}), GREETING, "Done.")
    reply = await AsyncChat(model, add, greet, fail, tool_tokens=1, keep=["add"]).send("Go.")

    assert [sorted(request.tools.names) for request in model.requests] == [
        ["add", SEARCH_TOOLS],
        ["add", SEARCH_TOOLS, "greet"],
        ["add", SEARCH_TOOLS, "greet"],
    ]
    assert not reply.responses[1].is_error


async def test_reply_that_is_cut_off_runs_nothing() -> None:
    cut = ScriptedReply("Well,", (ADDING, scripted("greet", '{"name": "Z')), stop=Stop.MAX_TOKENS)
    chat = AsyncChat(ScriptedModel(cut, "Sorry."), add, greet)
    reply = await chat.send("Go.")

    assert (reply.stop, [each.is_error for each in reply.responses]) == (Stop.MAX_TOKENS, [True])
    assert isinstance(chat.history[1], ModelMessage)
    assert [call.id for call in chat.history[1].calls] == [ADDING.id]
    assert (await chat.proceed()).text == "Sorry."


async def test_model_that_pauses_is_asked_again() -> None:
    paused = ScriptedReply("One moment.", stop=Stop.PAUSED)
    reply = await AsyncChat(ScriptedModel(paused, "Done.")).send("Go.")

    assert (reply.text, reply.rounds, len(reply.messages)) == ("Done.", 2, 2)


# -------------------------------------------------------------------------------------------------- leaving and failing


async def test_failure_loses_nothing() -> None:
    busy = ModelUnavailable("busy")
    chat = AsyncChat(ScriptedModel(ADDING, busy, "3"), add)
    error = await failure(chat.send, "Go.")

    assert error is busy
    assert kinds(chat.history) == ["UserMessage", "ModelMessage", "ToolMessage"]
    assert (await chat.proceed()).text == "3"


async def test_turn_that_is_left_keeps_what_was_said() -> None:
    model = Halting()
    chat = AsyncChat(model)
    async with chat.stream("Go.") as turn:
        async for event in turn:
            if isinstance(event, TextDelta):
                break

    assert model.is_closed
    assert turn.is_ended
    assert (turn.reply.stop, turn.reply.text) == (Stop.CANCELLED, "Well, ")
    assert kinds(chat.history) == ["UserMessage", "ModelMessage"]


async def test_turn_that_is_called_off_ends_at_its_next_event() -> None:
    model = Halting()
    chat = AsyncChat(model)
    turn = chat.stream("Go.")
    seen = []
    async for event in turn:
        seen.append(event)
        turn.cancel()

    assert seen == [TextDelta("Well, ")]
    assert model.is_closed
    assert (turn.reply.stop, turn.reply.text, kinds(chat.history)) == (
        Stop.CANCELLED,
        "Well, ",
        ["UserMessage", "ModelMessage"],
    )


async def test_turn_that_is_called_off_among_calls_asks_no_more() -> None:
    model = ScriptedModel([ADDING, GREETING], "Done.")
    chat = AsyncChat(model, add, greet)
    turn = chat.stream("Go.")
    async for event in turn:
        if isinstance(event, ToolAnswered):
            turn.cancel()

    assert (turn.reply.stop, len(turn.reply.responses), len(model.requests)) == (Stop.CANCELLED, 2, 1)
    assert (await chat.proceed()).text == "Done."


async def test_calls_of_a_given_history_are_answered() -> None:
    asked = ModelMessage((Call("c1", "add"),))
    chat = AsyncChat(ScriptedModel("So."), add, history=[asked])

    assert kinds(chat.history) == ["ModelMessage", "ToolMessage"]


@pytest.mark.feature("chat.3")
async def test_turn_that_is_left_among_calls_has_answered_them_all() -> None:
    chat = AsyncChat(ScriptedModel([ADDING, GREETING], "Done."), add, greet)
    async with chat.stream("Go.") as turn:
        async for event in turn:
            if isinstance(event, ToolAnswered):
                break

    assert isinstance(chat.history[-1], ToolMessage)
    assert len(chat.history[-1].responses) == 2
    assert turn.reply.stop is Stop.CANCELLED
    assert (await chat.send("Go on.")).text == "Done."


async def test_chat_over_a_host_keeps_to_the_hosts_rules(server: Puppet) -> None:
    asked: list[str] = []

    def approve(act: Any) -> bool:
        asked.append(act.name)
        return bool(act.name == "echo")

    async with AsyncHost.open({"inn": server.command}, approve=approve) as host:
        model = ScriptedModel([scripted("echo", {"text": "x"}), scripted("count")], "So.")
        reply = await AsyncChat(model, host).send("Go.")

    assert sorted(asked) == ["count", "echo"]
    assert [each.is_error for each in reply.responses] == [False, True]
    assert reply.responses[0].server == "inn"


async def test_next_turn_waits_for_the_end_of_the_one_before() -> None:
    chat = AsyncChat(ScriptedModel("One two three.", "Four."))
    turn = chat.stream("Count.")
    await anext(turn)

    with pytest.raises(UsageError, match="not at its end"):
        chat.stream("Count on.")
    assert (await chat.send("Count on.")).text == "Four."
    assert turn.is_ended


async def test_turn_that_was_never_read_says_nothing() -> None:
    chat = AsyncChat(ScriptedModel("Hi."))
    turn = chat.stream("Never.")
    await turn.close()

    assert chat.history == ()
    assert turn.is_ended


async def test_closing_a_chat_ends_its_turn() -> None:
    model = Halting()
    async with AsyncChat(model) as chat:
        await anext(chat.stream("Go."))

    assert model.is_closed


# --------------------------------------------------------------------------------------------------------- going on


@pytest.mark.feature("chat.4")
async def test_chat_goes_on_from_json() -> None:
    chat = AsyncChat(ScriptedModel(ADDING, "3"), add, system="Be brief.")
    await chat.send("Go.")
    kept = json.loads(json.dumps(chat.to_json()))
    model = ScriptedModel("Again.")
    again = AsyncChat.from_json(kept, model, add)
    await again.send("More.")

    assert again.history[: len(chat.history)] == chat.history
    assert model.requests[0].system == "Be brief."
    assert again.usage == chat.usage + Usage(0, 2)
    assert "scripted, 6 messages" in repr(again)
    assert AsyncChat.from_json({"history": []}, model, system="Other.").history == ()


async def test_what_is_no_chat_is_refused() -> None:
    with pytest.raises(UsageError, match="a list is no chat"):
        AsyncChat.from_json([], "openai:x")
    with pytest.raises(UsageError, match="no history of a chat"):
        AsyncChat.from_json({}, "openai:x")


async def test_nothing_is_said_of_nothing() -> None:
    chat = AsyncChat(ScriptedModel("Hi."))
    for said in ((), ("",), (" ", "\n")):
        with pytest.raises(UsageError, match="nothing to say"):
            await chat.send(*said)
    with pytest.raises(UsageError, match="has to answer"):
        await chat.proceed()
    await chat.send("Hi.")
    with pytest.raises(UsageError, match="has to answer"):
        await chat.proceed()


async def test_mistakes_are_told_at_once() -> None:
    misspelt: Any = {"temprature": 1}
    with pytest.raises(UsageError, match="names no model"):
        AsyncChat("claude")
    with pytest.raises(UsageError, match="7 is no model"):
        AsyncChat(7)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no source of tools"):
        AsyncChat("openai:x", 7)
    with pytest.raises(UsageError, match="only source"):
        AsyncChat("openai:x", AsyncToolRunner(), add)
    with pytest.raises(UsageError, match="the runner's own"):
        AsyncChat("openai:x", AsyncToolRunner(), timeout=5)
    with pytest.raises(UsageError, match="on_line_error='explode'"):
        AsyncToolRunner(on_line_error="explode")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="did you mean `temperature`"):
        AsyncChat("openai:x", **misspelt)


async def test_stream_of_ones_own_model_may_be_any_iterator() -> None:
    class Plain:
        """An iterator that has nothing to close."""

        def __init__(self) -> None:
            self.left: list[ModelEvent] = [Stopped(Stop.END), TextDelta("Hi.")]

        def __aiter__(self) -> Self:
            return self

        async def __anext__(self) -> ModelEvent:
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop()

    class Model:
        name = "own"
        format = "anthropic"

        def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            return Plain()

    async with AsyncChat(Model(), add) as chat:
        reply = await chat.send("Hi.")

    assert (reply.text, reply.stop) == ("Hi.", Stop.END)
