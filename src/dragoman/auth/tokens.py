"""Read what a token endpoint answers, and say how long a token is good (RFC 6749, sections 5.1 and 5.2)."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl

from msgspec import Struct

from dragoman.auth.secret import Secret
from dragoman.auth.steps import FetchReply
from dragoman.errors import AuthError

__all__ = ["Refusal", "Tokens", "plain_text", "read_object", "read_tokens", "words"]

_AHEAD = 60.0
"""Seconds before its end from which a token is to be renewed; a tenth of its life, if that is less."""

_FINAL = frozenset({"invalid_grant", "invalid_client", "unauthorized_client"})
_PASSING = frozenset({"server_error", "slow_down", "temporarily_unavailable"})
_LONGEST_TEXT = 200
_TOKEN = re.compile(r"[\x21-\x7e]+")
"""What a header can carry. All else would be stored, and fail every request."""


class Tokens(Struct, frozen=True):
    """An access token, with what is known of it.

    `kind` is "Bearer" or "DPoP"; `expires_at` is in Unix seconds, None where nobody said; from `renew_at` on a new one
    is wanted, while this one still works. `scope` is what was granted, None where the server did not say.
    """

    access: Secret
    kind: str = "Bearer"
    refresh: Secret | None = None
    expires_at: float | None = None
    renew_at: float | None = None
    scope: tuple[str, ...] | None = None

    @property
    def header(self) -> str:
        """The value of the Authorization header."""
        return f"{self.kind} {self.access.reveal()}"

    def is_expired(self, now: float) -> bool:
        """Whether the token is known not to work any more."""
        return self.expires_at is not None and now >= self.expires_at

    def is_stale(self, now: float) -> bool:
        """Whether it is time to renew the token."""
        return self.renew_at is not None and now >= self.renew_at


class Refusal(Struct, frozen=True):
    """What a server answered in place of what it was asked for.

    `error` is the code of RFC 6749, section 5.2, or empty; `retry_after` is in seconds.
    """

    status: int
    error: str = ""
    description: str = ""
    retry_after: float | None = None

    @property
    def is_final(self) -> bool:
        """Whether the grant is gone, or the client is not known: asking again would change nothing."""
        return self.error in _FINAL

    @property
    def is_passing(self) -> bool:
        """Whether the server may well answer otherwise in a while."""
        says_so = self.status >= 500 or self.status in {408, 425, 429} or self.error in _PASSING
        # What says no word of OAuth, and has no status of it, comes from something in between: a firewall, a portal.
        is_strange = not self.error and self.status not in {400, 401}
        return (says_so or is_strange) and not self.is_final

    def as_error(self, what: str, *, hint: str | None = None) -> AuthError:
        """Make an error of it; `what` is what was refused."""
        said = ": ".join(each for each in (self.error, self.description) if each)
        return AuthError(f"{what} ({self.status}{', ' if said else ''}{said})", hint=hint)


def read_tokens(reply: FetchReply, now: float, before: Tokens | None = None) -> Tokens | Refusal:
    """Read the answer to a token request that was made at `now`.

    JSON and form encoding are understood, whatever the answer calls itself. `before` are the tokens that were renewed:
    a refresh token and a scope that are not replaced go on.
    """
    document = read_object(reply)
    access = document.get("access_token")
    if not 200 <= reply.status < 300 or not isinstance(access, str) or not _TOKEN.fullmatch(access.strip()):
        return _refusal(reply, document)
    lifetime = _seconds(document.get("expires_in"))
    refresh = document.get("refresh_token")
    kept = before.refresh if before is not None else None
    return Tokens(
        Secret(access.strip()),
        "DPoP" if str(document.get("token_type")).lower() == "dpop" else "Bearer",
        Secret(refresh) if isinstance(refresh, str) and refresh else kept,
        None if lifetime is None else now + lifetime,
        None if lifetime is None else now + lifetime - min(_AHEAD, lifetime / 10),
        words(document.get("scope")) or (before.scope if before is not None else None),
    )


def _refusal(reply: FetchReply, document: dict[str, Any]) -> Refusal:
    error = document.get("error")
    if isinstance(error, dict):
        error = error.get("code") or error.get("type")
    description = document.get("error_description") or document.get("message")
    return Refusal(
        reply.status,
        plain_text(error),
        plain_text(description) or ("no access_token that can be used" if reply.status < 300 and not error else ""),
        _seconds(reply.header("retry-after")),
    )


def read_object(reply: FetchReply) -> dict[str, Any]:
    """Read the members of an answer in JSON, or form-encoded as some servers answer; empty if it is neither."""
    document = reply.json_object()
    return dict(parse_qsl(reply.body.decode("utf-8", "replace"))) if document is None else document


def _seconds(value: Any) -> float | None:
    # Some servers write 0 where a token never ends.
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) and number > 0 else None


def words(value: Any) -> tuple[str, ...]:
    """Read a scope: words in one text, or a list of them as some servers write it."""
    if isinstance(value, str):
        value = value.split()
    if not isinstance(value, list):
        return ()
    return tuple(dict.fromkeys(each for each in value if isinstance(each, str) and each))


def plain_text(value: Any) -> str:
    """Make a server's text fit to be shown: one line, printable, not long; empty if it is none."""
    text = value if isinstance(value, str) else ""
    return "".join(each if each.isprintable() else " " for each in text[:_LONGEST_TEXT])
