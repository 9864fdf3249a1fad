"""A client of a protected server, as small as one can be, and a user who says yes."""

import http.client
from typing import Any, Self
from urllib.parse import urlsplit

from dragoman.aio.authorized import Authorized
from dragoman.aio.engines import HttpReply, HttpRequest, engine_for
from dragoman.aio.login import Login
from dragoman.auth.choice import authorizer_for
from dragoman.auth.flow import Headers, WayAuthorizer
from dragoman.deadline import Deadline
from dragoman.web.options import HttpOptions

__all__ = ["Visitor", "consent", "follow"]


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
        await self.engine.close()
