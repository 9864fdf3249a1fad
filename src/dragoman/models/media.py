"""Read what a server sends as base64: mend how it is written, see what it is by its first bytes, find the text in it.

Providers refuse a whole conversation for one picture whose base64 or whose type is wrong, and it stays in the history.
"""

from __future__ import annotations

import re
from binascii import a2b_base64

from dragoman.types.binary import mended, strictly

__all__ = ["cleaned", "decoded_text", "plain_type", "seen_type", "size_of"]

_HEAD = 24
_SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"%PDF-"), "application/pdf"),
)
_OTHER_NAMES = {
    "application/x-pdf": "application/pdf",
    "audio/mp3": "audio/mpeg",
    "audio/wave": "audio/wav",
    "audio/x-wav": "audio/wav",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
}
_TEXTUAL = re.compile(
    r"text/.*|.*\+(json|xml|yaml)|application/(graphql|javascript|json|jsonl|ndjson|sql|toml|typescript|x-ndjson|x-sh|x-yaml|xml|yaml)"
)


def cleaned(data: str) -> str:
    """Give the same bytes in the base64 that providers take: the standard alphabet, padded, on one line; "" if it is none.

    Servers also send it for URLs, without its padding, broken into lines, or as a whole `data:` URL.
    """
    if strictly(data) is not None:
        return data
    better = mended(data)
    return "" if strictly(better) is None else better


def plain_type(mime_type: str) -> str:
    """Give a MIME type in small letters, without parameters, by the name that is registered."""
    plain = mime_type.partition(";")[0].strip().lower()
    return _OTHER_NAMES.get(plain, plain)


def seen_type(data: str) -> str | None:
    """Tell the type of a picture or a PDF document by its first bytes, whatever the server called it; None for others."""
    head = a2b_base64(data[:_HEAD])
    return next((mime_type for signature, mime_type in _SIGNATURES if signature.match(head)), None)


def decoded_text(data: str, mime_type: str) -> str | None:
    """Give the text that base64 stands for, where its type is one of text and its bytes are UTF-8."""
    if not _TEXTUAL.fullmatch(mime_type):
        return None
    try:
        text = a2b_base64(data).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def size_of(data: str) -> int:
    """Tell how many bytes base64 stands for, without decoding it."""
    return len(data) * 3 // 4 - data[-2:].count("=")
