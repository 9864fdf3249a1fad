"""Read what is nearly JSON: what is wrong with it costs the characters or the number concerned, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from dragoman.errors import ProtocolError

__all__ = ["UNREADABLE", "leniently", "read_json", "repaired"]

T = TypeVar("T")

UNREADABLE = (msgspec.DecodeError, RecursionError)
"""What decoding raises for bytes that do not fit their type, whatever it is that does not fit."""

_GREATEST = 1.7976931348623157e308
_SHOWN = 80


def read_json(data: bytes | Raw) -> Any:
    """Decode JSON that was checked no further than its brackets when it came.

    Raises:
        ProtocolError: it is no JSON even when it is read leniently, or nested too deeply.
    """
    try:
        return leniently(msgspec.json.decode, data)
    except UNREADABLE as error:
        beginning = bytes(data)[:_SHOWN].decode("utf-8", "replace")
        raise ProtocolError(f"this is not JSON ({error})", excerpt=beginning) from error


def leniently(read: Callable[[Any], T], data: bytes | Raw) -> T:
    """Decode with `read`; where that cannot be, once more with the bytes as they should have been.

    Raises:
        msgspec.DecodeError: `read` can make nothing of them either.
        RecursionError: they are nested too deeply.
    """
    try:
        return read(data)
    except UNREADABLE:
        given = bytes(data)
        better = repaired(given)
        if better == given:
            raise
    return read(better)


def repaired(data: bytes) -> bytes:
    """Make JSON of almost-JSON.

    A byte order mark goes, bad UTF-8 and lone surrogates become U+FFFD, line breaks and tabs within a text are escaped;
    NaN and Infinity become null, and a number out of range the greatest that there is. What cannot be mended comes back
    as it was given.
    """
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    try:
        return msgspec.json.encode(_mended(_decoder.decode(text.strip(" \t\r\n"))))
    except (ValueError, RecursionError):
        return data


def _mended(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [_mended(each) for each in value]
        case dict():
            return {_mended(key): _mended(each) for key, each in value.items()}
    return value


def _real(text: str) -> float:
    return min(max(float(text), -_GREATEST), _GREATEST)


def _whole(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:  # more digits than Python reads
        return _real(text)


_decoder = json.JSONDecoder(strict=False, parse_float=_real, parse_int=_whole, parse_constant=lambda _: None)
