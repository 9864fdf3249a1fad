"""What every request carries, and the requests that carry nothing else."""

from typing import Any

from msgspec import field

from dragoman.types.base import Wire
from dragoman.types.meta import ParamsMeta

__all__ = ["DiscoverParams", "InputParams", "ListParams", "PingParams", "RequestParams"]


class RequestParams(Wire, frozen=True, kw_only=True):
    """The part of a request's params that all requests share."""

    meta: ParamsMeta = field(default=None, name="_meta")


class InputParams(RequestParams, frozen=True, kw_only=True):
    """Params that may bring answers to a server's questions (2026-07-28, input-required results).

    `input_responses` maps each question's name to its answer; `request_state` goes back exactly as it came.
    """

    input_responses: dict[str, Any] | None = None
    request_state: str | None = None


class ListParams(RequestParams, frozen=True):
    """Params of every `*/list`: the cursor of a page, absent for the first."""

    cursor: str | None = None


class PingParams(RequestParams, frozen=True):
    """Params of `ping`."""


class DiscoverParams(RequestParams, frozen=True):
    """Params of `server/discover`."""
