"""The grammar of the command line: its commands, their words and options, and the help that teaches them."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from dragoman.cli.nearest import suggestion
from dragoman.cli.pages import COMMANDS, OVERVIEW, Command
from dragoman.cli.screen import Screen
from dragoman.errors import UsageError

__all__ = ["LEVELS", "Parser", "help_of", "overview", "read", "styled"]

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Parser(argparse.ArgumentParser):
    """A parser of one command whose mistakes are the library's usage errors."""

    @property
    def options(self) -> list[str]:
        """All that it takes that begins with a dash."""
        return [name for action in self._actions for name in action.option_strings]

    def error(self, message: str) -> NoReturn:
        """Raise what the user got wrong."""
        raise UsageError(message, hint=f"`{self.prog} --help` shows how it is done")

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002 - the signature is argparse's
        """Show the help, its headings and examples told apart on a terminal."""
        # argparse says nothing when it cannot write.
        out = Screen().out
        out.write(styled(self.format_help(), is_terminal=out.is_terminal))


def read(words: Sequence[str]) -> argparse.Namespace:
    """Read the words after `dragoman`; `run` of what comes back is what to do.

    Raises:
        UsageError: they make no sense.
    """
    name, *rest = words
    if name not in COMMANDS:
        if name.startswith("-"):
            raise _misplaced(name)
        raise UsageError(f"there is no command {name!r}", hint=suggestion(name, COMMANDS, "commands"))
    command = COMMANDS[name]
    parser = _parser(command)
    asked, unknown = parser.parse_known_intermixed_args(rest)
    if unknown:
        raise _unknown(unknown, parser)
    asked.command = command
    return asked


def _misplaced(option: str) -> UsageError:
    """Make the error for an option in front of the command, where only two may stand."""
    error = _no_option(option, ("--help", "--version"))
    if any(option.partition("=")[0] in _parser(command).options for command in COMMANDS.values()):
        error.hint = f"options stand behind the command: dragoman COMMAND ... {option}"
    return error


def _unknown(words: list[str], parser: Parser) -> UsageError:
    """Make the error for words that a command does not take."""
    option = next((word for word in words if word.startswith("-")), None)
    if option is None:
        return UsageError(f"{words[0]!r} is a word too many", hint=f"`{parser.prog} --help` shows how it is done")
    name, equals, _ = option.partition("=")
    error = _no_option(name, parser.options)
    if equals and not name.startswith("--"):
        error.hint = f"behind `--`, {option} is an argument"
    return error


def _no_option(name: str, known: Iterable[str]) -> UsageError:
    return UsageError(f"there is no option {name!r}", hint=suggestion(name, known, "options"))


def help_of(command: Command) -> str:
    """Give the help of one command, without colours."""
    return _parser(command).format_help()


def overview(screen: Screen) -> None:
    """Show what commands there are."""
    screen.out.write(styled(OVERVIEW, is_terminal=screen.out.is_terminal))


def styled(text: str, *, is_terminal: bool) -> str:
    """Give help with its headings and examples in colour, if it goes to a terminal that wants some."""
    if not is_terminal or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    text = re.sub(r"(?m)^([a-z][a-z ]*:)(?=$| dragoman )", "\x1b[1m\\1\x1b[0m", text)
    return re.sub(r"(?m)^(  dragoman .*)$", "\x1b[36m\\1\x1b[0m", text)


def _parser(command: Command) -> Parser:
    # Python 3.14 colours help by itself, and differently.
    plain: dict[str, Any] = {"color": False} if sys.version_info >= (3, 14) else {}
    parser = Parser(
        prog=f"dragoman {command.name}",
        usage=" ".join(["dragoman", command.name, *(word.usage for word in command.words), "[options]"]),
        description=command.description,
        epilog="examples:\n" + "\n".join(f"  {example}" for example in command.examples),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **plain,
    )
    for word in command.words:
        parser.add_argument(word.name, nargs=word.count, metavar=word.shown, help=word.help, default=word.default)
    _WORDS_AND_OPTIONS.get(command.name, _nothing)(parser)
    _common(parser, connects=command.connects, has_servers=command.has_servers)
    return parser


def _nothing(_: Parser) -> None:
    pass


def _call(parser: Parser) -> None:
    parser.add_argument(
        "--args", metavar="JSON|@FILE|-", help="all arguments as JSON: itself, a file's, or from the input"
    )
    _get(parser)


def _get(parser: Parser) -> None:
    parser.add_argument("--save", metavar="FOLDER", help="put images, sounds and files of the result there")


