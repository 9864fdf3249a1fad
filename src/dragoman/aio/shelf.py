"""Where results are kept for as long as their server said that they hold."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from dragoman.aio._runtime import Guard
from dragoman.deadline import now
from dragoman.protocol.cache import Cache, Key, hint_of
from dragoman.protocol.eras import Era
from dragoman.types import CacheableResult, ReadResourceParams, ReadResourceResult, encode

__all__ = ["Shelf", "list_key", "resource_key"]


def list_key(method: str) -> Key:
    """Make the key of a whole list."""
    return Key(method)


def resource_key(uri: str) -> Key:
    """Make the key of what a resource holds."""
    return Key("resources/read", encode(ReadResourceParams(uri=uri)))


class Shelf:
    """The results of one client that are still good; owns the cache.

    What was asked for before something changed, and comes after, is old: `ticket` is taken before asking, and `put`
    keeps nothing if there has been a change since. Without `keeps_private`, only what is the same for everybody is kept:
    the next request may be made in another's name.
    """

    def __init__(self, *, is_used: bool, keeps_private: bool = True) -> None:
        self._keeps_private = keeps_private
        self._cache = Cache() if is_used else None
        self._guard = Guard()
        self._changes = 0

    def take(self, key: Key) -> Any:
        """Give what is kept and still good, or None."""
        if self._cache is None:
            return None
        with self._guard:
            return self._cache.get(key, now())

    def ticket(self) -> int:
        """Note how things stand before something is asked for."""
        return self._changes

    def put(self, key: Key, result: CacheableResult, ticket: int, era: Era, *, carried_input: bool = False) -> None:
        """Keep a result for as long as it says that it holds, if the era has such a saying."""
        ttl = era.keeps(result.ttl_ms)
        if self._cache is None or not ttl:
            return
        hint = hint_of(result)
        if not (hint.is_public or self._keeps_private):
            return
        with self._guard:
            if ticket == self._changes:
                shorter = structs.replace(hint, ttl=min(ttl, hint.ttl))
                self._cache.put(key, result, shorter, now(), size=_size(result), carried_input=carried_input)

    def drop_list(self, kind: str) -> None:
        """Keep the lists of a kind no longer: "tools", "resources" or "prompts"."""
        with self._guard:
            self._changes += 1
            if self._cache is not None:
                self._cache.drop_list(kind)

    def drop_resource(self, uri: str) -> None:
        """Keep what a resource held no longer."""
        with self._guard:
            self._changes += 1
            if self._cache is not None:
                self._cache.drop_resource(uri)

    def clear(self) -> None:
        """Keep nothing."""
        with self._guard:
            self._changes += 1
            if self._cache is not None:
                self._cache.clear()


def _size(result: CacheableResult) -> int:
    """Say about how many bytes a result holds: what counts is what resources hold."""
    if not isinstance(result, ReadResourceResult):
        return 0
    return sum(len(each.text or each.blob or "") for each in result.contents)
