"""The commands about what was approved: lock, diff, approve."""

from argparse import Namespace
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.cli.configured import answers, chosen, configuration, leave_by_terminal, prepared
from dragoman.cli.failures import Exit
from dragoman.cli.screen import Screen
from dragoman.errors import ConfigError, McpError, UsageError

if TYPE_CHECKING:
    from dragoman import Difference, Host

__all__ = ["approve", "diff", "lock"]


def lock(asked: Namespace, screen: Screen) -> Exit:
    """Pin what servers say now, and show what has changed by that."""
    with _hosted(asked, screen) as host:
        names = _ready(host, asked)
        found = {name: host.differences(name) for name in names}
        host.pin(*names)
        suspicious = {name: _suspicions(host, name) for name in names}
    if screen.wants_json:
        screen.document({"file": asked.lock, "servers": {name: _documents(found[name]) for name in names}})
        return Exit.OK
    for name in names:
        screen.out.line((name, "bold cyan"), " is pinned" + (", and was different:" if found[name] else ""))
        _show(found[name], screen)
        for each in suspicious[name]:
            screen.warn(f"{name}: {each}")
    screen.note(f"written to {asked.lock}")
    return Exit.OK


def diff(asked: Namespace, screen: Screen) -> Exit:
    """Show what is not as it was pinned; the exit code tells whether anything is."""
    if not Path(asked.lock).exists():
        raise UsageError(f"there is no {asked.lock}", hint="`dragoman lock` makes one")
    with _hosted(asked, screen) as host:
        found = {name: host.differences(name) for name in _ready(host, asked)}
    if screen.wants_json:
        screen.document({"servers": {name: _documents(each) for name, each in found.items()}})
    else:
        for name, each in found.items():
            screen.out.line((name, "bold cyan"), " is not as it was pinned:" if each else " is as it was pinned")
            _show(each, screen)
    return Exit.NOT_ALLOWED if any(found.values()) else Exit.OK


def approve(asked: Namespace, screen: Screen) -> Exit:
    """Give leave to servers that a project's file names, once the user has seen all that they do."""
    from dragoman import Approval, Approvals, resolve_entry

    config = configuration(asked)
    entries = [config.entry(name) for name in asked.names] or [each for each in config.entries if each.is_project]
    approvals, told = Approvals.of_user(), []
    inputs, is_whole = answers(screen), True
    for entry in entries:
        try:
            found = resolve_entry(entry, config, inputs)
        except ConfigError as error:
            if asked.names:
                raise
            screen.warn(str(error))
            is_whole = False
            continue
        approval = Approval.of(found)
        has_leave = approvals.get(approval.hash) is True
        if not has_leave and entry.is_project:
            if asked.yes:
                screen.err.line(str(approval))
            has_leave = asked.yes or (screen.can_ask and leave_by_terminal(approval))
            if has_leave:
                approvals.approve(found)
        told.append((entry.name, has_leave or not entry.is_project, approval))
    if screen.wants_json:
        screen.document(
            {"servers": [{"name": name, "approved": is_good, "hash": each.hash} for name, is_good, each in told]}
        )
    else:
        _tell_leave(told, screen)
    return Exit.OK if is_whole and all(is_good for _, is_good, _ in told) else Exit.NOT_ALLOWED


def _tell_leave(told: list[tuple[str, bool, Any]], screen: Screen) -> None:
    for name, is_good, approval in told:
        screen.out.line((name, "bold cyan"), " has leave" if is_good else " has no leave:")
        if not is_good:
            screen.out.line(str(approval))
    if not told:
        screen.note("no project's file names a server here")


@contextmanager
def _hosted(asked: Namespace, screen: Screen) -> "Generator[Host]":
    """Open a host for all servers that were named, or all that are configured."""
    from dragoman import Host

    config = chosen(asked, list(asked.names))
    inputs = prepared(config, asked, screen)
    options: dict[str, Any] = {"timeout": asked.timeout} if asked.timeout else {}
    with Host.open(config, lock=asked.lock, on_drift="report", trust=asked.trust, inputs=inputs, **options) as host:
        host.ready(timeout=60)
        yield host


def _ready(host: "Host", asked: Namespace) -> list[str]:
    """Give the servers to look at.

    Raises:
        McpError: one that was named cannot be used.
    """
    for status in host.status():
        if asked.names and str(status.state) != "ready" and isinstance(status.error, McpError):
            raise status.error
    return list(host.clients)


def _show(found: "tuple[Difference, ...]", screen: Screen) -> None:
    for each in found:
        for line in str(each).splitlines():
            sign = line.strip()[:1]
            style = {"+": "green", "-": "red", "!": "bold yellow"}.get(sign, "")
            screen.out.line((f"  {line}", style))


def _documents(found: "tuple[Difference, ...]") -> list[dict[str, Any]]:
    return [
        {
            "kind": each.kind,
            "name": each.name,
            "what": each.what,
            "former": each.former,
            "before": each.before,
            "after": each.after,
            "suspicions": [str(odd) for odd in each.suspicions],
        }
        for each in found
    ]


def _suspicions(host: "Host", name: str) -> list[str]:
    from dragoman import suspicions

    return [
        f"{tool.tool.name}: {odd}" for tool in host.tools if tool.server == name for odd in suspicions(tool.tool.raw)
    ]
