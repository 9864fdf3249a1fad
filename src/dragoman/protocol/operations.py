"""One conversation for each thing that a client can ask of a server.

Each returns what it read and the problems it met on the way: what was bad in the answer, item by item.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Raw, structs

from dragoman.errors import ProtocolError, UrlElicitationRequired
from dragoman.protocol import salvage
from dragoman.protocol.eras import Era
from dragoman.protocol.inbound import Refusal, fulfil
from dragoman.protocol.lists import Kind, Page
from dragoman.protocol.salvage import Problem
from dragoman.protocol.steps import Call, Conversation, Pause, Reply, Request
from dragoman.types import (
    CallToolParams,
    CallToolResult,
    CompleteParams,
    CompleteResult,
    ElicitUrlParams,
    GetPromptParams,
    GetPromptResult,
    InputRequest,
    InputRequiredResult,
    ListParams,
    ReadResourceParams,
    ReadResourceResult,
)

__all__ = [
    "MAX_PAGES",
    "MAX_ROUNDS",
    "Read",
    "ask",
    "call_tool",
    "complete",
    "every_page",
    "get_prompt",
    "one_page",
    "ping",
    "read_resource",
    "rounds",
]

T = TypeVar("T")
Read: TypeAlias = tuple[T, tuple[Problem, ...]]
"""A value, and the problems that its answer had."""

MAX_ROUNDS = 16
"""How often one request may be answered by a wish for input."""

MAX_PAGES = 10_000
"""How many pages a list may have."""


def call_tool(
    params: CallToolParams, meta: dict[str, Any] | None = None, *, is_repeatable: bool = False, **taste: Any
) -> Conversation[Read[CallToolResult]]:
    """Call a tool; what it reports as an error is a result."""
    reply = yield from rounds(Request("tools/call", params, meta), is_repeatable=is_repeatable, **taste)
    result, problems = salvage.read(reply.result, CallToolResult)
    if result.is_error and reply.failure is not None:
        # The server only passes on that our own handler failed; the caller gets to see why.
        raise reply.failure
    return result, problems


def read_resource(
    params: ReadResourceParams, meta: dict[str, Any] | None = None, **taste: Any
) -> Conversation[Read[ReadResourceResult]]:
    """Read a resource."""
    reply = yield from rounds(Request("resources/read", params, meta), **taste)
    return salvage.read(reply.result, ReadResourceResult)


def get_prompt(
    params: GetPromptParams, meta: dict[str, Any] | None = None, **taste: Any
) -> Conversation[Read[GetPromptResult]]:
    """Get a prompt, filled in."""
    reply = yield from rounds(Request("prompts/get", params, meta), **taste)
    return salvage.read(reply.result, GetPromptResult)


def complete(params: CompleteParams, meta: dict[str, Any] | None = None) -> Conversation[Read[CompleteResult]]:
    """Ask what could follow in an argument."""
    reply = yield Call(Request("completion/complete", params, meta))
    return salvage.read(reply.result, CompleteResult)


def ping(era: Era) -> Conversation[None]:
    """Ask for any answer."""
    yield Call(era.ping())


def ask(request: Request) -> Conversation[None]:
    """Make a request of which only the success matters."""
    yield Call(request)


def one_page(kind: Kind, cursor: str | None, meta: dict[str, Any] | None = None) -> Conversation[Page]:
    """Get one page of a list; `cursor` is where it starts, None for the first."""
    params = ListParams(cursor=cursor) if cursor is not None else None
    reply = yield Call(Request(kind.method, params, meta))
    return kind.read(reply.result)


def every_page(kind: Kind, meta: dict[str, Any] | None = None) -> Conversation[Page]:
    """Get a whole list, page by page.

    A cursor that comes again ends it, as does a page that brings nothing new on a list that never ends; both are
    reported as problems.
    """
    pages: list[Page] = []
    seen: set[str] = set()
    cursor: str | None = None
    while True:
        page = yield from one_page(kind, cursor, meta)
        pages.append(page)
        # Some servers write an empty cursor where there is none.
        cursor = page.result.next_cursor or None
        if cursor is None:
            return kind.join(pages)
        if cursor in seen or len(pages) == MAX_PAGES:
            why = "came twice" if cursor in seen else f"still goes on after {MAX_PAGES} pages"
            return kind.join(pages, Problem("nextCursor", kind.name, f"the cursor {cursor[:40]!r} {why}"))
        seen.add(cursor)


def rounds(request: Request, *, is_repeatable: bool = True, apply_defaults: bool = False) -> Conversation[Reply]:
    """Send a request again and again, each time with the input that the server asked for, until it has an answer.

    2026-07-28, Multi Round-Trip Requests: each round is a request of its own; the state goes back as it came, and only
    if it came.

    Raises:
        UrlElicitationRequired: the server wants the user at a URL, and nobody here takes such requests.
        ProtocolError: the server asks for what was not declared, or never stops asking.
    """
    params = request.params
    for attempt in range(MAX_ROUNDS):
        reply: Reply = yield Call(request, is_repeatable=is_repeatable)
        needed = reply.era.input_required(reply.result)
        if needed is None:
            return reply
        responses = yield from _responses(needed, reply.era, apply_defaults)
        if not responses:
            yield Pause(min(2.0, 0.05 * 2**attempt))
        with_input = structs.replace(params, input_responses=responses, request_state=needed.request_state)
        request = structs.replace(request, params=with_input)
    raise ProtocolError(f"the server asked for input {MAX_ROUNDS} times in a row and never answered {request.method}")


def _responses(needed: InputRequiredResult, era: Era, apply_defaults: bool) -> Conversation[dict[str, Any] | None]:
    declared = era.identity.capabilities
    responses: dict[str, Any] = {}
    for key, question in (needed.input_requests or {}).items():
        try:
            answered = fulfil(question.method, question.params_raw, declared, apply_defaults=apply_defaults)
            responses[key] = Raw((yield from answered))
        except Refusal as refusal:
            raise _unanswerable(question, refusal) from refusal
    return responses or None


def _unanswerable(question: InputRequest, refusal: Refusal) -> Exception:
    if question.method == "elicitation/create":
        try:
            params = question.params
        except msgspec.DecodeError:
            return ProtocolError(f"the server asks for input that cannot be given: {refusal}")
        if isinstance(params, ElicitUrlParams):
            # What 2025-11-25 says by an error of its own, so that a caller has one thing to catch.
            error = UrlElicitationRequired(params.message, code=-32042, method=question.method)
            error.elicitations = (params,)
            return error
    return ProtocolError(f"the server asks for input that cannot be given: {refusal}")
