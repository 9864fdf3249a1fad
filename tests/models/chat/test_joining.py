"""Pieces to a whole reply."""

from dragoman.models.chat.events import (
    ModelEvent,
    ModelReply,
    Stop,
    Stopped,
    TextDelta,
    ThinkingDelta,
    ToolCallBegun,
    ToolCallMade,
    Usage,
    UsageReported,
)
from dragoman.models.chat.joining import Joiner
from dragoman.models.chat.messages import Call, ModelMessage, Text, Thinking


def test_pieces_are_joined() -> None:
    joiner = Joiner("m")
    events: list[ModelEvent] = [
        ThinkingDelta("a"),
        ThinkingDelta("b"),
        ThinkingDelta("", {"m": 1}),
        ThinkingDelta("c"),
        TextDelta(""),
        TextDelta("d"),
        TextDelta("e"),
        UsageReported(Usage(1, 1)),
        ToolCallMade("c1", "t", ""),
        UsageReported(Usage(2, 2)),
        Stopped(Stop.TOOLS, "tool_use"),
    ]
    for event in events:
        joiner.add(event)

    said = (Thinking("ab", {"m": 1}), Thinking("c"), Text("de"), Call("c1", "t", "{}"))
    assert joiner.reply() == ModelReply(ModelMessage(said, "m"), Stop.TOOLS, "tool_use", Usage(2, 2))
    assert joiner.usage == Usage(2, 2)


def test_many_pieces_cost_no_more_than_their_length() -> None:
    joiner = Joiner()
    for _ in range(100_000):
        joiner.add(TextDelta("word "))

    assert len(joiner.message.text) == 500_000


def test_empty_pieces_are_nothing() -> None:
    joiner = Joiner()
    joiner.add(TextDelta(""))

    assert joiner.reply() == ModelReply(ModelMessage(()), Stop.OTHER)


def test_calls_have_the_tools_own_names() -> None:
    joiner = Joiner(names={"git_log_1": "git log"})

    assert joiner.add(ToolCallBegun("c1", "git_log_1")) == ToolCallBegun("c1", "git log")
    assert joiner.add(ToolCallMade("c1", "git_log_1")) == ToolCallMade("c1", "git log")
    assert joiner.add(ToolCallMade("c2", "other")) == ToolCallMade("c2", "other")


def test_calls_without_an_id_of_their_own_get_one() -> None:
    joiner = Joiner(taken=["c1", "dragoman_call_2"])
    begun = [joiner.add(ToolCallBegun(given, "t")) for given in ("", "c1", "c9", "")]
    made = [joiner.add(ToolCallMade(given, "t")) for given in ("", "", "c1", "c9")]

    assert [event.id for event in begun if isinstance(event, ToolCallBegun)] == [
        "dragoman_call_3",
        "dragoman_call_4",
        "c9",
        "dragoman_call_6",
    ]
    assert [event.id for event in made if isinstance(event, ToolCallMade)] == [
        "dragoman_call_3",
        "dragoman_call_6",
        "dragoman_call_4",
        "c9",
    ]


def test_characters_that_were_cut_in_two_are_whole() -> None:
    joiner = Joiner("m")
    pieces: list[ModelEvent] = [
        TextDelta("a\ud83d"),
        TextDelta("\ude00b"),
        ThinkingDelta("\ud83d\ude00"),
        TextDelta("c\ud83d"),
    ]
    told = [joiner.add(event) for event in pieces]
    joiner.add(ToolCallMade("c1", "t", '{"a":"\ud83d\ude00\ud83d"}'))

    assert told == [TextDelta("a"), TextDelta("😀b"), ThinkingDelta("😀"), TextDelta("c")]
    said = (Text("a😀b"), Thinking("😀"), Text("c"), Call("c1", "t", '{"a":"😀\N{REPLACEMENT CHARACTER}"}'))
    assert joiner.message == ModelMessage(said, "m")


def test_half_a_character_that_stays_alone_is_marked() -> None:
    joiner = Joiner("m")

    assert joiner.add(TextDelta("é\ud83d")) == TextDelta("é")
    assert joiner.add(TextDelta("!")) == TextDelta("\N{REPLACEMENT CHARACTER}!")
    assert joiner.add(TextDelta("\ude00")) == TextDelta("\N{REPLACEMENT CHARACTER}")
