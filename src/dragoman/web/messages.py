"""An HTTP request as a value, and the headers of an answer."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from dragoman import __version__
from dragoman.errors import UsageError

__all__ = [
    "INTRODUCTION",
    "UNCOMPRESSED",
    "Headers",
    "HttpRequest",
    "Origin",
    "Pairs",
    "completed",
    "origin_of",
    "reachable",
    "target_of",
    "without_user",
]

Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""Headers in order, each with its value; one may be there more than once."""

_IS_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch
_ZONED = re.compile(r"(https?://(?:[^/?#]*@)?\[[^\]%]+)%25([^\]]+)", re.IGNORECASE)
_IS_VALUE = re.compile(r"[\t\x20-\x7e]*").fullmatch


class Origin(NamedTuple):
    """Where a URL leads: RFC 6454, with the port always there."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def told(self) -> str:
        """What a server is told of it, as its Host: without a zone, which is this end's own word (RFC 6874, section 4)."""
        return str(self._replace(host=self.host.partition("%")[0]))


_PORTS = {"http": 80, "https": 443}


@lru_cache(maxsize=1024)
def origin_of(url: str) -> Origin:
    """Take the origin out of an http or https URL.

    Raises:
        UsageError: it is no such URL.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{_shown(url)} is not a URL: {error}") from None
    if parts.scheme not in _PORTS or not parts.hostname or not _IS_VALUE(url) or " " in url:
        hint = "write it as https://host/path" if url.isascii() else "percent-encode what is not ASCII"
        raise UsageError(f"{_shown(url)} is not an http or https URL", hint=hint)
    return Origin(parts.scheme, _zoned(parts.hostname), port or _PORTS[parts.scheme])


def _zoned(host: str) -> str:
    """Write the zone of an address as systems do: "fe80::1%eth0", which in a URL is "fe80::1%25eth0" (RFC 6874)."""
    address, mark, zone = host.partition("%25")
    return f"{address}%{unquote(zone)}" if mark and zone and ":" in address else host


def reachable(url: str) -> str:
    """Write a URL for those who hand its host to the system as it stands; only one with a zone is another then."""
    zoned = "%25" in url and _ZONED.match(url)
    return f"{zoned[1]}%{unquote(zoned[2])}{url[zoned.end() :]}" if zoned else url


def target_of(url: str) -> str:
    """Give what a request asks the server for (RFC 9112, section 3.2.1): path and query, exactly as they were written."""
    _, _, rest = url.partition("#")[0].partition("://")
    slash, mark = rest.find("/"), rest.find("?")
    if slash < 0 or 0 <= mark < slash:
        return f"/{rest[mark:]}" if mark >= 0 else "/"
    return rest[slash:]


def without_user(url: str) -> tuple[str, str | None]:
    """Take a user and a password out of a URL, and give them as the value of an Authorization (RFC 7617), if any.

    Raises:
        ValueError: it is no URL.
    """
    parts = urlsplit(url)
    if parts.username is None:
        return url, None
    proof = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), f"Basic {b64encode(proof).decode()}"


def _shown(url: str) -> str:
    # A query, a fragment and what stands before the @ may hold secrets.
    return repr(re.sub(r"//[^/?#]*@", "//", url.partition("?")[0].partition("#")[0]))


class HttpRequest(Struct, frozen=True):
    """One request, as an engine sends it; a header may be there more than once.

    Raises:
        UsageError: the URL or a header cannot be sent. Values are ASCII, on one line.
    """

    method: str
    url: str
    headers: Pairs = ()
    body: bytes | None = None

    def __post_init__(self) -> None:
        origin_of(self.url)
        for name, value in self.headers:
            if not (value.isascii() and value.isprintable()) or not _is_name(name):
                _check_header(name, value)

    @property
    def origin(self) -> Origin:
        """Where the request goes."""
        return origin_of(self.url)

    def with_defaults(self, defaults: Pairs) -> list[tuple[str, str]]:
        """List the headers, a repeated one always spelled alike, and the defaults that are not among them."""
        return completed(self.headers, defaults)

    def __repr__(self) -> str:
        return f"HttpRequest({self.method} {_shown(self.url)})"


def completed(headers: Pairs, defaults: Pairs) -> list[tuple[str, str]]:
    """List headers, a repeated one always spelled alike, and the defaults that are not among them."""
    spellings: dict[str, str] = {}
    pairs = [(spellings.setdefault(name.lower(), name), value) for name, value in headers]
    return pairs + [pair for pair in defaults if pair[0].lower() not in spellings]


UNCOMPRESSED = ("Accept-Encoding", "identity")
"""Asked of every server: what compresses an event stream also holds it back."""

INTRODUCTION = (UNCOMPRESSED, ("User-Agent", f"dragoman/{__version__}"))


@lru_cache(maxsize=1024)
def _is_name(name: str) -> bool:
    return _IS_NAME(name) is not None


def _check_header(name: str, value: str) -> None:
    # The value is not shown: it may be a secret.
    if not _is_name(name):
        raise UsageError(f"{name!r} cannot be the name of a header", hint="letters, digits and - are good")
    if not _IS_VALUE(value):
        hint = "encode it, for example by percent-encoding"
        raise UsageError(f"the value of the header {name!r} has a line break or is not ASCII", hint=hint)


class Headers:
    """The headers of an answer: found whatever their case, in order, repeats kept."""

    __slots__ = ("_first", "_pairs")

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._first = {name.lower(): value for name, value in reversed(pairs)}

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the first value of a header, or the default."""
        return self._first.get(name.lower(), default)

    def all(self, name: str) -> tuple[str, ...]:
        """Return every value of a header, in order."""
        wanted = name.lower()
        return tuple(value for each, value in self._pairs if each.lower() == wanted)

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"Headers({', '.join(name for name, _ in self._pairs)})"
