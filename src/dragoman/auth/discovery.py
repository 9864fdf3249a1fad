"""Find who may give tokens for a server: its protected-resource metadata, then the metadata of an authorization server.

    1. the resource   where the challenge says, else at the well-known address with the server's path, else at the root
    2. the issuer     what the resource names first (or what is known of it already); three forms of its address
    3. neither        a server as of 2025-03-26: metadata at its own origin, else /authorize, /token and /register there

A rung that fails leads to the next one, whatever it fails with: many servers answer 401, 403 or a web page for what they
do not have. What is found is held to what it was found by: names are compared as plain text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import Struct

from dragoman.auth.addresses import Neighbourhood, shown
from dragoman.auth.challenges import Demand
from dragoman.auth.metadata import AuthorizationServer, Resource, fallback_server, read_resource, read_server
from dragoman.auth.steps import Conversation, Fetch, FetchReply
from dragoman.errors import AuthError, McpTimeout, ProtocolError, TransportError
from dragoman.protocol.eras import VERSIONS

__all__ = ["Place", "Rung", "Search", "discover", "origin_url", "resource_rungs", "server_rungs"]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 3
_MOST_ISSUERS = 5
_RESOURCE = "/.well-known/oauth-protected-resource"
_SERVER = "/.well-known/oauth-authorization-server"
_OPENID = "/.well-known/openid-configuration"


class Rung(Struct, frozen=True):
    """One URL that was looked at, and what was there: "found", or why not.

    `is_disturbed`: there was no answer, or one about a failure, so that nothing is known of what is there.
    """

    url: str
    outcome: str
    is_disturbed: bool = False


class Place(Struct, frozen=True):
    """Where tokens for a server come from."""

    resource: Resource
    server: AuthorizationServer


class Search(Struct, frozen=True):
    """What to look for, and what to hold against it.

    `issuers` are preferred, in order, where a resource names several; `trusted_issuers` are used although their metadata
    breaks a rule: it names another issuer, or does not say that PKCE is supported. `resource` is the name to use for the
    server instead of what its metadata says. `trail` is where each rung is noted.
    """

    neighbourhood: Neighbourhood
    issuers: tuple[str, ...] = ()
    trusted_issuers: frozenset[str] = frozenset()
    resource: str | None = None
    trail: list[Rung] = msgspec.field(default_factory=list)

    @property
    def url(self) -> str:
        """The server's URL, as the user gave it."""
        return self.neighbourhood.server


def discover(search: Search, demand: Demand) -> Conversation[Place]:
    """Find the resource, and an authorization server that may be used for it.

    Raises:
        AuthError: there is none, or what there is breaks a rule; the message says which URL said what.
    """
    resource = yield from _find_resource(search, demand.resource_metadata)
    if not resource.issuers:
        server = yield from _find_own_server(search)
        return Place(resource, server)
    failure: AuthError | None = None
    for issuer in _in_order(resource.issuers, search.issuers):
        try:
            server = yield from _find_server(search, issuer)
            return Place(resource, server)
        except AuthError as error:
            failure = failure or error
    assert failure is not None
    raise failure


def _in_order(named: Sequence[str], preferred: Sequence[str]) -> list[str]:
    known = [each for each in preferred if each in named]
    return [*known, *(each for each in named if each not in known)][:_MOST_ISSUERS]


# ------------------------------------------------------------------------------------------------------ the resource


def resource_rungs(url: str) -> tuple[str, ...]:
    """List the well-known addresses of a server's protected-resource metadata (RFC 9728, section 3.1)."""
    parts = urlsplit(url)
    base = origin_url(url) + _RESOURCE
    path = parts.path.rstrip("/")
    query = f"?{parts.query}" if parts.query else ""
    return (f"{base}{path}{query}", base) if path or query else (base,)


def _find_resource(search: Search, named: str | None) -> Conversation[Resource]:
    urls = [named] if named else []
    for url in dict.fromkeys([*urls, *resource_rungs(search.url)]):
        what = "the resource_metadata of the challenge" if url == named else "the address of the resource's metadata"
        document = yield from _document(search, url, what)
        if document is not None:
            return read_resource(document, url, search.url, search.resource)
    return Resource(search.resource or search.url.partition("#")[0])


# -------------------------------------------------------------------------------------------- the authorization server


def server_rungs(issuer: str) -> tuple[str, ...]:
    """List the well-known addresses of an issuer's metadata, all on its own host (RFC 8414, section 3.1 and 5)."""
    base, path = origin_url(issuer), urlsplit(issuer).path.rstrip("/")
    if not path:
        return (base + _SERVER, base + _OPENID)
    return (base + _SERVER + path, base + _OPENID + path, base + path + _OPENID)


def _find_server(search: Search, issuer: str) -> Conversation[AuthorizationServer]:
    search.neighbourhood.check(issuer, "the authorization server that the resource names")
    for url in server_rungs(issuer):
        document = yield from _document(search, url, "the address of the authorization server's metadata")
        if document is not None:
            is_trusted = not search.trusted_issuers.isdisjoint({issuer, str(document.get("issuer"))})
            return read_server(document, url, issuer, search.neighbourhood, is_trusted=is_trusted)
    raise AuthError(
        f"the authorization server {shown(issuer)} has no metadata: {_told(search.trail)}",
        hint="try again later, or ask who runs it",
    )


def _find_own_server(search: Search) -> Conversation[AuthorizationServer]:
    """Find the authorization server of a server as of 2025-03-26, which is that server itself."""
    base = origin_url(search.url)
    for url in server_rungs(base):
        document = yield from _document(search, url, "the address of the server's own metadata")
        if document is not None:
            return read_server(document, url, base, search.neighbourhood, is_own=True)
    if any(rung.is_disturbed for rung in search.trail):
        raise AuthError(
            f"how to get a token cannot be found out now: {_told(search.trail)}", hint="try again in a while"
        )
    return fallback_server(base)


def _told(trail: Sequence[Rung]) -> str:
    return "; ".join(f"{shown(rung.url)}: {rung.outcome}" for rung in trail[-6:])


def origin_url(url: str) -> str:
    """Cut a URL down to its scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


# ------------------------------------------------------------------------------------------------------- documents


def _document(search: Search, url: str, what: str) -> Conversation[dict[str, Any] | None]:
    """Fetch a JSON object; None, and a note of the reason, where there is none."""
    try:
        reply = yield from _fetched(search, url, what)
    except AuthError as error:
        search.trail.append(Rung(url, f"not looked at: {error.message}"))
        return None
    except (TransportError, McpTimeout, ProtocolError) as error:
        search.trail.append(Rung(url, f"no answer: {error.message}", is_disturbed=True))
        return None
    document = reply.json_object() if reply.status == 200 else None
    search.trail.append(Rung(url, _outcome(reply, document), is_disturbed=reply.status >= 500))
    return document


def _fetched(search: Search, url: str, what: str) -> Conversation[FetchReply]:
    headers = (("accept", "application/json"), ("mcp-protocol-version", VERSIONS[0]))
    target = url
    for _ in range(_MOST_REDIRECTS):
        search.neighbourhood.check(target, what)
        reply: FetchReply = yield Fetch("GET", target, headers, near=search.url)
        location = reply.header("location")
        if reply.status not in _REDIRECTS or not location:
            return reply
        target = urljoin(target, location)
    raise AuthError(f"{what} redirects {_MOST_REDIRECTS} times: {shown(url)}")


def _outcome(reply: FetchReply, document: dict[str, Any] | None) -> str:
    if document is not None:
        return "found"
    return "no JSON object" if reply.status == 200 else f"{reply.status}"
