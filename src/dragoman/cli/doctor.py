"""The command that examines servers, and says what to do about what it finds."""

import statistics
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from dragoman.cli.checks import (
    Finding,
    about_conduct,
    about_configuration,
    about_costs,
    about_problems,
    about_tools,
    grade,
)
from dragoman.cli.configured import configuration, named_server, usable
from dragoman.cli.connecting import connected
from dragoman.cli.failures import Exit, envelope, exit_code
from dragoman.cli.heeding import heeded
from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen
from dragoman.errors import AuthError, HttpError, McpError

if TYPE_CHECKING:
    from dragoman import Client, Config, Entry

__all__ = ["doctor"]

_SIGNS = {
    "good": ("ok    ", "green"),
    "note": ("note  ", "cyan"),
    "warn": ("warn  ", "bold yellow"),
    "fail": ("FAIL  ", "bold red"),
}
_PINGS = 5
_DISABLED = Finding("configuration.disabled", "note", "it is disabled, and was not started", "name it to examine it")
_LISTS = "answer it, or do not declare that there are any"


def doctor(asked: Namespace, screen: Screen) -> Exit:
    """Examine one server, or all that are configured, and report on each."""
    config = configuration(asked)
    reports, worst = [], Exit.OK
    for report, code in _reports(asked, config, screen):
        reports.append(report)
        worst = worst or code
        if not screen.wants_json:
            _show(report, screen)
    if screen.wants_json:
        screen.document({"servers": reports})
    elif not reports:
        screen.note("no servers are configured; name one: dragoman doctor SERVER")
    return worst


def _reports(asked: Namespace, config: "Config", screen: Screen) -> Iterator[tuple[dict[str, Any], Exit]]:
    """Examine the server that was named, or all there are, and the files that cannot be read."""
    if asked.server:
        yield _examined(asked.server, lambda: named_server(asked, screen), asked, config, screen)
        return
    for problem in config.problems:
        if problem.is_fatal and not problem.server:
            error = problem.error()
            yield _report(problem.file or "configuration", [_failed(error)], {}, error), Exit.USAGE
    for name in config.order:
        if any(entry.name == name and entry.disabled for entry in config.entries):
            yield _report(name, [*_about_entry(name, config), _DISABLED], {}, None), Exit.OK
        else:
            # What a configuration calls a server is never a command line, whatever it looks like.
            yield _examined(name, partial(_entry, name, config, asked, screen), asked, config, screen)


def _entry(name: str, config: "Config", asked: Namespace, screen: Screen) -> "Entry":
    return usable(config.entry(name), config, asked, screen)


def _examined(
    name: str, find: "Callable[[], str | Entry]", asked: Namespace, config: "Config", screen: Screen
) -> tuple[dict[str, Any], Exit]:
    """Examine one server; a failure is a finding, too."""
    found = list(_about_entry(name, config))
    facts: dict[str, Any] = {}
    error: McpError | None = None
    asked.server = name
    with heeded() as remarks:
        try:
            began = time.monotonic()
            with connected(asked, screen, server=find(), strict=False) as client:
                facts["startup"] = round(time.monotonic() - began, 3)
                found += _about_launch(facts["startup"])
                found += _about_negotiation(client, facts)
                found += _about_lists(client, facts)
                found += about_conduct(client)
                found += _about_latency(client, facts)
        except McpError as raised:
            error = raised
            found.append(_failed(raised))
    found += [Finding("conformance.remark", "warn", each) for each in _further(remarks, found) if facts]
    report = _report(name, found, facts, error)
    code = exit_code(error) if error else Exit.OK
    return report, code or (Exit.FAILED if report["grade"] == "F" else Exit.OK)


def _report(name: str, found: list[Finding], facts: dict[str, Any], error: McpError | None) -> dict[str, Any]:
    return {
        "name": name,
        "grade": grade(found),
        "facts": facts,
        "findings": [each.document for each in found],
        "error": envelope(error)["error"] if error else None,
    }


def _further(remarks: list[str], found: list[Finding]) -> list[str]:
    """Leave out what was remarked twice, and what is among the findings already."""
    told = [each.message.partition("/list: ")[2] or each.message for each in found]
    return [remark for remark in dict.fromkeys(remarks) if not any(each in remark for each in told)]


