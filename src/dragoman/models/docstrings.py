"""Take a function's docstring apart: what it does, and what each of its parameters is."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["read_docstring"]

_ARGUMENTS = re.compile(r"(args|arguments|parameters|params):?\s*", re.IGNORECASE)
# What is told of a tool otherwise, or is nothing to its caller; all other sections are part of the description.
_LEFT_OUT = re.compile(
    r"(attributes|methods|raises|references|returns?|see also|todo|warns|yields?):?\s*", re.IGNORECASE
)
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_NUMPY_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?::.*)?")
_FIELD = re.compile(r":(?:param|parameter|arg)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)")
_OTHER_FIELD = re.compile(r":\w+[^:]*:")


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Give a clean docstring's description and the words on each parameter; Google's, NumPy's and Sphinx's ways."""
    lines = text.splitlines()
    description: list[str] = []
    parameters: dict[str, str] = {}
    position = 0
    while position < len(lines):
        line, following = lines[position], lines[position + 1] if position + 1 < len(lines) else ""
        if _is_underline(following) and line.strip():
            block = list(_until_section(lines[position + 2 :]))
            parameters |= _numpy(block) if _ARGUMENTS.fullmatch(line.strip()) else {}
            description += [] if _is_left_out(line) else [f"{line.strip()}:", *block]
            position += 2 + len(block)
        elif _is_left_out(line) and line.rstrip().endswith(":"):
            block = list(_indented(lines[position + 1 :]))
            parameters |= _google(block) if _ARGUMENTS.fullmatch(line) else {}
            position += 1 + len(block)
        elif _OTHER_FIELD.match(line):
            block = list(_indented(lines[position + 1 :]))
            parameters |= _field(line, block)
            position += 1 + len(block)
        else:
            description.append(line)
            position += 1
    return "\n".join(description).strip(), parameters


def _is_left_out(line: str) -> bool:
    return bool(_ARGUMENTS.fullmatch(line.strip()) or _LEFT_OUT.fullmatch(line.strip()))


def _is_underline(line: str) -> bool:
    return len(line.strip()) >= 3 and not line.strip().strip("-")


def _indented(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.strip() and not line[0].isspace():
            return
        yield line


def _until_section(lines: list[str]) -> Iterator[str]:
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if _is_underline(following):
            return
        yield line


def _google(lines: list[str]) -> dict[str, str]:
    return _entries(lines, _ENTRY)


def _numpy(lines: list[str]) -> dict[str, str]:
    return _entries(lines, _NUMPY_ENTRY)


def _entries(lines: list[str], pattern: re.Pattern[str]) -> dict[str, str]:
    """Read entries that each begin at the least indentation, with their further lines below."""
    told = [line for line in lines if line.strip()]
    margin = min((_margin(line) for line in told), default=0)
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in told:
        match = pattern.fullmatch(line.strip()) if _margin(line) == margin else None
        if match:
            current = found[match[1]] = [match[2]] if pattern is _ENTRY else []
        else:
            current.append(line.strip())
    return {name: " ".join(part for part in parts if part) for name, parts in found.items()}


def _field(line: str, more: list[str]) -> dict[str, str]:
    match = _FIELD.fullmatch(line)
    if match is None:
        return {}
    return {match[1]: " ".join(part for part in (match[2], *(each.strip() for each in more)) if part)}


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())
