"""Find numbers that JSON has no form for, infinity and "not a number", which would be written as null without a word."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

from msgspec import Struct

__all__ = ["check_numbers"]


def check_numbers(value: object, written: bytes) -> None:
    """Look for such numbers in a value; `written` is the JSON that was made of it, where each has become a null.

    Raises:
        ValueError: there is one; the message says where.
    """
    # Nearly always there is no null, and nothing to look for.
    if b"null" in written:
        _check(value, "")


def _check(value: object, where: str) -> None:
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{where[1:] or 'the value'} is {value}, a number that JSON has no form for")
        return
    for name, part in _parts(value):
        _check(part, f"{where}.{name}")


def _parts(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return list(enumerate(value))
    if isinstance(value, Struct):
        return [(name, getattr(value, name)) for name in value.__struct_fields__]
    if is_dataclass(value):
        return [(each.name, getattr(value, each.name)) for each in fields(value)]
    return []
