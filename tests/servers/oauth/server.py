"""A server that wants tokens, and one that gives them: each on a port of its own, both at the test's command."""

import base64
import hashlib
import json
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

__all__ = ["Authority", "Heard", "Protected"]


class Heard:
    """One request, as it came."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode()))


class Answer:
    """What a request is answered by."""

    def __init__(self, body: Any = b"", status: int = 200, **headers: str) -> None:
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if not isinstance(body, bytes):
            self.headers.setdefault("content-type", "application/json")
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()


class Quiet(ThreadingHTTPServer):
    """A server that takes it as it comes that clients hang up, or are killed."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Listener:
    """A server on a free port whose requests `answer` answers; it remembers them."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def _do(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                heard = Heard(self.command, self.path, headers, body)
                listener.heard.append(heard)
                answer = listener.answer(heard)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = _do  # noqa: N815 - the base class's names

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's
                """Say nothing."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.base = f"http://localhost:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def answer(self, heard: Heard) -> Answer:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def count(self, method: str, path: str) -> int:
        return sum(each.method == method and urlsplit(each.path).path == path for each in self.heard)


class Authority(Listener):
    """An authorization server. Refresh tokens change with each use; one that is used twice ends the grant.

    Attributes:
        lifetime: seconds that tokens live, as it says.
        trouble: answers that token requests get before they are looked at, one each.
        metadata: members that its metadata has besides, or instead.
        says_no: users refuse.
        before_token: called with each token request, which waits for it.
        is_form_encoded: token answers are no JSON.
        forgets: tokens are given, and nobody takes them.
        arranged: clients that are known without having registered, and may come back to any address of this machine.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lifetime: int | None = 3600
        self.trouble: list[Answer] = []
        self.metadata: dict[str, Any] = {}
        self.says_no = False
        self.before_token: Callable[[Heard], None] = lambda _: None
        self.is_form_encoded = False
        self.forgets = False
        self.arranged: set[str] = set()
        self.access: dict[str, str] = {}
        self.refresh: dict[str, str] = {}
        self.used: set[str] = set()
        self._codes: dict[str, dict[str, str]] = {}
        self._clients: dict[str, str] = {}
        self._number = 0
        self._guard = threading.Lock()

    def answer(self, heard: Heard) -> Answer:
        path = urlsplit(heard.path).path
        routes = {
            "/.well-known/oauth-authorization-server": self._metadata,
            "/register": self._register,
            "/authorize": self._authorize,
            "/token": self._token,
        }
        return routes[path](heard) if path in routes else Answer(status=404)

    def _metadata(self, _: Heard) -> Answer:
        return Answer(
            {
                "issuer": self.base,
                "authorization_endpoint": f"{self.base}/authorize",
                "token_endpoint": f"{self.base}/token",
                "registration_endpoint": f"{self.base}/register",
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True,
                **self.metadata,
            }
        )

    def _register(self, heard: Heard) -> Answer:
        client_id = f"client-{self._next()}"
        self._clients[client_id] = json.loads(heard.body)["redirect_uris"][0]
        return Answer({"client_id": client_id, "client_secret": "planted-client-secret"}, 201)

    def _authorize(self, heard: Heard) -> Answer:
        asked = dict(parse_qsl(urlsplit(heard.path).query))
        is_known = self._clients.get(asked["client_id"]) == asked["redirect_uri"]
        if not is_known and asked["client_id"] not in self.arranged:
            return Answer(b"the redirect URI is not registered", 400)
        code = f"planted-code-{self._next()}"
        self._codes[code] = asked
        said = {"error": "access_denied", "error_description": "not today"} if self.says_no else {"code": code}
        location = f"{asked['redirect_uri']}?{urlencode({**said, 'state': asked['state'], 'iss': self.base})}"
        return Answer(status=302, location=location)

    def _token(self, heard: Heard) -> Answer:
        self.before_token(heard)
        with self._guard:
            if self.trouble:
                return self.trouble.pop(0)
            form = heard.form
            kinds = {"authorization_code": self._redeemed, "refresh_token": self._refreshed}
            scope = kinds[form["grant_type"]](form) if form["grant_type"] in kinds else form.get("scope", "")
            return Answer({"error": "invalid_grant"}, 400) if scope is None else self._given(scope)

    def _redeemed(self, form: dict[str, str]) -> str | None:
        asked = self._codes.pop(form["code"], None)
        digest = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if asked is None or digest != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return None
        return asked.get("scope", "")

    def _refreshed(self, form: dict[str, str]) -> str | None:
        if form["refresh_token"] in self.used:
            self.revoke()
        self.used.add(form["refresh_token"])
        return self.refresh.pop(form["refresh_token"], None)

    def _given(self, scope: str) -> Answer:
        number = self._next()
        access, refresh = f"planted-access-{number}", f"planted-refresh-{number}"
        self.access, self.refresh[refresh] = ({} if self.forgets else {access: scope}), scope
        body: dict[str, Any] = {"access_token": access, "refresh_token": refresh, "token_type": "Bearer"}
        if self.lifetime is not None:
            body["expires_in"] = self.lifetime
        if self.is_form_encoded:
            return Answer(urlencode(body).encode(), content_type="application/x-www-form-urlencoded")
        return Answer(body)

    def _next(self) -> int:
        self._number += 1
        return self._number

    def revoke(self) -> None:
        """End all that was granted."""
        self.access, self.refresh = {}, {}

    @property
    def refreshes(self) -> int:
        return sum(each.form.get("grant_type") == "refresh_token" for each in self.heard if each.path == "/token")

    @property
    def logins(self) -> int:
        return self.count("GET", "/authorize")


class Protected(Listener):
    """A server that answers whoever has a token of its authorization server's, as far as its scopes go.

    Attributes:
        authority: its authorization server.
        scope: what a token has to have besides being one, or None.
        resource: members that its metadata has besides, or instead.
    """

    def __init__(self) -> None:
        super().__init__()
        self.authority = Authority()
        self.scope: str | None = None
        self.resource: dict[str, Any] = {}

    @property
    def url(self) -> str:
        return f"{self.base}/mcp"

    def answer(self, heard: Heard) -> Answer:
        if heard.path == "/.well-known/oauth-protected-resource/mcp":
            return Answer({"resource": self.url, "authorization_servers": [self.authority.base], **self.resource})
        if heard.path != "/mcp":
            return Answer(status=404)
        scope = self.authority.access.get(heard.headers.get("authorization", "").removeprefix("Bearer "))
        if scope is None:
            return Answer({}, 401, www_authenticate="Bearer")
        if self.scope is not None and self.scope not in scope.split():
            challenge = f'Bearer error="insufficient_scope", scope="{self.scope}"'
            return Answer({}, 403, www_authenticate=challenge)
        return Answer({"ok": True})

    def __enter__(self) -> Self:
        self.authority.__enter__()
        return super().__enter__()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.authority.__exit__()
