"""Listening (from 2026-07-28): which changes a client wants to be told of, on one long stream."""

from dragoman.types.base import Wire
from dragoman.types.meta import SUBSCRIPTION_ID_KEY, RequestId
from dragoman.types.requests import RequestParams
from dragoman.types.results import Result

__all__ = ["ListenParams", "ListenResult", "SubscriptionFilter"]


class SubscriptionFilter(Wire, frozen=True, kw_only=True):
    """What to be told of: changed lists, and resources by URI."""

    tools_list_changed: bool | None = None
    prompts_list_changed: bool | None = None
    resources_list_changed: bool | None = None
    resource_subscriptions: tuple[str, ...] | None = None


class ListenParams(RequestParams, frozen=True):
    """Params of `subscriptions/listen`."""

    notifications: SubscriptionFilter


class ListenResult(Result, frozen=True):
    """The end of a stream of `subscriptions/listen`."""

    @property
    def subscription_id(self) -> RequestId | None:
        """The id of the request that opened the stream, or None when the server does not say."""
        return (self.meta or {}).get(SUBSCRIPTION_ID_KEY)
