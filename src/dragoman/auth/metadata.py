"""Read the two documents of discovery, and hold them to their rules (RFC 9728, RFC 8414, OpenID Connect Discovery)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from dragoman.auth.addresses import Neighbourhood, shown
from dragoman.errors import AuthError

__all__ = ["AuthorizationServer", "Resource", "fallback_server", "read_resource", "read_server"]


class Resource(Struct, frozen=True):
    """A protected resource: its name as it is to be sent, verbatim, and who gives tokens for it.

    `scopes` is None where nothing is said of them; `source` is the URL of the document, if there is one.
    """

    name: str
    issuers: tuple[str, ...] = ()
    scopes: tuple[str, ...] | None = None
    requires_dpop: bool = False
    source: str | None = None


class AuthorizationServer(Struct, frozen=True):
    """What is known of an authorization server.

    `issuer` is what credentials are bound to. `iss` is how it names itself in its answers (RFC 9207): the same, but for
    servers as of 2025-03-26. `challenge_methods` and `auth_methods` are None where nothing is said of them.
    """

    issuer: str
    token_endpoint: str
    authorization_endpoint: str | None = None
    registration_endpoint: str | None = None
    iss: str = ""
    sends_iss: bool = False
    scopes: tuple[str, ...] = ()
    challenge_methods: tuple[str, ...] | None = None
    auth_methods: tuple[str, ...] | None = None
    dpop_algorithms: tuple[str, ...] = ()
    takes_metadata_documents: bool = False
    must_prove: bool = True

    def check_pkce(self) -> None:
        """Make sure that a code can be protected (2025-11-25, Authorization Code Protection).

        Raises:
            AuthError: the server does not say that it supports S256.
        """
        if self.must_prove and "S256" not in (self.challenge_methods or ()):
            said = "says nothing of" if self.challenge_methods is None else "does not support"
            raise AuthError(
                f"the authorization server {shown(self.issuer)} {said} PKCE with S256, without which no code is safe",
                hint=f"if you know that it does, allow it with trusted_issuers={{{self.issuer!r}}}",
            )


# ------------------------------------------------------------------------------------------------------ the resource


def read_resource(document: dict[str, Any], source: str, server: str, name: str | None) -> Resource:
    """Read protected-resource metadata that was found at `source` for a server's URL.

    `name` is used in place of the resource's own name, where the user has said so.

    Raises:
        AuthError: the document is that of another resource.
    """
    named = _text(document, "resource")
    if name is None:
        _check_resource(named, source, server)
    issuers = _texts(document, "authorization_servers") or ()
    return Resource(
        name or named or server.partition("#")[0],
        tuple(dict.fromkeys(issuers)),
        _texts(document, "scopes_supported"),
        requires_dpop=document.get("dpop_bound_access_tokens_required") is True,
        source=source,
    )


def _check_resource(named: str | None, source: str, server: str) -> None:
    # A token for another resource must never be asked for on this one's word: RFC 9728, sections 3.3 and 7.3.
    if named is not None and not _covers(named, server):
        raise AuthError(
            f"{shown(source)} describes the resource {shown(named)}, which is not the server {shown(server)}",
            hint="if it is the right one, say so with resource=...",
        )


def _covers(resource: str, server: str) -> bool:
    """Say whether a resource is the server's URL, or what lies above it on the same origin."""
    ours, theirs = urlsplit(server), urlsplit(resource)
    if "#" in resource or _origin(ours.geturl()) != _origin(theirs.geturl()):
        return False
    path = theirs.path.rstrip("/")
    is_above = ours.path.rstrip("/") == path or ours.path.startswith(f"{path}/")
    return is_above and theirs.query in {"", ours.query}


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    return parts.scheme, parts.hostname, port or {"http": 80, "https": 443}.get(parts.scheme)


# -------------------------------------------------------------------------------------------- the authorization server


def read_server(
    document: dict[str, Any],
    source: str,
    issuer: str,
    neighbourhood: Neighbourhood,
    *,
    is_trusted: bool = False,
    is_own: bool = False,
) -> AuthorizationServer:
    """Read the metadata that was found at `source` for an issuer.

    `is_trusted`: the user answers for it. `is_own`: nobody named the issuer; it is looked for where the MCP server is.

    Raises:
        AuthError: it is that of another issuer, or an endpoint is missing or may not be used.
    """
    named = _text(document, "issuer")
    if named != issuer and not (is_trusted or is_own):
        raise AuthError(
            f"{shown(source)} says that its issuer is {shown(named)}, but the resource names {shown(issuer)}",
            hint=f"if you know why, allow it with trusted_issuers={{{issuer!r}}}",
        )
    endpoints = {name: _endpoint(document, name, neighbourhood) for name in _ENDPOINTS}
    token = endpoints["token_endpoint"]
    if token is None:
        raise AuthError(f"{shown(source)} names no token_endpoint")
    return AuthorizationServer(
        issuer,
        token,
        endpoints["authorization_endpoint"],
        endpoints["registration_endpoint"],
        iss=named or issuer,
        sends_iss=document.get("authorization_response_iss_parameter_supported") is True,
        scopes=_texts(document, "scopes_supported") or (),
        challenge_methods=_texts(document, "code_challenge_methods_supported"),
        auth_methods=_texts(document, "token_endpoint_auth_methods_supported"),
        dpop_algorithms=_texts(document, "dpop_signing_alg_values_supported") or (),
        takes_metadata_documents=document.get("client_id_metadata_document_supported") is True,
        # 2025-03-26 asks for PKCE, but not for saying so.
        must_prove=not (is_trusted or is_own),
    )


_ENDPOINTS = ("token_endpoint", "authorization_endpoint", "registration_endpoint")


def _endpoint(document: dict[str, Any], name: str, neighbourhood: Neighbourhood) -> str | None:
    url = document.get(name)
    return None if url is None else neighbourhood.check(url, f"the {name} of the authorization server")


def fallback_server(base: str) -> AuthorizationServer:
    """Give the endpoints that a server without any metadata has by default (2025-03-26, Authorization)."""
    return AuthorizationServer(
        base, f"{base}/token", f"{base}/authorize", f"{base}/register", iss=base, must_prove=False
    )


# --------------------------------------------------------------------------------------------------------- members


def _text(document: dict[str, Any], name: str) -> str | None:
    value = document.get(name)
    return value if isinstance(value, str) and value else None


def _texts(document: dict[str, Any], name: str) -> tuple[str, ...] | None:
    value = document.get(name)
    if not isinstance(value, list):
        return None
    return tuple(each for each in value if isinstance(each, str) and each)
