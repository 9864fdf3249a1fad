"""The command that shows how all configured servers do."""

import time
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from dragoman.cli.configured import chosen, prepared
from dragoman.cli.failures import Exit, envelope
from dragoman.cli.safe import one_line
from dragoman.cli.screen import Piece, Screen, drawn
from dragoman.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from dragoman import Host, ServerStatus

__all__ = ["servers"]

_TICK = 0.2
_STYLES = {
    "ready": "green",
    "connecting": "yellow",
    "restarting": "yellow",
    "not approved": "magenta",
    "disabled": "dim",
}
_HEADINGS = ("server", "state", "protocol", "tools", "latency", "what it is")
_PATIENCE = 30.0


def servers(asked: Namespace, screen: Screen) -> Exit:
    """Connect to all servers of the configuration, and show how each does, as it comes and goes."""
    from dragoman import Host

    config = chosen(asked, list(asked.names))
    is_drawn = not screen.wants_json and screen.out.console is not None
    if asked.watch and not is_drawn:
        raise UsageError("--watch draws a table on a terminal", hint="leave it out in a pipe, and with --json")
    inputs = prepared(config, asked, screen)
    with Host.open(config, patience=0, trust=asked.trust, inputs=inputs, timeout=asked.timeout or 20) as host:
        if is_drawn:
            _live(host, asked, screen)
        else:
            host.ready(timeout=asked.timeout or _PATIENCE)
        statuses = host.status()
        if screen.wants_json:
            screen.document({"servers": [_document(status) for status in statuses]})
        elif screen.out.console is None:
            screen.out.table(_HEADINGS, [_row(status) for status in statuses])
        if not screen.wants_json:
            _tell_problems(host, screen)
    if not statuses and not screen.wants_json:
        screen.note("no server is configured; --config names a file that configures some")
    is_good = all(str(status.state) in {"ready", "disabled"} for status in statuses)
    return Exit.OK if is_good else Exit.CONNECTION


def _live(host: "Host", asked: Namespace, screen: Screen) -> None:
    """Draw the table again and again, until nothing is to be waited for, or the user has seen enough."""
    from rich.live import Live

    until = time.monotonic() + _PATIENCE
    with Live(_table(host), console=screen.out.console, refresh_per_second=8) as live:
        try:
            while asked.watch or (time.monotonic() < until and not _is_settled(host)):
                time.sleep(_TICK)
                live.update(_table(host))
        except KeyboardInterrupt:
            if not asked.watch:
                raise
        live.update(_table(host))


def _is_settled(host: "Host") -> bool:
    return all(status.state.is_settled for status in host.status())


def _table(host: "Host") -> "Table":
    return drawn(_HEADINGS, [_row(status) for status in host.status()])


def _row(status: "ServerStatus") -> list[Piece]:
    state = str(status.state) + (" (paused)" if status.is_paused else "")
    about = status.target
    if status.error is not None and state != "ready":
        about = status.error.message.partition("\n")[0]
    elif status.server is not None:
        about = f"{status.server.title or status.server.name} {status.server.version}"
    return [
        (status.name, "bold cyan"),
        (state, _STYLES.get(state, "red")),
        f"{status.protocol_version} ({status.era})" if status.era else "",
        "" if status.tools is None else str(status.tools),
        "" if status.latency is None else f"{status.latency * 1000:.0f} ms",
        one_line(about),
    ]


def _document(status: "ServerStatus") -> dict[str, Any]:
    return {
        "name": status.name,
        "state": str(status.state),
        "since": status.since.isoformat(),
        "transport": status.transport or None,
        "target": status.target or None,
        "server": status.server.raw if status.server else None,
        "era": status.era,
        "protocolVersion": status.protocol_version,
        "tools": status.tools,
        "latency": status.latency,
        "required": status.required,
        "stderr": status.stderr or None,
        "error": envelope(status.error)["error"] if status.error else None,
    }


def _tell_problems(host: "Host", screen: Screen) -> None:
    for problem in host.problems:
        if not problem.is_fatal:
            screen.note(one_line(f"{problem.server}: {problem}" + (f" ({problem.hint})" if problem.hint else "")))
    for status in host.status():
        if status.error is not None and status.error.hint and str(status.state) != "ready":
            screen.note(one_line(f"{status.name}: {status.error.hint}"))
