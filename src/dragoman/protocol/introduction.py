"""Read what a server says of itself, wherever and however it says it.

Servers put their name into `_meta`, into the body or nowhere, leave out versions, and state capabilities as `true`
or in shapes of their own; each part is read by itself, so that one that is wrong costs no other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from dragoman.errors import ProtocolError
from dragoman.protocol.jsonrpc import excerpt
from dragoman.types import (
    SERVER_INFO_KEY,
    UNREADABLE,
    Implementation,
    JsonObject,
    ServerCapabilities,
    decode,
    is_array,
    is_object,
    leniently,
    read_server_capabilities,
    remember,
)

__all__ = ["Said", "read_introduction"]


class Said(Struct, frozen=True):
    """A server's own words: the version it chose or the versions it names, who it is and what it can do."""

    version: str
    versions: tuple[str, ...]
    server: Implementation
    capabilities: ServerCapabilities
    instructions: str | None


class _Result(Struct, rename="camel"):
    protocol_version: Any = ""
    supported_versions: Any = ()
    capabilities: Raw = Raw(b"{}")
    server_info: Any = None
    instructions: Any = None
    meta: Any = field(default=None, name="_meta")


_result = msgspec.json.Decoder(_Result)


def read_introduction(result: Raw) -> Said:
    """Read the result of `initialize` or `server/discover`.

    Raises:
        ProtocolError: the result is no object, or cannot be read.
    """
    try:
        return _said(leniently(_result.decode, result))
    except UNREADABLE as error:
        reason = "the server introduced itself in a way that cannot be read"
        raise ProtocolError(reason, excerpt=excerpt(bytes(result))) from error


def _said(found: _Result) -> Said:
    meta = found.meta if is_object(found.meta) else {}
    versions = found.supported_versions if is_array(found.supported_versions) else []
    return Said(
        version=found.protocol_version if isinstance(found.protocol_version, str) else "",
        versions=tuple(version for version in versions if isinstance(version, str)),
        server=_implementation((meta.get(SERVER_INFO_KEY), found.server_info)),
        capabilities=_capabilities(found.capabilities),
        instructions=found.instructions if isinstance(found.instructions, str) else None,
    )


def _capabilities(stated: Raw) -> ServerCapabilities:
    return leniently(lambda data: remember(read_server_capabilities(data), data), stated)


def _implementation(places: Iterable[Any]) -> Implementation:
    """Read a name card from the first place that holds one."""
    stated: JsonObject = next((place for place in places if is_object(place)), {})
    try:
        return decode(msgspec.json.encode(stated), Implementation)
    except msgspec.ValidationError:
        name, version = stated.get("name"), stated.get("version")
        return Implementation(
            name if isinstance(name, str) else "", version=version if isinstance(version, str) else ""
        )
