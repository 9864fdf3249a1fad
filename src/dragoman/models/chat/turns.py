"""What one turn of a chat comes to: which calls of a reply are run, and what the user is given at the end."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from dragoman.models.calls import ToolResponse
from dragoman.models.chat.events import ModelEvent, ModelReply, Stop, Usage
from dragoman.models.chat.messages import Call, Message, ModelMessage, answering, without_loose_ends

__all__ = ["ChatEvent", "ChatReply", "Plan", "ToolAnswered", "answered_in_order", "plan"]

_CUT = {
    Stop.MAX_TOKENS: "not run: the reply was cut off, since it was longer than it may be",
    Stop.REFUSAL: "not run: the reply was refused",
}


class ToolAnswered(Struct, frozen=True):
    """A call has ended; its response is what the model gets to see."""

    response: ToolResponse


ChatEvent: TypeAlias = ModelEvent | ToolAnswered


class ChatReply(Struct, frozen=True):
    """What one turn came to.

    Attributes:
        messages: all that the turn added to the history after the user's message.
        responses: what came of the calls, in their order.
        stop: why it ended. said: the provider's own word for it, or which limit it was.
        usage: the tokens of all its replies.
        rounds: how many replies the model gave.
    """

    messages: tuple[Message, ...] = ()
    responses: tuple[ToolResponse, ...] = ()
    stop: Stop = Stop.END
    said: str = ""
    usage: Usage = Usage()
    rounds: int = 0

    @property
    def text(self) -> str:
        """The text of the model's last message."""
        return next((each.text for each in reversed(self.messages) if isinstance(each, ModelMessage)), "")


class Plan(Struct, frozen=True):
    """What a reply leads to.

    Attributes:
        message: what goes into the history; empty where nothing does.
        running: the calls to run. refused: answers to those that are not run.
        goes_on: whether the model is asked again after that.
    """

    message: ModelMessage
    running: tuple[Call, ...] = ()
    refused: tuple[ToolResponse, ...] = ()
    goes_on: bool = False


def plan(reply: ModelReply, left: int | None = None) -> Plan:
    """Decide what is done with the calls of a reply, of which `left` may still be run in this turn."""
    if reply.stop in _CUT:
        message = without_loose_ends(reply.message)
        return Plan(message, (), answering(message.calls, _CUT[reply.stop]))
    calls = reply.message.calls
    most = len(calls) if left is None else left
    refused = answering(calls[most:], "not run: no more calls may be made in this turn")
    return Plan(reply.message, calls[:most], refused, goes_on=bool(calls) or reply.stop is Stop.PAUSED)


def answered_in_order(message: ModelMessage, come: dict[str, ToolResponse], why: str) -> tuple[ToolResponse, ...]:
    """Give a response for each call of a message, in their order; those of which none has come are told why."""
    missing = {each.id: each for each in answering(message.calls, why)}
    return tuple(come.get(call.id, missing[call.id]) for call in message.calls)
