"""Remember which server a piece of text came from, to notice when it is about to go to another."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

__all__ = ["Provenance", "texts_in"]

_SHORTEST = 12
"""A word that is shorter comes from anywhere."""

_WORDS = re.compile(r"[^\s\"'<>(){}\[\],;]+")
_RUN = 4
"""So many ordinary words in a row are taken for a quotation."""

_MOST = 100_000


def texts_in(value: Any) -> Iterator[str]:
    """Give every text in any JSON, keys included."""
    match value:
        case str():
            yield value
        case Mapping():
            for key, each in value.items():
                yield str(key)
                yield from texts_in(each)
        case list() | tuple():
            for each in value:
                yield from texts_in(each)


class Provenance:
    """What has been seen from which server: long words, and runs of short ones, as hashes; the oldest are forgotten.

    A hint, not a proof: what a model says in its own words is not recognized.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._seen: OrderedDict[bytes, frozenset[str]] = OrderedDict()

    def saw(self, server: str, value: Any) -> None:
        """Note what a server has said."""
        for mark in _marks(value):
            self._seen[mark] = self._seen.pop(mark, frozenset[str]()) | {server}
            if len(self._seen) > self._most:
                self._seen.popitem(last=False)

    def origins(self, value: Any) -> frozenset[str]:
        """Give the servers that parts of a value have come from."""
        return frozenset[str]().union(*(self._seen.get(mark, ()) for mark in _marks(value)))


def _marks(value: Any) -> Iterator[bytes]:
    for text in texts_in(value):
        words = _WORDS.findall(text.lower())
        yield from (_mark(word) for word in words if len(word) >= _SHORTEST)
        yield from (_mark(" ".join(words[start : start + _RUN])) for start in range(len(words) - _RUN + 1))


def _mark(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
