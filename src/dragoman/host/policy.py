"""Decide what may happen: rules over server, tool, hints, arguments and the origin of data, the first match wins.

allow    it happens
redact   it happens, with secrets taken out of what goes there and of what comes back
dry-run  it does not happen, and the answer says what would have
ask      somebody is asked
deny     it does not happen
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Any, Literal, TypeAlias, cast

from msgspec import Struct, structs

from dragoman.errors import UsageError
from dragoman.host.conditions import Kind, check_conditions
from dragoman.host.matching import Matcher, argument_matches, pattern_matches
from dragoman.host.secrets import Concealer, plain_text
from dragoman.types import Tool, encode

__all__ = [
    "Act",
    "Answer",
    "Decision",
    "Kind",
    "Policy",
    "Rule",
    "Verdict",
    "decision_key",
    "read_answer",
    "read_policy",
    "stricter",
]


Answer: TypeAlias = bool | Literal["once", "session", "always", "no", "never"]
"""What somebody who is asked says: True and "once" hold for this time, "session" for the life of the host, "always"
for good; False and "no" refuse it, "never" for good."""


class Verdict(StrEnum):
    """What is to become of an act, from the mildest to the strictest."""

    ALLOW = "allow"
    REDACT = "redact"
    DRY_RUN = "dry-run"
    ASK = "ask"
    DENY = "deny"


_STRICTNESS = list(Verdict)


def _verdict(value: object) -> Verdict:
    try:
        return Verdict(str(value).lower().replace("_", "-"))
    except ValueError:
        raise UsageError(f"{value!r} is no verdict", hint=f"verdicts are {', '.join(Verdict)}") from None


class Act(Struct, frozen=True):
    """Something that is about to happen: a call of a tool, a reading, or a question of a server's.

    Attributes:
        kind: what it is. server: with whom, by the host's name.
        name: the tool's or prompt's own name, the resource's URI, or "sampling", "form" or "url".
        arguments: what is given to it; for a question, its params.
        tool: what is known of the tool.
        origins: the servers that parts of the arguments have come from.
        reason: why somebody is asked.
    """

    kind: Kind
    server: str
    name: str
    arguments: Any = None
    tool: Tool | None = None
    origins: frozenset[str] = frozenset()
    reason: str = ""

    def __str__(self) -> str:
        given = encode(Concealer().json(self.arguments)).decode() if self.arguments and self.kind != "resource" else ""
        verb = {"tool": "call", "resource": "read", "prompt": "get"}.get(self.kind, "answer")
        return plain_text(f"{verb} {self.shown_name} of {self.server}{f' with {given}' if given else ''}")

    @property
    def shown_name(self) -> str:
        """Its name without secrets, which the address of a resource may have."""
        return Concealer().text(self.name) if self.kind == "resource" else self.name


class Rule(Struct, frozen=True):
    """One rule: a verdict on all acts that every one of its conditions fits.

    Attributes:
        verdict: what becomes of them.
        server, tool: patterns, `*` for any text; `tool` is for the names of prompts and resources, too.
        kind: what they are; None for every kind.
        read_only, destructive, idempotent, open_world: what the tool says of itself, and what is assumed where it
            says nothing: that it writes, may destroy, must not be repeated, and reaches beyond its server.
        says: whether the tool says anything of whether it writes.
        arguments: for arguments, by name ("filter.owner" for one inside), a pattern, several, or a predicate;
            "*" is any text in any of them. Of several values in one, all have to fit for `allow` and `redact`, and any
            for the stricter verdicts. Where a pattern has a "/", paths are compared without their "..".
        origin: a pattern of the servers that parts of the arguments have come from, other than the act's own.
        patterns: regular expressions of what to take out, besides what looks like a secret, for `redact`.
        reason: what to tell whoever is asked or refused.
    """

    verdict: Verdict
    server: str = "*"
    tool: str = "*"
    kind: Kind | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    says: bool | None = None
    arguments: Mapping[str, Matcher] = {}
    origin: str | None = None
    patterns: tuple[str, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        """Take a verdict by its name, too; raises a `UsageError` where a condition could never fit."""
        structs.force_setattr(self, "verdict", _verdict(self.verdict))
        check_conditions(self)

    def fits(self, act: Act) -> bool:
        """Whether the rule is for an act."""
        return (
            self.kind in (None, act.kind)
            and pattern_matches(self.server, act.server)
            and pattern_matches(self.tool, act.name)
            and self._fits_hints(act)
            and self._fits_arguments(act.arguments)
            and (self.origin is None or any(pattern_matches(self.origin, each) for each in act.origins - {act.server}))
        )

    def _fits_arguments(self, arguments: Any) -> bool:
        # What lets something happen has to fit all of it; what keeps it from happening, any part.
        every = self.verdict in {Verdict.ALLOW, Verdict.REDACT}
        return all(argument_matches(arguments, name, wanted, every=every) for name, wanted in self.arguments.items())

    def _fits_hints(self, act: Act) -> bool:
        wanted = (self.read_only, self.destructive, self.idempotent, self.open_world, self.says)
        if wanted == (None,) * 5:
            return True
        if act.kind != "tool":
            return False
        hints = (act.tool or _UNKNOWN).hints
        says = hints.read_only_hint is not None or hints.destructive_hint is not None
        found = (hints.is_read_only, hints.is_destructive, hints.is_idempotent, hints.is_open_world, says)
        return all(each in (None, so) for each, so in zip(wanted, found, strict=True))

    def __str__(self) -> str:
        conditions = [
            f"{name}={value!r}"
            for name, value in zip(self.__struct_fields__[1:], self._conditions(), strict=True)
            if value not in (None, "*", "", (), {}) and name != "reason"
        ]
        return f"{self.verdict} {', '.join(conditions) or 'everything'}"

    def _conditions(self) -> list[Any]:
        return [getattr(self, name) for name in self.__struct_fields__[1:]]


_UNKNOWN = Tool.define("unknown")


class Decision(Struct, frozen=True):
    """What was decided of an act, and by what.

    `rule` is the rule in words, or what else decided: "remembered", "asked", "default".
    """

    verdict: Verdict
    rule: str = "default"
    reason: str = ""
    patterns: tuple[str, ...] = ()


class Policy(Struct, frozen=True):
    """Rules, the first that fits decides, and what becomes of an act that none fits."""

    rules: tuple[Rule, ...] = ()
    otherwise: Verdict = Verdict.ALLOW

    def __post_init__(self) -> None:
        """Take a verdict by its name, too; raises a `UsageError` where there is something else than rules."""
        structs.force_setattr(self, "otherwise", _verdict(self.otherwise))
        structs.force_setattr(self, "rules", tuple(self.rules))
        given = cast("tuple[object, ...]", self.rules)
        odd = next((each for each in given if not isinstance(each, Rule)), None)
        if odd is not None:
            raise UsageError(f"{odd!r} is no rule", hint='write Rule("ask", tool="delete_*")')

    def decide(self, act: Act) -> Decision:
        """Decide what becomes of an act."""
        for rule in self.rules:
            try:
                fits = rule.fits(act)
            except Exception as error:  # noqa: BLE001 - a predicate of the application's; nobody knows what it would say
                return Decision(Verdict.DENY, str(rule), f"its rule raised {type(error).__name__}: {error}")
            if fits:
                return Decision(rule.verdict, str(rule), rule.reason, rule.patterns)
        return Decision(self.otherwise)

    @property
    def looks_at_origins(self) -> bool:
        """Whether any rule asks where data came from, so that somebody has to keep track of that."""
        return any(rule.origin is not None for rule in self.rules)

    def after(self, *rules: Rule) -> Policy:
        """Make the policy that has some rules before these."""
        return Policy((*rules, *self.rules), self.otherwise)

    @classmethod
    def permissive(cls) -> Policy:
        """Make the policy for programs that decide for themselves: everything is allowed."""
        return cls()

    @classmethod
    def careful(cls, trusting: str = "*") -> Policy:
        """Make the policy for models: reading runs; writing, and what does not say which it does, is asked for.

        `trusting` is a pattern of the servers that are believed when they say that a tool only reads. Forms need no
        leave, since whoever fills them in may refuse; sampling and visits to URLs do.
        """
        return cls(
            (
                Rule(Verdict.ALLOW, trusting, kind="tool", read_only=True),
                Rule(Verdict.ALLOW, kind="resource"),
                Rule(Verdict.ALLOW, kind="prompt"),
                Rule(Verdict.ALLOW, kind="elicitation", tool="form"),
                Rule(Verdict.ASK, kind="elicitation", reason="the server wants you to visit a URL"),
                Rule(Verdict.ASK, kind="sampling", reason="the server wants to use your model"),
                Rule(Verdict.ASK, read_only=True, reason="it says that it only reads, and its server is not trusted"),
                Rule(Verdict.ASK, says=False, reason="it does not say whether it changes anything"),
                Rule(Verdict.ASK, destructive=True, reason="it may destroy something"),
                Rule(Verdict.ASK, reason="it changes something"),
            ),
            Verdict.ASK,
        )

    @classmethod
    def reading(cls) -> Policy:
        """Make the policy for looking around: reading runs, and nothing else does."""
        allowed = [Rule(rule.verdict, kind=rule.kind, read_only=rule.read_only) for rule in cls.careful().rules[:3]]
        return cls((*allowed, Rule(Verdict.DENY, reason="only reading is allowed")), Verdict.DENY)

    @classmethod
    def sandbox(cls, servers: str) -> Policy:
        """Make the policy for disposable servers: writing runs on those that match a pattern, and nowhere else.

        What may destroy something is asked for even there.
        """
        return cls(
            (
                *cls.reading().rules[:3],
                Rule(Verdict.ASK, servers, kind="tool", destructive=True, reason="it may destroy something"),
                Rule(Verdict.ALLOW, servers, kind="tool"),
                Rule(Verdict.DENY, kind="tool", reason=f"only servers like {servers!r} may be written to"),
            ),
            Verdict.ASK,
        )


def stricter(one: Decision, other: Decision) -> Decision:
    """Give the stricter of two decisions, and the first when they are equal."""
    return max(one, other, key=lambda each: _STRICTNESS.index(each.verdict))


def decision_key(act: Act, decision: Decision, runs: str = "") -> str:
    """Give what an answer is remembered under: the act without its arguments, the tool's definition, the rule that asks.

    A tool that has changed is asked for anew; so is what another rule asks for, and what another server of the same
    name has: `runs` is what that runs or speaks with.
    """
    definition = "" if act.tool is None else sha256(encode(act.tool)).hexdigest()
    facts = [act.kind, act.server, act.name, definition, decision.rule, *([runs] if runs else [])]
    return sha256("\0".join(facts).encode("utf-8", "surrogatepass")).hexdigest()


def read_answer(answer: object) -> tuple[bool, Literal["once", "session", "always"]]:
    """Read what somebody has said: whether it may happen, and how long that holds.

    Raises:
        UsageError: that is no answer.
    """
    match answer:
        case True | "once" | "yes":
            return True, "once"
        case False | None | "no":
            return False, "once"
        case "session":
            return True, "session"
        case "always":
            return True, "always"
        case "never":
            return False, "always"
    raise UsageError(
        f"{answer!r} is no answer to a question of the policy", hint="return True, False, session, always or never"
    )


_PROFILES = {
    "allow": Policy.permissive,
    "permissive": Policy.permissive,
    "careful": Policy.careful,
    "ask": lambda: Policy((), Verdict.ASK),
    "deny": lambda: Policy((), Verdict.DENY),
    "reading": Policy.reading,
    "read_only": Policy.reading,
}


def read_policy(value: Policy | str | Iterable[Any]) -> Policy:
    """Read a policy: one that is there, the name of a profile, or rules as a configuration has them.

    Raises:
        UsageError: it is none.
    """
    if isinstance(value, Policy):
        return value
    if isinstance(value, str) and value in _PROFILES:
        return _PROFILES[value]()
    if isinstance(value, str):
        raise UsageError(f"there is no policy {value!r}", hint=f"there are {', '.join(_PROFILES)}")
    if not isinstance(value, list | tuple):
        raise UsageError(f"{value!r} is no policy", hint="give a `Policy`, the name of a profile, or a list of rules")
    written = list(value)
    if len(written) == 1 and isinstance(written[0], str):
        return read_policy(written[0])
    return Policy(tuple(each if isinstance(each, Rule) else _rule(each) for each in written))


def _rule(value: Any) -> Rule:
    if not isinstance(value, Mapping) or "verdict" not in value:
        raise UsageError(f"{value!r} is no rule", hint='write {"verdict": "ask", "tool": "delete_*"}')
    unknown = sorted(set(value) - set(Rule.__struct_fields__))
    if unknown:
        raise UsageError(f"a rule has no {unknown[0]!r}", hint=f"it has {', '.join(Rule.__struct_fields__)}")
    patterns = value.get("patterns", ())
    given: dict[str, Any] = {**value, "patterns": tuple(patterns) if isinstance(patterns, list) else patterns}
    return Rule(**given)
