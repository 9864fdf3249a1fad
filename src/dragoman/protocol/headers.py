"""Which HTTP headers repeat what a request says, so that what stands between client and server can route by them.

2026-07-28, Streamable HTTP, Request Metadata: the method, the name of what is asked for, and those arguments of a tool
that its schema marks with `x-mcp-header`. Values that a header cannot carry are written in base64 between two marks.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from dragoman.protocol.steps import Request
from dragoman.types import is_array, is_object

__all__ = ["BadMirror", "Mirror", "header_value", "mirrored", "mirrors", "standard"]

_MARK = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?|")
_MIRRORED_TYPES = frozenset({"integer", "string", "boolean"})
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

# Keywords under which further schemas stand: one, several, or several by name.
_HOLD_ONE = (
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_HOLD_SEVERAL = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_HOLD_NAMED = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_DEEPEST = 64


class BadMirror(Exception):
    """Why a tool cannot be used over HTTP: what its schema marks cannot be mirrored."""


class Mirror(Struct, frozen=True):
    """One argument that is mirrored: where it stands among the arguments, and the header that repeats it."""

    path: tuple[str, ...]
    header: str


def standard(request: Request) -> dict[str, str]:
    """Give the headers that repeat a request's method, and the name of what it asks for."""
    headers = {"Mcp-Method": request.method}
    attribute = _NAMED_BY.get(request.method)
    if attribute is not None:
        headers["Mcp-Name"] = header_value(getattr(request.params, attribute))
    return headers


@lru_cache(maxsize=256)
def header_value(value: str) -> str:
    """Write a text as a header can carry it.

    What is not plain ASCII, begins or ends with a blank, or looks as if it were marked already, goes in base64.
    """
    looks_marked = value.startswith("=?base64?") and value.endswith("?=")
    if _PLAIN.fullmatch(value) and not looks_marked:
        return value
    # A lone surrogate has no UTF-8; the server sees the character that stands for what cannot be written.
    return f"=?base64?{b64encode(value.encode('utf-8', 'replace')).decode()}?="


def mirrors(schema: Mapping[str, Any]) -> tuple[Mirror, ...]:
    """Find which arguments of a tool are mirrored.

    Raises:
        BadMirror: something is marked that cannot be, or marked wrongly; the tool is not to be used.
    """
    found = tuple(_reachable(schema, (), 0))
    names = [mirror.header.lower() for mirror in found]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise BadMirror(f"two parameters are marked with the header {doubled!r}")
    return found


def mirrored(found: tuple[Mirror, ...], arguments: Mapping[str, Any] | None) -> dict[str, str]:
    """Give the headers that repeat the arguments of one call; what is absent or null has none."""
    headers = {}
    for mirror in found:
        text = _text(_at(mirror.path, arguments))
        if text is not None:
            headers[f"Mcp-Param-{mirror.header}"] = header_value(text)
    return headers


def _at(path: tuple[str, ...], arguments: Any) -> Any:
    for name in path:
        if not is_object(arguments):
            return None
        arguments = arguments.get(name)
    return arguments


def _text(value: Any) -> str | None:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float() if value.is_integer():
            return str(int(value))
        case str():
            return value
    return None


def _reachable(schema: Any, path: tuple[str, ...], depth: int) -> Iterator[Mirror]:
    """Walk the properties of properties, where marks may stand, and refuse marks anywhere else."""
    if not is_object(schema) or depth > _DEEPEST:
        return
    if _MARK in schema:
        yield _mirror(schema, path)
    for elsewhere in _elsewhere(schema):
        if _is_marked(elsewhere, depth + 1):
            raise BadMirror(f"a parameter below {'.'.join(path) or 'the root'} is marked that is no plain property")
    properties = schema.get("properties")
    if is_object(properties):
        for name, each in properties.items():
            yield from _reachable(each, (*path, name), depth + 1)


def _mirror(schema: Mapping[str, Any], path: tuple[str, ...]) -> Mirror:
    header, where = schema[_MARK], ".".join(path) or "the root"
    if not isinstance(header, str) or not _TOKEN.fullmatch(header):
        raise BadMirror(f"{where} is marked with {header!r}, which is no name for a header")
    kinds = schema.get("type")
    kinds = [kind for kind in kinds if kind != "null"] if is_array(kinds) else [kinds]
    if not path or not kinds or any(kind not in _MIRRORED_TYPES for kind in kinds):
        raise BadMirror(f"{where} is marked, and is no integer, string or boolean")
    return Mirror(path, header)


def _elsewhere(schema: Mapping[str, Any]) -> Iterator[Any]:
    for keyword in _HOLD_ONE:
        yield schema.get(keyword)
    for keyword in _HOLD_SEVERAL:
        several = schema.get(keyword)
        if is_array(several):
            yield from several
    for keyword in _HOLD_NAMED:
        named = schema.get(keyword)
        if keyword != "properties" and is_object(named):
            yield from named.values()


def _is_marked(schema: Any, depth: int) -> bool:
    if not is_object(schema) or depth > _DEEPEST:
        return False
    properties = schema.get("properties")
    inner = properties.values() if is_object(properties) else ()
    return _MARK in schema or any(_is_marked(each, depth + 1) for each in (*_elsewhere(schema), *inner))
