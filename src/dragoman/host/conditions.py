"""Refuse conditions of rules that are of the wrong kind: they would never fit, and let pass what they were to stop."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, get_args

from dragoman.errors import UsageError

__all__ = ["Kind", "check_conditions"]

Kind: TypeAlias = Literal["tool", "resource", "prompt", "sampling", "elicitation"]
_KINDS = get_args(Kind)


def check_conditions(rule: Any) -> None:
    """See to it that every condition of a rule is of the kind that can fit.

    Raises:
        UsageError: one is not.
    """
    for names, is_right, wanted in _CONDITIONS:
        for name in names:
            value = getattr(rule, name)
            if not is_right(value):
                raise UsageError(f"`{name}` of a rule cannot be {value!r}", hint=wanted)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _are_patterns(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset) and all(map(_is_text, value))


def _are_matchers(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        _is_text(name) and (_is_text(each) or callable(each) or _are_patterns(each)) for name, each in value.items()
    )


def _are_expressions(value: Any) -> bool:
    try:
        return _are_patterns(value) and all(re.compile(each).groups >= 0 for each in value)
    except re.error:
        return False


_CONDITIONS: tuple[tuple[tuple[str, ...], Callable[[Any], bool], str], ...] = (
    (("server", "tool"), _is_text, 'write one pattern, as in "delete_*", and a rule for each further one'),
    (("kind",), lambda value: value is None or value in _KINDS, f"it is one of {', '.join(_KINDS)}"),
    (("read_only", "destructive", "idempotent", "open_world", "says"), _is_flag, "write true or false"),
    (("arguments",), _are_matchers, 'write them as in {"path": "/etc/*"}, or with several patterns in a list'),
    (("origin",), lambda value: value is None or _is_text(value), "write a pattern of servers' names"),
    (("patterns",), _are_expressions, "write a list of regular expressions"),
    (("reason",), _is_text, "write a text"),
)
