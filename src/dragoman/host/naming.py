"""Give each tool of each server a name of its own, which never changes and which every provider of models takes.

A name that nobody else has stays as it is. Where two servers have one, the one that is later in the configuration gets
its prefix. What has been given is kept for the life of the host: a tool that goes and comes back, or a server that is
restarted, finds its names again, and no name ever comes to mean another tool.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain, count
from typing import Literal, TypeAlias, cast

from msgspec import Struct

__all__ = ["LONGEST", "Bearer", "Names", "Naming", "tame"]

log = logging.getLogger("dragoman.host")

LONGEST = 64
"""The most characters that every provider takes."""

_HASH = 8
_LONGEST_HASH = 60
_TAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_WILD = re.compile(r"[^A-Za-z0-9_-]+")

Naming: TypeAlias = Literal["collision", "prefix", "counter"] | Callable[[str, str], str]
"""How names are made: a prefix where names collide, a prefix always, a counter where names collide, or a function of
the server's name and the tool's."""


class Bearer(Struct, frozen=True):
    """What bears a name: a thing of a server's, by the name that the server gives it.

    `prefix` is what goes in front of it where the name is taken.
    """

    server: str
    raw: str
    prefix: str


def tame(text: str) -> str:
    """Make a name of letters, digits, `_` and `-`, at most 64, that begins with a letter or `_`.

    One that is that already stays as it is. One that is too long ends in a hash of the whole.
    """
    if _TAME.fullmatch(text):
        return text
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = _WILD.sub("_", plain if _WILD.sub("", plain) else text).strip("_") or "tool"
    name = name if name[0].isalpha() or name[0] == "_" else f"_{name}"
    return name if len(name) <= LONGEST else _hashed(name, text)


def _hashed(name: str, whole: str, length: int = _HASH) -> str:
    return f"{name[: LONGEST - length - 1]}_{sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()[:length]}"


def _counted(raw: str, number: int) -> str:
    return tame(f"alt_{number}_{raw}")


def _wished(naming: Callable[[str, str], str], bearer: Bearer) -> list[str]:
    """Ask the application's function for a name; nothing where it gives none."""
    try:
        name = cast(object, naming(bearer.server, bearer.raw))
    except Exception:
        log.exception("%s: the function for names raised for %s; it is named as usual", bearer.server, bearer.raw)
        return []
    if isinstance(name, str) and name:
        return [tame(name)]
    log.error("%s: the function for names gave %r for %s; it is named as usual", bearer.server, name, bearer.raw)
    return []


class Names:
    """All names of one kind of thing; owns which is whose, for good."""

    def __init__(self, naming: Naming = "collision") -> None:
        self._naming = naming
        self._names: dict[tuple[str, str], str] = {}
        self._bearers: dict[str, tuple[str, str]] = {}

    def give(self, bearers: Iterable[Bearer]) -> None:
        """Name all that have no name yet; their servers come in the order of the configuration.

        In which order a server lists its own does not matter.
        """
        nameless = [each for each in bearers if (each.server, each.raw) not in self._names]
        ranks = {server: rank for rank, server in enumerate(dict.fromkeys(each.server for each in nameless))}
        for bearer in sorted(nameless, key=lambda each: (ranks[each.server], tame(each.raw) != each.raw, each.raw)):
            self._settle(bearer)

    def name(self, server: str, raw: str) -> str:
        """Give the name of a thing that has been named.

        Raises:
            KeyError: it has not.
        """
        return self._names[server, raw]

    def bearer(self, name: str) -> tuple[str, str] | None:
        """Give the server and the thing that bear a name; None where nobody does."""
        return self._bearers.get(name)

    def all(self) -> Sequence[str]:
        """Give all names, in the order in which they were given."""
        return tuple(self._bearers)

    def _settle(self, bearer: Bearer) -> None:
        key = (bearer.server, bearer.raw)
        if key in self._names:
            return
        name = next(name for name in self._candidates(bearer) if name not in self._bearers)
        self._names[key] = name
        self._bearers[name] = key

    def _candidates(self, bearer: Bearer) -> Iterator[str]:
        """Give names from the one that is wanted most, without end; one of them is free."""
        raw, naming = bearer.raw, self._naming
        if naming == "counter":
            return chain([tame(raw)], map(partial(_counted, raw), count(1)))
        prefixed = tame(f"{bearer.prefix}_{raw}")
        wishes = [tame(raw), prefixed] if naming == "collision" else [prefixed]
        if callable(naming):
            wishes = _wished(naming, bearer) or [tame(raw), prefixed]
        whole = f"{bearer.server}\0{raw}"
        return chain(wishes, map(partial(_hashed, wishes[-1], whole), range(_HASH, _LONGEST_HASH)))
