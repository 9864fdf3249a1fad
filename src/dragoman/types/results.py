"""What every result carries: metadata, what kind of result it is, how long it holds, and a list's pages."""

from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar, overload

from msgspec import field

from dragoman.types.base import Wire
from dragoman.types.meta import Meta, Number

__all__ = ["CacheableResult", "EmptyResult", "Listing", "Result"]

Item = TypeVar("Item")


class Result(Wire, frozen=True, kw_only=True):
    """The part that all results share.

    `result_type` is `complete` or `input_required` from 2026-07-28 on, and absent (None) before.
    """

    meta: Meta = field(default=None, name="_meta")
    result_type: str | None = None

    @property
    def problems(self) -> tuple[Any, ...]:
        """What was wrong with the answer, item by item, and was left out or made up for; mostly nothing."""
        problems: tuple[Any, ...] = self.__dict__.get("_problems", ())
        return problems


class EmptyResult(Result, frozen=True):
    """The answer of a request that only wants to be acknowledged."""


class CacheableResult(Result, frozen=True, kw_only=True):
    """A result that says how long it may be kept: `ttl_ms` in milliseconds, `cache_scope` `public` or `private`.

    Both are as the server said, or None. 2026-07-28, Caching.
    """

    ttl_ms: Number | None = None
    cache_scope: str | None = None


class Listing(CacheableResult, Generic[Item], frozen=True, kw_only=True):
    """A list of items, which can be iterated, counted, indexed and searched by its key.

    `next_cursor` is where the next page starts; None on the last page and on a list made of all pages.
    """

    next_cursor: str | None = None

    _items: ClassVar[str]
    _key: ClassVar[str] = "name"

    @property
    def items(self) -> tuple[Item, ...]:
        """The items, whatever the specification calls them in this list."""
        items: tuple[Item, ...] = getattr(self, self._items)
        return items

    def get(self, key: str) -> Item | None:
        """Give the first item of this name (for resources: URI, for templates: URI template), or None."""
        return next((item for item in self.items if getattr(item, self._key) == key), None)

    def _index(self) -> dict[str, Item]:
        return {getattr(item, self._key): item for item in reversed(self.items)}

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, position: int) -> Item: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, position: int | slice) -> Item | tuple[Item, ...]:
        return self.items[position]
