"""What a server says unasked: its questions, answered as conversations, and its notifications, read as events.

The same questions come in both eras, as requests of the server's or inside an input-required result; `fulfil` answers
either. What the application gives back may be short: text for a model's message, a dict for a filled-in form, a bool
for yes or no.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, Struct, UnsetType, structs

from dragoman.errors import BadSchema, ProtocolError, UsageError
from dragoman.protocol import salvage, schemas
from dragoman.protocol.jsonrpc import Message, excerpt
from dragoman.protocol.steps import Ask, Conversation
from dragoman.types import (
    UNREADABLE,
    CancelledParams,
    ClientCapabilities,
    CreateMessageParams,
    CreateMessageResult,
    ElicitationCompleteParams,
    ElicitFormParams,
    ElicitResult,
    ElicitUrlParams,
    ListRootsResult,
    LogMessage,
    ProgressParams,
    QuestionParams,
    RequestId,
    ResourceUpdatedParams,
    Root,
    SubscriptionFilter,
    SubscriptionsAcknowledgedParams,
    ToolResultContent,
    ToolUseContent,
    Wire,
    dump,
    encode,
    leniently,
    read_question_params,
)
from dragoman.types import decode as decode_as
from dragoman.types.numbers import check_numbers

__all__ = [
    "Acknowledged",
    "Cancelled",
    "ElicitationCompleted",
    "Event",
    "ListChanged",
    "Logged",
    "Other",
    "Refusal",
    "ResourceUpdated",
    "admit",
    "fulfil",
    "read_event",
    "read_progress",
]

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602


class Refusal(Exception):
    """Why a question of the server's is not put to the application: the code and message of an error answer."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def fulfil(
    method: str, params: Raw | UnsetType, declared: ClientCapabilities, *, apply_defaults: bool = False
) -> Conversation[bytes]:
    """Answer one question of the server's and return the encoded result.

    Raises:
        Refusal: the question is unknown, not readable, or for something that was not declared.
        UsageError: what the application answered does not fit the question.
    """
    if method == "ping":
        return b"{}"
    question = admit(method, params, declared)
    answer = yield Ask(method, question)
    return _encoded(_result(question, answer, apply_defaults), method, dump)


# ------------------------------------------------------------------------------------------- which questions are put


def admit(method: str, params: Raw | UnsetType, declared: ClientCapabilities) -> QuestionParams:
    """Read a question that may be put to the application, in the light of what was declared.

    Raises:
        Refusal: the question is unknown, not readable, or for something that was not declared.
    """
    if not _is_declared(method, declared):
        raise Refusal(METHOD_NOT_FOUND, f"this client does not offer {method}")
    try:
        question = read_question_params(method, params)
    except UNREADABLE as error:
        raise Refusal(INVALID_PARAMS, f"the params of {method} cannot be read: {error}") from error
    reason = _unsuitable(question, declared)
    if reason:
        raise Refusal(INVALID_PARAMS, reason)
    return question


def _is_declared(method: str, declared: ClientCapabilities) -> bool:
    offered = {
        "roots/list": declared.roots,
        "sampling/createMessage": declared.sampling,
        "elicitation/create": declared.elicitation,
    }
    return offered.get(method) is not None


def _unsuitable(question: QuestionParams, declared: ClientCapabilities) -> str | None:
    """Say why a question is not one for this client, though its method is."""
    elicitation, sampling = declared.elicitation, declared.sampling
    if isinstance(question, ElicitUrlParams) and (elicitation is None or elicitation.url is None):
        return "this client does not take elicitation in URL mode"
    if isinstance(question, ElicitFormParams):
        # 2025-11-25, Elicitation: an empty capability stands for form mode.
        only_url = elicitation is not None and elicitation.form is None and elicitation.url is not None
        return "this client does not take elicitation in form mode" if only_url else _unusable_form(question)
    if isinstance(question, CreateMessageParams):
        takes_tools = sampling is not None and sampling.tools is not None
        if not takes_tools and (question.tools is not None or question.tool_choice is not None):
            return "this client does not take sampling with tools"
        return _unanswered(question)
    return None


def _unanswered(question: CreateMessageParams) -> str | None:
    """Say whether a conversation has calls and results that are none of each other's, as no model takes it.

    2025-11-25, Sampling, Message Content Constraints and Tool Use and Result Balance.
    """
    made: set[str] = set()
    for message in question.messages:
        results = {block.tool_use_id for block in message.blocks if isinstance(block, ToolResultContent)}
        if results and not all(isinstance(block, ToolResultContent) for block in message.blocks):
            return "tool results are mixed with other content in a message"
        if made - results:
            return f"a tool result is missing: {_one_of(made - results)} is called and not answered"
        if results - made:
            return f"a tool result is for {_one_of(results - made)}, which the message before does not call"
        made = {block.id for block in message.blocks if isinstance(block, ToolUseContent)}
    return f"a tool result is missing: {_one_of(made)} is called and not answered" if made else None


def _one_of(ids: set[str]) -> str:
    return excerpt(min(ids).encode("utf-8", "replace"), 80)


def _unusable_form(question: ElicitFormParams) -> str | None:
    # Better said now than after the user has filled it in.
    try:
        schemas.compile_schema(question.requested_schema, checks_formats=True)
    except BadSchema as error:
        return f"requestedSchema: {error.message}"
    return None


# ------------------------------------------------------------------------------------------ what the application says


def _result(question: QuestionParams, answer: Any, apply_defaults: bool) -> Wire:
    if isinstance(question, ElicitFormParams):
        return _filled_in(_elicited(answer), question, apply_defaults)
    if isinstance(question, ElicitUrlParams):
        # Elicitation, URL mode: there is no content; what the user says at the URL is not for us.
        return structs.replace(_elicited(answer), content=None)
    return _sampled(answer) if isinstance(question, CreateMessageParams) else _roots(answer)


