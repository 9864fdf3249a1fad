"""Bytes to messages and back: JSON-RPC 2.0 as MCP uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, structs

from dragoman.errors import (
    HeaderMismatch,
    InvalidParams,
    MethodNotFound,
    MissingClientCapability,
    ProtocolError,
    ResourceNotFound,
    ServerError,
    UnsupportedProtocolVersion,
    UrlElicitationRequired,
)
from dragoman.protocol.redaction import redacted
from dragoman.types import UNREADABLE, ElicitUrlParams, leniently
from dragoman.types import decode as decode_as

__all__ = [
    "MAX_BATCH",
    "OPENINGS",
    "SHORTEST",
    "ErrorObject",
    "Message",
    "RequestId",
    "claimed_id",
    "decode",
    "encode_error",
    "encode_notification",
    "encode_request",
    "encode_result",
    "excerpt",
    "read_error",
    "seems_answer",
]

RequestId = int | str

MAX_BATCH = 10_000
"""How many messages one batch may hold."""

OPENINGS = (b"{", b"[", b" ", b"\t", b"\xef\xbb\xbf")
"""What a message may begin with; whatever begins otherwise is none."""

SHORTEST = len(b'{"method":"a"}')
"""How many bytes a message has at least."""

# Bytes beyond those that are shown: what is concealed makes room for what follows.
_ENOUGH = 1024
_NOTIFICATIONS = "notifications/"
_OUTCOME = re.compile(rb'"(?:result|error)"\s*:')
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,64}")')


class ErrorObject(Struct, frozen=True):
    """The error member of an answer (JSON-RPC 2.0, section 5.1)."""

    code: int = 0
    message: str = ""
    data: Any = None


class Message(Struct, frozen=True):
    """One message as it came: a request, a notification or an answer, its parts still raw JSON."""

    id: int | str | float | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET

    @property
    def is_answer(self) -> bool:
        """Whether this ends a request: it names no method, and has a result or an error."""
        return self.method is UNSET

    @property
    def is_request(self) -> bool:
        """Whether the server wants this answered. A notification may have null for the id that it does not have."""
        if self.method is UNSET or self.id is UNSET:
            return False
        return self.id is not None or not self.method.startswith(_NOTIFICATIONS)


class _Answer(Struct):
    """An answer as servers write it whose encoder writes null for what is absent."""

    id: int | str | float | UnsetType | None = UNSET
    method: None = None
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


_message = msgspec.json.Decoder(Message)
_answer = msgspec.json.Decoder(_Answer)
_members = msgspec.json.Decoder(dict[str, Raw])
_batch = msgspec.json.Decoder(Annotated[list[Raw], Meta(max_length=MAX_BATCH)])


def decode(data: bytes) -> list[Message]:
    """Read what one line, event or body holds: one message, or the several of a 2025-03-26 batch.

    Bytes that are not UTF-8, lone surrogates and NaN cost the characters concerned, not the message; a bad message costs
    no other of its batch. What a message need not have may be null in it.

    Raises:
        ProtocolError: it is not JSON, or not JSON-RPC; the excerpt shows how it begins.
    """
    try:
        message = _message.decode(data)
    except UNREADABLE:
        return _patiently_decoded(data)
    if message.error is UNSET and (message.result is UNSET) is not (message.method is UNSET):
        return [message]
    return _patiently_decoded(data)


def _patiently_decoded(data: bytes) -> list[Message]:
    try:
        return leniently(_decode, data)
    except UNREADABLE as error:
        raise _no_message(data) from error


def _no_message(data: bytes) -> ProtocolError:
    return ProtocolError("this is not a JSON-RPC message", excerpt=excerpt(data))


def _decode(data: bytes) -> list[Message]:
    if not data.startswith(b"["):
        return [_one(data)]
    items = _items(data)
    messages = [message for each in items if (message := _one_of_several(each))]
    if items and not messages:
        raise _no_message(data)
    return messages


def _items(data: bytes) -> list[Raw]:
    """Take a batch apart; an array of millions that are no messages is turned away before each of them is looked at."""
    if len(data) > MAX_BATCH and b"{" not in data:
        raise _no_message(data)
    try:
        return _batch.decode(data)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"a batch of more than {MAX_BATCH:,} messages", excerpt=excerpt(data)) from error


def _one_of_several(data: Raw) -> Message | None:
    """Read an item of a batch; a bad one costs itself."""
    try:
        return leniently(_one, data)
    except UNREADABLE:
        return None


def _one(data: bytes | Raw) -> Message:
    try:
        message = _message.decode(data)
    except msgspec.ValidationError:
        answer = _answer.decode(data)
        message = Message(answer.id, UNSET, UNSET, answer.result, answer.error)
    if message.error is not UNSET and bytes(message.error) == b"null":
        message = structs.replace(message, error=UNSET)
    if message.method is not UNSET and message.result is not UNSET and bytes(message.result) == b"null":
        # No method has null for its result: this is written by whoever writes null for all that is absent.
        message = structs.replace(message, result=UNSET)
    if message.result is not UNSET or message.error is not UNSET:
        # Whoever answers and repeats the question answers all the same.
        return structs.replace(message, method=UNSET)
    if message.method is UNSET:
        raise msgspec.ValidationError("neither a method nor a result nor an error")
    return message


def seems_answer(line: bytes) -> bool:
    """Tell whether a line that is no message was meant as an answer, rather than as a log's, which may quote messages."""
    if not line.lstrip().startswith((b"{", b"[{")):
        return False
    try:
        return "jsonrpc" in _members.decode(line)
    except UNREADABLE:
        outcome, question = _OUTCOME.search(line), line.find(b'"method"')
    if outcome is None:
        return question < 0 and b'"jsonrpc"' in line
    return question < 0 or outcome.start() < question


