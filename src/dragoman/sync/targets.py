# generated from src/dragoman/aio/targets.py by tools/unasync.py; do not edit
"""What `connect` can be pointed at: a command, a configuration entry, a transport, or a server in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias, cast

from dragoman.deadline import seconds
from dragoman.errors import UsageError
from dragoman.local.shapes import fits
from dragoman.sync.options import ConnectOptions
from dragoman.sync.scrutiny import check_options
from dragoman.sync.transports import Transport
from dragoman.sync.transports.memory import MemoryTransport
from dragoman.sync.transports.stdio import StdioTransport

__all__ = ["Target", "transport_to"]

Target: TypeAlias = (
    str | PathLike[str] | Sequence[str | PathLike[str]] | Mapping[str, Any] | Transport | Callable[..., Any] | object
)
"""A command line or its arguments, a program's path, a URL, a configuration entry, a transport, or a server object or
function."""

_PROCESS_OPTIONS = ("name", "env", "inherit_env", "cwd", "on_stderr")
_WEB_OPTIONS = ("name", "headers", "auth", "message_url")
_ENGINE_OPTIONS = ("verify", "ca_file", "client_cert", "proxy", "engine", "http2", "http_client")
_ENTRY_FIELDS = frozenset({"command", "args", "env", "cwd", "type", "transport", "name"})
_WEB_FIELDS = frozenset({"url", "headers", "type", "transport", "name"})


def transport_to(target: Target, options: ConnectOptions) -> Transport:
    """Make, or take, the transport that leads to a target.

    Raises:
        UsageError: nothing can be made of it, or an option makes no sense.
    """
    check_options(options)
    match target:
        case str():
            return _from_text(target, options)
        case Mapping():
            return _from_entry(target, options)
        case list() | tuple():
            return _process(_arguments(target), options)
        case PathLike():
            return _process(_arguments([target]), options)
    if fits(target, Transport):
        return target
    if target is None:
        raise UsageError("there is nothing to connect to", hint='give a command line such as "uvx mcp-server-git"')
    return MemoryTransport(target, name=options.get("name"), **_limit(options))


def _from_text(text: str, options: ConnectOptions) -> Transport:
    if text.strip() == "":
        raise UsageError("the command line is empty", hint='give one such as "uvx mcp-server-git"')
    if text.lower().startswith(("http://", "https://")):
        return _web(text, options)
    scheme, is_url, _ = text.strip().partition("://")
    if is_url and scheme.replace("+", "").isalpha():
        raise UsageError(
            f"nothing is known of {scheme}:// as a way to a server", hint="a URL begins with http:// or https://"
        )
    return _process(text, options)


def _web(url: str, options: ConnectOptions) -> Transport:
    # Imported here: who never connects to a URL never pays for what that takes.
    from dragoman.sync.transports.http import HttpTransport
    from dragoman.web.options import HttpOptions

    engine: dict[str, Any] = {name: value for name, value in options.items() if name in _ENGINE_OPTIONS}
    given: dict[str, Any] = {name: value for name, value in options.items() if name in _WEB_OPTIONS}
    connecting = options.get("connect_timeout")
    if connecting is not None:
        engine["connect_timeout"] = seconds(connecting)
    return HttpTransport(url, options=HttpOptions(**engine), **given, **_limit(options))


def _from_entry(entry: Mapping[str, Any], options: ConnectOptions) -> Transport:
    command, url = entry.get("command"), entry.get("url")
    if command is None and isinstance(url, str):
        return _web(url, {**_said(entry, _WEB_FIELDS, "headers", "name"), **options})
    if not isinstance(command, str):
        hint = 'as in {"command": "uvx", "args": ["..."]}, or a `url`'
        raise UsageError("a configuration entry needs a `command`", hint=hint)
    said = _said(entry, _ENTRY_FIELDS, "env", "cwd", "name")
    arguments = entry.get("args") or []
    if not isinstance(arguments, list | tuple):
        raise UsageError("the `args` of a configuration entry are no list", hint='as in {"args": ["mcp-server-git"]}')
    return _process(_arguments([command, *arguments]), {**said, **options})


def _said(entry: Mapping[str, Any], fields: frozenset[str], *options: str) -> ConnectOptions:
    """Give those options that an entry states; what kind of transport it is follows from the rest."""
    unknown = sorted(set(entry) - fields)
    if unknown:
        raise UsageError(
            f"a configuration entry has no field {unknown[0]!r}", hint=f"fields are {', '.join(sorted(fields))}"
        )
    said = cast(ConnectOptions, {field: entry[field] for field in options if field in entry})
    check_options(said)
    return said


def _arguments(given: Sequence[Any]) -> list[str]:
    """Read a program and its arguments: text, paths and numbers."""
    for each in given:
        if not isinstance(each, str | PathLike | int | float):
            raise UsageError(f"a command cannot hold {each!r}", hint="give text for each argument")
    return [os.fsdecode(each) if isinstance(each, PathLike) else str(each) for each in given]


def _process(command: str | list[str], options: ConnectOptions) -> Transport:
    given: dict[str, Any] = {name: value for name, value in options.items() if name in _PROCESS_OPTIONS}
    return StdioTransport(command, **given, **_limit(options))


def _limit(options: ConnectOptions) -> dict[str, Any]:
    return {"limit": options["max_message_size"]} if "max_message_size" in options else {}
