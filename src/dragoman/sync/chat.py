# generated from src/dragoman/aio/chat.py by tools/unasync.py; do not edit
"""Talk with a model that may use tools: of servers, of hosts and of this program."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack

from dragoman.errors import UsageError
from dragoman.host.policy import Policy
from dragoman.models.chat.events import Usage
from dragoman.models.chat.history import history_from_json, history_to_json, usage_from_json
from dragoman.models.chat.limits import ChatLimits
from dragoman.models.chat.messages import Message, ModelMessage, UserMessage, all_answered, said_by_user
from dragoman.models.chat.turns import ChatReply
from dragoman.models.observing import Observer
from dragoman.models.results import ResultBudget
from dragoman.models.scheduling import ToolLimits
from dragoman.sync.attempts import Approve
from dragoman.sync.chatting.models import ModelLike, find_model, let_go
from dragoman.sync.chatting.turn import Setting, Talk, Turn
from dragoman.sync.runner import ToolRunner
from dragoman.sync.scrutiny import check_names
from dragoman.sync.toolbox import Source
from dragoman.types import ContentBlock, JsonObject, is_object

__all__ = ["Chat", "ChatOptions"]


class ChatOptions(TypedDict, total=False):
    """The options of a chat; all may be left out."""

    system: str | None
    """What the model is to keep to throughout."""

    history: Iterable[Message]
    """What was said before."""

    limits: ChatLimits
    """How much one turn may do, and the whole chat spend."""

    max_tokens: int | None
    """How many tokens one reply may have. Default: the provider's own limit, and 8,192 with Anthropic's."""

    temperature: float | None
    """How freely the model chooses. Default: the provider's own."""

    stop_sequences: Iterable[str]
    """Texts at which a reply ends."""

    tool_tokens: int | None
    """How many tokens the tools' definitions may cost; where they cost more, the model searches for what it needs.
    Default: any number."""

    keep: Iterable[str]
    """The tools that the model is told of even then."""

    tool_limits: ToolLimits
    """How many calls run at once, and in all."""

    budget: ResultBudget
    """How much text of one result the model gets."""

    policy: Policy
    """What may be called without asking, what not, and what not at all. Default: a host's own; all, of other sources."""

    approve: Approve
    """Whom to ask where that policy says so."""

    observers: Iterable[Observer]
    """What sees every call."""

    timeout: float | str | None
    """How long one call may take. Default: the source's own."""


_OF_RUNNER = {
    "tool_limits": "limits",
    "budget": "budget",
    "policy": "policy",
    "approve": "approve",
    "observers": "observers",
    "timeout": "timeout",
}


