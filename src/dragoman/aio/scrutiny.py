"""Refuse options that make no sense, by name and with what to write instead, before anything is started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from os import PathLike
from typing import Any, TypeAlias, cast

from dragoman.aio.options import ConnectOptions
from dragoman.deadline import seconds
from dragoman.errors import UsageError
from dragoman.nearest import nearest
from dragoman.protocol.recovery import RestartPolicy, RetryPolicy
from dragoman.types import ClientCapabilities, Implementation

__all__ = ["check_names", "check_options"]

_Kind: TypeAlias = tuple[Callable[[Any], bool], str]
"""Whether a value will do, and what to write if it will not."""

_Options: TypeAlias = Mapping[str, Any]


def check_options(options: ConnectOptions) -> None:
    """Look at each option by itself.

    Raises:
        UsageError: one of them is unknown, or not of the kind that it should be.
    """
    check_names(options, ConnectOptions)
    for name, value in cast(_Options, options).items():
        fits, instead = _KINDS.get(name, _ANYTHING)
        if not fits(value) and (value is not None or name in _NEVER_NONE):
            shown = repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
            raise UsageError(f"the option `{name}` cannot be {shown}", hint=f"give {instead}")
    for name in _DURATIONS:
        _named(name, seconds, cast(_Options, options).get(name))
    _named("retry", RetryPolicy.of, options.get("retry", "safe"))


def _named(name: str, read: Callable[[Any], object], value: Any) -> None:
    try:
        read(value)
    except UsageError as error:
        raise UsageError(f"the option `{name}`: {error.message}", hint=error.hint) from error


def check_names(options: Iterable[str], kind: type) -> None:
    """See to it that every option is one of those that a TypedDict names.

    Raises:
        UsageError: one of them is unknown.
    """
    known = kind.__annotations__
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        near = nearest(unknown, known)
        hint = f"did you mean `{near}`?" if near else f"see `{kind.__name__}`"
        raise UsageError(f"there is no option {unknown!r}", hint=hint)


# ------------------------------------------------------------------------------------------------------------- kinds


def _are_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes) and all(isinstance(v, str) for v in value)


def _are_variables(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(each, str) for item in value.items() for each in item)


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _may_answer(value: Any) -> bool:
    """Say whether something may answer for a model: a function, or what is read as a model once it is known to be none."""
    return callable(value) or isinstance(value, str) or hasattr(value, "name")


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_ANYTHING: _Kind = (lambda _: True, "")
_TEXT: _Kind = (lambda value: isinstance(value, str), "text")
_YES_OR_NO: _Kind = (lambda value: isinstance(value, bool), "True or False")
_FUNCTION: _Kind = (callable, "a function")
_PATH: _Kind = (lambda value: isinstance(value, str | PathLike), "a path")

_DURATIONS = ("timeout", "connect_timeout", "handshake_timeout", "max_timeout")

_KINDS: Mapping[str, _Kind] = {
    "name": _TEXT,
    "client_info": (lambda value: isinstance(value, Implementation), '`Implementation("my-program", version="1.0")`'),
    "capabilities": (lambda value: isinstance(value, ClientCapabilities | Mapping), "`ClientCapabilities(...)`"),
    "versions": (_are_texts, 'a list of versions, as in ["2025-11-25"]'),
    "roots": (_is_list, 'a list of `Root` or of URIs, as in ["file:///home/ada"]'),
    "sampling": (_may_answer, 'a function, or a model such as "anthropic:NAME"'),
    **dict.fromkeys(("elicitation", "url_elicitation", "approve"), _FUNCTION),
    **{name: _FUNCTION for name in ConnectOptions.__annotations__ if name.startswith("on_")},
    **dict.fromkeys(("apply_elicitation_defaults", "fetch_schemas", "cache", "announce_cancellation"), _YES_OR_NO),
    **dict.fromkeys(("verify", "http2", "strict"), _YES_OR_NO),
    "observers": (_is_list, "a list of observers, as in [LogObserver()]"),
    "validator": (lambda value: value is False or callable(value), "a function, or False"),
    "restart": (lambda value: isinstance(value, bool | RestartPolicy), "True, False or a `RestartPolicy`"),
    "remembered": (lambda value: isinstance(value, MutableMapping), "a dict, or another mutable mapping"),
    "env": (_are_variables, 'a mapping of names to text, as in {"LANG": "C"}'),
    "inherit_env": _TEXT,
    "cwd": _PATH,
    "ca_file": _PATH,
    "headers": (lambda value: callable(value) or _are_variables(value), "a mapping of names to text, or a function"),
    "proxy": (lambda value: value is False or isinstance(value, str), "a URL, or False"),
    "message_url": _TEXT,
    "max_message_size": (_is_size, "a number of bytes"),
}

_NEVER_NONE = frozenset({name for name, kind in _KINDS.items() if kind is _YES_OR_NO} - {"strict"}) | {
    "inherit_env",
    "max_message_size",
    "restart",
}
"""Options of which nothing could be meant by None; by others, that they are left out."""
