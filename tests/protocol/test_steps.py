"""Steps are values, and conversations generators of them."""

import msgspec
import pytest
from msgspec import Raw

from dragoman.protocol import steps
from dragoman.protocol.steps import Ask, Call, Conversation, Hedge, Notice, Pause, Reply, Request, Tell

PING = Request("ping")


def greeting() -> Conversation[str]:
    reply = yield Call(PING)
    yield Tell(Notice("notifications/initialized"))
    return bytes(reply.result).decode()


def test_a_conversation_asks_by_steps_and_returns_what_it_found() -> None:
    conversation = greeting()

    assert next(conversation) == Call(PING)
    assert conversation.send(Reply(Raw(b"{}"), era=None)) == Tell(  # type: ignore[arg-type]
        Notice("notifications/initialized")
    )
    with pytest.raises(StopIteration) as end:
        next(conversation)
    assert end.value.value == "{}"


@pytest.mark.parametrize(
    "step",
    [Call(PING), Hedge(Call(PING), Call(PING), 1.0), Tell(Notice("a")), Ask("roots/list", None), Pause(1.0)],
)
def test_a_step_cannot_be_changed(step: steps.Step) -> None:
    with pytest.raises(AttributeError):
        setattr(step, step.__struct_fields__[0], None)


def test_a_call_is_harmless_unless_it_says_otherwise() -> None:
    assert Call(PING).is_repeatable


def test_steps_with_the_same_parts_are_equal() -> None:
    assert Call(Request("ping")) == Call(PING)
    assert msgspec.structs.asdict(Pause(1.0)) == {"seconds": 1.0}
