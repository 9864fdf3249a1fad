"""The legacy era, up to 2025-11-25: a handshake once, then requests in both directions."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from dragoman.protocol import jsonrpc
from dragoman.protocol.eras import Identity, Outgoing, encode_meta, encode_params
from dragoman.protocol.steps import Notice, Request
from dragoman.types import (
    PROGRESS_TOKEN_KEY,
    CancelledParams,
    InputRequiredResult,
    LoggingLevel,
    SetLevelParams,
    SubscribeParams,
    SubscriptionFilter,
    UnsubscribeParams,
)

__all__ = ["Legacy"]

_REASON = "the caller stopped waiting"


class Legacy(Struct, frozen=True):
    """A server that is greeted by `initialize`."""

    version: str
    identity: Identity

    name = "legacy"
    announces_changes = True

    closing_cancels = False
    has_sessions = True

    def headers(self, request: Request | None) -> dict[str, str]:
        """Say the version that was agreed on, which is not before the handshake (2025-06-18 and later)."""
        return {} if request is not None and request.method == "initialize" else {"MCP-Protocol-Version": self.version}

    def outgoing(self, request: Request, request_id: int) -> Outgoing:
        """Give the request its id, and a progress token equal to it."""
        params = encode_params(request.params, self._meta(request, request_id))
        data = jsonrpc.encode_request(request_id, request.method, params)
        return Outgoing(request_id, data, request, self)

    def notice(self, notice: Notice) -> bytes | None:
        """Encode any notification: the server ignores what it does not know."""
        return jsonrpc.encode_notification(notice.method, encode_params(notice.params, None))

    def cancel(self, request_id: int) -> bytes | None:
        """Encode `notifications/cancelled`."""
        return self.notice(Notice("notifications/cancelled", CancelledParams(request_id=request_id, reason=_REASON)))

    def answer(self, request_id: Any, result: bytes) -> bytes | None:
        """Encode a result."""
        return jsonrpc.encode_result(request_id, result)

    def refuse(self, request_id: Any, code: int, message: str) -> bytes | None:
        """Encode an error."""
        return jsonrpc.encode_error(request_id, code, message)

    def input_required(self, result: Raw) -> InputRequiredResult | None:
        """Say no: these versions know no input-required results, whatever a server writes into `resultType`."""
        return None

    def leads_on(self, cursor: str) -> bool:
        """Say no to an empty cursor: servers of these versions write it where there is none."""
        return cursor != ""

    def keeps(self, ttl_ms: float | None) -> float:
        """Say 0: these versions know no cache hints; lists hold until they are said to have changed."""
        return 0.0

    def ping(self) -> Request:
        """Ask by `ping`."""
        return Request("ping")

    def at_log_level(self, level: LoggingLevel) -> tuple[Legacy, Request | None]:
        """Ask for the level by `logging/setLevel`."""
        return self, Request("logging/setLevel", SetLevelParams(level=level.word))

    def subscription(self, uri: str, wanted: bool) -> Request | None:
        """Ask for each resource by `resources/subscribe` or `resources/unsubscribe`."""
        if wanted:
            return Request("resources/subscribe", SubscribeParams(uri=uri))
        return Request("resources/unsubscribe", UnsubscribeParams(uri=uri))

    def listen(self, wanted: SubscriptionFilter) -> Request | None:
        """Say none: what these servers have to tell comes unasked."""
        return None

    def way_out(self, refusal: str) -> str | None:
        """Know none: whatever a server can do, it can in this era."""
        return None

    def _meta(self, request: Request, request_id: int) -> bytes | None:
        # Lifecycle: nothing but the handshake itself may stand in `initialize`, progress is for what comes after.
        if request.method == "initialize":
            return None
        if request.meta:
            return encode_meta({PROGRESS_TOKEN_KEY: request_id}, request.meta)
        return b'{"progressToken":%d}' % request_id
