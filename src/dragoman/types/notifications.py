"""What a side tells the other without wanting an answer."""

from msgspec import field

from dragoman.types.base import Wire
from dragoman.types.meta import SUBSCRIPTION_ID_KEY, Number, ParamsMeta, ProgressToken, RequestId
from dragoman.types.subscriptions import SubscriptionFilter

__all__ = [
    "CancelledParams",
    "ElicitationCompleteParams",
    "InitializedParams",
    "ListChangedParams",
    "NotificationParams",
    "ProgressParams",
    "ResourceUpdatedParams",
    "RootsListChangedParams",
    "SubscriptionsAcknowledgedParams",
]


class NotificationParams(Wire, frozen=True, kw_only=True):
    """The part that all notifications share."""

    meta: ParamsMeta = field(default=None, name="_meta")

    @property
    def subscription_id(self) -> RequestId | None:
        """The id of the listen request that this belongs to (from 2026-07-28), or None."""
        return self.meta.get(SUBSCRIPTION_ID_KEY) if isinstance(self.meta, dict) else None


class CancelledParams(NotificationParams, frozen=True):
    """Params of `notifications/cancelled`: nobody waits for this request any more."""

    request_id: RequestId | None = None
    reason: str | None = None


class ProgressParams(NotificationParams, frozen=True):
    """Params of `notifications/progress`: how far a request has come, of `total` where that is known."""

    progress_token: ProgressToken
    progress: Number
    total: Number | None = None
    message: str | None = None


class ListChangedParams(NotificationParams, frozen=True):
    """Params of the server's `notifications/{tools,prompts,resources}/list_changed`."""


class ResourceUpdatedParams(NotificationParams, frozen=True):
    """Params of `notifications/resources/updated`; `uri` may lie below the one subscribed to."""

    uri: str


class ElicitationCompleteParams(NotificationParams, frozen=True):
    """Params of `notifications/elicitation/complete`: the user is done behind the link (2025-11-25)."""

    elicitation_id: str


class SubscriptionsAcknowledgedParams(NotificationParams, frozen=True):
    """Params of `notifications/subscriptions/acknowledged`: what the server will really tell of."""

    notifications: SubscriptionFilter


class InitializedParams(NotificationParams, frozen=True):
    """Params of `notifications/initialized` (until 2025-11-25)."""


class RootsListChangedParams(NotificationParams, frozen=True):
    """Params of `notifications/roots/list_changed` (until 2025-11-25)."""
