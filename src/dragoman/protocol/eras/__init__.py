"""The eras: two families of protocol versions behind one interface.

An era is an immutable value. It is found once per server by `negotiate`; afterwards everybody asks it to do things
and nobody asks which one it is.

    legacy   up to 2025-11-25: a handshake, a session, requests from the server
    modern   from 2026-07-28: every request introduces itself, input-required rounds, listen streams
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Raw, Struct

from dragoman.errors import UsageError
from dragoman.protocol.steps import Notice, Request
from dragoman.types import (
    ClientCapabilities,
    Implementation,
    InputRequiredResult,
    LoggingLevel,
    SubscriptionFilter,
    encode,
)
from dragoman.types.numbers import check_numbers

__all__ = [
    "LEGACY_VERSIONS",
    "MODERN_VERSIONS",
    "VERSIONS",
    "Era",
    "Identity",
    "Outgoing",
    "encode_meta",
    "encode_params",
]

MODERN_VERSIONS = ("2026-07-28",)
LEGACY_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
VERSIONS = MODERN_VERSIONS + LEGACY_VERSIONS
"""Every protocol version that this library speaks, newest first."""


class Identity(Struct, frozen=True):
    """Who this client is and what it can do, as it tells every server."""

    client_info: Implementation
    capabilities: ClientCapabilities


class Outgoing(Struct, frozen=True):
    """A request that is ready to be sent: numbered, dressed and encoded."""

    id: int
    data: bytes
    request: Request
    era: Era


class Era(Protocol):
    """What differs between the protocol's versions, in one immutable value."""

    @property
    def name(self) -> str:
        """The family, for people to read: "legacy" or "modern"."""
        ...

    @property
    def version(self) -> str:
        """The protocol version that was agreed on."""
        ...

    @property
    def identity(self) -> Identity:
        """Who this client said it is."""
        ...

    @property
    def announces_changes(self) -> bool:
        """Whether changed lists are announced without being asked for."""
        ...

    @property
    def closing_cancels(self) -> bool:
        """Whether a request that has a stream of its own is cancelled by closing that."""
        ...

    @property
    def has_sessions(self) -> bool:
        """Whether an HTTP server may tie requests together by a session, and has a stream for what belongs to none."""
        ...

    def headers(self, request: Request | None) -> dict[str, str]:
        """Give the HTTP headers that go with a request, or with a message that is none."""
        ...

    def outgoing(self, request: Request, request_id: int) -> Outgoing:
        """Dress a request: give it its id, its progress token and whatever else each request carries."""
        ...

    def notice(self, notice: Notice) -> bytes | None:
        """Encode a notification of ours; None where this era has no such notification."""
        ...

    def cancel(self, request_id: int) -> bytes | None:
        """Encode the word that nobody waits for a request any more."""
        ...

    def answer(self, request_id: Any, result: bytes) -> bytes | None:
        """Encode the answer to a request of the server's; None where servers may not ask that way."""
        ...

    def refuse(self, request_id: Any, code: int, message: str) -> bytes | None:
        """Encode an error as the answer to a request of the server's; None where servers may not ask that way."""
        ...

    def input_required(self, result: Raw) -> InputRequiredResult | None:
        """Read whether a result asks for input instead of giving the answer.

        Raises:
            ProtocolError: it is a result of a kind that nobody knows.
        """
        ...

    def leads_on(self, cursor: str) -> bool:
        """Tell whether there is a page at this cursor, or it only says that the list is over."""
        ...

    def keeps(self, ttl_ms: float | None) -> float:
        """Tell for how many seconds a result with this hint may be kept."""
        ...

    def ping(self) -> Request:
        """The cheapest request that every server has to answer."""
        ...

    def at_log_level(self, level: LoggingLevel) -> tuple[Era, Request | None]:
        """The era in which messages from `level` upwards are sent, and the request that brings it about, if any."""
        ...

    def subscription(self, uri: str, wanted: bool) -> Request | None:
        """The request that starts or ends the watch on one resource; None where `listen` does it."""
        ...

    def listen(self, wanted: SubscriptionFilter) -> Request | None:
        """The request whose stream carries everything that is watched; None where there are no such streams."""
        ...

    def way_out(self, refusal: str) -> str | None:
        """What to try where a server says, in these words, that it cannot do something in this era; None if nothing."""
        ...


def encode_params(params: Any, meta: bytes | None) -> bytes | None:
    """Encode parameters with `meta` as their `_meta`, without copying them into another struct.

    Returns None when there is neither.

    Raises:
        UsageError: they hold what JSON has no form for.
    """
    if params is None:
        return None if meta is None else b'{"_meta":' + meta + b"}"
    body = _encoded(params, "the parameters")
    if meta is None:
        return body
    return b'{"_meta":' + meta + (b"}" if body == b"{}" else b"," + body[1:])


def encode_meta(own: Mapping[str, Any], theirs: Mapping[str, Any] | None) -> bytes:
    """Encode a `_meta` object; where a caller uses a key that is the protocol's, the protocol's value stands.

    Raises:
        UsageError: it holds what JSON has no form for.
    """
    return _encoded({**theirs, **own} if theirs else own, "`meta`")


def _encoded(value: Any, what: str) -> bytes:
    try:
        written = encode(value)
        if b"null" in written:  # which is also what numbers become that JSON has no form for
            check_numbers(value, written)
    except (TypeError, ValueError, RecursionError, NotImplementedError) as error:
        raise UsageError(f"{what} cannot be written as JSON: {error}") from error
    return written
