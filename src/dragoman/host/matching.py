"""Compare names and arguments with the patterns of rules."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeAlias
from urllib.parse import unquote

from dragoman.host.provenance import texts_in
from dragoman.types import encode

__all__ = ["Matcher", "argument_matches", "pattern_matches"]

Matcher: TypeAlias = str | Sequence[str] | Callable[[Any], bool]
"""A pattern, several of which one has to fit, or a predicate of the value."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_FILE = re.compile(r"(?i)file:(?://(?:localhost)?(?=/))?(?=/)")
_DRIVE = re.compile(r"[A-Za-z]:/")


def pattern_matches(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern, in which `*` stands for any text, `?` for any character."""
    return fnmatchcase(text, pattern)


def argument_matches(arguments: Any, name: str, wanted: Matcher, *, every: bool = False) -> bool:
    """Whether an argument is there and fits; "*" is any text in any argument, "a.b" one inside another.

    Of several values one has to fit, or with `every` all of them.
    """
    if name == "*":
        return any(_fits(text, wanted, every=False) for text in texts_in(arguments))
    found = [_fits(value, wanted, every=every) for value in _at(arguments, name)]
    return all(found) and bool(found) if every else any(found)


def _at(value: Any, name: str) -> Iterator[Any]:
    """Give what stands at a name; of a list, every item is meant."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from _at(each, name)
    elif isinstance(value, Mapping):
        if name in value:
            yield value[name]
        first, dot, rest = name.partition(".")
        if dot and first in value:
            yield from _at(value[first], rest)


def _fits(value: Any, wanted: Matcher, *, every: bool) -> bool:
    if callable(wanted):
        return bool(wanted(value))
    if isinstance(value, list | tuple | Mapping):
        found = [_fits(each, wanted, every=every) for each in (value.values() if isinstance(value, Mapping) else value)]
        return all(found) and bool(found) if every else any(found)
    patterns = (wanted,) if isinstance(wanted, str) else wanted
    text = value if isinstance(value, str) else _written(value)
    return any(fnmatchcase(*_comparable(text, pattern)) for pattern in patterns)


def _written(value: Any) -> str:
    """Write what is no text as JSON has it, equal numbers alike."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else encode(value).decode()


def _comparable(text: str, pattern: str) -> tuple[str, str]:
    """Give a path as it is once its ".." have been followed, and a pattern of paths written alike.

    /home/me/../../etc is not below /home, whatever stands between; file:///etc/x is the path /etc/x. On drives,
    capitals and the kind of slash make no difference.
    """
    if not text or not ("/" in pattern or "\\" in pattern):
        return text, pattern
    if _FILE.match(text) and not _FILE.match(pattern):
        text = unquote(_FILE.sub("", text))
    elif _URL.match(text):
        return text, pattern
    path, pattern = posixpath.normpath(text.replace("\\", "/")), pattern.replace("\\", "/")
    if _DRIVE.match(pattern):
        return path.lower(), pattern.lower()
    # Two slashes in front are one to every system that such a path is for.
    return re.sub("^//", "/", path), pattern
