"""Roots: the places of the client that a server may work in."""

from msgspec import field

from dragoman.types.base import Wire
from dragoman.types.meta import Meta
from dragoman.types.requests import RequestParams

__all__ = ["ListRootsParams", "ListRootsResult", "Root"]


class Root(Wire, frozen=True):
    """One place, today always a `file://` URI, with a name to show."""

    uri: str
    name: str | None = None
    meta: Meta = field(default=None, name="_meta")


class ListRootsParams(RequestParams, frozen=True):
    """Params of `roots/list`."""


class ListRootsResult(Wire, frozen=True):
    """The answer to `roots/list`."""

    __parts__ = (("roots", "roots"),)

    roots: tuple[Root, ...]
    meta: Meta = field(default=None, name="_meta")
