"""Find the servers in a configuration of any application.

Claude Desktop, Claude Code, Cursor, Windsurf, Cline, Gemini, LM Studio   mcpServers
VS Code                 servers, inputs; in its settings below `mcp`
Codex (TOML)            mcp_servers
Zed                     context_servers           OpenCode, Crush       mcp
Goose (YAML)            extensions                LibreChat (YAML)      mcpServers
Continue (YAML)         mcpServers, as a list; in its older JSON below `experimental`
Spring AI (YAML)        spring.ai.mcp.client, with connections by transport
anything                a plain mapping of names to entries
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from dragoman.host.fields import plain_key
from dragoman.host.habits import SPRING
from dragoman.host.jsonc import Path

__all__ = ["SERVERS_ELSEWHERE", "Found", "find_inputs", "find_servers"]


class Found(Struct, frozen=True):
    """An entry where it was found: its name, what is written, the path to it, and what its surroundings add to it.

    The name is empty where no entry was found, but something else in the place of all entries.
    """

    name: str
    raw: Any
    path: Path
    defaults: Mapping[str, Any] = {}


_SECTIONS = ("mcpservers", "servers", "contextservers", "extensions")
_LIKE_NAMES = frozenset({"servers", "extensions"})
"""What somebody may call a server, and others keep theirs under."""
_LISTED = "modelcontextprotocolservers"
_ABOUT_SERVERS = frozenset({"allowed", "excluded", "servercommand"})
"""What Gemini keeps under `mcp`, beside its `mcpServers`."""
_TELLING = frozenset({"command", "cmd", "url", "serverurl", "httpurl", "uri", "transport"})
_SPRING = ("mcp", "client")
SERVERS_ELSEWHERE = "serversconfiguration"
"""Where Spring has the name of another file."""
_TRANSPORTS = {"stdio": "stdio", "sse": "sse", "streamablehttp": "http", "streamable": "http", "http": "http"}
_ENDPOINTS = {"sse": "/sse", "http": "/mcp"}


def find_servers(value: Any, folder: str | None = None) -> tuple[Found, ...] | None:
    """Find the entries in a document; None where it has no place for any.

    `folder` is the project whose own servers are wanted from a file that has those of many.
    """
    if not isinstance(value, Mapping):
        return None
    found: list[Found] = []
    has_place = False
    for path, section, defaults in _sections(value, folder):
        has_place = True
        found += _entries(path, section, defaults)
    if not has_place and value and all(map(_is_entry, value.values())):
        return tuple(_entries((), value, {}))
    return tuple(found) if has_place or not value else None


def find_inputs(value: Any) -> tuple[tuple[Path, Mapping[str, Any]], ...]:
    """Find the questions that VS Code puts to its user before it starts a server, with the path of each."""
    if not isinstance(value, Mapping):
        return ()
    inner = value.get("mcp")
    places = [((), value), (("mcp",), inner)] if isinstance(inner, Mapping) else [((), value)]
    return tuple(
        ((*path, "inputs", index), each)
        for path, place in places
        for index, each in enumerate(_list(place.get("inputs")))
        if isinstance(each, Mapping)
    )


def _inner(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = value.get(key)
    return inner if isinstance(inner, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _sections(value: Mapping[str, Any], folder: str | None) -> Iterator[tuple[Path, Any, Mapping[str, Any]]]:
    for key, inner in value.items():
        if plain_key(key) in _SECTIONS and not (plain_key(key) in _LIKE_NAMES and _is_one(inner)):
            yield (key,), inner, {}
    mcp = value.get("mcp")
    if isinstance(mcp, Mapping) and not isinstance(mcp.get("client"), Mapping) and not _is_one(mcp):
        if any(plain_key(key) in _SECTIONS for key in mcp):
            yield from ((("mcp", *path), section, extra) for path, section, extra in _sections(mcp, None))
        elif set(map(plain_key, mcp)) - _ABOUT_SERVERS or not mcp:
            yield ("mcp",), {key: each for key, each in mcp.items() if plain_key(key) not in _ABOUT_SERVERS}, {}
    for key, inner in _inner(value, "experimental").items():
        if plain_key(key) == _LISTED:
            yield ("experimental", key), inner, {}
    own = value.get("projects", {}).get(folder) if folder and isinstance(value.get("projects"), Mapping) else None
    if isinstance(own, Mapping):
        yield from ((("projects", str(folder), *path), part, extra) for path, part, extra in _sections(own, None))
    yield from _spring(value, (), ())


def _spring(value: Mapping[str, Any], path: Path, words: tuple[str, ...]) -> Iterator[tuple[Path, Any, Any]]:
    """Follow keys, dotted or nested, down to `mcp.client`, and give its connections."""
    below: dict[str, Any] = {}
    for key, inner in value.items():
        further = (*words, *key.split("."))
        if further[0] not in {"spring", "ai", "mcp"} or len(path) > 5:
            continue
        at = next((at for at in range(len(further) - 1) if further[at : at + 2] == _SPRING), None)
        if at is not None and further[at + 2 :]:
            _put(below, further[at + 2 :], inner)
        elif at is not None and isinstance(inner, Mapping):
            yield from _connections(inner, (*path, key))
        elif at is None and isinstance(inner, Mapping):
            yield from _spring(inner, (*path, key), further)
    if below:
        yield from _connections(below, path)


def _put(whole: dict[str, Any], words: tuple[str, ...], value: Any) -> None:
    """Put what a dotted key says where nested ones would have it."""
    first, *rest = words
    if not rest:
        whole[first] = value
        return
    inner = whole.setdefault(first, {})
    if isinstance(inner, dict):
        _put(inner, tuple(rest), value)


def _connections(client: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any, Any]]:
    shared = {key: each for key, each in client.items() if plain_key(key) in {"requesttimeout", "enabled"}}
    for key, transport in client.items():
        kind = _TRANSPORTS.get(plain_key(key))
        if kind is not None and isinstance(transport, Mapping):
            elsewhere = next((each for each in transport if plain_key(each) == SERVERS_ELSEWHERE), None)
            if elsewhere is not None:
                yield (*path, key, elsewhere), transport[elsewhere], {}
            found = {**shared, "type": kind, SPRING: _ENDPOINTS.get(kind)}
            yield (*path, key, "connections"), transport.get("connections", {}), found


def _entries(path: Path, section: Any, defaults: Mapping[str, Any]) -> Iterator[Found]:
    if isinstance(section, Mapping):
        for name, raw in section.items():
            yield Found(str(name), raw, (*path, name), defaults)
        return
    if section is not None and not isinstance(section, list):
        yield Found("", section, path)
    for index, raw in enumerate(_list(section)):
        named = raw.get("name") if isinstance(raw, Mapping) else None
        yield Found(str(named or index + 1), raw, (*path, index), defaults)


def _is_one(value: Any) -> bool:
    """Whether something is an entry itself, and no mapping of names to entries: what it is reached by is no object."""
    return isinstance(value, Mapping) and any(
        plain_key(str(key)) in _TELLING and isinstance(each, str | list) for key, each in value.items()
    )


def _is_entry(value: Any) -> bool:
    return isinstance(value, Mapping) and any(plain_key(str(key)) in _TELLING for key in value)
