"""An MCP server, of either era or of HTTP+SSE, that answers nobody without a token of its authorization server's."""

import json
from typing import Any, Self
from urllib.parse import urlsplit

from tests.servers.oauth.server import Authority
from tests.servers.rude import Act, Exchange, Rude, acts

__all__ = ["Gated"]

WELL_KNOWN = "/.well-known/oauth-protected-resource/mcp"


class Gated(Rude):
    """A server of the rude kind behind a gate.

    Attributes:
        authority: its authorization server.
        scopes: what a token has to have besides being one, by method or by "tools/call NAME".
        resource: members that its metadata has besides, or instead.
        takes: tokens that it takes whoever gave them.
    """

    def __init__(self, era: str = "legacy", **manners: Any) -> None:
        super().__init__(era, **manners)
        self.authority = Authority()
        self.scopes: dict[str, str] = {}
        self.resource: dict[str, Any] = {}
        self.takes: set[str] = set()

    def __enter__(self) -> Self:
        self.authority.__enter__()
        return super().__enter__()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.authority.__exit__()

    def tokens(self, method: str) -> list[str | None]:
        """Give what each request of a method showed, in the order that they came in."""
        return [_shown(exchange) for exchange in self.heard(method) if _path(exchange) != WELL_KNOWN]

    def _chosen(self, exchange: Exchange) -> Act:
        path = _path(exchange)
        if path == WELL_KNOWN:
            return self._metadata
        if path not in {"/mcp", "/messages"}:
            return acts.body(b"", 404)
        token = _shown(exchange)
        scope = "" if token in self.takes else self.authority.access.get(token or "")
        if scope is None:
            return acts.body(b"{}", 401, "WWW-Authenticate: Bearer")
        wanted = self.scopes.get(f"{exchange.method} {exchange.name}") or self.scopes.get(exchange.method)
        if wanted is not None and wanted not in scope.split():
            return acts.body(b"{}", 403, f'WWW-Authenticate: Bearer error="insufficient_scope", scope="{wanted}"')
        return super()._chosen(exchange)

    def _metadata(self, exchange: Exchange) -> None:
        document = {"resource": self.url, "authorization_servers": [self.authority.base], **self.resource}
        exchange.line.reply(json.dumps(document).encode(), 200, "Content-Type: application/json")


def _path(exchange: Exchange) -> str:
    return urlsplit(exchange.received.target).path


def _shown(exchange: Exchange) -> str | None:
    given = exchange.header("authorization")
    return None if given is None else given.removeprefix("Bearer ")
