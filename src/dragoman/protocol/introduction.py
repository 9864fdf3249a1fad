"""Read what a server says of itself, wherever and however it says it.

Servers put their name into `_meta`, into the body or nowhere, leave out versions, and state capabilities as `true`
or in shapes of their own; each part is read by itself, so that one that is wrong costs no other.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from dragoman.errors import ProtocolError
from dragoman.protocol.jsonrpc import excerpt, repaired
from dragoman.types import SERVER_INFO_KEY, Implementation, ServerCapabilities, read_server_capabilities

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


def read_introduction(result: Raw) -> Said:
    """Read the result of `initialize` or `server/discover`.

    Raises:
        ProtocolError: the result is no object.
    """
    found = _read(result)
    meta = found.meta if isinstance(found.meta, dict) else {}
    versions = found.supported_versions if isinstance(found.supported_versions, list) else []
    return Said(
        version=found.protocol_version if isinstance(found.protocol_version, str) else "",
        versions=tuple(version for version in versions if isinstance(version, str)),
        server=_implementation(meta.get(SERVER_INFO_KEY) or found.server_info),
        capabilities=read_server_capabilities(found.capabilities),
        instructions=found.instructions if isinstance(found.instructions, str) else None,
    )


def _read(result: Raw) -> _Result:
    for data in (bytes(result), repaired(bytes(result))):
        try:
            return msgspec.json.decode(data, type=_Result)
        except (msgspec.DecodeError, RecursionError):
            continue
    raise ProtocolError("the server introduced itself with something that is no object", excerpt=excerpt(bytes(result)))


def _implementation(stated: Any) -> Implementation:
    try:
        return msgspec.convert(stated, Implementation)
    except msgspec.ValidationError:
        stated = stated if isinstance(stated, dict) else {}
        name, version = stated.get("name"), stated.get("version")
        return Implementation(
            name if isinstance(name, str) else "", version=version if isinstance(version, str) else ""
        )