def claimed_id(data: bytes) -> RequestId | None:
    """Find which request a broken line seems to have answered, or None."""
    found = _ID.search(data)
    return msgspec.json.decode(found[1], type=int | str) if found else None


def excerpt(data: bytes, limit: int = 200) -> str:
    """Show how a message begins, on one line, without its secrets, fit for a terminal."""
    beginning = data[: limit * 8 + _ENOUGH]
    is_cut = len(data) > len(beginning)
    text = redacted(beginning.decode("utf-8", "replace"), limit, is_cut=is_cut)
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[:limit])
    return shown + (f"... ({len(data):,} bytes)" if is_cut or len(text) > limit else "")


def read_error(error: Raw, method: str) -> ServerError:
    """Read an error answer as the exception that stands for it; what it leaves out or gets wrong is made up for."""
    try:
        found = leniently(_error.decode, error)
    except UNREADABLE:
        return _server_error(0, f"an error that cannot be read: {excerpt(bytes(error))}", None, method)
    code = found.code if isinstance(found.code, int) else 0
    message = found.message if isinstance(found.message, str) else excerpt(msgspec.json.encode(found.message))
    failure = _server_error(code, message, found.data, method)
    if isinstance(failure, UrlElicitationRequired):
        failure.elicitations = _elicitations(found.data)
    return failure


_BY_CODE: dict[int, type[ServerError]] = {
    -32601: MethodNotFound,
    -32602: InvalidParams,
    -32002: ResourceNotFound,
    -32020: HeaderMismatch,
    -32021: MissingClientCapability,
    -32022: UnsupportedProtocolVersion,
    -32042: UrlElicitationRequired,
}


def _server_error(code: int, message: str, data: Any, method: str) -> ServerError:
    """Make the error that stands for a JSON-RPC error code; an unknown code makes a plain `ServerError`."""
    kind = _BY_CODE.get(code, ServerError)
    return kind(message or "the server gave no reason", code=code, data=data, method=method)


def _elicitations(data: Any) -> tuple[ElicitUrlParams, ...]:
    asked = data.get("elicitations") if isinstance(data, dict) else None
    return tuple(_each_elicitation(asked if isinstance(asked, list) else []))


def _each_elicitation(asked: list[Any]) -> Iterator[ElicitUrlParams]:
    for each in asked:
        try:
            yield decode_as(msgspec.json.encode({"mode": "url", **each}), ElicitUrlParams)
        except (msgspec.DecodeError, TypeError):
            continue


class _Failure(Struct):
    code: Any = 0
    message: Any = ""
    data: Any = None


_error = msgspec.json.Decoder(_Failure)


class _Notification(Struct, frozen=True):
    method: str
    params: Raw | UnsetType = UNSET
    jsonrpc: str = "2.0"


class _Result(Struct, frozen=True):
    id: Any
    result: Raw
    jsonrpc: str = "2.0"


class _Error(Struct, frozen=True):
    id: Any
    error: ErrorObject
    jsonrpc: str = "2.0"


_encode = msgspec.json.Encoder().encode


def encode_request(request_id: int, method: str, params: bytes | None) -> bytes:
    """Write a request; `params` is encoded already, or None for none."""
    # Every call comes by here: to put it together takes half as long as to encode it.
    if params is None:
        return b'{"jsonrpc":"2.0","id":%d,"method":%b}' % (request_id, _quoted(method))
    return b'{"jsonrpc":"2.0","id":%d,"method":%b,"params":%b}' % (request_id, _quoted(method), params)


@cache
def _quoted(method: str) -> bytes:
    return _encode(method)


def encode_notification(method: str, params: bytes | None) -> bytes:
    """Write a notification; `params` is encoded already, or None for none."""
    return _encode(_Notification(method, UNSET if params is None else Raw(params)))


def encode_result(request_id: Any, result: bytes) -> bytes:
    """Write the answer to a server's request; its id goes back exactly as it came."""
    return _encode(_Result(request_id, Raw(result)))


def encode_error(request_id: Any, code: int, message: str, data: Any = None) -> bytes:
    """Write an error as the answer to a server's request."""
    return _encode(_Error(request_id, ErrorObject(code, message, data)))
