"""Which proxy stands before a URL: the one that is set, or the environment's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from dragoman.errors import UsageError
from dragoman.web.messages import Origin, without_user

__all__ = ["Proxy", "check_proxy", "proxy_for", "redacted"]


@dataclass(frozen=True, slots=True, repr=False)
class Proxy:
    """A proxy's URL without its user and password, and those as the value of Proxy-Authorization (RFC 7617), if any."""

    url: str
    authorization: str | None = None

    def __repr__(self) -> str:
        return f"Proxy({self.url})"


def proxy_for(
    origin: Origin, setting: str | Literal[False] | None, environment: Mapping[str, str] = os.environ
) -> Proxy | None:
    """Find the proxy for an origin; None where it is reached directly.

    `setting` None means the environment's, which never applies to this very machine.
    """
    if setting is None:
        setting = _from_environment(origin, environment)
    return _proxy(setting) if setting else None


def check_proxy(url: str) -> None:
    """Make sure that a proxy can be used.

    Raises:
        UsageError: its URL is none, or of a kind that is not supported.
    """
    _proxy(url)


def redacted(url: str) -> str:
    """Return a URL without its user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _proxy(url: str) -> Proxy:
    written = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(written)
        _ = parts.port
    except ValueError:
        raise UsageError("the proxy's URL cannot be read", hint="write proxy='http://host:port'") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        hint = "write proxy='http://host:port'; for SOCKS give an http_client of your own"
        raise UsageError(f"{redacted(written)} cannot be used as a proxy", hint=hint)
    return Proxy(*without_user(written))


def _from_environment(origin: Origin, environment: Mapping[str, str]) -> str | None:
    if _is_here(origin.host):
        return None
    url = _variable(f"{origin.scheme}_proxy", environment) or _variable("all_proxy", environment)
    if not url or _is_exempt(origin, _variable("no_proxy", environment) or ""):
        return None
    return url


def _variable(name: str, environment: Mapping[str, str]) -> str | None:
    # A web server's CGI puts the request's header `Proxy` into HTTP_PROXY: the lower-case name is safe from that.
    if name == "http_proxy" and "REQUEST_METHOD" in environment:
        return environment.get(name)
    return environment.get(name) or environment.get(name.upper())


@lru_cache(maxsize=256)
def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_exempt(origin: Origin, exemptions: str) -> bool:
    return any(_matches(origin, each.strip().lower()) for each in exemptions.split(",") if each.strip())


def _matches(origin: Origin, exemption: str) -> bool:
    if exemption == "*" or _contains(exemption, origin.host):
        return True
    name, _, port = exemption.rpartition(":")
    if name and port.isdigit() and not (":" in name and "[" not in name):
        return int(port) == origin.port and _matches(origin, name)
    name = exemption.strip("[]").removeprefix("*").removeprefix(".")
    return origin.host == name or origin.host.endswith(f".{name}")


def _contains(network: str, host: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False
