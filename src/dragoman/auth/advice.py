"""Write the command that logs a user in, for programs that find nobody to ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
    client_metadata_url: str | None = None,
    redirect_uri: str | None = None,
    issuer: str | None = None,
    trusted_hosts: Iterable[str] = (),
) -> str:
    """Write a command that can be typed as it stands, unless the server's URL has a query: that may be secret.

    Scopes are a server's words: those that a shell might take for something else are left out.
    """
    parts = urlsplit(url)
    plain = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    shown = f'"{plain}?..."' if parts.query else plain
    named = [
        ("--scope", " ".join(filter(_PLAIN.fullmatch, scopes))),
        ("--client-id", client_id),
        ("--client-secret", "-" if has_secret else None),
        ("--client-metadata-url", client_metadata_url),
        ("--redirect-uri", redirect_uri),
        ("--issuer", issuer),
        *(("--trust-host", host) for host in sorted(trusted_hosts)),
        ("--identity", None if identity == "default" else identity),
    ]
    return " ".join(["dragoman login", shown, *_options(named)])


def _options(named: Iterable[tuple[str, str | None]]) -> Iterator[str]:
    for name, value in named:
        if value:
            yield name
            yield value if _PLAIN.fullmatch(value) else f'"{value}"'
