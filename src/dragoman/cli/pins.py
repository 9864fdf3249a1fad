"""The commands about what was approved: lock, diff, approve."""

from argparse import Namespace
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.cli.configured import answers, chosen, configuration, leave_by_terminal, prepared
from dragoman.cli.failures import Exit, envelope, exit_code
from dragoman.cli.screen import Screen
from dragoman.errors import ConfigError, ConnectFailed, McpError, UsageError

if TYPE_CHECKING:
    from dragoman import Difference, Host

__all__ = ["approve", "diff", "lock"]


def lock(asked: Namespace, screen: Screen) -> Exit:
    """Pin what servers say now, and show what has changed by that."""
    with _hosted(asked, screen) as host:
        names, missed = _ready(host, asked)
        known = set(host.pinned)
        found = {name: host.differences(name) for name in names}
        if names:
            host.pin(*names)
        suspicious = {name: _suspicions(host, name) for name in names}
    if screen.wants_json:
        servers = {name: _documents(found[name]) for name in names}
        screen.document({"file": asked.lock, "servers": servers, "suspicions": suspicious, "errors": _errors(missed)})
        return _ending(missed)
    for name in names:
        what = ", and was different:" if found[name] else "" if name in known else " for the first time"
        screen.out.line((name, "bold cyan"), f" is pinned{what}")
        _show(found[name], screen)
        for each in suspicious[name]:
            screen.warn(f"{name}: {each}")
    _tell_missed(missed, screen)
    screen.note(f"written to {asked.lock}" if names else "nothing was pinned")
    return _ending(missed)


def diff(asked: Namespace, screen: Screen) -> Exit:
    """Show what is not as it was pinned; the exit code tells whether anything is."""
    if not Path(asked.lock).exists():
        raise UsageError(f"there is no {asked.lock}", hint="`dragoman lock` makes one")
    with _hosted(asked, screen) as host:
        names, missed = _ready(host, asked)
        fresh = [name for name in names if name not in host.pinned]
        found = {name: host.differences(name) for name in names if name not in fresh}
        gone = (
            [] if asked.names else [name for name in host.pinned if name not in {each.name for each in host.status()}]
        )
    if screen.wants_json:
        servers = {name: _documents(each) for name, each in found.items()}
        screen.document({"servers": servers, "unpinned": fresh, "gone": gone, "errors": _errors(missed)})
    else:
        for name, each in found.items():
            screen.out.line((name, "bold cyan"), " is not as it was pinned:" if each else " is as it was pinned")
            _show(each, screen)
        for name in fresh:
            screen.out.line((name, "bold cyan"), " is not pinned")
        for name in gone:
            screen.note(f"{name} is pinned, and not configured any more")
        _tell_missed(missed, screen)
    return Exit.NOT_ALLOWED if fresh or any(found.values()) else _ending(missed)


def _errors(missed: "Mapping[str, McpError]") -> dict[str, Any]:
    return {name: envelope(error)["error"] for name, error in missed.items()}


def _tell_missed(missed: "Mapping[str, McpError]", screen: Screen) -> None:
    for name, error in missed.items():
        screen.warn(f"{name} could not be looked at: {error}")


def _ending(missed: "Mapping[str, McpError]") -> Exit:
    """Give the exit code for servers that could not be looked at: of those, nothing can be said."""
    return next((exit_code(error) for error in missed.values()), Exit.OK)


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
        has_leave = not entry.is_project or approvals.has_approved(found) is True or _gives(approval, asked, screen)
        told.append((entry.name, has_leave, approval))
    if screen.wants_json:
        screen.document(
            {"servers": [{"name": name, "approved": is_good, "hash": each.hash} for name, is_good, each in told]}
        )
    else:
        _tell_leave(told, screen)
    return Exit.OK if is_whole and all(is_good for _, is_good, _ in told) else Exit.NOT_ALLOWED


def _gives(approval: Any, asked: Namespace, screen: Screen) -> bool:
    """Give leave, or let the user do so; leave that cannot be remembered is none."""
    from dragoman import Approvals

    if asked.yes:
        screen.err.line(str(approval))
    if not (asked.yes or (screen.can_ask and leave_by_terminal(approval))):
        return False
    Approvals.of_user().approve(approval.entry)
    return Approvals.of_user().has_approved(approval.entry) is True


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


def _ready(host: "Host", asked: Namespace) -> tuple[list[str], "dict[str, McpError]"]:
    """Give the servers to look at, and why each other one cannot be.

    Raises:
        McpError: one that was named cannot be used.
    """
    missed: dict[str, McpError] = {}
    for status in host.status():
        if status.name not in host.clients and str(status.state) != "disabled":
            error = status.error or ConnectFailed(f"it is {status.state}", was_sent=False, server=status.name)
            if asked.names:
                raise error
            missed[status.name] = error
    return list(host.clients), missed


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
    """Look through all that a server says of itself for what nobody sees, and what gives orders to models."""
    from dragoman import suspicions

    client = host.clients.get(name)
    said = [("the instructions", client.instructions)] if client is not None and client.instructions else []
    said += [(each.tool.name, each.tool.raw) for each in host.list_tools() if each.server == name]
    said += [(each.prompt.name, each.prompt.raw) for each in host.list_prompts() if each.server == name]
    said += [(each.uri, each.resource.raw) for each in host.list_resources() if each.server == name]
    said += [(each.uri_template, each.template.raw) for each in host.list_resource_templates() if each.server == name]
    return [f"{what}: {odd}" for what, text in said for odd in suspicions(text)]
