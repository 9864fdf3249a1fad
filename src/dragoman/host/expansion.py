"""Fill in what a configuration leaves to its surroundings: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${keyring:NAME}`.

Nothing is run, whatever a value looks like: `$(...)`, backquotes and a leading `!` are texts. What has been filled in is
not looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import structs

from dragoman.host.entries import Entry, Problem

__all__ = ["EXPANDED", "Lookup", "expand", "expand_text"]

Lookup: TypeAlias = Callable[[str, str], str | None]
"""Gives the value of a kind ("env", "keyring", "input", "place") and a name, or None when there is none."""

EXPANDED = (
    "command",
    "args",
    "env",
    "env_file",
    "cwd",
    "url",
    "message_url",
    "headers",
    "auth",
    "ca_file",
    "client_cert",
    "proxy",
    "roots",
)
"""The fields in which variables are filled in."""

_BRACE = re.compile(r"[{}]")
_SECRET = re.compile(r"\{\s*secrets\.(\w+)\s*\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KINDS = frozenset({"env", "keyring", "input"})
_PLACES = frozenset(
    {
        "workspaceFolder",
        "workspaceFolderBasename",
        "workspaceRoot",
        "userHome",
        "pathSeparator",
        "/",
        "cwd",
        "fileDirname",
    }
)


class _Missing(Exception):
    """A variable has no value: which one, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def expand(entry: Entry, lookup: Lookup, line: Callable[[str], int | None] = lambda _: None) -> Entry | Problem:
    """Fill in the variables of an entry, or say which field has one that is not set.

    `line` gives the line of a field such as "env.TOKEN".
    """
    changes: dict[str, Any] = {}
    for field in EXPANDED:
        path: list[str] = [field]
        try:
            changes[field] = _filled(getattr(entry, field), lookup, path)
        except _Missing as missing:
            place = ".".join(path)
            return Problem(str(missing), missing.hint, entry.file, line(place) or entry.line, place, server=entry.name)
    return structs.replace(entry, **changes)


def _filled(value: Any, lookup: Lookup, path: list[str]) -> Any:
    """Fill in all texts of a value; when one cannot be, `path` says where it is."""
    match value:
        case str():
            return expand_text(value, lookup)
        case Mapping():
            return {name: _inner(each, lookup, path, str(name)) for name, each in value.items()}
        case list() | tuple():
            return tuple(_inner(each, lookup, path, str(index)) for index, each in enumerate(value))
    return value


def _inner(value: Any, lookup: Lookup, path: list[str], step: str) -> Any:
    path.append(step)
    filled = _filled(value, lookup, path)
    path.pop()
    return filled


def expand_text(text: str, lookup: Lookup) -> str:
    """Fill in the variables of one text; `$${` stands for `${` itself. A default may have variables of its own."""
    parts: list[str] = []
    position = 0
    while (start := text.find("${", position)) >= 0 and (end := _end(text, start + 2)) is not None:
        is_text = text[position:start].endswith("$")
        inside = text[start + 2 : end]
        parts += [text[position : start - is_text], f"${{{inside}}}" if is_text else _value(inside, lookup)]
        position = end + 1
    return "".join(parts) + text[position:]


def _end(text: str, start: int) -> int | None:
    """Find the brace that closes what begins at `start`; None where none does."""
    depth = 0
    for match in _BRACE.finditer(text, start):
        if match[0] == "}" and not depth:
            return match.start()
        depth += 1 if match[0] == "{" else -1
    return None


def _value(inside: str, lookup: Lookup) -> str:
    name, has_default, default = inside.partition(":-")
    if secret := _SECRET.fullmatch(inside):
        # As Continue writes them: ${{ secrets.NAME }}
        name = secret[1]
    elif "{" in name or "}" in name:
        return f"${{{inside}}}"
    kind, name = _kind(name)
    value = lookup(kind, name)
    if value:
        return value
    if has_default:
        return expand_text(default, lookup)
    raise _missing(kind, name, is_empty=value is not None)


def _kind(name: str) -> tuple[str, str]:
    kind, colon, rest = name.partition(":")
    if colon and kind in _KINDS and rest:
        return kind, rest
    if name in _PLACES:
        return "place", name
    if _NAME.fullmatch(name):
        return "env", name
    raise _Missing(
        f"${{{name}}} is no variable",
        "write ${NAME}, ${NAME:-default}, ${env:NAME}, ${keyring:NAME} or ${input:ID}, and $${ for the text ${",
    )


def _missing(kind: str, name: str, *, is_empty: bool) -> _Missing:
    state = "empty" if is_empty else "not set"
    match kind:
        case "env":
            return _Missing(f"the variable {name} is {state}", f"set it, or write ${{{name}:-default}}")
        case "keyring":
            return _Missing(
                f"the keyring has no {name}", f"store it: `keyring set dragoman {name}`; the extra `keyring` reads it"
            )
        case "input":
            return _Missing(
                f"the input {name} has no value", "answer it on a terminal, give `inputs`, or a default there"
            )
    return _Missing(f"${{{name}}} is not known here", "write the path itself")
