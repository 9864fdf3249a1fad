"""Read base64, however it is written."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64

from dragoman.errors import BadContent

__all__ = ["from_base64", "mended", "strictly"]

_DATA_URL = re.compile(r"\s*data:[^,]{0,200},")
_SHOWN = 40


def from_base64(data: str, what: str) -> bytes:
    """Decode base64: also that for URLs, without padding, broken into lines, or in a `data:` URL, as servers send it.

    Raises:
        BadContent: it is none; `what` says whose it was to be.
    """
    found = strictly(data)
    if found is None:
        found = strictly(mended(data))
    if found is None:
        raise BadContent(f"{what} is not base64", excerpt=repr(data[:_SHOWN]))
    return found


def strictly(data: str) -> bytes | None:
    """Decode base64 in its plainest form: the standard alphabet, padded, on one line; None where it is no such."""
    try:
        return a2b_base64(data, strict_mode=True)
    except (Error, ValueError):
        return None


def mended(data: str) -> str:
    """Write base64 in its plainest form, if it is any."""
    body = "".join(_DATA_URL.sub("", data, 1).split()).replace("-", "+").replace("_", "/").rstrip("=")
    return body + "=" * (-len(body) % 4)
