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
from dragoman.protocol.inbound import Refusal, admit, fulfil
from dragoman.protocol.jsonrpc import excerpt
from dragoman.protocol.lists import Kind, Page
from dragoman.protocol.mending import members
from dragoman.protocol.salvage import Problem
from dragoman.protocol.steps import Call, Conversation, Pause, Reply, Request
from dragoman.types import (
    CallToolParams,
    CallToolResult,
    ClientCapabilities,
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
    Result,
    encode,
    remember,
)

__all__ = [
    "MAX_IDLE_PAGES",
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
R = TypeVar("R", bound=Result)

# What a result says that is the answer; before 2026-07-28 it says nothing.
_COMPLETE = (None, "complete")
Read: TypeAlias = tuple[T, tuple[Problem, ...]]
"""A value, and the problems that its answer had."""

MAX_ROUNDS = 16
"""How often one request may be answered by a wish for input."""

MAX_PAGES = 10_000
"""How many pages a list may have."""

MAX_IDLE_PAGES = 100
"""How many pages in a row may bring nothing new."""


def call_tool(
    params: CallToolParams,
    meta: dict[str, Any] | None = None,
    *,
    is_repeatable: bool = False,
    mirrored: dict[str, str] | None = None,
    apply_defaults: bool = False,
) -> Conversation[Read[CallToolResult]]:
    """Call a tool; what it reports as an error is a result. `mirrored` are the headers that repeat its arguments."""
    request = _request("tools/call", params, meta)
    if mirrored:
        request = structs.replace(request, mirrored=mirrored)
    reply, (result, problems) = yield from rounds(request, CallToolResult, is_repeatable, apply_defaults)
    if result.is_error and reply.failure is not None:
        # The server only passes on that our own handler failed; the caller gets to see why.
        raise reply.failure
    return result, problems


def read_resource(
    params: ReadResourceParams, meta: dict[str, Any] | None = None, *, apply_defaults: bool = False
) -> Conversation[Read[ReadResourceResult]]:
    """Read a resource."""
    _, found = yield from rounds(_request("resources/read", params, meta), ReadResourceResult, True, apply_defaults)
    return found


def get_prompt(
    params: GetPromptParams, meta: dict[str, Any] | None = None, *, apply_defaults: bool = False
) -> Conversation[Read[GetPromptResult]]:
    """Get a prompt, filled in."""
    _, found = yield from rounds(_request("prompts/get", params, meta), GetPromptResult, True, apply_defaults)
    return found


def complete(params: CompleteParams, meta: dict[str, Any] | None = None) -> Conversation[Read[CompleteResult]]:
    """Ask what could follow in an argument."""
    reply = yield from _answer(_request("completion/complete", params, meta))
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
    reply = yield from _answer(Request(kind.method, params, meta))
    page = kind.read(reply.result)
    if page.result.next_cursor is None or reply.era.leads_on(page.result.next_cursor):
        return page
    return structs.replace(page, result=remember(structs.replace(page.result, next_cursor=None), reply.result))


def every_page(kind: Kind, meta: dict[str, Any] | None = None) -> Conversation[Page]:
    """Get a whole list, page by page.

    A cursor that comes again ends it, as do a great many pages, or many that bring nothing new; that is reported as a
    problem.
    """
    pages: list[Page] = []
    cursors: set[str | None] = set()
    known: set[str] = set()
    cursor: str | None = None
    idle = 0
    while True:
        page = yield from one_page(kind, cursor, meta)
        pages.append(page)
        cursors.add(cursor)
        keys = kind.keys(page)
        idle = idle + 1 if keys <= known else 0
        known |= keys
        cursor = page.result.next_cursor
        if cursor is None:
            return kind.join(pages)
        why = _endless(cursor in cursors, idle, len(pages))
        if why:
            return kind.join(pages, Problem("nextCursor", kind.name, f"the cursor {cursor[:40]!r} {why}"))


def _endless(comes_again: bool, idle: int, pages: int) -> str | None:
    if comes_again:
        return "came twice"
    if idle == MAX_IDLE_PAGES:
        return f"still leads on after {idle} pages with nothing new"
    return f"still leads on after {pages} pages" if pages == MAX_PAGES else None


def _request(method: str, params: Any, meta: dict[str, Any] | None) -> Request:
    """Make a request; the `_meta` in its params joins the caller's, since a message has but one."""
    own = params.meta
    if own is None:
        return Request(method, params, meta)
    known: dict[str, Any] = msgspec.json.decode(own) if isinstance(own, Raw) else own
    return Request(method, structs.replace(params, meta=None), {**known, **(meta or {})})


def _answer(request: Request) -> Conversation[Reply]:
    """Make a request that has to be answered without further input."""
    reply: Reply = yield Call(request)
    if reply.era.input_required(reply.result) is not None:
        raise ProtocolError(f"{request.method} was answered by a wish for input, which is not allowed there")
    return reply


def rounds(
    request: Request, kind: type[R], is_repeatable: bool, apply_defaults: bool
) -> Conversation[tuple[Reply, Read[R]]]:
    """Send a request again and again, each time with the input that the server asked for, until it has an answer.

    2026-07-28, Multi Round-Trip Requests: each round is a request of its own; the state goes back as it came, and only
    if it came.

    Raises:
        UrlElicitationRequired: the server wants the user at a URL, and nobody here takes such requests.
        ProtocolError: the server asks for what was not declared or cannot be read, or never stops asking.
    """
    params = request.params
    for attempt in range(MAX_ROUNDS):
        reply: Reply = yield Call(request, None, is_repeatable)
        if reply.failure is not None and not isinstance(reply.failure, Exception):
            # A handler wants the program to end; that the server could do without its answer changes nothing.
            raise reply.failure
        needed = _found(reply, kind)
        if isinstance(needed, tuple):
            return reply, needed
        questions = _questions(needed, reply, request.method)
        responses = yield from _responses(questions, reply.era.identity.capabilities, apply_defaults)
        if not responses:
            yield Pause(min(2.0, 0.05 * 2**attempt))
        with_input = structs.replace(params, input_responses=responses, request_state=needed.request_state)
        request = structs.replace(request, params=with_input)
    raise ProtocolError(f"the server asked for input {MAX_ROUNDS} times in a row and never answered {request.method}")


def _found(reply: Reply, kind: type[R]) -> Read[R] | InputRequiredResult:
    """Read the answer as what it should be, or as the wish for input that it is instead.

    The answer is read but once, since it may be large: it says itself, among the rest, of which kind it is.
    """
    found = salvage.read(reply.result, kind)
    if found[0].result_type in _COMPLETE and not found[1]:
        return found
    return reply.era.input_required(reply.result) or found


def _questions(needed: InputRequiredResult, reply: Reply, method: str) -> dict[str, InputRequest]:
    """Give the questions by name; all of them can be put to the application, or none is."""
    questions = needed.input_requests or {}
    if not questions and needed.request_state is None:
        raise ProtocolError(f"{method} was answered by a wish for input that does not say for which")
    stated = (members(reply.result) or {}).get("inputRequests", Raw(b"{}"))
    if (members(stated) or {}).keys() != questions.keys():
        raise ProtocolError("the server asks for input that cannot be read", excerpt=excerpt(bytes(stated)))
    for question in questions.values():
        try:
            admit(question.method, question.params_raw, reply.era.identity.capabilities)
        except Refusal as refusal:
            raise _unanswerable(question, questions, refusal, method) from refusal
    return questions


def _responses(
    questions: dict[str, InputRequest], declared: ClientCapabilities, apply_defaults: bool
) -> Conversation[dict[str, Any] | None]:
    responses: dict[str, Any] = {}
    for key, question in questions.items():
        answered = fulfil(question.method, question.params_raw, declared, apply_defaults=apply_defaults)
        responses[key] = Raw((yield from answered))
    return responses or None


def _unanswerable(
    refused: InputRequest, questions: dict[str, InputRequest], refusal: Refusal, method: str
) -> ProtocolError | UrlElicitationRequired:
    if _url_params(refused) is None:
        return ProtocolError(f"the server asks for input that cannot be given: {refusal}")
    # What 2025-11-25 says by an error of its own, so that a caller has one thing to catch.
    urls = tuple(params for each in questions.values() if (params := _url_params(each)) is not None)
    data = {"elicitations": [msgspec.json.decode(encode(params)) for params in urls]}
    error = UrlElicitationRequired(urls[0].message, code=-32042, data=data, method=method)
    error.elicitations = urls
    return error


def _url_params(question: InputRequest) -> ElicitUrlParams | None:
    try:
        params = question.params
    except (msgspec.DecodeError, RecursionError):
        return None
    return params if isinstance(params, ElicitUrlParams) else None
