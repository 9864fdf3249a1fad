"""What becomes of a reply."""

import pytest

from dragoman.models.chat.events import ModelReply, Stop
from dragoman.models.chat.messages import Call, ModelMessage, Text, ToolMessage, said_by_user
from dragoman.models.chat.turns import ChatReply, answered_in_order, plan
from tests.models.chat.making import CALL, answered

OTHER = Call("c2", "now")
CUT = Call("c3", "now", "{")


def reply(*parts: Text | Call, stop: Stop = Stop.TOOLS) -> ModelReply:
    return ModelReply(ModelMessage(parts), stop)


def test_calls_are_run() -> None:
    planned = plan(reply(Text("a"), CALL, CUT))

    assert (planned.running, planned.refused, planned.goes_on) == ((CALL, CUT), (), True)


def test_without_calls_the_turn_is_over_unless_the_model_paused() -> None:
    assert not plan(reply(Text("a"), stop=Stop.END)).goes_on
    assert plan(reply(Text("a"), stop=Stop.PAUSED)).goes_on


@pytest.mark.parametrize("stop", [Stop.MAX_TOKENS, Stop.REFUSAL])
def test_calls_of_a_reply_that_was_cut_off_are_not_run(stop: Stop) -> None:
    planned = plan(reply(Text("a"), CALL, CUT, stop=stop))

    assert planned.message.parts == (Text("a"), CALL)
    assert (planned.running, planned.goes_on) == ((), False)
    assert [each.id for each in planned.refused] == ["c1"]


def test_calls_beyond_the_limit_are_told_so() -> None:
    planned = plan(reply(CALL, OTHER), left=1)

    assert planned.running == (CALL,)
    assert "no more calls" in planned.refused[0].text
    assert planned.goes_on


def test_responses_are_in_the_order_of_the_calls() -> None:
    come = {"c2": answered(OTHER, "x")}

    found = answered_in_order(ModelMessage((CALL, OTHER)), come, "gone")

    assert [(each.id, each.text) for each in found] == [("c1", "gone"), ("c2", "x")]


def test_text_of_a_turn_is_that_of_the_last_message() -> None:
    said = ModelMessage((Text("a"), CALL)), ToolMessage((answered(CALL, "x"),)), ModelMessage((Text("b"),))

    assert ChatReply(said).text == "b"
    assert ChatReply(said[:2]).text == "a"
    assert ChatReply((said_by_user("a"),)).text == ""
