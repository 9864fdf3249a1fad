"""Let programs for the official library read values by its spellings, and answer with values of its own.

Its fields were `isError` and `structuredContent`, and are `is_error` and `structured_content`: both can be had here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from dragoman.errors import UsageError
from dragoman.types import CallToolResult, InitializeResult, LoggingLevel, decode, encode, read_content, to_json
from dragoman.types.base import Wire

__all__ = ["met", "own", "own_result", "snake_case", "spoken"]

T = TypeVar("T", bound=Wire)

_OF_RESULTS = frozenset({"content", "structuredContent"})
_OF_MESSAGES = frozenset({"role", "tool_call_id", "type"})
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def snake_case(name: str) -> str:
    """Give the spelling of a field that is this library's."""
    return _CAPITAL.sub(r"_\1", name).lower()


def spoken(value: Any) -> Any:
    """Give a value whose fields can be had, and set, under both spellings; whatever has none is given as it is."""
    if isinstance(value, tuple):
        return [spoken(each) for each in value]
    if isinstance(value, LoggingLevel):
        return value.name.lower()
    is_spoken = type(value) is _Spoken
    return _Spoken(value) if isinstance(value, msgspec.Struct) and not is_spoken else value


def met(client: Any) -> Any:
    """Tell who the server of a client is, as the answer to `initialize` did, whichever version is spoken."""
    return spoken(
        InitializeResult(
            protocol_version=client.protocol_version,
            capabilities=client.capabilities,
            server_info=client.server,
            instructions=client.instructions,
        )
    )


def own(value: Any, kind: type[T]) -> T:
    """Give a value of this library's for one that `spoken` gave, for the official library's, or for JSON.

    Raises:
        UsageError: it is none of these.
    """
    if type(value) is _Spoken:
        return value.own_value()  # type: ignore[no-any-return]
    if isinstance(value, kind):
        return value
    json = _json(value)
    if not isinstance(json, Mapping):
        raise UsageError(f"{type(value).__name__} is no {kind.__name__}", hint=f"give a {kind.__name__}")
    try:
        return decode(encode(json), kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"this is no {kind.__name__}: {error}", hint=f"give a {kind.__name__}") from error


def own_result(value: Any) -> CallToolResult | None:
    """Give a tool's result, whoever's value it is; None for what is no result."""
    if type(value) is _Spoken or isinstance(value, CallToolResult):
        return own(value, CallToolResult)
    json = _json(value)
    if not isinstance(json, Mapping) or not json.keys() & _OF_RESULTS or json.keys() & _OF_MESSAGES:
        return None
    blocks = json.get("content") or ()
    rest = {name: each for name, each in json.items() if name != "content"}
    content = tuple(read_content(encode(block)) for block in blocks)
    return structs.replace(decode(encode({**rest, "content": []}), CallToolResult), content=content)


def _json(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else value


class _Spoken:
    """A value whose fields can be had under both spellings; to `isinstance` it is what it stands for."""

    __slots__ = ("_changes", "_value")

    def __init__(self, value: Any) -> None:
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_changes", {})

    @property  # type: ignore[misc]  # what `isinstance` asks for
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return type(self._value)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._value, name, ...)
        if found is ...:
            name = snake_case(name)
            found = getattr(self._value, name)
        if name not in self._value.__struct_fields__:
            return None if found is msgspec.UNSET else spoken(found)
        if name not in self._changes:
            self._changes[name] = None if found is msgspec.UNSET else spoken(found)
        return self._changes[name]

    def __setattr__(self, name: str, value: Any) -> None:
        field = name if name in self._value.__struct_fields__ else snake_case(name)
        if field not in self._value.__struct_fields__:
            raise AttributeError(f"{type(self._value).__name__} has no field {name!r}")
        self._changes[field] = value

    def own_value(self) -> Any:
        """Give the value with what has become of its fields."""
        changed = {name: _owned(each, getattr(self._value, name)) for name, each in self._changes.items()}
        return structs.replace(self._value, **changed) if changed else self._value

    def model_dump(self, **_: Any) -> Any:
        """Give the value as JSON."""
        return to_json(self.own_value())

    def model_dump_json(self, **_: Any) -> str:
        """Give the value as the text of JSON."""
        return encode(self.own_value()).decode()

    def __iter__(self) -> Any:
        return map(spoken, self._value)

    def __len__(self) -> int:
        return len(self._value)

    def __eq__(self, other: object) -> bool:
        return bool(self.own_value() == (other.own_value() if type(other) is _Spoken else other))

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return repr(self.own_value())


def _owned(value: Any, before: Any) -> Any:
    """Give what a field holds as this library has it, given what it held."""
    if type(value) is _Spoken:
        return value.own_value()
    if isinstance(value, list) and isinstance(before, tuple):
        return tuple(_owned_member(each) for each in value)
    if value is None and before is msgspec.UNSET:
        return before
    return before if isinstance(before, LoggingLevel) and value == before.name.lower() else value


def _owned_member(value: Any) -> Any:
    if type(value) is _Spoken:
        return value.own_value()
    return read_content(encode(_json(value))) if callable(getattr(value, "model_dump", None)) else value
