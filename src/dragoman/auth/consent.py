"""Ask the user for leave in a browser: the authorization code flow, with PKCE, state and issuer identification."""

from __future__ import annotations

from collections.abc import Callable
from hmac import compare_digest
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from dragoman.auth.addresses import shown
from dragoman.auth.advice import login_command
from dragoman.auth.endpoint import Client
from dragoman.auth.metadata import AuthorizationServer
from dragoman.auth.pkce import make_proof, random_text
from dragoman.auth.records import Credentials
from dragoman.auth.registration import Profile, known_client, register
from dragoman.auth.secret import Secret, as_secret, hide
from dragoman.auth.steps import Browse, Conversation, Listen, Now
from dragoman.auth.tokens import Refusal, plain_text
from dragoman.auth.ways import Errand, Way, union
from dragoman.errors import AuthError, UsageError

__all__ = ["OAuth", "authorization_url", "read_redirect"]

_OFFLINE = "offline_access"


class OAuth(Way, frozen=True, kw_only=True):
    """Get tokens for a user, who is asked once in a browser; later on they are refreshed.

    Nothing has to be given. What can be: see `Way`, and

    Attributes:
        client_id: who the application is to the authorization server, where that was arranged; `client_secret`, or
            `private_key` (a JWK in JSON, or PEM) with `key_id` and `algorithm`, is how it shows that.
        auth_method: none, client_secret_basic, client_secret_post or private_key_jwt; None: what the server supports.
        client_metadata_url: where the application's metadata document lies, for servers that take one.
        client_name: what users are shown, where we have to register. `client_uri`: a page about the application.
        application_type: "native", or "web" for an application that is itself a site.
        redirect_uri: where the browser comes back to; None: a free port of this machine, the same one every time.
        interactive: whether there is a user to ask; None: if it looks like it. Without one an `AuthError` is raised.
        browse: a function, plain or a coroutine function, that is given the URL, brings the user there in a way of its
            own, and returns the URL that the browser is sent back to.
        headless: whether no browser is opened here: the user is told the address, opens it wherever there is one, and
            pastes the address that the browser ends at.
        login_timeout: seconds that the user has.
    """

    needs_user: ClassVar[bool] = True

    client_id: str | None = None
    client_secret: Secret | str | None = None
    private_key: Secret | str | None = None
    key_id: str | None = None
    algorithm: str = "ES256"
    auth_method: str | None = None
    client_metadata_url: str | None = None
    client_name: str = "dragoman"
    client_uri: str | None = None
    application_type: str = "native"
    redirect_uri: str | None = None
    interactive: bool | None = None
    browse: Callable[[str], Any] | None = None
    headless: bool = False
    login_timeout: float = 300.0

    def __post_init__(self) -> None:
        super().__post_init__()
        hide(self, "client_secret", "private_key")
        if self.redirect_uri is not None and not _is_uri(self.redirect_uri):
            hint = "write it as it is registered, as in http://localhost:3000/callback"
            raise UsageError(
                f"redirect_uri={self.redirect_uri!r} is nothing that a browser could come back to", hint=hint
            )

    @property
    def own_id(self) -> str | None:
        return self.client_id

    @property
    def profile(self) -> Profile:
        """Who this client is, as far as the options say so."""
        return Profile(
            client_id=self.client_id,
            client_secret=as_secret(self.client_secret),
            private_key=as_secret(self.private_key),
            key_id=self.key_id,
            algorithm=self.algorithm,
            auth_method=self.auth_method,
            issuer=self.issuer,
            metadata_url=self.client_metadata_url,
            name=self.client_name,
            uri=self.client_uri,
            application_type=self.application_type,
        )

    def client(self, server: AuthorizationServer, held: Client | None, now: float) -> Client | None:
        return known_client(self.profile, server, held, now)

    def obtain(self, errand: Errand) -> Conversation[Credentials | Refusal]:
        """Ask the user. A client that the server has forgotten registers again, and asks once more.

        Raises:
            AuthError: there is no user, they said no, or an answer is not to be trusted.
        """
        _check(errand)
        redirect_uri = yield from _listen(self, errand)
        was_held = errand.held.client
        client = yield from _client(self, errand, redirect_uri)
        outcome = yield from _asked(self, errand, client, redirect_uri)
        if isinstance(outcome, Refusal) and outcome.error == "invalid_client" and _is_forgotten(self, client, was_held):
            yield from errand.remember(None)
            client = yield from _client(self, errand, redirect_uri)
            outcome = yield from _asked(self, errand, client, redirect_uri)
        return outcome


def _is_uri(text: object) -> bool:
    try:
        parts = urlsplit(text) if isinstance(text, str) else None
        # RFC 6749, section 3.1.2: absolute, without a fragment. Applications may have schemes of their own.
        return parts is not None and bool(parts.scheme) and "#" not in parts.geturl() and parts.port != 0
    except ValueError:
        return False


def _check(errand: Errand) -> None:
    if errand.server.authorization_endpoint is None:
        raise AuthError(f"the authorization server {shown(errand.server.issuer)} has no page where users could log in")
    errand.server.check_pkce()


def _is_forgotten(options: OAuth, client: Client, was_held: Client | None) -> bool:
    """Say whether a server no longer knows a client that it knew earlier, and that the user has not named."""
    return was_held is not None and client.id == was_held.id and client.id != options.client_id


