"""Look on while a client speaks with its server: each request, and each session."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
from msgspec import Struct, UnsetType

from dragoman.models.observing import ServerFacts
from dragoman.protocol.steps import Request
from dragoman.types import CallToolParams, GetPromptParams, ReadResourceParams, SubscribeParams

__all__ = ["ClientObserver", "ClientObservers", "RequestObservation", "SessionObservation"]

log = logging.getLogger("dragoman.models")


class RequestObservation(Struct, frozen=True, kw_only=True):
    """One request, or one notification, of a client; or a request that the server makes of it.

    Attributes:
        id: the same at the start and the end of a request, and of no other one.
        request: what is sent: `method`, `params`, and as `meta` what the caller wants in its `_meta`. The `params` of a
            request of the server's are JSON.
        request_id: its number on the wire; None for a notification.
        server: whom it is for, or from.
        is_theirs: whether the server asks it, as it may up to 2025-11-25: `sampling/createMessage` and the like.
        session_id: the HTTP session's; None without one.
        elapsed: seconds; 0 at the start.
        result: what answered it, as raw JSON; None at the start, and where nothing did.
        error: what was raised, or answered in place of a result; None otherwise.
    """

    id: str
    request: Request
    server: ServerFacts
    request_id: int | str | float | None = None
    is_theirs: bool = False
    session_id: str | None = None
    elapsed: float = 0.0
    result: bytes | None = None
    error: BaseException | None = None

    @property
    def tool(self) -> str | None:
        """The name of the tool that it calls; None for every other request."""
        params = self.request.params
        return params.name if isinstance(params, CallToolParams) else None

    @property
    def prompt(self) -> str | None:
        """The name of the prompt that it gets; None for every other request."""
        params = self.request.params
        return params.name if isinstance(params, GetPromptParams) else None

    @property
    def uri(self) -> str | None:
        """The resource that it reads, or begins or ends to watch; None for every other request."""
        params = self.request.params
        return params.uri if isinstance(params, ReadResourceParams | SubscribeParams) else None

    @property
    def has_failed_tool(self) -> bool:
        """Whether it called a tool that says of itself that it has failed."""
        return self.tool is not None and self.result is not None and _says_so(self.result)

    @property
    def is_error(self) -> bool:
        """Whether it failed, by an error or by what the tool says."""
        return self.error is not None or self.has_failed_tool


class _Outcome(Struct):
    is_error: bool | UnsetType = msgspec.field(default=False, name="isError")


def _says_so(result: bytes) -> bool:
    try:
        return msgspec.json.decode(result, type=_Outcome).is_error is True
    except msgspec.MsgspecError:
        return False


class SessionObservation(Struct, frozen=True, kw_only=True):
    """The time for which a server can be spoken with.

    Attributes:
        id: the same at the start and the end of a session, and of no other one.
        server: whom it is with.
        session_id: the HTTP session's; None without one.
        elapsed: seconds; 0 at the start.
        error: what ended it; None where it was closed.
    """

    id: str
    server: ServerFacts
    session_id: str | None = None
    elapsed: float = 0.0
    error: BaseException | None = None


class ClientObserver(Protocol):
    """Sees each request of a client, and each session, at its start and its end.

    No method may wait; what it raises is logged and costs the request nothing. They may be called from any thread.
    """

    def start_request(self, request: RequestObservation) -> Mapping[str, Any] | None:
        """See a request that is about to be sent, or has come; what is returned goes into the `_meta` of one of ours."""
        ...

    def stop_request(self, request: RequestObservation) -> None:
        """See it when it has ended, however it did."""
        ...

    def start_session(self, session: SessionObservation) -> None:
        """See that a server has been reached, and greeted."""
        ...

    def stop_session(self, session: SessionObservation) -> None:
        """See that it has been left, or is lost."""
        ...


class ClientObservers:
    """All observers of one client, each of them once however often it was given."""

    def __init__(self, *given: ClientObserver) -> None:
        self._all = tuple({id(each): each for each in given}.values())

    def __bool__(self) -> bool:
        return bool(self._all)

    def start_request(self, request: RequestObservation) -> dict[str, Any]:
        """Tell all of them; gives what goes along."""
        meta: dict[str, Any] = {}
        for observer in self._all:
            try:
                meta |= observer.start_request(request) or {}
            except Exception:
                log.exception("an observer did not see the start of %s", request.request.method)
        return meta

    def stop_request(self, request: RequestObservation) -> None:
        """Tell all of them."""
        for observer in self._all:
            try:
                observer.stop_request(request)
            except Exception:
                log.exception("an observer did not see the end of %s", request.request.method)

    def start_session(self, session: SessionObservation) -> None:
        """Tell all of them."""
        for observer in self._all:
            try:
                observer.start_session(session)
            except Exception:
                log.exception("an observer did not see the start of a session with %s", session.server.name)

    def stop_session(self, session: SessionObservation) -> None:
        """Tell all of them."""
        for observer in self._all:
            try:
                observer.stop_session(session)
            except Exception:
                log.exception("an observer did not see the end of a session with %s", session.server.name)
