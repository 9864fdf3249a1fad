"""Messages, and what makes a conversation complete."""

from dragoman.models.chat.messages import (
    Call,
    Message,
    ModelMessage,
    Text,
    Thinking,
    ToolMessage,
    all_answered,
    answering,
    ids_of,
    object_of,
    parts_of,
    said_by_user,
    text_alone,
    without_loose_ends,
)
from tests.models.chat.making import CALL, PICTURE, answered

CUT = Call("c2", "git_show", '{"rev": "ab')


def test_text_of_a_message_is_all_its_text() -> None:
    assert ModelMessage((Text("a"), CALL, Text("b"))).text == "ab"
    assert said_by_user("a", PICTURE, "b").text == "a\nb"
    assert [part.kind for part in parts_of(said_by_user("a", PICTURE))] == ["text", "image"]
    assert [part.text for part in parts_of(said_by_user("", ""))] == ["(nothing)"]


def test_call_is_whole_when_its_arguments_are_an_object() -> None:
    assert CALL.is_whole
    assert Call("c", "now", "").is_whole
    assert not CUT.is_whole
    assert not Call("c", "now", "[1]").is_whole
    assert not Call("c", "now", "[" * 100_000).is_whole


def test_arguments_go_back_as_an_object_whatever_they_are() -> None:
    assert object_of(CALL) == {"path": "."}
    assert object_of(CUT) == {"invalid_json": '{"rev": "ab'}


def test_call_is_what_a_runner_takes() -> None:
    assert (CALL.tool_call.id, CALL.tool_call.name, CALL.tool_call.json) == ("c1", "git log", '{"path":"."}')


def test_every_call_is_answered() -> None:
    asked = ModelMessage((CALL,))
    complete: list[Message] = [asked, ToolMessage((answered(CALL, "x"),)), said_by_user("b")]

    assert list(all_answered(complete, "gone")) == complete
    assert list(all_answered([said_by_user("a"), asked, said_by_user("b"), asked], "gone")) == [
        said_by_user("a"),
        asked,
        ToolMessage(answering([CALL], "gone")),
        said_by_user("b"),
        asked,
        ToolMessage(answering([CALL], "gone")),
    ]
    assert answering([CALL], "gone")[0].is_error


def test_loose_ends_are_left_out() -> None:
    message = ModelMessage((Thinking("a"), Text("b"), CALL, Thinking("c"), CUT))

    assert without_loose_ends(message).parts == (Thinking("a"), Text("b"), CALL)
    assert without_loose_ends(ModelMessage((Thinking("a"),))).parts == ()
    assert text_alone(message).parts == (Text("b"),)


def test_ids_are_those_of_all_calls() -> None:
    assert ids_of([said_by_user("a"), ModelMessage((CALL, CUT))]) == {"c1", "c2"}
