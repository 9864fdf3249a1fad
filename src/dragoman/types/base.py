"""What every value of the protocol can do: be decoded from bytes, remember them, and be written as bytes again.

A decoded value keeps the bytes it came from beside its fields, unparsed. `raw` parses them when asked, so that a field
this library does not know yet is never lost, and costs nothing until somebody looks. Parts of a value (the blocks of a
result, the tools of a list) remember where in their whole they stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Self, TypeVar, cast

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import force_setattr

from dragoman.types.lenient import UNREADABLE, read_json

__all__ = [
    "Verbatim",
    "Wire",
    "decode",
    "decode_each",
    "dump",
    "encode",
    "nothing",
    "remember",
    "remember_whole",
    "to_json",
]

Step = str | int
Path = tuple[Step, ...]

_LONGEST_SHOWN = 160

_MANY = 8
"""From how many parts on one looks for them in their whole once, and not once for each."""


class Wire(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel", dict=True, repr_omit_defaults=True):
    """A value of the protocol: frozen, snake_case here, camelCase on the wire, unknown fields kept in `raw`.

    Two values are equal when their fields are; what they remember of the wire does not count.
    """

    __parts__: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Attributes that hold values of the protocol worth their own `raw`, each with its name on the wire."""

    @property
    def raw(self) -> Any:
        """The decoded JSON as it came, unknown fields included; for a value made here, its wire form.

        A fresh copy each time: changing it changes nothing else. What JSON does not allow (bad UTF-8, NaN, a number out
        of range) is replaced.
        """
        return to_json(self)

    def __copy__(self) -> Self:
        return self  # as of everything that is frozen

    def __reduce__(self) -> tuple[Any, ...]:
        # With what it remembers: a copy in another process is to have the same `raw`.
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return _again, (type(self), fields, vars(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_brief(value)}" for name, value in self.__rich_repr__() or ())
        return f"{type(self).__name__}({shown})"


class _Shared:
    """A whole that many parts stand in, and where its lists have theirs, once somebody has looked."""

    __slots__ = ("_lists", "data")

    def __init__(self, data: Raw) -> None:
        self.data = data
        self._lists: dict[Path, list[Raw]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _Shared, (self.data,)

    def at(self, path: Path) -> Raw:
        """Give the bytes of one part."""
        if not path:
            return self.data
        *before, step = path
        if isinstance(step, str):
            return _object.decode(self.at(tuple(before)))[step]
        return self._items(tuple(before))[step]

    def _items(self, path: Path) -> list[Raw]:
        items = self._lists.get(path)
        if items is None:
            items = self._lists[path] = _array.decode(self.at(path))
        return items


Origin = tuple[Raw | _Shared, Path]


class Verbatim:
    """A piece of JSON that is kept as it came and written as it came."""

    __slots__ = ("_json",)

    def __init__(self, json: bytes | Raw | dict[str, Any]) -> None:
        text = encode(json) if isinstance(json, dict) else bytes(json)
        object.__setattr__(self, "_json", text)

    @property
    def json(self) -> bytes:
        """The bytes as they came."""
        return self._json  # type: ignore[attr-defined,no-any-return]

    @property
    def raw(self) -> Any:
        """The decoded JSON, a fresh copy each time."""
        return read_json(self.json)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.json,)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} cannot be set")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and other.raw == self.raw

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_brief(self.raw)})"


W = TypeVar("W", bound=Wire)


def nothing() -> tuple[()]:
    """Give the empty default of a field that the wire wants written even so, which plain defaults are not."""
    return ()


def decode(data: bytes | Raw, kind: type[W]) -> W:
    """Decode one value of type `kind` and let it, and its parts, remember the bytes.

    Raises:
        msgspec.ValidationError: the JSON is not a `kind`; the text names the path.
        msgspec.DecodeError: the bytes are not JSON.
    """
    value: W = _decoder(kind).decode(data)
    _attach(value, data if isinstance(data, Raw) else Raw(data), ())
    return value


def decode_each(parts: Sequence[Raw], kind: type[W]) -> tuple[W, ...]:
    """Decode values of type `kind`, each from bytes of its own, which it remembers.

    Raises:
        msgspec.ValidationError, msgspec.DecodeError: one of them cannot be decoded.
    """
    values: tuple[W, ...] = tuple(map(_decoder(kind).decode, parts))
    for value, data in zip(values, parts, strict=True):
        _attach(value, data, ())
    return values


