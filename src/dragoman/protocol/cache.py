"""How long a result may be kept, and for whom (2026-07-28, Caching).

A server says for how many milliseconds a result is fresh, and whether it is the same for everybody. Without a word it is
stale at once and private. What depends on more than the request, since it was asked for with input, is never kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from dragoman.types import CacheableResult

__all__ = ["MAX_TTL", "Cache", "CacheHint", "Key", "hint_of", "joint_hint"]

MAX_TTL = 24 * 3600.0
"""Seconds after which a result is asked for again, whatever its server says."""

_LISTS = {
    "tools": frozenset({"tools/list"}),
    "prompts": frozenset({"prompts/list"}),
    "resources": frozenset({"resources/list", "resources/templates/list"}),
}


class Key(Struct, frozen=True):
    """What was asked for: the method, and the params that matter, encoded, without `_meta`."""

    method: str
    params: bytes = b""


class CacheHint(Struct, frozen=True):
    """For how many seconds a result is fresh, and whether it is the same for everybody who asks."""

    ttl: float = 0.0
    is_public: bool = False


def hint_of(result: CacheableResult) -> CacheHint:
    """Read what a server says of a result; nothing and nonsense count as stale at once, and as private."""
    milliseconds = min(max(0, result.ttl_ms or 0), MAX_TTL * 1000)
    return CacheHint(milliseconds / 1000, result.cache_scope == "public")


def joint_hint(hints: Iterable[CacheHint]) -> CacheHint:
    """Make the hint of a whole of its pages': fresh as long as all are, and public only if all are."""
    pages = list(hints)
    return CacheHint(min((page.ttl for page in pages), default=0.0), bool(pages) and all(p.is_public for p in pages))


class _Entry(Struct, frozen=True):
    value: Any
    until: float
    size: int


class Cache:
    """Results that are still fresh, of one server. Owned by its client; every `now` is of the same monotonic clock.

    A private result is found again only by the identity that it was given to, such as a digest of its credential; None
    is the identity of those who show none. When there are too many, those go first that were not asked for the longest.
    """

    def __init__(self, max_entries: int = 1024, max_bytes: int = 64 * 1024 * 1024) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[tuple[Key, str | None, bool], _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Key, now: float, identity: str | None = None) -> Any:
        """Return what is kept and still fresh, or None."""
        for place in ((key, identity, False), (key, None, True)):
            entry = self._entries.get(place)
            if entry is not None and now < entry.until:
                self._entries.move_to_end(place)
                return entry.value
            self._remove(place)
        return None

    def put(
        self,
        key: Key,
        value: Any,
        hint: CacheHint,
        now: float,
        identity: str | None = None,
        *,
        size: int = 0,
        carried_input: bool = False,
    ) -> None:
        """Keep a result in place of what was kept before, unless it may not be kept.

        `size` is about how many bytes it holds; `carried_input`: the request brought answers or a state with it.
        """
        if carried_input:
            return
        self._remove((key, identity, False))
        self._remove((key, None, True))
        if hint.ttl <= 0 or size > self._max_bytes:
            return
        place = (key, None if hint.is_public else identity, hint.is_public)
        self._entries[place] = _Entry(value, now + min(hint.ttl, MAX_TTL), size)
        self._bytes += size
        while len(self._entries) > self._max_entries or self._bytes > self._max_bytes:
            self._remove(next(iter(self._entries)))

    def drop_list(self, kind: str) -> None:
        """Forget the lists of a kind that has changed: "tools", "resources" or "prompts"."""
        self._drop(key for key, _, _ in self._entries if key.method in _LISTS.get(kind, ()))

    def drop_resource(self, uri: str) -> None:
        """Forget a resource that has changed, and those that it is a part of."""
        self._drop(key for key, _, _ in self._entries if key.method == "resources/read" and _holds(key, uri))

    def clear(self) -> None:
        """Forget everything, as when the server is another one now."""
        self._entries.clear()
        self._bytes = 0

    def _drop(self, keys: Iterable[Key]) -> None:
        dropped = set(keys)
        for place in [place for place in self._entries if place[0] in dropped]:
            self._remove(place)

    def _remove(self, place: tuple[Key, str | None, bool]) -> None:
        entry = self._entries.pop(place, None)
        if entry is not None:
            self._bytes -= entry.size


class _ReadParams(Struct):
    uri: str = ""


_read_params = msgspec.json.Decoder(_ReadParams)


def _holds(key: Key, uri: str) -> bool:
    kept = _read_params.decode(key.params or b"{}").uri
    return uri == kept or uri.startswith(kept.rstrip("/") + "/")
