"""Tell whether an object has the shape that a protocol class describes."""

from __future__ import annotations

from typing import TypeGuard, TypeVar

__all__ = ["fits"]

P = TypeVar("P")


def fits(value: object, shape: type[P]) -> TypeGuard[P]:
    """Tell whether an object has every attribute that a protocol class names.

    Unlike `isinstance` from Python 3.12 on, this also finds what an object gives by `__getattr__`, as those do that wrap
    another one.
    """
    names = (*vars(shape), *shape.__annotations__)
    return all(hasattr(value, name) for name in names if not name.startswith("_"))
