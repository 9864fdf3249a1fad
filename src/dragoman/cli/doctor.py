"""The command that examines servers, and says what to do about what it finds."""

import statistics
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dragoman.cli.checks import Finding, about_conduct, about_configuration, about_costs, about_tools, grade
from dragoman.cli.configured import configuration
from dragoman.cli.connecting import connected
from dragoman.cli.failures import Exit, envelope, exit_code
from dragoman.cli.heeding import heeded
from dragoman.cli.screen import Screen
from dragoman.errors import AuthError, HttpError, McpError

if TYPE_CHECKING:
    from dragoman import Client, Config

__all__ = ["doctor"]

_SIGNS = {
    "good": ("ok    ", "green"),
    "note": ("note  ", "cyan"),
    "warn": ("warn  ", "bold yellow"),
    "fail": ("FAIL  ", "bold red"),
}
_PINGS = 5
_LISTS = "answer it, or do not declare that there are any"


def doctor(asked: Namespace, screen: Screen) -> Exit:
    """Examine one server, or all that are configured, and report on each."""
    names = [asked.server] if asked.server else list(configuration(asked).names)
    reports, worst = [], Exit.OK
    for name in names:
        asked.server = name
        report, code = _examined(asked, screen)
        reports.append(report)
        worst = worst or code
        if not screen.wants_json:
            _show(report, screen)
    if screen.wants_json:
        screen.document({"servers": reports})
    elif not names:
        screen.note("no servers are configured; name one: dragoman doctor SERVER")
    return worst


def _examined(asked: Namespace, screen: Screen) -> tuple[dict[str, Any], Exit]:
    """Examine one server; a failure is a finding, too."""
    found: list[Finding] = []
    facts: dict[str, Any] = {}
    code = Exit.OK
    error: McpError | None = None
    with heeded() as remarks:
        try:
            found += _about_entry(asked)
            began = time.monotonic()
            with connected(asked, screen, strict=False) as client:
                facts["startup"] = round(time.monotonic() - began, 3)
                found += _about_launch(facts["startup"])
                found += _about_negotiation(client, facts)
                found += _about_lists(client, facts)
                found += about_conduct(client)
                found += _about_latency(client, facts)
        except McpError as raised:
            error, code = raised, exit_code(raised)
            found.append(_failed(raised))
    found += [Finding("conformance.remark", "warn", each) for each in _further(remarks, found) if facts]
    report = {
        "name": asked.server,
        "grade": grade(found),
        "facts": facts,
        "findings": [each.document for each in found],
        "error": envelope(error)["error"] if error else None,
    }
    return report, code or (Exit.FAILED if report["grade"] == "F" else Exit.OK)


def _further(remarks: list[str], found: list[Finding]) -> list[str]:
    """Leave out what was remarked twice, and what is among the findings already."""
    told = [each.message.partition("/list: ")[2] or each.message for each in found]
    return [remark for remark in dict.fromkeys(remarks) if not any(each in remark for each in told)]


def _about_entry(asked: Namespace) -> Iterator[Finding]:
    config: Config = configuration(asked)
    for entry in config.entries:
        if entry.name == asked.server:
            problems = [each for each in config.problems if each.server == entry.name]
            yield from about_configuration(entry, problems)


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
    out.line((f"{report['name']}  ", "bold cyan"), ("grade ", ""), (report["grade"], "bold"))
    for each in report["findings"]:
        out.line("  ", _SIGNS[each["level"]], each["message"])
        if each["advice"] and each["level"] != "good":
            out.line("        ", ("do: ", "bold"), each["advice"])
    out.line("")
