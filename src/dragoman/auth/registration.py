"""Be known to an authorization server: as it was arranged, by a metadata document, or by registering (RFC 7591).

What the user arranged with the server goes first, as 2025-11-25, Client Registration Approaches, has it; then a document
at a URL that is the client's id; then what was registered earlier; and only then a new registration.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from dragoman.auth.addresses import shown
from dragoman.auth.endpoint import Client
from dragoman.auth.metadata import AuthorizationServer
from dragoman.auth.secret import Secret
from dragoman.auth.steps import Conversation, Fetch, FetchReply
from dragoman.auth.tokens import plain_text, read_object, words
from dragoman.errors import AuthError

__all__ = ["Profile", "known_client", "register"]

_SECRET_METHODS = ("client_secret_basic", "client_secret_post")
_METHODS = frozenset({"none", "private_key_jwt", *_SECRET_METHODS})


class Profile(Struct, frozen=True, kw_only=True):
    """Who this client is, as far as the user has said so.

    `client_id`, with a secret or a private key, is what was arranged with the authorization server `issuer` (None: with
    whichever the MCP server names). `metadata_url` is where the client's metadata document lies.
    """

    client_id: str | None = None
    client_secret: Secret | None = None
    private_key: Secret | None = None
    key_id: str | None = None
    algorithm: str = "ES256"
    auth_method: str | None = None
    issuer: str | None = None
    metadata_url: str | None = None
    name: str = "dragoman"
    uri: str | None = None
    application_type: str = "native"


def known_client(profile: Profile, server: AuthorizationServer, held: Client | None, now: float) -> Client | None:
    """Give who we are to a server already, or None where we have to register.

    `held` is what was registered, or shown, there earlier.

    Raises:
        AuthError: the user has named another authorization server.
    """
    _check_issuer(profile, server)
    if profile.client_id is not None:
        return _arranged(profile, server, profile.client_id)
    if profile.metadata_url is not None and server.takes_metadata_documents:
        return _arranged(profile, server, profile.metadata_url)
    if held is None or (held.secret_expires_at is not None and now >= held.secret_expires_at):
        return None
    return held


def _check_issuer(profile: Profile, server: AuthorizationServer) -> None:
    # 2025-11-25, Client Registration: credentials are of the server that gave them, and of no other.
    if profile.issuer is not None and profile.issuer != server.issuer:
        raise AuthError(
            f"the authorization server was to be {shown(profile.issuer)}, but the server names {shown(server.issuer)}",
            hint="if that is right, give that `issuer`, with a `client_id` that was registered there",
        )


def _arranged(profile: Profile, server: AuthorizationServer, client_id: str) -> Client:
    return Client(
        client_id,
        profile.client_secret,
        _arranged_method(profile, server),
        key=profile.private_key,
        key_id=profile.key_id,
        algorithm=profile.algorithm,
    )


def _arranged_method(profile: Profile, server: AuthorizationServer) -> str:
    if profile.auth_method is not None:
        return profile.auth_method
    if profile.private_key is not None:
        return "private_key_jwt"
    if profile.client_secret is None:
        return "none"
    supported = server.auth_methods or _SECRET_METHODS
    return next((each for each in _SECRET_METHODS if each in supported), _SECRET_METHODS[0])


# ---------------------------------------------------------------------------------------------------- registering


def register(
    profile: Profile,
    server: AuthorizationServer,
    redirect_uri: str,
    scopes: tuple[str, ...] | None,
    near: str,
) -> Conversation[Client]:
    """Register at a server, for one redirect URI and for some scopes.

    A server that does not take the scopes is asked again without: what may be had is then said when it is asked for.

    Raises:
        AuthError: the server does not register clients, or refuses this one.
    """
    if server.registration_endpoint is None:
        raise AuthError(
            f"the authorization server {shown(server.issuer)} does not register clients by itself",
            hint="register one there, and give its `client_id`",
        )
    asked = _metadata(profile, server, redirect_uri)
    reply = yield from _post(server.registration_endpoint, _with_scope(asked, scopes), near)
    if reply.status == 400 and scopes:
        reply = yield from _post(server.registration_endpoint, asked, near)
    return _registered(reply, server, redirect_uri, asked["token_endpoint_auth_method"])


def _metadata(profile: Profile, server: AuthorizationServer, redirect_uri: str) -> dict[str, Any]:
    supported = server.auth_methods or ("none",)
    described = {
        "client_name": profile.name,
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": next(
            (each for each in ("none", *_SECRET_METHODS) if each in supported), _SECRET_METHODS[0]
        ),
        # Without it, OpenID providers take a client for a web application, and refuse a loopback address.
        "application_type": profile.application_type,
    }
    return described if profile.uri is None else {**described, "client_uri": profile.uri}


def _with_scope(asked: dict[str, Any], scopes: tuple[str, ...] | None) -> dict[str, Any]:
    return {**asked, "scope": " ".join(scopes)} if scopes else asked


def _post(url: str, body: dict[str, Any], near: str) -> Conversation[FetchReply]:
    headers = (("accept", "application/json"), ("content-type", "application/json"))
    reply: FetchReply = yield Fetch("POST", url, headers, msgspec.json.encode(body), near=near)
    return reply


def _registered(reply: FetchReply, server: AuthorizationServer, redirect_uri: str, asked: str) -> Client:
    document = read_object(reply)
    client_id = document.get("client_id")
    if not 200 <= reply.status < 300 or not isinstance(client_id, str) or not client_id:
        raise _refused(reply, document, server, redirect_uri)
    secret = document.get("client_secret")
    expires = document.get("client_secret_expires_at")
    return Client(
        client_id,
        Secret(secret) if isinstance(secret, str) and secret else None,
        _method(document.get("token_endpoint_auth_method"), asked),
        redirect_uri,
        words(document.get("scope")) or None,
        # RFC 7591, section 3.2.1: 0 stands for never.
        float(expires) if isinstance(expires, int | float) and expires > 0 else None,
        is_registered=True,
    )


def _method(answered: Any, asked: str) -> str:
    return answered if isinstance(answered, str) and answered in _METHODS else asked


def _refused(reply: FetchReply, document: dict[str, Any], server: AuthorizationServer, redirect_uri: str) -> AuthError:
    said = [plain_text(document.get(name)) for name in ("error", "error_description")]
    reason = ": ".join([str(reply.status), *(each for each in said if each)])
    return AuthError(
        f"the authorization server {shown(server.issuer)} does not register this client, with {redirect_uri} to come "
        f"back to ({reason})",
        hint="register one there by hand, and give its `client_id` and `redirect_uri`",
    )