def remember(value: W, data: bytes | Raw) -> W:
    """Attach the bytes a value was decoded from, to it and to its parts, and return it.

    A part that already remembers bytes of its own keeps them: whoever drops bad items from a list attaches each kept
    item's bytes to it first, since positions in the list no longer tell which is which.
    """
    _attach(value, data if isinstance(data, Raw) else Raw(data), ())
    return value


def remember_whole(value: W, data: bytes | Raw) -> W:
    """Attach the bytes a value was decoded from to it alone, where its parts have theirs already, and return it."""
    force_setattr(value, "_origin", (data if isinstance(data, Raw) else Raw(data), ()))
    return value


def encode(value: Any) -> bytes:
    """Write a value, or any JSON that holds values, from its fields: what was remembered is not looked at."""
    return _encoder.encode(value)


def dump(value: Wire | Verbatim) -> bytes:
    """Write a value as it came from the wire, unknown fields included, or from its fields if it was made here."""
    if isinstance(value, Verbatim):
        return value.json
    data, path = _origin(value) or (None, ())
    if isinstance(data, Raw) and not path:
        return bytes(data)
    return encode(to_json(value)) if value.__parts__ or path else encode(value)


def to_json(value: Wire | Verbatim) -> Any:
    """Give the plain JSON of a value (dicts, lists, strings, numbers), as `dump` would write it."""
    if isinstance(value, Verbatim):
        return value.raw
    origin = _origin(value)
    return _composed(value) if origin is None else _follow(*origin)


def _composed(value: Wire) -> Any:
    plain = msgspec.json.decode(encode(value))
    for attribute, name in value.__parts__:
        if name in plain:
            plain[name] = _part_json(getattr(value, attribute))
    return plain


def _part_json(part: Any) -> Any:
    if isinstance(part, tuple | list):
        return [_part_json(item) for item in cast("list[Any]", part)]
    return to_json(part) if isinstance(part, Wire | Verbatim) else part


def _attach(value: Wire, data: Raw | _Shared, path: Path) -> None:
    # Straight into what a frozen value keeps beside its fields: every part of every result comes by here.
    vars(value)["_origin"] = (data, path)
    for attribute, name in value.__parts__:
        part = getattr(value, attribute)
        if isinstance(part, tuple):
            items: tuple[Any, ...] = part
            if len(items) >= _MANY and isinstance(data, Raw):
                data = _Shared(data)
            for position, item in enumerate(items):
                if isinstance(item, Wire):
                    if not item.__parts__:
                        vars(item).setdefault("_origin", (data, path + (name, position)))  # noqa: RUF005 - in one step
                    elif "_origin" not in item.__dict__:
                        _attach(item, data, (*path, name, position))
        elif isinstance(part, Wire) and "_origin" not in part.__dict__:
            _attach(part, data, (*path, name))


def _again(kind: type[W], fields: dict[str, Any], remembered: dict[str, Any]) -> W:
    value = kind(**fields)
    vars(value).update(remembered)
    return value


def _origin(value: Wire) -> Origin | None:
    origin: Origin | None = value.__dict__.get("_origin")
    return origin


def _follow(data: Raw | _Shared, path: Path) -> Any:
    if isinstance(data, Raw):
        return _found(data, path)
    try:
        part = data.at(path)
    except UNREADABLE:  # what is wrong with the whole has to be mended first
        return _found(data.data, path)
    return read_json(part)


def _found(data: Raw, path: Path) -> Any:
    found = read_json(data)
    for step in path:
        found = found[step]
    return found


def _written_verbatim(value: object) -> Raw:
    if isinstance(value, Verbatim):
        return Raw(value.json)
    raise NotImplementedError(f"{type(value).__name__} has no JSON form")


def _brief(value: object) -> str:
    text = bytes(value).decode(errors="replace") if isinstance(value, Raw) else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}… ({len(text)} characters)"


@cache
def _decoder(kind: type[W]) -> msgspec.json.Decoder[W]:
    return msgspec.json.Decoder(kind)


_object = msgspec.json.Decoder(dict[str, Raw])
_array = msgspec.json.Decoder(list[Raw])
_encoder = msgspec.json.Encoder(enc_hook=_written_verbatim)
