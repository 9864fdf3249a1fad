"""Take a value apart by the types of its fields, and keep what can be read of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Raw, Struct
from msgspec.structs import FieldInfo

from dragoman.errors import ProtocolError
from dragoman.protocol.jsonrpc import excerpt
from dragoman.types import (
    UNREADABLE,
    EmptyResult,
    ServerCapabilities,
    TextContent,
    UnknownContent,
    Wire,
    is_object,
    leniently,
    read_server_capabilities,
    remember,
    repaired,
)

__all__ = ["Problem", "Salvage", "members"]

W = TypeVar("W", bound=Wire)

# A message of a million faults is described well enough by its first ones.
_MOST_PROBLEMS = 100
_LONGEST_NAME = 200


class Problem(Struct, frozen=True):
    """Something wrong in a message that was read all the same.

    `where` is the path to it, as in "tools[3].icons[0]", "" for the whole; `name` is that of the item concerned, as
    far as it has one; `excerpt` is how it begins.
    """

    where: str
    name: str
    reason: str
    excerpt: str = ""

    def __str__(self) -> str:
        subject = " ".join(filter(None, (self.where, repr(self.name) if self.name else "")))
        return ": ".join(filter(None, (subject, self.reason, self.excerpt)))


class _UnreadableError(Exception):
    """Nothing can be made of this part; the text says why."""


class Salvage:
    """Takes one message apart by the types of its fields, and collects what was wrong.

    `name` is what the item being read calls itself.
    """

    def __init__(self) -> None:
        self.name = ""
        self._problems: list[Problem] = []

    def found(self) -> tuple[Problem, ...]:
        """Return what was wrong, up to a hundred problems."""
        return tuple(self._problems)

    def report(self, where: str, reason: str, data: bytes | Raw = b"", *, name: str = "") -> None:
        """Put down what is wrong with a part."""
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(Problem(where, name or self.name, reason, excerpt(bytes(data))))

    def whole(self, data: bytes | Raw, kind: type[W]) -> W:
        """Read a message of which something has to be left, or there is no message."""
        try:
            value: W = self.value(Raw(bytes(data)), kind, "")
        except _UnreadableError as error:
            raise ProtocolError(f"this is no {kind.__name__} ({error})", excerpt=excerpt(bytes(data))) from error
        return value

    def kept(self, data: Raw, kind: Any, where: str) -> Any:
        """Read an item that can be left out; None where it has to be."""
        try:
            return self.value(data, kind, where)
        except _UnreadableError as error:
            self.report(where, str(error), data)
            return None

    def value(self, data: Raw, kind: Any, where: str) -> Any:
        """Read a part as the type it should have, or as much of it as can be."""
        try:
            return _remembering(_decoder(kind).decode(data), data)
        except (msgspec.ValidationError, RecursionError) as error:
            return self._mended(data, kind, where, str(error))
        except msgspec.DecodeError as error:
            better = repaired(bytes(data))
            if better == bytes(data):
                raise _UnreadableError(str(error)) from error
        self.report(where, "characters that JSON does not allow were replaced", data)
        return self.value(Raw(better), kind, where)

    def _mended(self, data: Raw, kind: Any, where: str, reason: str) -> Any:
        structs, collection = _structs(kind), _collection(kind)
        if collection and (not structs or _first(data) == b"["):
            take = self._tuple if get_origin(collection) is tuple else self._dict
            return take(data, collection, where, reason)
        if len(structs) > 1:
            return self._block(data, structs, where)
        if structs:
            return self._struct(data, structs[0], where, reason)
        value = _loosely(data, kind, reason)
        self.report(where, reason, data)
        return value

    def _struct(self, data: Raw, kind: type[Wire], where: str, reason: str) -> Wire:
        parts, anyhow = members(data), _ANYHOW.get(kind)
        if anyhow:
            self.report(where, reason, data)
            return remember(anyhow(data), data)
        if parts is None:
            raise _UnreadableError(reason)
        fields = {each.name: self._field(parts, each, where) for each in _fields(kind)}
        return remember(kind(**{name: value for name, value in fields.items() if value is not NODEFAULT}), data)

    def _field(self, parts: dict[str, Raw], field: FieldInfo, where: str) -> Any:
        part = parts.get(field.encode_name)
        path = f"{where}.{field.encode_name}".removeprefix(".")
        try:
            return NODEFAULT if part is None and not field.required else self.value(_present(part), field.type, path)
        except _UnreadableError as error:
            if field.required:
                raise _UnreadableError(f"{field.encode_name}: {error}") from error
            self.report(path, str(error), part or b"")
            return NODEFAULT

    def _dict(self, data: Raw, kind: Any, where: str, reason: str) -> dict[str, Any]:
        parts = members(data)
        if parts is None:
            raise _UnreadableError(reason)
        entry = get_args(kind)[1]
        found = {name: self.kept(part, entry, f"{where}.{name[:_LONGEST_NAME]}") for name, part in parts.items()}
        return {name: value for name, value in found.items() if value is not None}

    def _tuple(self, data: Raw, kind: Any, where: str, reason: str) -> tuple[Any, ...]:
        item = get_args(kind)[0]
        parts = self._items(data, item, where, reason)
        found = [self.kept(part, item, f"{where}[{place}]") for place, part in enumerate(parts)]
        return tuple(value for value in found if value is not None)

    def _items(self, data: Raw, kind: Any, where: str, reason: str) -> list[Raw]:
        try:
            return _array.decode(data)
        except UNREADABLE:
            pass
        if len(_structs(kind)) < 2 or _first(data) not in {b"{", b'"'}:
            raise _UnreadableError(reason)
        self.report(where, "one content block stands where a list of them belongs", data)
        return [data]

    def _block(self, data: Raw, kinds: tuple[type[Wire], ...], where: str) -> Wire | UnknownContent:
        found = _json(data)
        if isinstance(found, str):
            self.report(where, "a string stands where a content block belongs", data)
            return remember(TextContent(found), data)
        tag = found.get("type") if is_object(found) else None
        kind = next((each for each in kinds if each.__struct_config__.tag == tag), None)
        if kind is not None:
            block: Wire | None = self.kept(data, kind, where)
            return UnknownContent(data) if block is None else block
        if not isinstance(tag, str):
            self.report(where, "this is no content block: it has no type", data)
        return UnknownContent(data)


def _loosely(data: Raw, kind: Any, reason: str) -> Any:
    """Read a scalar that was written as another kind of scalar ("true" for true, 5 for "5"), or is out of range."""
    try:
        return leniently(lambda text: msgspec.json.decode(text, type=kind, strict=False), data)
    except UNREADABLE:
        if str in _choices(kind) and _first(data) in _SCALARS:
            return bytes(data).decode()
        raise _UnreadableError(reason) from None


def _present(part: Raw | None) -> Raw:
    if part is None:
        raise _UnreadableError("it is missing")
    return part


def _remembering(value: Any, data: Raw) -> Any:
    return remember(value, data) if isinstance(value, Wire) else value


def _first(data: Raw) -> bytes:
    return bytes(memoryview(data)[:1])


def _json(data: Raw) -> Any:
    try:
        return msgspec.json.decode(data)
    except UNREADABLE:
        return None


def members(data: bytes | Raw) -> dict[str, Raw] | None:
    """Read an object no further than its members; None for what is no object."""
    try:
        return _object.decode(data)
    except UNREADABLE:
        return None


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


@cache
def _fields(kind: type[Wire]) -> tuple[FieldInfo, ...]:
    return msgspec.structs.fields(kind)


@cache
def _choices(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)


@cache
def _structs(kind: Any) -> tuple[type[Wire], ...]:
    return tuple(each for each in _choices(kind) if isinstance(each, type) and issubclass(each, Wire))


@cache
def _collection(kind: Any) -> Any:
    return next((each for each in _choices(kind) if get_origin(each) in {tuple, dict}), None)


# What is taken for granted where it is not even an object.
_ANYHOW: dict[Any, Callable[[Raw], Wire]] = {
    ServerCapabilities: read_server_capabilities,
    EmptyResult: lambda _: EmptyResult(),
}
_SCALARS = tuple(bytes([each]) for each in b"-0123456789tf")
_object = msgspec.json.Decoder(dict[str, Raw])
_array = msgspec.json.Decoder(list[Raw])
