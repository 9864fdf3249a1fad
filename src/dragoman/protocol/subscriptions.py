"""What is watched at one server, in either era, and the life of the stream that carries it in the modern one.

A listen stream is opened by a request, acknowledged with what the server really watches, carries notifications, and
ends by the request's answer, by the server's cancellation, or with the line (2026-07-28, Subscriptions).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import UNSET, Struct, structs

from dragoman.errors import ServerError
from dragoman.protocol.inbound import Acknowledged, Cancelled, Event, Other, read_event
from dragoman.protocol.jsonrpc import Message, read_error
from dragoman.types import ServerCapabilities, SubscriptionFilter

__all__ = ["Ended", "Opened", "Wanted", "read_stream"]

_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


class Wanted(Struct, frozen=True):
    """What a client wants to be told of: lists by name, and resources by URI, in the order they were asked for.

    URIs are opaque: they are compared, never taken apart.
    """

    lists: frozenset[str] = frozenset()
    uris: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is wanted."""
        return not self.lists and not self.uris

    def with_lists(self, lists: Iterable[str], capabilities: ServerCapabilities) -> Wanted:
        """Want to be told of lists as well, those that the server says it tells of."""
        return structs.replace(self, lists=self.lists | {name for name in lists if _tells_of(name, capabilities)})

    def with_uri(self, uri: str) -> Wanted:
        """Want to be told of one more resource; of one that is wanted already nothing changes."""
        return self if uri in self.uris else structs.replace(self, uris=(*self.uris, uri))

    def without_uri(self, uri: str) -> Wanted:
        """Want to be told of one resource less."""
        return structs.replace(self, uris=tuple(each for each in self.uris if each != uri))

    def filter(self) -> SubscriptionFilter:
        """Write it as a listen request does."""
        return SubscriptionFilter(
            tools_list_changed=True if "tools" in self.lists else None,
            prompts_list_changed=True if "prompts" in self.lists else None,
            resources_list_changed=True if "resources" in self.lists else None,
            resource_subscriptions=self.uris or None,
        )

    def watches(self, updated: str) -> str | None:
        """Tell which of the watched resources an update is about: itself, or one that it lies below."""
        if updated in self.uris:
            return updated
        below = (uri for uri in self.uris if updated.startswith(uri.rstrip("/") + "/") or updated == uri.rstrip("/"))
        return max(below, key=len, default=None)


def _tells_of(name: str, capabilities: ServerCapabilities) -> bool:
    offered = {"tools": capabilities.tools, "prompts": capabilities.prompts, "resources": capabilities.resources}
    capability = offered.get(name)
    return capability is not None and capability.list_changed is True


class Opened(Struct, frozen=True):
    """The stream is open; `filter` is what the server watches, None where it does not say."""

    filter: SubscriptionFilter | None

    def left_out(self, uris: tuple[str, ...]) -> tuple[str, ...]:
        """Give those of the resources that the server does not watch, although it was asked to.

        One that says of as many as were asked for that it watches them may spell them in its own way.
        """
        if self.filter is None:
            return ()
        watched = self.filter.resource_subscriptions or ()
        return () if len(watched) >= len(uris) else tuple(uri for uri in uris if uri not in watched)


class Ended(Struct, frozen=True):
    """The stream is over: with an error where the server refused it."""

    error: ServerError | None = None


News: TypeAlias = Event | Opened | Ended


def read_stream(message: Message) -> News:
    """Read one message of a listen stream."""
    if message.is_answer:
        error = None if message.error is UNSET else read_error(message.error, "subscriptions/listen")
        return Ended(error)
    event = read_event(message)
    if isinstance(event, Acknowledged):
        return Opened(event.filter)
    if isinstance(event, Other) and event.method == _ACKNOWLEDGED:
        return Opened(None)
    return Ended() if isinstance(event, Cancelled) else event
