"""Make a server's text safe to show: nothing in it moves the cursor, colours, hides or reorders what stands around it."""

import json
import re
from typing import Any

__all__ = ["as_json", "one_line", "visible"]

# C0 but tab and line feed, DEL and C1; marks, embeddings, overrides and isolates, which turn the direction of writing
# around, with those that are deprecated; line and paragraph separators; halves of surrogate pairs; and the tag characters,
# which no terminal shows and every model reads.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff\U000e0000-\U000e007f]"
)
_SPACE = re.compile(r"\s+")


def visible(text: str) -> str:
    """Give the text with each character that could do something written as a sign that does nothing."""
    return _UNSAFE.sub(_sign, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Give the text on one line, safe to show: for names, cells and log messages."""
    return visible(_SPACE.sub(" ", text.strip()))


def as_json(value: Any, *, indent: int | None = 2) -> str:
    """Write JSON that is safe to show: the same value to whoever decodes it, the same characters where they are harmless."""
    return _UNSAFE.sub(_escape, json.dumps(value, indent=indent, ensure_ascii=False))


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else f"<U+{code:04X}>"


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1] if ord(match[0]) > 0x7F else f"\\u{ord(match[0]):04x}"
