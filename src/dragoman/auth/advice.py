"""Write the command that logs a user in, for programs that find nobody to ask."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

__all__ = ["login_command"]

_PLAIN = re.compile(r"[A-Za-z0-9_.:/+@,=~-]+")
"""What no shell takes for anything but itself."""


def login_command(
    url: str,
    scopes: Sequence[str] = (),
    *,
    identity: str = "default",
    client_id: str | None = None,
    has_secret: bool = False,
    redirect_uri: str | None = None,
) -> str:
    """Write a command that can be typed as it stands, unless the server's URL has a query: that may be secret.

    Scopes are a server's words: those that a shell might take for something else are left out.
    """
    parts = urlsplit(url)
    plain = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    shown = f'"{plain}?..."' if parts.query else plain
    named = {"--scope": " ".join(filter(_PLAIN.fullmatch, scopes)), "--client-id": client_id or ""}
    named["--client-secret"] = "-" if has_secret else ""
    named["--redirect-uri"] = redirect_uri or ""
    named["--identity"] = "" if identity == "default" else identity
    return " ".join(["dragoman login", shown, *_options(named)])


def _options(named: dict[str, str]) -> Iterator[str]:
    for name, value in named.items():
        if value:
            yield name
            yield value if _PLAIN.fullmatch(value) else f'"{value}"'
