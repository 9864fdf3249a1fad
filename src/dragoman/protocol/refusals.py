"""Read HTTP answers that are no results: errors in JSON-RPC, lost sessions, redirects, proxies' pages.

Each becomes the error that lets a caller act: what was answered, by which status, with the way out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from msgspec import UNSET

from dragoman.errors import AuthError, HttpError, McpError, ProtocolError, SessionExpired
from dragoman.protocol.jsonrpc import Message, decode, excerpt, read_error

__all__ = ["REDIRECTS", "blames_session", "origin", "redirected", "refusal", "resolved"]

REDIRECTS = frozenset({301, 302, 303, 307, 308})

_OF_THE_LINE = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses of who did not let a request through, or could not, whatever words come with them."""

_TELLING = ("content-type", "location", "retry-after", "server", "via", "www-authenticate", "x-request-id")
_LONGEST_BODY = 500
_SESSION = re.compile(r"\bsession\b", re.IGNORECASE)
_URL_CHARACTERS = "%/:?#[]@!$&'()*+,;=~-._|{}^`<>\\\""
_SCOPE = re.compile(r'\bscope="([^"]*)"')
_METHOD_NOT_FOUND = -32601

_SENTENCES = {
    400: "the server takes this for a bad request",
    404: "there is nothing at this URL",
    405: "this URL does not take such requests",
    406: "the server can give no answer in a form that MCP knows",
    407: "a proxy wants to know who you are",
    408: "the server waited too long for the request",
    413: "the request is larger than the server, or a proxy before it, takes",
    415: "the server does not take JSON",
    421: "the server does not answer for this host name",
    429: "there were too many requests",
    500: "the server failed",
    502: "a proxy could not reach the server",
    503: "the server is not available now",
    504: "a proxy got no answer from the server in time",
}
_HINTS = {
    404: "is the path right? It is often /mcp",
    405: "is the path right? It is often /mcp",
    407: "give the proxy's user and password in `proxy`",
    413: "send less, or raise the limit there",
    421: "connect by the name that the server knows itself by",
    429: "call more rarely; `retry` honours Retry-After up to its longest wait",
}


def refusal(status: int, headers: Mapping[str, str], body: bytes, *, has_session: bool) -> Message | McpError:
    """Say what an answer without a success status means.

    A JSON-RPC error comes back as the message it is, unless its status says that the request may be sent again, and
    when; `headers` are looked up by lower-case names.
    """
    message = _error_message(body)
    if has_session and blames_session(status, message, body):
        return SessionExpired("the server no longer knows the session", was_sent=True)
    if status in {401, 403}:
        return _unauthorized(status, headers, body)
    if message is not None and status not in _OF_THE_LINE:
        return message
    return _http_error(status, headers, body)


def blames_session(status: int, message: Message | None, body: bytes = b"") -> bool:
    """Whether a refusal means that the session is gone: 404, or a 400 that is about the session.

    2025-11-25, Session Management, asks for 404; some servers say 400, with an error of their own or a few words.
    """
    if message is None:
        words = body[: _LONGEST_BODY + 1].decode("utf-8", "replace")
        return status == 404 or (status == 400 and len(words) <= _LONGEST_BODY and _SESSION.search(words) is not None)
    error = read_error(message.error, "")  # type: ignore[arg-type]  # a refusal's message has an error
    if status == 404:
        return error.code != _METHOD_NOT_FOUND
    return status == 400 and -32019 <= error.code <= -32000 and _SESSION.search(error.message) is not None


def _error_message(body: bytes) -> Message | None:
    try:
        messages = decode(body) if body.strip() else []
    except ProtocolError:
        return None
    # Others than MCP servers say {"error": "not found"} as well.
    return next((each for each in messages if each.error is not UNSET and bytes(each.error).startswith(b"{")), None)


def _unauthorized(status: int, headers: Mapping[str, str], body: bytes) -> AuthError:
    challenge = headers.get("www-authenticate")
    scope = _SCOPE.search(challenge or "")
    what = "the server wants to know who you are" if status == 401 else "the server does not allow this"
    return AuthError(
        f"{what} ({status}): {excerpt(body)}" if body.strip() else f"{what} ({status})",
        status=status,
        challenge=challenge,
        scope=scope[1] if scope else None,
        hint="see the `auth` option" if status == 401 else None,
    )


def _http_error(status: int, headers: Mapping[str, str], body: bytes) -> HttpError:
    sentence = _SENTENCES.get(status) or _sentence(status)
    shown = _shown(headers, body)
    return HttpError(
        f"{sentence} ({status})" + (f": {shown}" if shown else ""),
        status=status,
        headers={name: headers[name] for name in _TELLING if name in headers},
        body=body[: _LONGEST_BODY * 4].decode("utf-8", "replace")[:_LONGEST_BODY],
        hint=_HINTS[404] if status < 300 else _HINTS.get(status),
    )


def _sentence(status: int) -> str:
    if status < 300:
        return "what answers here is no MCP server"
    return "the server refuses" if status < 500 else "the server failed"


def _shown(headers: Mapping[str, str], body: bytes) -> str:
    if "html" not in headers.get("content-type", ""):
        return excerpt(body) if body.strip() else ""
    title = re.search(rb"<title[^>]*>([^<]{1,200})", body, re.IGNORECASE)
    return f'a web page, "{excerpt(b" ".join(title[1].split()))}"' if title else "a web page"


def redirected(url: str, status: int, location: str | None) -> str:
    """Give the URL to send a request to again, with its method and its body.

    Followed are 307 and 308 within the origin, and to https on the default port of the same host (which is what a server
    means by it); with anything else headers would go where they were not meant to.

    Raises:
        HttpError: it is not to be followed.
    """
    if not location:
        raise HttpError(f"the server redirects ({status}) to nowhere", status=status)
    target = resolved(url, location)
    if target is None:
        raise HttpError(f"the server redirects ({status}) to {location!r}, which is no URL", status=status)
    old, new = urlsplit(url), urlsplit(target)
    is_upgrade = (old.scheme, new.scheme) == ("http", "https") and old.hostname == new.hostname
    if is_upgrade and _port(new) == 443 and _port(old) in {80, 443}:
        return target
    if status in {307, 308} and origin(url) == origin(target):
        return target
    raise HttpError(
        f"the server redirects ({status}) to {target}, which is not followed",
        status=status,
        headers={"location": location},
        hint="if you trust it, connect to that URL",
    )


def resolved(url: str, reference: str) -> str | None:
    """Give the URL that a reference of the server's means (RFC 3986, section 5.2), in ASCII; None if it means none.

    A user and a password in it are left out: whose name is used is not for a server to say.
    """
    try:
        parts = urlsplit(urljoin(url, quote(reference.strip(), safe=_URL_CHARACTERS)))
        _ = parts.port
    except ValueError:
        return None
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def origin(url: str) -> tuple[str, str, int]:
    """Give the scheme, host and port of a URL: what a header may not leave."""
    parts = urlsplit(url)
    return parts.scheme.lower(), (parts.hostname or "").lower(), _port(parts)


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme.lower() == "https" else 80)
