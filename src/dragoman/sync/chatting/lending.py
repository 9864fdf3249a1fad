# generated from src/dragoman/aio/chatting/lending.py by tools/unasync.py; do not edit
"""Lend a model to servers: what answers their `sampling/createMessage`, with leave, and within a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from dragoman.errors import PolicyDenied, UsageError
from dragoman.models.chat.events import Usage
from dragoman.models.chat.joining import Joiner
from dragoman.models.chat.request import ModelRequest
from dragoman.models.chat.sampling import answer_of, preferred, request_of
from dragoman.sync._runtime import Guard, call_foreign
from dragoman.sync.chatting.models import ModelLike, find_model, is_model, let_go
from dragoman.types import CreateMessageParams, CreateMessageResult
from dragoman.views import Context, Question

__all__ = ["Sampling", "lent"]

Approving: TypeAlias = Callable[[Question], bool]


class Sampling:
    """Answers servers with a model; to be given to `connect`, or to a host, as `sampling`. Owns what has been spent.

    What it opens for a model it closes when no server waits for an answer any more.

    Args:
        models: what a chat takes as a model. A server's hints choose among several; where none fits, it is the first.
        approve: is asked before each request, besides what the connection's own `approve` says.
        calls: how many requests are answered in all, None for any number.
        tokens: how many tokens may be used in all, None for any number.
        max_tokens: how many tokens one answer may have, whatever the server asks for; None for what it asks for.

    Raises:
        UsageError: there is no such model.
    """

    takes_tools = True
    """That servers may send tools for the model to call, which clients declare (2025-11-25, Sampling)."""

    def __init__(
        self,
        *models: ModelLike,
        approve: Approving | None = None,
        calls: int | None = None,
        tokens: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        if not models:
            raise UsageError("there is no model to lend", hint='give one, such as "anthropic:NAME"')
        self._models = [find_model(model) for model in models]
        self._approve = approve
        self._most_calls, self._most_tokens, self._most = calls, tokens, max_tokens
        self._guard = Guard()
        self._calls = 0
        self._usage = Usage()
        self._promised = 0
        self._going_on = 0

    @property
    def calls(self) -> int:
        """How many requests went to a model."""
        return self._calls

    @property
    def usage(self) -> Usage:
        """The tokens that they used."""
        return self._usage

    @property
    def asks(self) -> bool:
        """Whether somebody is asked before each request."""
        return self._approve is not None

    def __call__(self, params: CreateMessageParams, context: Context) -> CreateMessageResult:
        """Answer a server.

        Raises:
            PolicyDenied: it was not approved, or the budget is used up. ModelError: the model gave no answer.
        """
        if self._approve is not None:
            question = Question("sampling/createMessage", params, context.server)
            if not call_foreign(self._approve, question):
                raise PolicyDenied("sampling/createMessage was not approved", server=context.server)
        model = preferred(self._models, params.model_preferences)
        request = request_of(params, model.format, self._most)
        promised = self._begin(request, context.server)
        joiner = Joiner(model.name)
        try:
            for event in model.stream(request):
                joiner.add(event)
        finally:
            self._end(promised, joiner.usage)
        return answer_of(joiner.reply(), request.tools, model.name)

    def _begin(self, request: ModelRequest, server: str) -> int:
        """Set aside what a request may use, and give how much that is."""
        promised = request.max_tokens or 0
        with self._guard:
            spent = self._usage.total + self._promised
            if self._most_calls is not None and self._calls >= self._most_calls:
                raise _spent(f"{self._most_calls} requests", server)
            if self._most_tokens is not None and spent + promised > self._most_tokens:
                raise _spent(f"{self._most_tokens} tokens", server)
            self._calls += 1
            self._promised += promised
            self._going_on += 1
        return promised

    def _end(self, promised: int, used: Usage) -> None:
        with self._guard:
            self._usage += used
            self._promised -= promised
            self._going_on -= 1
            is_idle = not self._going_on
        for model in self._models if is_idle else ():
            let_go(model)


def _spent(what: str, server: str) -> PolicyDenied:
    return PolicyDenied(f"the budget of {what} for sampling does not allow it", server=server)


def lent(given: Any, gate: Any) -> Callable[..., Any] | None:
    """Give what answers sampling requests: a function as it is, a model as a handler that uses it.

    Raises:
        UsageError: a model would be lent, and nobody is asked.
    """
    if is_model(given):
        given = Sampling(given)
    if isinstance(given, Sampling) and gate is None and not given.asks:
        raise UsageError(
            "a model is lent to servers, and nobody is asked",
            hint="give `approve`, as `ask_on_terminal`, or a function that allows everything",
        )
    return given  # type: ignore[no-any-return]