def _about_entry(name: str, config: "Config") -> Iterator[Finding]:
    # What keeps an entry from being used at all is told when it is to be.
    problems = [each for each in config.problems if each.server == name and not each.is_fatal]
    entry = next((each for each in config.entries if each.name == name), None)
    if entry is not None:
        yield from about_configuration(entry, problems)
    else:
        yield from about_problems(problems)


def _about_launch(seconds: float) -> Iterator[Finding]:
    if seconds > 10:
        yield Finding(
            "launch.slow", "warn", f"it took {seconds:.1f} s to start", "install it instead of fetching it each time"
        )
    else:
        yield Finding("launch.time", "good", f"it started and was greeted in {seconds:.2f} s")


def _about_negotiation(client: "Client", facts: dict[str, Any]) -> Iterator[Finding]:
    facts |= {
        "server": client.server.raw,
        "era": client.era,
        "protocolVersion": client.protocol_version,
        "capabilities": sorted(client.capabilities.raw),
    }
    yield Finding("negotiation.version", "good", f"it speaks {client.protocol_version} ({client.era})")
    if client.protocol_version < "2025-06":
        yield Finding(
            "negotiation.old", "note", "it speaks an old version of the protocol", "ask its authors for an update"
        )
    if not client.server.name or not client.server.version:
        yield Finding(
            "negotiation.nameless", "warn", "it does not say its name and version", "set both in `serverInfo`"
        )
    if not client.capabilities.raw:
        yield Finding(
            "negotiation.nothing", "warn", "it offers nothing at all", "declare `tools`, `resources` or `prompts`"
        )


def _about_lists(client: "Client", facts: dict[str, Any]) -> Iterator[Finding]:
    capabilities = client.capabilities
    if capabilities.tools is not None:
        yield from _about_list("tools", client.list_tools, facts, about_tools)
    if "tools" in facts:
        yield from about_costs(client, facts)
    if capabilities.resources is not None:
        yield from _about_list("resources", client.list_resources, facts)
    if capabilities.prompts is not None:
        yield from _about_list("prompts", client.list_prompts, facts)


def _about_list(
    kind: str, ask: Callable[[], Any], facts: dict[str, Any], look: Callable[[Any], Iterable[Finding]] = lambda _: ()
) -> Iterator[Finding]:
    """Look at one list; that it cannot be had is a finding, and keeps nothing else from being looked at."""
    try:
        listed = ask()
    except McpError as error:
        yield Finding(f"conformance.{kind}", "fail", f"{kind}/list: {error.message}", error.hint or _LISTS)
        return
    facts[kind] = len(listed)
    yield from look(listed.items)
    yield from _about_problems(kind, listed.problems)


def _about_problems(kind: str, problems: tuple[Any, ...]) -> Iterator[Finding]:
    for problem in problems:
        yield Finding(f"conformance.{kind}", "warn", f"{kind}/list: {problem}", "correct what the server sends")


def _about_latency(client: "Client", facts: dict[str, Any]) -> Iterator[Finding]:
    try:
        median = statistics.median(client.ping() for _ in range(_PINGS))
    except McpError as error:
        yield Finding("conformance.ping", "fail", f"ping: {error.message}", error.hint or "answer it by {}")
        return
    facts["latency"] = round(median, 4)
    if median > 1:
        yield Finding(
            "latency.slow", "warn", f"an answer takes {median:.2f} s", "look for what it does before it answers"
        )
    else:
        yield Finding("latency.median", "good", f"an answer takes {median * 1000:.1f} ms")


def _failed(error: McpError) -> Finding:
    if isinstance(error, AuthError) or (isinstance(error, HttpError) and error.status in {401, 403}):
        return Finding(
            "authorization.refused", "fail", error.message, error.hint or "log in, or give `auth` or `headers`"
        )
    return Finding("launch.failed", "fail", str(error).replace(f" ({error.hint})", ""), error.hint)


def _show(report: dict[str, Any], screen: Screen) -> None:
    out = screen.out
    out.line((f"{one_line(report['name'])}  ", "bold cyan"), ("grade ", ""), (report["grade"], "bold"))
    for each in report["findings"]:
        out.line("  ", _SIGNS[each["level"]], one_line(each["message"]))
        if each["advice"] and each["level"] != "good":
            out.line("        ", ("do: ", "bold"), each["advice"])
    out.line("")
