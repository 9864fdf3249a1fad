"""Pin what servers say of themselves: a lockfile holds it, and whatever is different later is noticed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, structs

from dragoman.errors import ConfigError
from dragoman.types import Prompt, Resource, ResourceTemplate, Tool, to_json

__all__ = ["ItemKind", "Lock", "Surface", "definition", "fingerprint", "read_lock", "write_lock"]

ItemKind: TypeAlias = Literal["tool", "prompt", "resource", "template"]

_VERSION = 1
_LEFT_OUT = frozenset({"_meta", "icons", "execution", "size"})
"""What no model is shown, and servers may count up in."""


def definition(item: Tool | Prompt | Resource | ResourceTemplate) -> dict[str, Any]:
    """Give all that a server says of one thing, as plain JSON, without what is not shown to models."""
    whole: dict[str, Any] = to_json(item)
    return {name: _plain(value) for name, value in sorted(whole.items()) if name not in _LEFT_OUT and value is not None}


def _plain(value: Any) -> Any:
    """Write equal numbers alike: 1 and 1.0 are one."""
    match value:
        case Mapping():
            return {str(key): _plain(each) for key, each in sorted(value.items())}
        case list():
            return [_plain(each) for each in value]
        case float() if value.is_integer() and abs(value) < 2**53:
            return int(value)
    return value


def fingerprint(value: Any) -> str:
    """Give the hash of any JSON, whatever order its objects are written in."""
    return "sha256:" + sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


class Surface(Struct, frozen=True, omit_defaults=True):
    """All that a server says of itself and of what it offers, each thing by its name or URI.

    `version` is what the server calls its version; it is noted, and no difference in itself.
    """

    version: str | None = None
    instructions: str | None = None
    tools: Mapping[str, Any] = {}
    prompts: Mapping[str, Any] = {}
    resources: Mapping[str, Any] = {}
    templates: Mapping[str, Any] = {}

    @classmethod
    def of(
        cls,
        *,
        version: str | None = None,
        instructions: str | None = None,
        tools: Iterable[Tool] = (),
        prompts: Iterable[Prompt] = (),
        resources: Iterable[Resource] = (),
        templates: Iterable[ResourceTemplate] = (),
    ) -> Surface:
        """Take it from what has been listed."""
        return cls(
            version,
            instructions or None,
            {tool.name: definition(tool) for tool in tools},
            {prompt.name: definition(prompt) for prompt in prompts},
            {resource.uri: definition(resource) for resource in resources},
            {template.uri_template: definition(template) for template in templates},
        )

    def items(self, kind: ItemKind) -> Mapping[str, Any]:
        """Give the things of one kind, by name."""
        items: Mapping[str, Any] = getattr(self, f"{kind}s")
        return items

    @property
    def fingerprint(self) -> str:
        """The hash of all but the version."""
        return fingerprint(structs.asdict(structs.replace(self, version=None)))


class Lock(Struct, frozen=True):
    """What was approved of each server, by the host's name for it."""

    servers: Mapping[str, Surface] = {}

    def with_server(self, name: str, surface: Surface) -> Lock:
        """Make the lock that has this of a server."""
        return Lock({**self.servers, name: surface})

    def without_server(self, name: str) -> Lock:
        """Make the lock that knows nothing of a server."""
        return Lock({each: surface for each, surface in self.servers.items() if each != name})


class _File(Struct):
    version: int
    servers: dict[str, Any]


def write_lock(lock: Lock) -> bytes:
    """Write a lock so that it is always the same for the same contents, and lines tell what has changed."""
    servers = {
        name: {"fingerprint": surface.fingerprint, **msgspec.to_builtins(surface)}
        for name, surface in sorted(lock.servers.items())
    }
    whole = {"version": _VERSION, "servers": servers}
    return msgspec.json.format(msgspec.json.encode(whole, order="sorted"), indent=2) + b"\n"


def read_lock(data: bytes, file: str | None = None) -> Lock:
    """Read what `write_lock` wrote.

    Raises:
        ConfigError: it is no lock, is of a later version, or has been changed by hand.
    """
    try:
        found = msgspec.json.decode(data, type=_File)
        if found.version != _VERSION:
            hint = "a later release of dragoman wrote it: update this one"
            raise ConfigError(
                _told(file, f"it is of version {found.version}; this is read: {_VERSION}"), file=file, hint=hint
            )
        return Lock({name: _read_surface(name, raw, file) for name, raw in found.servers.items()})
    except msgspec.MsgspecError as error:
        what = "a merge has left its marks in it" if b"<<<<<<<" in data else f"it is no lockfile: {error}"
        hint = "take an earlier one back, or delete it and make a new one by `dragoman lock`"
        raise ConfigError(_told(file, what), file=file, hint=hint) from None


def _told(file: str | None, what: str) -> str:
    return f"{file}: {what}" if file else what


def _read_surface(name: str, raw: Any, file: str | None) -> Surface:
    surface = msgspec.convert(raw, Surface)
    if raw.get("fingerprint") != surface.fingerprint:
        raise ConfigError(
            _told(file, "its contents and its fingerprint do not agree: it was changed by hand, or merged badly"),
            file=file,
            field=f"servers.{name}",
            server=name,
            hint=f"look at it, take `servers.{name}` out of the file, and pin it anew by `dragoman lock {name}`",
        )
    return surface
