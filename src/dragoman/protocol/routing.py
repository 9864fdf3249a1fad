"""On a channel shared by all requests, tell whose message this is."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from dragoman.protocol.jsonrpc import Message, RequestId
from dragoman.types import UNREADABLE

__all__ = ["Routes"]

Owner = TypeVar("Owner")

_Named: TypeAlias = int | str | float | UnsetType | None

_REMEMBERED = 1024
"""How many requests that are over are remembered at least; up to twice as many are."""


class _Meta(Struct, frozen=True):
    subscription: int | str | float | None = msgspec.field(default=None, name="io.modelcontextprotocol/subscriptionId")


class _Params(Struct, frozen=True, rename="camel"):
    progress_token: int | str | float | None = None
    request_id: int | str | float | None = None
    meta: _Meta | None = msgspec.field(default=None, name="_meta")


_peek = msgspec.json.Decoder(_Params)


class Routes(Generic[Owner]):
    """Which request each message belongs to: its answer, its progress, the news and the end of its listen stream.

    Owned by the transport that has the channel. Ids are those of the requests; a progress token is its request's id.
    """

    def __init__(self) -> None:
        self._owners: dict[_Named, Owner] = {}
        # Bounded: what comes later than so many others is a stray, and reported as one.
        self._over: dict[_Named, None] = {}

    def __len__(self) -> int:
        return len(self._owners)

    def add(self, request_id: RequestId, owner: Owner) -> None:
        """Expect messages for a request that is about to be sent."""
        self._owners[request_id] = owner

    def remove(self, request_id: RequestId) -> None:
        """Expect nothing more for a request; what still comes is late. Harmless when it has been answered."""
        if request_id in self._owners:
            self._end(request_id)

    def owner(self, message: Message) -> Owner | None:
        """Return the owner of the request that a message belongs to, or None.

        An answer ends its route, so that a second one finds nobody. An id that comes back as another type (1 as "1"
        or 1.0) is taken for ours unless another request could be meant; an error without an id is taken for the
        answer to the only request there is.
        """
        if message.method is UNSET:
            if message.id in self._owners:
                return self._end(message.id)
            found = self._pending(message.id)
            if found is None and len(self._owners) == 1 and _is_error_for_nobody(message):
                found = next(iter(self._owners))
            return None if found is None else self._end(found)
        found = self._pending(_named(message))
        return None if found is None else self._owners[found]

    def is_late(self, message: Message) -> bool:
        """Whether a message without an owner belongs to a request that was over recently, and is no fault."""
        named = message.id if message.method is UNSET else _named(message)
        return named in self._over or _respelled(named) in self._over

    def _pending(self, named: _Named) -> _Named:
        if named in self._owners:
            return named
        other = None if named in self._over else _respelled(named)
        return other if other in self._owners else None

    def _end(self, request_id: _Named) -> Owner:
        self._over[request_id] = None
        if len(self._over) > 2 * _REMEMBERED:
            self._over = dict.fromkeys(list(self._over)[_REMEMBERED:])
        return self._owners.pop(request_id)

    @property
    def sole(self) -> Owner | None:
        """The owner of the only pending request, or None when there are none or several."""
        return next(iter(self._owners.values())) if len(self._owners) == 1 else None

    def owners(self) -> list[Owner]:
        """Return all owners, in the order in which their requests were made."""
        return list(self._owners.values())

    def clear(self) -> list[Owner]:
        """Forget everything, and return all owners: the channel is gone."""
        owners = self.owners()
        self._owners.clear()
        self._over.clear()
        return owners


def _is_error_for_nobody(message: Message) -> bool:
    return (message.id is UNSET or message.id is None) and message.error is not UNSET


def _named(message: Message) -> _Named:
    """Read which request a notification is about: by its subscription, its progress token or what it cancels."""
    if message.params is UNSET or message.is_request:
        return None
    try:
        params = _peek.decode(message.params)
    except UNREADABLE:
        return None
    if params.meta is not None and params.meta.subscription is not None:
        return params.meta.subscription
    match message.method:
        case "notifications/progress":
            return params.progress_token
        case "notifications/cancelled":
            return params.request_id
        case _:
            return None


def _respelled(named: _Named) -> RequestId | None:
    if isinstance(named, str):
        return int(named) if named.isdecimal() and len(named) < 19 and str(int(named)) == named else None
    return str(int(named)) if isinstance(named, (int, float)) else None