def _read(parser: Parser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead")


def _complete(parser: Parser) -> None:
    parser.add_argument(
        "--with",
        dest="others",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="what another argument is already; may be repeated",
    )


def _chat(parser: Parser) -> None:
    parser.add_argument(
        "--model", metavar="MODEL", help="which model: anthropic:NAME, openai:NAME, gemini:NAME, ...@URL"
    )
    parser.add_argument("--once", metavar="TEXT", help="say this, and end with the reply; so does a text as the input")
    parser.add_argument("--system", metavar="TEXT|@FILE", help="what the model is to keep to throughout")
    parser.add_argument("--yes", action="store_true", help="let the model call every tool without asking")
    parser.add_argument("--history", metavar="FILE", help="go on with the chat in this file, and keep it there")
    parser.add_argument("--rounds", metavar="N", type=_positive, default=32, help="replies of one turn, at most [32]")
    parser.add_argument("--max-tokens", metavar="N", type=_positive, help="tokens of one reply, at most")
    parser.add_argument("--tokens", metavar="N", type=_positive, help="tokens of the whole chat, at most")
    parser.add_argument(
        "--tool-tokens", metavar="N", type=_positive, help="tokens of the tools, beyond which they are searched for"
    )
    parser.add_argument("--script", metavar="FILE", help="play this script in place of a model: it needs no key")


def _watch(parser: Parser) -> None:
    parser.add_argument("--for", dest="seconds", metavar="TIME", help="end after this long: seconds, or 500ms, 2m")
    parser.add_argument("--count", metavar="N", type=_positive, help="end after this many changes")


def _servers(parser: Parser) -> None:
    parser.add_argument("--watch", action="store_true", help="go on showing them until Ctrl-C")


def _config(parser: Parser) -> None:
    parser.add_argument(
        "--into", metavar="FILE", default="mcp.json", help="the file that servers are added to [mcp.json]"
    )


def _lock(parser: Parser) -> None:
    parser.add_argument("--lock", metavar="FILE", default="mcp.lock", help="the lockfile [mcp.lock]")


def _approve(parser: Parser) -> None:
    parser.add_argument("--yes", action="store_true", help="give leave without asking, as a script does")


def _login(parser: Parser) -> None:
    parser.add_argument("--scope", metavar="'A B'", help="what to ask for, beside what the server names")
    parser.add_argument("--client-id", metavar="ID", help="who the program is there, where that was arranged")
    parser.add_argument("--client-secret", metavar="-|@FILE", help="the secret that goes with it: typed, or a file's")
    parser.add_argument("--client-metadata-url", metavar="URL", help="where the program's metadata document lies")
    parser.add_argument(
        "--redirect-uri", metavar="URI", help="where the browser comes back to, where that was arranged"
    )
    parser.add_argument("--issuer", metavar="URL", help="the only authorization server that may be used")
    parser.add_argument(
        "--trust-host", metavar="HOST", action="append", default=[], help="a private host that the server may name"
    )
    parser.add_argument(
        "--trust-issuer",
        metavar="URL",
        action="append",
        default=[],
        help="an authorization server that may be used although its metadata breaks a rule",
    )
    parser.add_argument("--resource", metavar="NAME", help="what the server is to its authorization server")
    parser.add_argument("--headless", action="store_true", help="open no browser: show the address, and take one back")
    _auth(parser)


def _auth(parser: Parser) -> None:
    parser.add_argument("--ca-file", metavar="FILE", help="certificates to trust beside the system's")
    _identity(parser)


def _identity(parser: Parser) -> None:
    parser.add_argument("--identity", metavar="NAME", help="which of several users you are there")


_WORDS_AND_OPTIONS: dict[str, Callable[[Parser], None]] = {
    "approve": _approve,
    "auth": _auth,
    "call": _call,
    "chat": _chat,
    "complete": _complete,
    "config": _config,
    "diff": _lock,
    "get": _get,
    "lock": _lock,
    "login": _login,
    "logout": _identity,
    "read": _read,
    "servers": _servers,
    "watch": _watch,
}


def _common(parser: Parser, *, connects: bool, has_servers: bool) -> None:
    if connects:
        _server_options(parser)
    elif has_servers:
        parser.add_argument("--timeout", metavar="TIME", help="how long each answer may take: seconds, or 500ms, 2m")
    if connects or has_servers:
        _configuration_options(parser)
    group = parser.add_argument_group("what is shown")
    if connects or has_servers:
        group.add_argument("--json", action="store_true", help="one JSON document on standard output, of a failure too")
    if connects:
        group.add_argument(
            "--log-level", choices=LEVELS, metavar="LEVEL", help="show the server's log from this level up"
        )
    group.add_argument("-v", "--verbose", action="store_true", help="show every message, without secrets, and the logs")
    group.add_argument("--no-color", action="store_true", help="no colours (as the variable NO_COLOR)")


def _configuration_options(parser: Parser) -> None:
    group = parser.add_argument_group("the configuration")
    group.add_argument(
        "--config", metavar="FILE", action="append", default=[], help="where servers are named; may be repeated"
    )
    group.add_argument("--trust", action="store_true", help="use a project's servers without asking, in this run")


def _server_options(parser: Parser) -> None:
    group = parser.add_argument_group("the server")
    group.add_argument("--timeout", metavar="TIME", help="how long each answer may take: seconds, or 500ms, 2m [20s]")
    group.add_argument(
        "--env", metavar="KEY=VALUE", action="append", default=[], help="a variable for its process; may be repeated"
    )
    group.add_argument("--inherit-env", choices=("safe", "all", "none"), help="which of your variables it gets [safe]")
    group.add_argument("--cwd", metavar="FOLDER", help="the folder its process starts in")
    group.add_argument(
        "--root", metavar="PATH|URI", action="append", default=[], help="a place it may work in; may be repeated"
    )
    group.add_argument(
        "--header", metavar="'NAME: VALUE'", action="append", default=[], help="a header for a URL; may be repeated"
    )
    group.add_argument("--ca-file", metavar="FILE", help="certificates to trust beside the system's, for a URL")
    group.add_argument(
        "--protocol", metavar="VERSION", action="append", default=[], help="speak this version only; may be repeated"
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give a number from 1 up")
    return number
