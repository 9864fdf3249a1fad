# generated from src/dragoman/aio/handlers.py by tools/unasync.py; do not edit
"""The application's side: its functions, called as they want to be called, with what a server asks or tells."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct, structs

from dragoman.deadline import Deadline
from dragoman.errors import PolicyDenied, UsageError
from dragoman.sync._runtime import GaveUp, call_foreign, in_time
from dragoman.types import (
    ClientCapabilities,
    ElicitationCapability,
    ElicitResult,
    ElicitUrlParams,
    ProgressParams,
    QuestionParams,
    Root,
    RootsCapability,
    SamplingCapability,
)
from dragoman.views import Context, Question

__all__ = ["Consumer", "Handlers", "consumer", "read_root", "safely", "sampling_handler"]

log = logging.getLogger("dragoman.sync")


class Consumer(Struct, frozen=True):
    """A function of the application's, which is called with a value, and with its context if it takes one."""

    function: Callable[..., Any]
    takes_context: bool

    def __call__(self, value: Any, context: Context) -> Any:
        """Call the function and return what it returns."""
        if self.takes_context:
            return call_foreign(self.function, value, context)
        return call_foreign(self.function, value)


def consumer(function: Callable[..., Any] | None) -> Consumer | None:
    """Find out whether a function takes a context: a second argument that has no default, or that name.

    Raises:
        UsageError: it is no function.
    """
    if function is None:
        return None
    if not callable(function):
        raise UsageError(f"a {type(function).__name__} cannot be called", hint="give a function")
    return Consumer(function, _takes_context(function))


def _takes_context(function: Callable[..., Any]) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        # Some builtins tell nothing about themselves; they were not written with a context in mind.
        return False
    positional = [each for each in parameters if each.kind in {each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD}]
    return len(positional) > 1 and (positional[1].default is inspect.Parameter.empty or positional[1].name == "context")


class Handlers:
    """What the application answers and wants to hear; owned by its client, and fixed once it is connected.

    Only the roots change: `roots` is the current list.
    """

    def __init__(
        self,
        *,
        roots: Iterable[Root | str] | None,
        sampling: Any,
        elicitation: Callable[..., Any] | None,
        url_elicitation: Callable[..., Any] | None,
        approve: Callable[..., Any] | None,
        on_progress: Callable[..., Any] | None,
    ) -> None:
        self.roots = None if roots is None else [read_root(each) for each in roots]
        self._sampling = consumer(sampling_handler(sampling, approve))
        self._elicitation = consumer(elicitation)
        self._url_elicitation = consumer(url_elicitation)
        self._approve = approve
        self._on_progress = consumer(on_progress)

    def capabilities(self, stated: ClientCapabilities | None) -> ClientCapabilities:
        """Declare what there are handlers for, unless the application stated its capabilities itself.

        Raises:
            UsageError: it stated one that there is no handler for.
        """
        if stated is not None:
            return self._checked(stated)
        form, url = self._elicitation is not None, self._url_elicitation is not None
        return ClientCapabilities(
            roots=None if self.roots is None else RootsCapability(list_changed=True),
            sampling=_sampling_capability(self._sampling),
            elicitation=ElicitationCapability(form={} if form else None, url={} if url else None)
            if form or url
            else None,
        )

    def _checked(self, stated: ClientCapabilities) -> ClientCapabilities:
        if stated.elicitation == ElicitationCapability():
            # Whoever elicits, and does not say how, does so in every way.
            stated = structs.replace(stated, elicitation=ElicitationCapability(form={}, url={}))
        asks = stated.elicitation
        needed = {
            "roots": (stated.roots, self.roots),
            "sampling": (stated.sampling, self._sampling),
            "elicitation": (asks and asks.form, self._elicitation),
            "url_elicitation": (asks and asks.url, self._url_elicitation),
        }
        for option, (declared, handler) in needed.items():
            if declared is not None and handler is None:
                raise UsageError(
                    f"{option} is declared, and nothing is there for it", hint=f"set the `{option}` option"
                )
        return stated

    def ask(self, method: str, params: QuestionParams, context: Context) -> Any:
        """Put a question of the server's to the application, and return what it answers.

        A handler that is cancelled, as when its dialogue is closed, has cancelled the question.

        Raises:
            PolicyDenied: `approve` said no to a sampling request, or its handler was cancelled.
        """
        if method == "roots/list":
            return list(self.roots or ())
        question = Question(method, params, context.server)
        try:
            if self._approve is not None and not call_foreign(self._approve, question):
                return self._denied(question, "decline", "was not approved")
            return self._handler(method, params)(params, context)
        except GaveUp:
            return self._denied(question, "cancel", "was cancelled by its handler")

    def _denied(self, question: Question, action: str, why: str) -> Any:
        if question.method == "elicitation/create":
            return ElicitResult(action)
        raise PolicyDenied(f"{question.method} {why}", server=question.server)

    def _handler(self, method: str, params: QuestionParams) -> Consumer:
        if method == "sampling/createMessage":
            handler, option = self._sampling, "sampling"
        elif isinstance(params, ElicitUrlParams):
            handler, option = self._url_elicitation, "url_elicitation"
        else:
            handler, option = self._elicitation, "elicitation"
        if handler is None:
            raise PolicyDenied(f"{method} was declared but has no handler", hint=f"set the `{option}` option")
        return handler

    def progress(self, progress: ProgressParams, own: Consumer | None, context: Context, deadline: Deadline) -> None:
        """Tell the caller's own consumer and the client's of the progress of one call.

        Raises:
            TimeoutError: the call's deadline came, and a consumer had not returned.
        """
        for each in (own, self._on_progress):
            if each is not None:
                in_time(deadline, safely, each, progress, context)


def sampling_handler(given: Any, gate: Any) -> Callable[..., Any] | None:
    """Give what answers for a model: a function as it is, or a model as a handler; `gate` is who is asked, if anybody.

    Raises:
        UsageError: a model would be lent, and nobody is asked.
    """
    if given is None or (callable(given) and not hasattr(given, "takes_tools")):
        return given  # type: ignore[no-any-return]
    # Imported here: most who connect lend no model.
    from dragoman.sync.chatting.lending import lent

    return lent(given, gate)


def _sampling_capability(answering: Consumer | None) -> SamplingCapability | None:
    if answering is None:
        return None
    return SamplingCapability(tools={} if getattr(answering.function, "takes_tools", False) else None)


def safely(function: Consumer, value: Any, context: Context) -> None:
    """Call a consumer; when it raises, only this one value is lost, and the log says so."""
    try:
        function(value, context)
    except Exception:
        log.exception("%s: a consumer failed; it has not seen this %s", context.server, type(value).__name__)


def read_root(given: object, name: object = None) -> Root:
    """Read a place that a server may work in.

    Raises:
        UsageError: it is neither a `Root` nor a URI.
    """
    if isinstance(given, Root):
        return given
    if not isinstance(given, str) or not (name is None or isinstance(name, str)):
        raise UsageError(f"{given!r} is no root", hint='give a `Root`, or a URI such as "file:///home/ada"')
    return Root(given, name)
