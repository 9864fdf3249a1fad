"""Clients of a protected server, one as small as one can be, a user who says yes, and a store that can be aged."""

import http.client
import json
from typing import Any, Self, cast
from urllib.parse import urlsplit

from dragoman import AsyncClient
from dragoman.aio._runtime import Opening
from dragoman.aio.authorized import Authorized
from dragoman.aio.engines import HttpReply, HttpRequest, engine_for
from dragoman.aio.login import Login
from dragoman.aio.options import ConnectOptions
from dragoman.auth.choice import authorizer_for
from dragoman.auth.flow import Headers, WayAuthorizer
from dragoman.deadline import Deadline
from dragoman.web.options import HttpOptions
from tests.servers.oauth.gated import Gated

__all__ = ["Visitor", "age", "connect", "consent", "follow"]


def connect(server: Gated, auth: Any = None, **options: Any) -> Opening[AsyncClient]:
    """Connect to a server behind a gate, of which nothing is remembered but what is stored."""
    given = {"auth": auth, "timeout": 10, "remembered": {}, "name": "gated", "proxy": False, **options}
    return AsyncClient.connect(server.url, **cast(ConnectOptions, given))


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

    async def visit(self, patience: float = 30.0) -> int:
        """Send one request, and give the status of its answer."""
        deadline = Deadline(patience)

        async def send(headers: Headers) -> HttpReply:
            pairs = (("content-type", "application/json"), *headers.items())
            return await self.engine.send(HttpRequest("POST", self.url, pairs, b"{}"), deadline)

        reply = await self.authorized.send("POST", self.url, deadline, send)
        await reply.read(10_000, deadline)
        return reply.status

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.login.end()
        await self.engine.close()
