"""Let observers look on at what a server asks of its client, from the question to the answer."""

from __future__ import annotations

from secrets import token_hex
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, UnsetType, structs

from dragoman.deadline import now
from dragoman.models.observing import ServerFacts
from dragoman.models.watching import ClientObservers, RequestObservation
from dragoman.protocol.jsonrpc import Message, read_error
from dragoman.protocol.steps import Request

__all__ = ["Asked", "AskedOfUs"]

Asked: TypeAlias = tuple[RequestObservation, float]
"""A question, and since when it has been there."""


class AskedOfUs:
    """What the server asks and is not answered yet, in sight of observers."""

    def __init__(self, observers: ClientObservers) -> None:
        self._observers = observers
        self._open: dict[int | str | float | None, Asked] = {}

    def note(self, message: Message, server: ServerFacts) -> None:
        """Tell observers of a request that has come; forget one that is taken back."""
        if message.is_request:
            params = {} if isinstance(message.params, UnsetType) else _json(message.params)
            asked = RequestObservation(
                id=token_hex(8),
                request=Request(str(message.method), params, params.get("_meta")),
                server=server,
                request_id=None if isinstance(message.id, UnsetType) else message.id,
                is_theirs=True,
            )
            self._open[asked.request_id] = asked, now()
            self._observers.start_request(asked)
        elif message.method == "notifications/cancelled" and not isinstance(message.params, UnsetType):
            taken_back = _json(message.params).get("requestId")
            if isinstance(taken_back, int | str | float):
                self._end(taken_back)

    def take(self, answer: Message) -> Asked | None:
        """Take the question that an answer is about to be sent to; it is the taker's from now on."""
        return None if isinstance(answer.id, UnsetType) else self._open.pop(answer.id, None)

    def answered(self, asked: Asked, answer: Message, failure: BaseException | None = None) -> None:
        """Tell observers that an answer has been sent, or could not be."""
        if failure is not None or isinstance(answer.error, UnsetType):
            result = None if failure or isinstance(answer.result, UnsetType) else bytes(answer.result)
            self._stop(asked, result=result, error=failure)
        else:
            self._stop(asked, error=read_error(answer.error, asked[0].request.method))

    def end(self) -> None:
        """Wait for none of them any longer."""
        for request_id in list(self._open):
            self._end(request_id)

    def _end(self, request_id: Any) -> None:
        asked = self._open.pop(request_id, None)
        if asked is not None:
            self._stop(asked)

    def _stop(self, asked: Asked, **end: Any) -> None:
        observation, since = asked
        self._observers.stop_request(structs.replace(observation, elapsed=now() - since, **end))


def _json(raw: Raw) -> dict[str, Any]:
    """Read params, which are an object if they are what they should be."""
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