class Chat:
    """A conversation with a model over the tools of some sources; it closes neither these nor a client of yours.

    Args:
        model: "anthropic:NAME", "openai:NAME", "openai-responses:NAME" or "gemini:NAME", with `@URL` after it for another
            address; an `AnthropicModel` or the like, with a client of your own; a `ScriptedModel`; or a model of yours.
        sources: hosts, clients, functions, or one tool runner, whose own rules then hold.

    Raises:
        UsageError: there is no such model or option, or the option belongs to the runner that was given.
    """

    def __init__(self, model: ModelLike, *sources: Source | ToolRunner, **options: Unpack[ChatOptions]) -> None:
        given: dict[str, Any] = dict(options)
        check_names(given, ChatOptions)
        runner = _runner(sources, given)
        setting = Setting(
            given.get("system"),
            given.get("limits") or ChatLimits(),
            given.get("tool_tokens"),
            tuple(given.get("keep") or ()),
            given.get("max_tokens"),
            given.get("temperature"),
            tuple(given.get("stop_sequences") or ()),
        )
        history = list(all_answered(list(given.get("history") or ()), "nothing is known of what came of this call"))
        self._talk = Talk(find_model(model), runner, setting, history, Usage())
        self._turn: Turn | None = None

    # --------------------------------------------------------------------------------------------------------- talking

    def send(self, *said: str | ContentBlock) -> ChatReply:
        """Say something, and wait for what the turn comes to; pictures and resources are content blocks.

        A turn that is cancelled, or fails, leaves a history that is complete; `proceed` asks for its reply once more.

        Raises:
            ModelUnavailable: the provider is busy, out of order or out of reach; try again later.
            ModelRejected: the provider does not take the request.
            McpError: what the tools' runner raises.
            UsageError: there is nothing to say.
        """
        return _at_its_end(self._begun(_heard(said)))

    def stream(self, *said: str | ContentBlock) -> Turn:
        """Say something, and read the turn event by event, by `for`; what is raised is as for `send`.

        It begins when it is first read. Leave it before its end only by `with`, or by closing it.
        """
        return self._new(_heard(said))

    def proceed(self) -> ChatReply:
        """Go on where a turn failed, or came to a limit, without saying anything new; what is raised is as for `send`.

        Raises:
            UsageError: the model has said all that it had to say.
        """
        if not self._talk.history or isinstance(self._talk.history[-1], ModelMessage):
            raise UsageError("there is nothing that the model has to answer", hint="say something, by `send`")
        return _at_its_end(self._begun(None))

    def _begun(self, message: UserMessage | None) -> Turn:
        if self._turn is not None:
            self._turn.close()
        return self._new(message)

    def _new(self, message: UserMessage | None) -> Turn:
        if self._turn is not None and not self._turn.is_ended:
            raise UsageError("the turn before is not at its end", hint="read it to its end, or close it")
        self._turn = Turn(self._talk, message)
        return self._turn

    # -------------------------------------------------------------------------------------------------- what was said

    @property
    def history(self) -> tuple[Message, ...]:
        """All that was said up to now, in no provider's words; every call in it is answered."""
        return tuple(self._talk.history)

    @property
    def usage(self) -> Usage:
        """The tokens that were used up to now."""
        return self._talk.usage

    @property
    def runner(self) -> ToolRunner:
        """What runs the tools."""
        return self._talk.runner

    def to_json(self) -> JsonObject:
        """Give the conversation as JSON, to go on with it another time, with this model or another."""
        usage = self._talk.usage
        return {
            "system": self._talk.setting.system,
            "history": history_to_json(self._talk.history),
            "usage": {"input": usage.input, "output": usage.output, "cached": usage.cached},
        }

    @classmethod
    def from_json(
        cls, json: Any, model: ModelLike, *sources: Source | ToolRunner, **options: Unpack[ChatOptions]
    ) -> Self:
        """Go on with a conversation that `to_json` gave.

        Raises:
            UsageError: it is none.
        """
        if not is_object(json):
            raise UsageError(f"a {type(json).__name__} is no chat", hint="give what `to_json` gave")
        resumed: Any = {"system": json.get("system"), **options, "history": history_from_json(json.get("history"))}
        chat = cls(model, *sources, **resumed)
        chat._talk.usage = usage_from_json(json.get("usage"))
        return chat

    # ----------------------------------------------------------------------------------------------------------- ending

    def close(self) -> None:
        """End a turn that goes on, and close what was opened for the model."""
        if self._turn is not None:
            self._turn.close()
        let_go(self._talk.model)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {self._talk.model.name}, {len(self._talk.history)} messages>"


def _heard(said: tuple[str | ContentBlock, ...]) -> UserMessage:
    if not any(not isinstance(each, str) or each.strip() for each in said):
        raise UsageError("there is nothing to say", hint="give text, or content blocks")
    return said_by_user(*said)


def _at_its_end(turn: Turn) -> ChatReply:
    with turn:
        for _ in turn:
            pass
    return turn.reply


def _runner(sources: tuple[Any, ...], options: dict[str, Any]) -> ToolRunner:
    """Give the runner of a chat: the one that is its source, or one for all of its sources."""
    own = {name: options[option] for option, name in _OF_RUNNER.items() if option in options}
    given = [source for source in sources if isinstance(source, ToolRunner)]
    if not given:
        # A chat goes on: what a model can do nothing about, it is at least told.
        return ToolRunner(*sources, on_protocol_error="message", on_line_error="message", **own)
    if len(sources) > 1:
        raise UsageError("a tool runner is the only source of a chat", hint="give the runner all of the sources")
    if own:
        raise UsageError(f"{', '.join(own)} are the runner's own", hint="give them to the runner")
    return given[0]
