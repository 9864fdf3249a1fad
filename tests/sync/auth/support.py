# generated from tests/aio/auth/support.py by tools/unasync.py; do not edit
"""Clients of a protected server, one as small as one can be, a user who says yes, and a store that can be aged."""

import http.client
import json
from typing import Any, Self, cast
from urllib.parse import urlsplit

from dragoman import Client
from dragoman.auth.choice import authorizer_for
from dragoman.auth.flow import Headers, WayAuthorizer
from dragoman.deadline import Deadline
from dragoman.sync._runtime import Opening
from dragoman.sync.authorized import Authorized
from dragoman.sync.engines import HttpReply, HttpRequest, engine_for
from dragoman.sync.login import Login
from dragoman.sync.options import ConnectOptions
from dragoman.web.options import HttpOptions
from tests.servers.oauth.gated import Gated

__all__ = ["Visitor", "age", "connect", "consent", "follow"]


def connect(server: Gated, auth: Any = None, **options: Any) -> Opening[Client]:
    """Connect to a server behind a gate, of which nothing is remembered but what is stored."""
    given = {"auth": auth, "timeout": 10, "remembered": {}, "name": "gated", "proxy": False, **options}
    return Client.connect(server.url, **cast(ConnectOptions, given))


def follow(url: str) -> tuple[int, str | None, str]:
    """Get a page as a browser does, and stay there: its status, where it leads to, and what it says."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        response = connection.getresponse()
        return response.status, response.headers.get("location"), response.read().decode()
    finally:
        connection.close()


def consent(url: str) -> str:
    """Say yes on the page that the program wants to be opened, and tell where that leads to."""
    _, location, _ = follow(url)
    assert location is not None
    return location


def age(store: Any, seconds: float) -> None:
    """Let a store's tokens be older than they are."""
    for key in store.keys():  # noqa: SIM118 - it is a store's
        before = store.read(key)
        record = json.loads(before)
        for credentials in record["by_issuer"].values():
            for name in ("expires_at", "renew_at"):
                credentials["tokens"][name] -= seconds
        assert store.swap(key, json.dumps(record).encode(), before)


class Visitor:
    """Somebody who sends requests to a protected server."""

    def __init__(self, url: str, auth: Any, store: Any = None) -> None:
        self.url = url
        self.engine = engine_for(HttpOptions(proxy=False))
        authorizer = authorizer_for(auth, url)
        assert authorizer is not None
        self.authorizer = authorizer
        way = auth if isinstance(authorizer, WayAuthorizer) else None
        self.login = Login(self.engine, way, "the server", store)
        self.authorized = Authorized(authorizer, self.login)

    def visit(self, patience: float = 30.0) -> int:
        """Send one request, and give the status of its answer."""
        deadline = Deadline(patience)

        def send(headers: Headers) -> HttpReply:
            pairs = (("content-type", "application/json"), *headers.items())
            return self.engine.send(HttpRequest("POST", self.url, pairs, b"{}"), deadline)

        reply = self.authorized.send("POST", self.url, deadline, send)
        reply.read(10_000, deadline)
        return reply.status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.login.end()
        self.engine.close()
