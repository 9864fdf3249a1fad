"""Say which URLs, named by a server rather than by the user, may be fetched or opened.

They are http or https, without credentials. Plain http leads to this machine; or, if the user has chosen it for the server,
to the server's host, and elsewhere in its private network. A host in a private network is one that a server elsewhere has no business to send us to; what answers for the machine
itself in a cloud (link-local addresses) is nobody's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from dragoman.errors import AuthError

__all__ = ["Neighbourhood", "address_kind", "host_kind", "is_this_machine", "may_carry", "shown", "split"]

_URL = re.compile(r"[!#$%&'()*+,./0-9:;=?@A-Z\[\]_a-z~-]+")
_PRIVATE_SUFFIXES = (".local", ".internal", ".lan", ".home", ".corp", ".intranet", ".home.arpa")
_LONGEST = 4096
_PORTS = {"http": 80, "https": 443}


class Neighbourhood(Struct, frozen=True):
    """What the user has chosen: the server's URL, and hosts that are trusted whatever they are."""

    server: str
    trusted_hosts: frozenset[str] = frozenset()

    def check(self, url: object, what: str) -> str:
        """Return the URL if it may be used.

        Raises:
            AuthError: it may not; the message says why, and `what` it is.
        """
        parts = split(url)
        if not isinstance(url, str) or parts is None:
            raise AuthError(f"{what} is not a URL that can be used: {shown(url)}")
        host, own = parts.hostname or "", urlsplit(self.server)
        if host in self.trusted_hosts:
            return url
        if host != own.hostname:
            self._check_host(url, host, what)
        if parts.scheme == "http" and not self._may_be_plain(host, own):
            raise AuthError(f"{what} is not encrypted: {shown(url)}", hint="it has to begin with https://")
        return url

    def _may_be_plain(self, host: str, own: SplitResult) -> bool:
        """Whether what goes to a host may be read on the way: on this machine, or where the user chose to have it so."""
        if is_this_machine(host):
            return True
        return own.scheme == "http" and (host == own.hostname or host_kind(host) == "private")

    def _check_host(self, url: str, host: str, what: str) -> None:
        kind, own = host_kind(host), host_kind(urlsplit(self.server).hostname or "")
        if kind == "link-local" or (kind == "private" and own == "public"):
            raise AuthError(
                f"{what} leads into a private network: {shown(url)}",
                hint=f"if that is right, allow it with trusted_hosts={{{host!r}}}",
            )


@lru_cache(maxsize=256)
def may_carry(server: str, url: str) -> bool:
    """Say whether a request to `url` may carry the token for a server: on its origin, or the same host made secure."""
    own, other = urlsplit(server), urlsplit(url)
    ports = own.port or _PORTS.get(own.scheme), other.port or _PORTS.get(other.scheme)
    is_same = own.scheme == other.scheme and ports[0] == ports[1]
    is_upgrade = (own.scheme, other.scheme) == ("http", "https") and ports == (80, 443)
    return own.hostname == other.hostname and (is_same or is_upgrade)


def split(url: object) -> SplitResult | None:
    """Take an http or https URL apart; None if it is none, or not one to be handed on."""
    if not isinstance(url, str) or len(url) > _LONGEST or not _URL.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in {"http", "https"} and parts.hostname and (parts.port or True)
    except ValueError:
        return None
    return parts if is_whole and "@" not in parts.netloc else None


def shown(url: object) -> str:
    """Show what a server gave as a URL: short, printable, and without a query, in which secrets may stand."""
    return repr(url.partition("?")[0][:200]) if isinstance(url, str) else type(url).__name__


def host_kind(host: str) -> str:
    """Say where a host is by its name or address: "public", "private" (this machine included) or "link-local"."""
    name = host.lower().rstrip(".")
    address = _address(name)
    if address is not None:
        return address_kind(address)
    # Numbers that are no address in the usual form are read as one by many resolvers: 2130706433, 0x7f.1
    is_number = re.fullmatch(r"[0-9.]+|0x[0-9a-fx.]+", name) is not None
    is_local = "." not in name or name.endswith((".localhost", *_PRIVATE_SUFFIXES))
    return "private" if is_number or is_local else "public"


def is_this_machine(host: str) -> bool:
    """Say whether a host is this very machine, by its name or address."""
    name = host.lower().rstrip(".")
    address = _address(name)
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return address.is_loopback if address is not None else name == "localhost" or name.endswith(".localhost")


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name.partition("%")[0])
    except ValueError:
        return None


def address_kind(address: IPv4Address | IPv6Address) -> str:
    """Say where an address is, as `host_kind` does; one of IPv4 that is wrapped in IPv6 is looked at itself."""
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address.sixtofour or _translated(address) or address
    if address.is_link_local:
        return "link-local"
    return "public" if address.is_global and not address.is_multicast else "private"


def _translated(address: IPv6Address) -> IPv4Address | None:
    # RFC 6052: 64:ff9b::/96 leads to the IPv4 address in its last 32 bits.
    packed = address.packed
    return IPv4Address(packed[12:]) if packed[:12] == bytes.fromhex("0064ff9b0000000000000000") else None
