"""What the doctor knows: each look at a server gives findings, each finding says what to do."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dragoman.errors import McpError, ServerError

if TYPE_CHECKING:
    from dragoman import Client, Entry, Problem
    from dragoman.types import Tool

__all__ = ["Finding", "about_conduct", "about_configuration", "about_costs", "about_problems", "about_tools", "grade"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_LITERAL = re.compile(r"(?i)^(?!.*\$\{)(?:bearer |basic )?\S{12,}$")
_UNPINNED = re.compile(r"^(?:@[\w.-]+/)?[\w.-]+$")
_LAUNCHERS = {"npx", "uvx", "bunx", "pnpx"}
_MANY_TOKENS = 10_000
_NO_SUCH_TOOL = "dragoman_doctor_no_such_tool"
_POINTS = {"good": 0, "note": 0, "warn": 1, "fail": 100}


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes:
        id: what it is, the same in every report. level: good, note, warn or fail.
        message: it in words. advice: what to do.
    """

    id: str
    level: str
    message: str
    advice: str | None = None

    @property
    def document(self) -> dict[str, Any]:
        """It as JSON."""
        return {"id": self.id, "level": self.level, "message": self.message, "advice": self.advice}


def grade(found: Iterable[Finding]) -> str:
    """Give the grade of all findings together: A without a warning, F with a failure."""
    points = sum(_POINTS[each.level] for each in found)
    return "F" if points >= 100 else "A" if points == 0 else "B" if points <= 2 else "C" if points <= 6 else "D"


def about_configuration(entry: "Entry", problems: "Sequence[Problem]") -> Iterator[Finding]:
    """Look at how a server is configured."""
    yield from about_problems(problems)
    for kind, values in (("variable", entry.env), ("header", entry.headers)):
        for name, value in values.items():
            if _is_secret(name) and _LITERAL.match(value):
                yield Finding(
                    "configuration.secret",
                    "warn",
                    f"the {kind} {name} holds a secret in plain text",
                    "write ${env:NAME} or ${keyring:NAME} in its place",
                )
    if entry.url and entry.url.startswith("http://") and not re.match(r"http://(localhost|127\.|\[::1\])", entry.url):
        yield Finding("configuration.plain", "warn", "it is reached without encryption", "use https://")
    if not entry.verify:
        yield Finding("configuration.unverified", "warn", "its certificate is not checked", "use `ca_file` instead")
    package = next((word for word in entry.args if not word.startswith("-")), "")
    if entry.command in _LAUNCHERS and _UNPINNED.match(package):
        yield Finding(
            "configuration.unpinned", "note", f"{package} is whatever version there is", f"name one: {package}@1.2.3"
        )


def about_problems(problems: "Sequence[Problem]") -> Iterator[Finding]:
    """Tell what is odd in a configuration."""
    for problem in problems:
        yield Finding("configuration.problem", "warn", str(problem), problem.hint)


def _is_secret(name: str) -> bool:
    return re.search(r"(?i)token|secret|passw|key$|authorization|credential", name) is not None


def about_tools(tools: "Sequence[Tool]") -> Iterator[Finding]:
    """Look at the tools: their names, their words, their schemas, and what should not be in them."""
    for check, level, what, advice in (
        (
            _has_odd_name,
            "warn",
            "have names that providers of models refuse",
            "use letters, digits, _ and -, at most 64",
        ),
        (_is_silent, "warn", "do not say what they do", "give each a description: models choose by it"),
        (_has_silent_arguments, "note", "have arguments without a description", "describe each argument"),
        (_has_loose_schema, "note", "have arguments of no type", "give each argument a type"),
        (_has_no_hints, "note", "do not say whether they change anything", "set readOnlyHint and destructiveHint"),
    ):
        found = [tool.name for tool in tools if check(tool)]
        if found:
            yield Finding(
                f"schema.{check.__name__.strip('_')}", level, f"{len(found)} tools {what}: {_some(found)}", advice
            )
    yield from _suspicious(tools)
    yield Finding("schema.tools", "good", f"{len(tools)} tools are listed")


def _suspicious(tools: "Sequence[Tool]") -> Iterator[Finding]:
    from dragoman import suspicions

    for tool in tools:
        for odd in suspicions(tool.raw):
            yield Finding(
                "schema.suspicious", "fail", f"{tool.name}: {odd}", "do not use this server until it is explained"
            )


def _has_odd_name(tool: "Tool") -> bool:
    return _NAME.fullmatch(tool.name) is None


def _is_silent(tool: "Tool") -> bool:
    return not (tool.description or "").strip()


def _properties(tool: "Tool") -> dict[str, Any]:
    properties = tool.input_schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _has_silent_arguments(tool: "Tool") -> bool:
    return any(isinstance(each, dict) and not each.get("description") for each in _properties(tool).values())


def _has_loose_schema(tool: "Tool") -> bool:
    telling = {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"}
    return any(isinstance(each, dict) and not telling & each.keys() for each in _properties(tool).values())


def _has_no_hints(tool: "Tool") -> bool:
    return tool.hints.read_only_hint is None and tool.hints.destructive_hint is None


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def about_costs(client: "Client", facts: dict[str, Any]) -> Iterator[Finding]:
    """Estimate what the tool list costs a model, in tokens, and tell which tools cannot be given to one."""
    from dragoman import ToolRunner

    runner = ToolRunner(client)
    for each in runner.definitions("anthropic").omitted:
        yield Finding("schema.unusable", "warn", f"no model can be given {each}", "correct its schema")
    costs = runner.costs("anthropic")
    facts["tokens"] = costs.total
    dear = sorted(costs.by_tool, key=lambda name: -costs.by_tool[name])[:3]
    if costs.total > _MANY_TOKENS:
        yield Finding(
            "cost.tokens",
            "warn",
            f"its tools cost about {costs.total:,} tokens in every request; most: {', '.join(dear)}",
            "choose tools by `tools` in the configuration, or have them found on demand",
        )
    else:
        yield Finding("cost.tokens", "good", f"its tools cost about {costs.total:,} tokens")


def about_conduct(client: "Client") -> Iterator[Finding]:
    """Do what a server has to refuse, and see whether it does."""
    if client.capabilities.tools is None:
        return
    try:
        result = client.call_tool(_NO_SUCH_TOOL)
    except ServerError as error:
        if error.code not in {-32602, -32601}:
            yield Finding(
                "conformance.unknown_tool",
                "note",
                f"an unknown tool is refused with the code {error.code}",
                "use -32602",
            )
        else:
            yield Finding("conformance.unknown_tool", "good", "an unknown tool is refused")
    except McpError as error:
        yield Finding("conformance.unknown_tool", "fail", f"an unknown tool breaks it: {error}", "answer by an error")
    else:
        level = "good" if result.is_error else "warn"
        words = "refused" if result.is_error else "answered as if there were one"
        yield Finding("conformance.unknown_tool", level, f"an unknown tool is {words}", "answer by an error, -32602")
