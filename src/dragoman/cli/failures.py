"""How a command ends: its exit code, and how what went wrong is told, to a person or as JSON."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from dragoman.cli.nearest import suggestion
from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen, Unwritable
from dragoman.errors import (
    AuthError,
    ConfigError,
    HttpError,
    McpError,
    McpTimeout,
    MethodNotFound,
    NotOffered,
    PolicyDenied,
    ResourceNotFound,
    ServerError,
    ToolChanged,
    ToolFailed,
    UrlElicitationRequired,
    UsageError,
)

__all__ = ["Exit", "Interrupted", "NoSuch", "envelope", "exit_code", "no_such", "report", "tell"]


class Exit(IntEnum):
    """The exit codes, for scripts to rely on."""

    OK = 0
    USAGE = 2
    CONNECTION = 3
    AUTHORIZATION = 4
    FAILED = 5
    NO_SUCH = 6
    TIMEOUT = 7
    NOT_ALLOWED = 8
    INTERRUPTED = 130
    """128 + SIGINT, as shells have it; also for being asked to end by another signal."""
    PIPE_CLOSED = 141
    """128 + SIGPIPE: whoever read the output has left."""


class NoSuch(McpError):
    """The server offers no tool, resource or prompt of this name.

    Attributes:
        kind: "tool", "resource", "prompt" or "template".
        name: the name that was asked for.
    """

    def __init__(self, kind: str, name: str, *, server: str | None = None, hint: str | None = None) -> None:
        super().__init__(f"there is no {kind} {name!r}", server=server, hint=hint)
        self.kind = kind
        self.name = name


class Interrupted(McpError):
    """The user stopped the command."""


_CODES: tuple[tuple[tuple[type[McpError], ...], Exit], ...] = (
    ((UsageError, ConfigError, Unwritable), Exit.USAGE),
    ((Interrupted,), Exit.INTERRUPTED),
    ((NoSuch, ResourceNotFound, NotOffered, MethodNotFound), Exit.NO_SUCH),
    ((McpTimeout,), Exit.TIMEOUT),
    ((AuthError, UrlElicitationRequired), Exit.AUTHORIZATION),
    ((PolicyDenied, ToolChanged), Exit.NOT_ALLOWED),
    ((ToolFailed, ServerError), Exit.FAILED),
)
_GREETINGS = frozenset({"initialize", "server/discover"})
# `argv` may hold what the user typed for the server alone, and `result` and `partial` are whole answers.
_UNTOLD = frozenset({"argv", "hint", "message", "partial", "result", "server"})
_NOBODY_ASKED = "open the links in a browser, and run the command again; on a terminal it asks you by itself"
_COMPUTED = ("required", "supported")


def exit_code(error: McpError) -> Exit:
    """Give the exit code for a failure; what is not listed is a line that broke or a server that cannot be spoken with."""
    if isinstance(error, HttpError) and error.status in {401, 403}:
        return Exit.AUTHORIZATION
    if isinstance(error, ServerError) and error.method in _GREETINGS:
        return Exit.CONNECTION
    if hasattr(error, "provider"):
        return _code_of_model(error)
    return next((code for kinds, code in _CODES if isinstance(error, kinds)), Exit.CONNECTION)


def _code_of_model(error: Any) -> Exit:
    """Give the exit code for what a model's provider answered; its errors are loaded only where there is a model."""
    from dragoman import ModelRejected

    if not isinstance(error, ModelRejected):
        return Exit.CONNECTION
    return Exit.AUTHORIZATION if error.status in {401, 403} else Exit.FAILED


def no_such(kind: str, name: str, known: list[str], server: str) -> NoSuch:
    """Make the error for a name that the server does not list."""
    return NoSuch(kind, name, server=server, hint=suggestion(name, known, f"{kind}s") or f"it offers no {kind}s")


def report(error: McpError, screen: Screen) -> Exit:
    """Tell what went wrong, as JSON on standard output if that is wanted; gives the exit code."""
    if screen.wants_json:
        screen.document(envelope(error))
    elif isinstance(error, Interrupted):
        screen.note(error.message)
    else:
        tell(error, screen)
    return exit_code(error)


def envelope(error: McpError) -> dict[str, Any]:
    """Give a failure as JSON: always type, message, server and hint, and what else the error knows."""
    told: dict[str, Any] = {
        "type": type(error).__name__,
        "message": error.message,
        "server": error.server,
        "hint": error.hint,
    }
    for name, value in _attributes(error).items():
        told[_camel(name)] = _plain(value)
    if isinstance(error.__cause__, McpError):
        told["cause"] = envelope(error.__cause__)["error"]
    return {"error": told}


def tell(error: McpError, screen: Screen) -> Exit:
    """Tell a person what went wrong; gives the exit code."""
    sentence, _, last_words = _sentence(error).partition("\n")
    screen.err.line(("error: ", "bold red"), sentence)
    cause = error.__cause__
    if isinstance(cause, McpError):
        reason, _, words_before = _sentence(cause).partition("\n")
        last_words = last_words or words_before
        if cause.message not in sentence:
            screen.err.line(("  because: ", "dim"), one_line(reason))
    for line in last_words.splitlines():
        screen.err.line(("  | ", "dim"), line)
    for each in error.elicitations if isinstance(error, UrlElicitationRequired) else ():
        screen.err.line(("  visit: ", "bold"), one_line(each.url), (f"  {one_line(each.message)}", "dim"))
    hint = _NOBODY_ASKED if isinstance(error, UrlElicitationRequired) and not error.hint else error.hint
    if hint:
        screen.err.line(("  hint: ", "bold"), hint)
    return exit_code(error)


def _sentence(error: McpError) -> str:
    """Give the error's own words without its hint, which stands on a line of its own."""
    return str(error).replace(f" ({error.hint})", "", 1) if error.hint else str(error)


def _attributes(error: McpError) -> dict[str, Any]:
    own = {name: value for name, value in vars(error).items() if not name.startswith("_")}
    computed = {name: getattr(error, name) for name in _COMPUTED if hasattr(error, name)}
    return {name: value for name, value in {**own, **computed}.items() if name not in _UNTOLD}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return _plain(value.raw) if hasattr(value, "raw") else str(value)
