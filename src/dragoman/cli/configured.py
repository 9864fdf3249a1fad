"""The servers of a configuration: which files count, which server a name means, and whether it may be used."""

import logging
from argparse import Namespace
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.cli.nearest import suggestion
from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen
from dragoman.errors import ConfigError, PolicyDenied, UsageError

if TYPE_CHECKING:
    from dragoman import Config, Entry, Input

__all__ = ["answers", "chosen", "configuration", "leave_by_terminal", "named_server", "prepared", "usable"]

log = logging.getLogger("dragoman.cli")


def configuration(asked: Namespace) -> "Config":
    """Read the files that were named, or else those of this machine's applications.

    Raises:
        ConfigError: a file that was named cannot be read.
    """
    from dragoman import discover, read_configuration

    return read_configuration(*map(Path, asked.config)) if asked.config else discover()[1]


def chosen(asked: Namespace, names: list[str]) -> "Config":
    """Read the configuration, and keep only the servers that were named, if any were.

    Raises:
        ConfigError: there is none of such a name, or it cannot be used.
    """
    from dragoman import Config

    config = configuration(asked)
    if not names:
        return config
    entries = tuple(config.entry(name) for name in names)
    problems = tuple(problem for problem in config.problems if problem.server in names)
    return Config(entries, problems, config.inputs, config.lines)


def named_server(asked: Namespace, screen: Screen) -> "str | Entry":
    """Find what SERVER means: a server of the configuration, a URL, or a command line.

    Raises:
        UsageError: it was to be one of a file that was named, and is none.
        ConfigError, PolicyDenied: it cannot be used, or has no leave.
    """
    text: str = asked.server
    if "://" in text and not asked.config:
        return text
    config = configuration(asked)
    if text in config.order and not (_is_told_apart(text, asked) and _is_a_projects(text, config)):
        return usable(config.entry(text), config, asked, screen)
    if asked.config and "://" not in text and " " not in text:
        raise UsageError(f"no server is called {text!r}", hint=suggestion(text, config.order, "servers"))
    return text


def _is_told_apart(text: str, asked: Namespace) -> bool:
    """Whether it is an address or a command line, where no file was named whose servers may be called anything."""
    return not asked.config and any(sign in text for sign in " /\\:")


def _is_a_projects(name: str, config: "Config") -> bool:
    """Whether a project's file says what a name means: it must not say so of what a user types as a command line."""
    return all(entry.is_project for entry in config.entries if entry.name == name)


def usable(entry: "Entry", config: "Config", asked: Namespace, screen: Screen) -> "Entry":
    """Fill in the variables of an entry, and see to it that it has leave.

    Raises:
        ConfigError: a variable is not set. PolicyDenied: it has no leave.
    """
    from dragoman import Approval, Approvals, resolve_entry

    found = resolve_entry(entry, config, answers(screen))
    log.info("%s is of %s", entry.name, entry.file)
    if not entry.is_project or asked.trust:
        return found
    approvals, approval = Approvals.of_user(), Approval.of(found)
    if approvals.get(approval.hash):
        return found
    if screen.can_ask and leave_by_terminal(approval):
        approvals.approve(found)
        return found
    raise PolicyDenied(
        f"a project's file names it, and it has no leave:\n{approval}",
        server=entry.name,
        hint=f"`dragoman approve {entry.name}` gives it leave; so does --trust, for this run alone",
    )


def leave_by_terminal(approval: Any) -> bool:
    """Show all that a server of a project's does, and ask whether it may."""
    from dragoman import ask_on_terminal

    return ask_on_terminal(approval) is True


def prepared(config: "Config", asked: Namespace, screen: Screen) -> Any:
    """Ask for everything that the servers of a configuration want to know, and for leave, one after the other.

    Gives what answers the same questions again. Nothing is asked while a table is drawn, or two at a time.
    """
    from dragoman import Approval, Approvals, resolve_entry

    inputs, approvals = answers(screen), Approvals.of_user()
    for entry in (each for each in config.entries if screen.can_ask and not each.disabled):
        try:
            found = resolve_entry(entry, config, inputs)
        except ConfigError:  # the host tells of it
            continue
        if found.is_project and not asked.trust and approvals.has_approved(found) is None:
            approval = Approval.of(found)
            if leave_by_terminal(approval):
                approvals.approve(found)
    return inputs


def answers(screen: Screen) -> Any:
    """Give what answers the questions of a configuration: the user, where there is one, and each of them once."""
    known: dict[str, str | None] = {}

    def ask(asked: "Input") -> str | None:
        if known.get(asked.id) is None:
            known[asked.id] = _typed(asked, screen)
        return known[asked.id]

    return ask if screen.can_ask else {}


def _typed(asked: "Input", screen: Screen) -> str | None:
    words = asked.question or asked.id
    choice = f" [{'/'.join(asked.options)}]" if asked.options else ""
    default = f" ({asked.default})" if asked.default else ""
    # It may be a project's file that asks.
    prompt = one_line(f"{words}{choice}{default}") + ": "
    try:
        if asked.is_secret:
            return getpass(prompt) or None
        screen.err.write(prompt)
        return input() or None
    except EOFError:
        return None
