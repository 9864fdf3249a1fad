"""One turn of a chat: the model replies, its calls are run, it replies again, until it has nothing more to call."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any, Self

from msgspec import Struct, structs

from dragoman.aio.chatting.models import AsyncChatModel
from dragoman.aio.runner import AsyncToolRunner
from dragoman.errors import UsageError
from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.chat.events import ModelReply, Stop, Usage
from dragoman.models.chat.failures import ModelError
from dragoman.models.chat.joining import Joiner
from dragoman.models.chat.limits import ChatLimits
from dragoman.models.chat.messages import Message, ToolMessage, UserMessage, ids_of, text_alone
from dragoman.models.chat.request import ModelRequest
from dragoman.models.chat.turns import ChatEvent, ChatReply, Plan, ToolAnswered, answered_in_order, plan
from dragoman.models.definition import Definitions

__all__ = ["AsyncTurn", "Setting", "Talk"]

_UNFINISHED = "not run: the turn was ended before"


class Setting(Struct, frozen=True):
    """What all turns of a chat have in common.

    Attributes:
        system: what the model is to keep to. limits: how much may be done.
        tool_tokens: how many tokens the tools may cost before they are searched for instead. keep: those that stay.
        max_tokens, temperature, stop_sequences: as in a request.
    """

    system: str | None = None
    limits: ChatLimits = ChatLimits()
    tool_tokens: int | None = None
    keep: tuple[str, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    stop_sequences: tuple[str, ...] = ()


class Talk:
    """What a chat and its turns share; owns the history, which is one that any provider takes at any time."""

    def __init__(
        self, model: AsyncChatModel, runner: AsyncToolRunner, setting: Setting, history: list[Message], usage: Usage
    ) -> None:
        self.model = model
        self.runner = runner
        self.setting = setting
        self.history = history
        self.usage = usage

    async def request(self) -> ModelRequest:
        """Make the next request of the model."""
        setting = self.setting
        tools = await self.runner.definitions(self.model.format, tokens=setting.tool_tokens, keep=setting.keep)
        return ModelRequest(
            tuple(self.history),
            setting.system,
            tools,
            max_tokens=setting.max_tokens,
            temperature=setting.temperature,
            stop_sequences=setting.stop_sequences,
        )


class AsyncTurn:
    """One turn, to be read by `async for`, event by event; nothing goes on that is not waited for.

    Whoever leaves before its end closes it, as `async with` does: what has been said stays in the history.
    """

    def __init__(self, talk: Talk, message: UserMessage | None) -> None:
        self._talk = talk
        self._message = message
        self._reply = ChatReply()
        self._events = self._run()
        self._is_running = False
        self._is_ended = False
        self._is_called_off = False

    # --------------------------------------------------------------------------------------------------- for its reader

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> ChatEvent:
        self._is_running = True
        try:
            return await self._events.__anext__()
        finally:
            self._is_running = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the turn where it is; harmless when it has ended.

        Raises:
            UsageError: somebody else reads it at this moment.
        """
        if self._is_running:
            raise UsageError("the turn before goes on", hint="wait for its end, or cancel who reads it")
        await self._events.aclose()
        self._is_ended = True

    def cancel(self) -> None:
        """End the turn at its next event, from anywhere, as by a button; calls that run come to their end."""
        self._is_called_off = True

    @property
    def reply(self) -> ChatReply:
        """What the turn has come to up to now; all of it at its end."""
        return self._reply

    @property
    def is_ended(self) -> bool:
        """Whether it is at its end, however it came there."""
        return self._is_ended

    # -------------------------------------------------------------------------------------------------------- its course

    async def _run(self) -> AsyncGenerator[ChatEvent, None]:
        if self._message is not None:
            self._talk.history.append(self._message)
        try:
            while self._may_go_on():
                request = await self._talk.request()
                joiner = Joiner(self._talk.model.name, request.tools.names, ids_of(self._talk.history))
                said = self._said(request, joiner)
                try:
                    async for event in said:
                        yield event
                finally:
                    await said.aclose()
                if self._is_called_off:
                    self._left(joiner)
                    return
                planned = self._replied(joiner.reply())
                if planned.message.calls:
                    for response in await self._answered(planned, request.tools):
                        yield ToolAnswered(response)
                if not planned.goes_on:
                    return
        except Exception:
            raise
        except BaseException:
            self._note(stop=Stop.CANCELLED, said="")
            raise
        finally:
            self._is_ended = True

    async def _said(self, request: ModelRequest, joiner: Joiner) -> AsyncGenerator[ChatEvent, None]:
        """Read one reply. One that fails is lost, and can be asked for again; of one that is left, the text is kept."""
        stream = self._talk.model.stream(request)
        try:
            async for event in stream:
                yield joiner.add(event)
                if self._is_called_off:
                    return
        except Exception as error:
            self._lost(joiner, error)
            raise
        except BaseException:
            self._left(joiner)
            raise
        finally:
            await _closed(stream)

    def _may_go_on(self) -> bool:
        if self._is_called_off:
            self._note(stop=Stop.CANCELLED, said="")
            return False
        reached = self._talk.setting.limits.reached(self._reply.rounds, self._talk.usage)
        if reached is not None:
            self._note(stop=Stop.LIMIT, said=reached)
        return reached is None

    def _replied(self, reply: ModelReply) -> Plan:
        """Take a whole reply; one without calls goes into the history at once."""
        left = self._talk.setting.limits.left(len(self._reply.responses))
        planned = plan(reply, left)
        self._used(reply.usage)
        self._note(stop=reply.stop, said=reply.said, rounds=self._reply.rounds + 1)
        if planned.message.parts and not planned.message.calls:
            self._keep(planned.message)
        return planned

    async def _answered(self, planned: Plan, tools: Definitions) -> tuple[ToolResponse, ...]:
        """Run calls; reply and responses go into the history together, whatever happens between."""
        aliases = {own: name for name, own in tools.names.items()}
        names = {call.id: call.name for call in planned.running}
        come = {response.id: response for response in planned.refused}

        def done(response: ToolResponse) -> None:
            come[response.id] = structs.replace(response, name=names[response.id])

        calls = [ToolCall(call.id, aliases.get(call.name, call.name), call.arguments) for call in planned.running]
        try:
            await self._talk.runner.answer(calls, format=self._talk.model.format, done=done)
        finally:
            responses = answered_in_order(planned.message, come, _UNFINISHED)
            self._keep(planned.message, ToolMessage(responses))
            self._note(responses=(*self._reply.responses, *responses))
        return responses

    def _lost(self, joiner: Joiner, error: Exception) -> None:
        """Note what a reply had come to that failed; it is no part of the history."""
        self._used(joiner.usage)
        if isinstance(error, ModelError):
            error.partial = joiner.message

    def _left(self, joiner: Joiner) -> None:
        """Keep the text of a reply that nobody reads on: the user has seen it."""
        self._used(joiner.usage)
        self._note(stop=Stop.CANCELLED, said="")
        message = text_alone(joiner.message)
        if message.text:
            self._keep(message)

    def _keep(self, *messages: Message) -> None:
        self._talk.history += messages
        self._note(messages=(*self._reply.messages, *messages))

    def _used(self, usage: Usage) -> None:
        self._talk.usage += usage
        self._note(usage=self._reply.usage + usage)

    def _note(self, **facts: Any) -> None:
        self._reply = structs.replace(self._reply, **facts)


async def _closed(stream: Any) -> None:
    """Close a model's stream, which may be any iterator."""
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
