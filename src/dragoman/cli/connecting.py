"""From the options of a command to a connected client."""

import re
import threading
from argparse import Namespace
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.cli.apart import apart
from dragoman.cli.configured import named_server
from dragoman.cli.eras import Eras
from dragoman.cli.forms import Questions
from dragoman.cli.logs import show_message
from dragoman.cli.progress import Bar
from dragoman.cli.screen import Screen
from dragoman.errors import AuthError, ConnectFailed, UsageError

if TYPE_CHECKING:
    from dragoman import Client, Entry

__all__ = ["connected"]

_PATIENCE = 0.6
"""Seconds that an interrupted command waits for its server to end in good order."""


@contextmanager
def connected(
    asked: Namespace,
    screen: Screen,
    bar: Bar | None = None,
    server: "str | Entry | None" = None,
    *,
    is_alone: bool = True,
    **more: Any,
) -> "Generator[Client]":
    """Connect to the server that a command names, and close at the end; `more` are options of `Client.connect`.

    Progress is drawn by a bar of its own, or the one that is given. `server` is what the name means, where that is
    known already; `is_alone` says that the options are for this server, and no other.

    Raises:
        McpError: it cannot be reached, or an option makes no sense.
    """
    bar = Bar(screen, asked.command.name) if bar is None else bar
    questions = Questions(screen, bar.clear)
    options: dict[str, Any] = {
        "elicitation": questions.form,
        "url_elicitation": questions.url,
        "on_progress": bar,
        "remembered": Eras(),
        **_stated(asked, screen),
        **more,
    }
    if server is None:
        server = named_server(asked, screen)
        if is_alone:
            _check_use(asked, server)
    client = _connect(server, options)
    questions.server = client.server.title or client.server.name or client.name
    try:
        try:
            yield client
        finally:
            bar.end()
    except KeyboardInterrupt:
        _leave(client)
        raise
    except BaseException as error:
        client.close()
        if isinstance(error, AuthError):
            _advise(error, asked.server)
        raise
    client.close()


def _check_use(asked: Namespace, server: "str | Entry") -> None:
    """Refuse options that would do nothing for a server of this kind: somebody counts on what they do."""
    is_web = server.lower().startswith(("http://", "https://")) if isinstance(server, str) else server.url is not None
    if is_web:
        useless, kind = {"--env": asked.env, "--inherit-env": asked.inherit_env, "--cwd": asked.cwd}, "has a URL"
    else:
        useless, kind = {"--header": asked.header, "--ca-file": asked.ca_file}, "is a program to start"
    for option, value in useless.items():
        if value:
            raise UsageError(f"{option} does nothing for a server that {kind}", hint=f"leave out {option}")


def _connect(server: "str | Entry", options: dict[str, Any]) -> "Client":
    """Connect in a thread of its own: Ctrl-C then need not wait until a server that is stuck has been ended."""
    from dragoman import Client

    try:
        return apart("connect", lambda: Client.connect(server, **options))
    except AuthError as error:
        _advise(error, server if isinstance(server, str) else server.name)
        raise
    except ConnectFailed as error:
        if isinstance(server, str) and re.fullmatch(r"[\w.-]+", server):
            # One word was to be a name, more likely than a program.
            error.hint = f"no configuration names {server!r} either: `dragoman servers` lists those that one does"
        raise


def _advise(error: AuthError, server: str) -> None:
    """Name the next command, unless the library has done so."""
    if "`dragoman " not in (error.hint or ""):
        shown = "SERVER" if "?" in server or "@" in server else server
        error.hint = f"`dragoman auth {shown}` shows what the server wants; --header shows it something else"


def _stated(asked: Namespace, screen: Screen) -> dict[str, Any]:
    """Give the options that the user stated, and leave all others to the library."""
    options: dict[str, Any] = {
        "timeout": asked.timeout,
        "env": dict(map(_variable, asked.env)) or None,
        "inherit_env": asked.inherit_env,
        "cwd": asked.cwd,
        "roots": [_root(each) for each in asked.root] or None,
        "headers": dict(map(_header, asked.header)) or None,
        "ca_file": asked.ca_file,
        "versions": asked.protocol or None,
        "log_level": asked.log_level,
    }
    if asked.log_level:
        options["on_log"] = lambda message: show_message(message, screen)
    return {name: value for name, value in options.items() if value is not None}


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--env {text!r} sets no variable", hint="write --env NAME=value")
    return name, value


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        # The text itself is not told: it may be a secret that was meant to be a value.
        raise UsageError("--header sets no header", hint="write --header 'Name: value'")
    return name.strip(), value.strip()


def _root(text: str) -> str:
    return text if "://" in text else Path(text).absolute().as_uri()


def _leave(client: "Client") -> None:
    """Close without waiting for a server that takes its time: who pressed Ctrl-C wants to have the prompt back."""
    closing = threading.Thread(target=client.close, name="dragoman-cli-leave", daemon=True)
    closing.start()
    closing.join(_PATIENCE)
