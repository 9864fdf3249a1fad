"""The modern era, from 2026-07-28: stateless, so every request says who asks, in which version, able to do what."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Raw, Struct, structs

from dragoman.errors import ProtocolError
from dragoman.protocol import jsonrpc
from dragoman.protocol.eras import LEGACY_VERSIONS, Identity, Outgoing, encode_meta, encode_params
from dragoman.protocol.headers import standard
from dragoman.protocol.salvage import read_input_required
from dragoman.protocol.steps import Notice, Request
from dragoman.types import (
    CLIENT_CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    LOG_LEVEL_KEY,
    PROGRESS_TOKEN_KEY,
    PROTOCOL_VERSION_KEY,
    CancelledParams,
    InputRequiredResult,
    ListenParams,
    LoggingLevel,
    SubscriptionFilter,
    encode,
)

__all__ = ["Modern"]


class _Head(Struct, rename="camel"):
    result_type: Any = None


_head = msgspec.json.Decoder(_Head)
# Responses: without the field a result is complete; of any other type it is invalid.
_COMPLETE = (None, "complete")
# What the libraries say that servers are written with, where a tool sends a request of its own in the middle of a call.
_CANNOT_ASK = re.compile(r"server-(?:initiated|to-client) requests", re.IGNORECASE)
_OLDER = (
    f"it asks as servers did up to {LEGACY_VERSIONS[0]}: connect with versions=[{LEGACY_VERSIONS[0]!r}], "
    f"or on the command line with --protocol {LEGACY_VERSIONS[0]}"
)
# Milliseconds beyond which nobody waits: some 300 years, and not too many for a float.
_LONGEST = 10**13


class Modern(Struct, frozen=True, dict=True):
    """A server that keeps nothing between two requests."""

    version: str
    identity: Identity
    log_level: LoggingLevel | None = None

    name = "modern"
    announces_changes = False

    closing_cancels = True
    has_sessions = False

    def headers(self, request: Request | None) -> dict[str, str]:
        """Say the version, and repeat what the request says of itself."""
        said = {"MCP-Protocol-Version": self.version}
        return said if request is None else {**said, **standard(request), **(request.mirrored or {})}

    def outgoing(self, request: Request, request_id: int) -> Outgoing:
        """Give the request its id, a progress token equal to it, and the introduction that each request carries."""
        if request.meta:
            meta = encode_meta({PROGRESS_TOKEN_KEY: request_id, **self._introduction}, request.meta)
        else:
            meta = b'{"progressToken":%d,%b' % (request_id, self._introduction_tail)
        data = jsonrpc.encode_request(request_id, request.method, encode_params(request.params, meta))
        return Outgoing(request_id, data, request, self)

    def notice(self, notice: Notice) -> bytes | None:
        """Say none: the only notification that clients still send is the cancellation."""
        return None

    def cancel(self, request_id: int) -> bytes | None:
        """Encode `notifications/cancelled`, which stdio wants; over HTTP closing the stream says the same."""
        params = CancelledParams(request_id=request_id, reason="the caller stopped waiting")
        return jsonrpc.encode_notification("notifications/cancelled", encode(params))

    def answer(self, request_id: Any, result: bytes) -> bytes | None:
        """Say none: stdio, "Sending Messages", forbids clients to write answers."""
        return None

    def refuse(self, request_id: Any, code: int, message: str) -> bytes | None:
        """Say none, as for `answer`."""
        return None

    def input_required(self, result: Raw) -> InputRequiredResult | None:
        """Read the result if it asks for input; only its type is looked at first, since nearly none does."""
        try:
            kind = _head.decode(result).result_type
        except (msgspec.DecodeError, RecursionError):
            return None
        if kind == "input_required":
            return read_input_required(result)
        if kind not in _COMPLETE:
            raise ProtocolError(f"the result is of an unknown kind, {kind!r}", excerpt=jsonrpc.excerpt(bytes(result)))
        return None

    def leads_on(self, cursor: str) -> bool:
        """Say yes: an empty cursor is one like any other (Pagination)."""
        return True

    def keeps(self, ttl_ms: float | None) -> float:
        """Keep a result for its `ttlMs`; absent or nonsense counts as 0 (Caching)."""
        return min(max(0, ttl_ms or 0), _LONGEST) / 1000

    def ping(self) -> Request:
        """Ask by `server/discover`, which every server has to answer; `ping` is gone."""
        return Request("server/discover")

    def at_log_level(self, level: LoggingLevel) -> tuple[Modern, Request | None]:
        """Let every request from now on say the level."""
        return structs.replace(self, log_level=level), None

    def subscription(self, uri: str, wanted: bool) -> Request | None:
        """Say none: the listen stream carries the watched resources."""
        return None

    def listen(self, wanted: SubscriptionFilter) -> Request | None:
        """Ask by `subscriptions/listen`."""
        return Request("subscriptions/listen", ListenParams(notifications=wanted))

    def way_out(self, refusal: str) -> str | None:
        """Send whoever meets a tool that asks in the way of the older era there; the tool has run by then, or half."""
        return _OLDER if _CANNOT_ASK.search(refusal) else None

    @cached_property
    def _introduction(self) -> dict[str, Any]:
        said: dict[str, Any] = {
            PROTOCOL_VERSION_KEY: self.version,
            CLIENT_INFO_KEY: self.identity.client_info,
            CLIENT_CAPABILITIES_KEY: self.identity.capabilities,
        }
        return said if self.log_level is None else {**said, LOG_LEVEL_KEY: self.log_level.word}

    @cached_property
    def _introduction_tail(self) -> bytes:
        return encode(self._introduction)[1:]
