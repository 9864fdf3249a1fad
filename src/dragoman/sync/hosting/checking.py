# generated from src/dragoman/aio/hosting/checking.py by tools/unasync.py; do not edit
"""Refuse options of a host that make no sense, before anything is started."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from os import PathLike
from typing import Any

from dragoman.auth.ways import Way
from dragoman.errors import ConfigError, UsageError
from dragoman.files.approvals import Approvals
from dragoman.sync.hosting.options import HostOptions
from dragoman.sync.scrutiny import check_names

__all__ = ["check_options"]


def check_options(options: HostOptions) -> None:
    """See to it that every option is one, and can be what it is.

    Raises:
        UsageError, ConfigError: one cannot.
    """
    check_names(options, HostOptions)
    _check_auth(options)
    given: Mapping[str, Any] = options
    for name, (is_right, wanted) in _WANTED.items():
        if name in given and not is_right(given[name]):
            raise UsageError(f"the option `{name}` cannot be {given[name]!r}", hint=wanted)
    on_drift = given.get("on_drift", "block")
    if on_drift not in ("block", "ask", "report"):
        raise ConfigError(f"on_drift cannot be {on_drift!r}", hint="it is block, ask or report")


def _check_auth(options: HostOptions) -> None:
    given: Any = options.get("auth")
    if given is not None and not isinstance(given, Way):
        raise UsageError(
            f"the option `auth` of a host cannot be {type(given).__name__}: one server's token is none of another's",
            hint="give `OAuth(...)`, and a token in the entry of its server",
        )


def _is_file(value: Any) -> bool:
    return isinstance(value, str | PathLike)


def _gives_leave(value: Any) -> bool:
    # A text would be looked through for hashes, letter by letter.
    return callable(value) or isinstance(value, bool) or (isinstance(value, Collection) and not isinstance(value, str))


_FUNCTION = "give a function"
_WANTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "approve": (callable, _FUNCTION),
    "approvals": (
        lambda value: value is None or _is_file(value) or isinstance(value, Approvals),
        "give a path, or None",
    ),
    "audit": (lambda value: callable(value) or _is_file(value), "give a path, or a function that takes each record"),
    "filter": (callable, "give a function of the server and the tool, or `named`, `read_only` and the like"),
    "inputs": (lambda value: callable(value) or isinstance(value, Mapping), "give answers by id, or a function"),
    "lock": (_is_file, "give a path"),
    "naming": (
        lambda value: callable(value) or value in ("collision", "prefix", "counter"),
        "it is collision, prefix, counter, or a function of the server's name and the tool's",
    ),
    "on_event": (callable, _FUNCTION),
    "trust": (_gives_leave, "give True, False, a set of hashes, or a function that is asked"),
}
