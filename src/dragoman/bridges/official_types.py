"""What the official library has in `mcp.types`, as this library's values: made by the spellings of either, and recognised.

`types.TextContent(type="text", text="hi")` makes a `dragoman.types.TextContent`, and `isinstance` knows one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from dragoman import types
from dragoman.bridges.spellings import own, snake_case
from dragoman.types import ResourceContents
from dragoman.types.base import Wire

__all__ = ["ErrorData", "PaginatedRequestParams"]

_HALVES = {"BlobResourceContents": "blob", "TextResourceContents": "text"}
_OTHER_NAMES = {
    "CreateMessageRequestParams": "CreateMessageParams",
    "ElicitRequestFormParams": "ElicitFormParams",
    "ElicitRequestParams": "ElicitFormParams",
    "ElicitRequestURLParams": "ElicitUrlParams",
    "LoggingMessageNotificationParams": "LogMessage",
    "ResourceTemplateReference": "ResourceTemplateReference",
}


@dataclass
class ErrorData:
    """What a callback answers instead of a result, so that the server gets an error."""

    code: int
    message: str
    data: Any = None


@dataclass
class PaginatedRequestParams:
    """Which page of a list is wanted."""

    cursor: str | None = None


def __getattr__(name: str) -> Any:
    """Give what stands for a type of the official library's."""
    if name in _HALVES:
        return _standing_for(name, ResourceContents, _HALVES[name])
    kind = getattr(types, _OTHER_NAMES.get(name, name), None)
    if kind is None:
        raise AttributeError(f"{name} has no like here; see dragoman.types")
    is_value = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return _standing_for(name, kind, None) if is_value else kind


class _Standing(type):
    """The type of what stands for one of the official library's: calling it makes this library's value."""

    kind: Any
    half: str | None

    def __call__(cls, *values: Any, **fields: Any) -> Any:
        known = {snake_case(name): _own(value) for name, value in fields.items()}
        return cls.kind(*values, **{name: value for name, value in known.items() if name in cls.kind.__struct_fields__})

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.kind) and (cls.half is None or getattr(value, cls.half) is not None)


@cache
def _standing_for(name: str, kind: Any, half: str | None) -> Any:
    return _Standing(name, (), {"kind": kind, "half": half, "__doc__": kind.__doc__})


def _own(value: Any) -> Any:
    """Give a field's value as this library has it: tuples for lists, and text for URLs."""
    if isinstance(value, list):
        return tuple(map(_own, value))
    if isinstance(value, msgspec.Struct):
        return own(value, Wire)
    return str(value) if type(value).__name__ in {"AnyUrl", "FileUrl"} else value