def _sampled(answer: Any) -> CreateMessageResult:
    if isinstance(answer, str):
        return CreateMessageResult.from_text(answer, "unnamed")
    if isinstance(answer, CreateMessageResult):
        return answer
    raise UsageError(
        f"a sampling handler returned {type(answer).__name__}", hint="return a CreateMessageResult, or text"
    )


def _roots(answer: Any) -> ListRootsResult:
    if isinstance(answer, ListRootsResult):
        return answer
    if isinstance(answer, Iterable) and not isinstance(answer, str):
        return ListRootsResult(tuple(each if isinstance(each, Root) else Root(str(each)) for each in answer))
    raise UsageError(f"the roots are {type(answer).__name__}", hint="give a list of Root, or of file:// URIs")


def _elicited(answer: Any) -> ElicitResult:
    match answer:
        case ElicitResult(action="accept" | "decline" | "cancel"):
            return answer
        case ElicitResult():
            raise UsageError(f"there is no action {answer.action!r}", hint="it is accept, decline or cancel")
        case dict():
            return ElicitResult("accept", answer)
        case True:
            return ElicitResult("accept")
        case False:
            return ElicitResult("decline")
        case None:
            return ElicitResult("cancel")
    raise UsageError(
        f"an elicitation handler returned {type(answer).__name__}",
        hint="return an ElicitResult, a dict (accept), True, False (decline) or None (cancel)",
    )


def _filled_in(result: ElicitResult, question: ElicitFormParams, apply_defaults: bool) -> ElicitResult:
    if result.action != "accept":
        return result
    content = _plain_json(result.content or {})
    if apply_defaults:
        content = schemas.fill_defaults(question.requested_schema, content)
    violations = schemas.elicitation_violations(question.requested_schema, content)
    if violations:
        raise UsageError(
            f"the elicitation was answered with content that its form does not allow: {'; '.join(map(str, violations))}"
        )
    return ElicitResult("accept", content, meta=result.meta)


def _plain_json(content: dict[str, Any]) -> Any:
    """Give content as the server will read it: a date as its text, a tuple as an array."""
    return msgspec.json.decode(_encoded(content, "elicitation/create", encode))


def _encoded(value: Any, method: str, write: Callable[[Any], bytes]) -> bytes:
    try:
        written = write(value)
        check_numbers(value, written)
    except (TypeError, ValueError, RecursionError, NotImplementedError) as error:
        raise UsageError(f"{method} was answered with what cannot be written as JSON: {error}") from error
    return written


# --------------------------------------------------------------------------------------------------------------- news


class ListChanged(Struct, frozen=True):
    """A list of the server's is no longer what it was; `kind` is "tools", "resources" or "prompts"."""

    kind: str


class ResourceUpdated(Struct, frozen=True):
    """A resource that is watched has changed."""

    uri: str


class Logged(Struct, frozen=True):
    """The server has something to log."""

    message: LogMessage


class ElicitationCompleted(Struct, frozen=True):
    """The user is done with a URL elicitation."""

    elicitation_id: str


class Acknowledged(Struct, frozen=True):
    """A listen stream is open; `filter` is what the server really watches."""

    filter: SubscriptionFilter


class Cancelled(Struct, frozen=True):
    """The server ends a request: a listen stream of ours, or a question of its own."""

    request_id: RequestId | None


class Other(Struct, frozen=True):
    """A notification that this library does not know, or whose params it cannot read."""

    method: str
    params: Any


Event: TypeAlias = ListChanged | ResourceUpdated | Logged | ElicitationCompleted | Acknowledged | Cancelled | Other

_NOTHING = Raw(b"{}")
_LISTS = {
    "notifications/tools/list_changed": "tools",
    "notifications/resources/list_changed": "resources",
    "notifications/prompts/list_changed": "prompts",
}


def read_event(message: Message) -> Event:
    """Read a notification of the server's; one that cannot be read comes as `Other`.

    A log message loses no more than the part that cannot be read: it is for people.
    """
    method = str(message.method)
    if method in _LISTS:
        return ListChanged(_LISTS[method])
    try:
        stated = _NOTHING if isinstance(message.params, UnsetType) else message.params
        return leniently(lambda params: _read(method, params), stated)
    except (*UNREADABLE, ProtocolError):
        return Other(method, _plain(message.params))


def _read(method: str, params: bytes | Raw) -> Event:
    match method:
        case "notifications/message":
            return Logged(salvage.read(params, LogMessage)[0])
        case "notifications/resources/updated":
            return ResourceUpdated(decode_as(params, ResourceUpdatedParams).uri)
        case "notifications/elicitation/complete":
            return ElicitationCompleted(decode_as(params, ElicitationCompleteParams).elicitation_id)
        case "notifications/subscriptions/acknowledged":
            return Acknowledged(decode_as(params, SubscriptionsAcknowledgedParams).notifications)
        case "notifications/cancelled":
            return Cancelled(decode_as(params, CancelledParams).request_id)
    return Other(method, msgspec.json.decode(params))


def _plain(params: Raw | UnsetType) -> Any:
    try:
        return None if isinstance(params, UnsetType) else leniently(msgspec.json.decode, params)
    except UNREADABLE:
        return None


def read_progress(message: Message) -> ProgressParams | None:
    """Read `notifications/progress`; None for any other message and for what cannot be read as progress."""
    if message.method != "notifications/progress" or isinstance(message.params, UnsetType):
        return None
    try:
        return salvage.read(message.params, ProgressParams)[0]
    except ProtocolError:
        return None