def _listen(options: OAuth, errand: Errand) -> Conversation[str]:
    held, redirect_uri = errand.held.client, options.redirect_uri
    is_fixed = redirect_uri is not None
    if redirect_uri is None and held is not None:
        # What was arranged with a server is not ours to change; what we registered can be registered anew.
        redirect_uri, is_fixed = held.redirect_uri, held.redirect_uri is not None and not held.is_registered
    found: str | None = None
    if options.interactive is not False:
        found = yield Listen(redirect_uri, is_fixed=is_fixed)
    if found is None:
        raise _nobody(options, errand)
    return found


def _nobody(options: OAuth, errand: Errand) -> AuthError:
    command = login_command(
        errand.near,
        errand.scopes or (),
        identity=options.identity,
        client_id=options.client_id,
        has_secret=options.client_secret is not None,
        client_metadata_url=options.client_metadata_url,
        redirect_uri=options.redirect_uri,
        issuer=options.issuer,
        trusted_hosts=options.trusted_hosts,
    )
    where = f"`{command}` does it" if options.store is None else "log in where there is a browser, with the same store"
    return AuthError(
        "a user has to log in, and there is nobody to ask",
        status=401,
        scope=errand.scope,
        url=errand.server.authorization_endpoint,
        hint=f"{where}; a program that has no user is given another `auth`",
    )


def _client(options: OAuth, errand: Errand, redirect_uri: str) -> Conversation[Client]:
    """Give who we are, registering where nothing is known, or what is known does not fit any more."""
    now: float = yield Now()
    known = options.client(errand.server, errand.held.client, now)
    if known is not None and _fits(known, errand, redirect_uri):
        return known
    scopes = union(errand.scopes, errand.resource.scopes)
    client = yield from register(options.profile, errand.server, redirect_uri, scopes, errand.near)
    yield from errand.remember(client)
    return client


def _fits(client: Client, errand: Errand, redirect_uri: str) -> bool:
    if not client.is_registered:
        return True
    knows_scopes = client.scope is None or set(errand.scopes or ()) <= set(client.scope)
    return client.redirect_uri == redirect_uri and knows_scopes


# ---------------------------------------------------------------------------------------------------- asking the user


def _asked(options: OAuth, errand: Errand, client: Client, redirect_uri: str) -> Conversation[Credentials | Refusal]:
    proof = yield from make_proof()
    state = yield from random_text()
    url = authorization_url(errand, client.id, redirect_uri, state, proof.challenge)
    returned: str = yield Browse(url, redirect_uri)
    code = read_redirect(returned, state, errand.server)
    parameters: dict[str, str | None] = {
        "grant_type": "authorization_code",
        "code": code.reveal(),
        "redirect_uri": redirect_uri,
        "code_verifier": proof.verifier.reveal(),
    }
    outcome = yield from errand.redeem(client, parameters)
    if isinstance(outcome, Refusal) or client.is_registered or client.key is not None:
        return outcome
    # So that whoever comes later, and knows nothing of what was arranged, can renew the tokens. Private keys stay out.
    arranged = msgspec.structs.replace(client, redirect_uri=options.redirect_uri)
    return msgspec.structs.replace(outcome, client=arranged)


def authorization_url(errand: Errand, client_id: str, redirect_uri: str, state: str, challenge: str) -> str:
    """Write the URL that the user is sent to (RFC 6749, section 4.1.1; RFC 7636; RFC 8707).

    Where the server lists `offline_access`, it is asked for as well: it is what brings a refresh token. OpenID providers
    then want the user to be asked (OpenID Connect Core, section 11).
    """
    scopes = errand.scopes
    is_offline = bool(scopes) and _OFFLINE in errand.server.scopes
    parameters = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": errand.resource.name,
    }
    if scopes:
        parameters["scope"] = " ".join(union(scopes, (_OFFLINE,)) if is_offline else scopes)
    if is_offline:
        parameters["prompt"] = "consent"
    endpoint = (errand.server.authorization_endpoint or "").partition("#")[0]
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(parameters)}"


def read_redirect(url: str, state: str, server: AuthorizationServer) -> Secret:
    """Take the code out of the URL that the browser came back to.

    Whose answer it is, is looked at first; what another server says is neither acted on nor shown (RFC 9207).

    Raises:
        AuthError: the answer is not one to this request of this server, or the user or the server said no.
    """
    try:
        pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:
        raise AuthError("the browser came back with what is no URL", hint="log in again") from None
    members = dict(pairs)
    if len(members) != len(pairs):
        raise AuthError("the browser came back with a parameter twice, which no authorization server does")
    if not compare_digest(members.get("state", "").encode(), state.encode()):
        raise AuthError("the browser came back with an answer to another request", hint="log in again")
    _check_issuer(members.get("iss"), server)
    if "error" in members:
        said = [plain_text(members.get(name)) for name in ("error", "error_description")]
        raise AuthError(f"the authorization was not given: {': '.join(each for each in said if each)}")
    if not members.get("code"):
        raise AuthError("the browser came back without a code")
    return Secret(members["code"])


def _check_issuer(iss: str | None, server: AuthorizationServer) -> None:
    # Compared as they are: no case, port, slash or percent-encoding is made equal (2026-07-28, Response Validation).
    if iss is None and not server.sends_iss:
        return
    if iss != server.iss:
        named = "does not name its sender" if iss is None else f"is from {shown(iss)}"
        raise AuthError(
            f"the browser came back with an answer that {named}, though {shown(server.iss)} was asked",
            hint="somebody may be trying to get at your tokens; ask who runs the server",
        )
