"""What may happen."""

from typing import Any

import pytest
from msgspec import structs

from dragoman.errors import UsageError
from dragoman.host.policy import Act, Decision, Policy, Rule, Verdict, decision_key, read_answer, read_policy, stricter
from dragoman.types import Tool, ToolAnnotations

READ = Tool.define("read", annotations=ToolAnnotations(read_only_hint=True))
WRITE = Tool.define("write", annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False))
DELETE = Tool.define("delete", annotations=ToolAnnotations(destructive_hint=True))
SILENT = Tool.define("silent")


def act(tool: Tool = SILENT, server: str = "fs", **fields: Any) -> Act:
    return Act("tool", server, tool.name, tool=tool, **fields)


def verdict(policy: Policy, given: Act) -> str:
    return policy.decide(given).verdict.value


# ------------------------------------------------------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        (Rule(Verdict.DENY), act()),
        (Rule(Verdict.DENY, "f*"), act()),
        (Rule(Verdict.DENY, tool="del*"), act(DELETE)),
        (Rule(Verdict.DENY, kind="tool"), act()),
        (Rule(Verdict.DENY, read_only=True), act(READ)),
        (Rule(Verdict.DENY, read_only=False), act(SILENT)),
        (Rule(Verdict.DENY, destructive=True), act(DELETE)),
        (Rule(Verdict.DENY, destructive=True), Act("tool", "fs", "unlisted")),
        (Rule(Verdict.DENY, destructive=False), act(WRITE)),
        (Rule(Verdict.DENY, idempotent=False), act()),
        (Rule(Verdict.DENY, open_world=True), act()),
        (Rule(Verdict.DENY, says=False), act(SILENT)),
        (Rule(Verdict.DENY, arguments={"path": "/etc/*"}), act(arguments={"path": "/etc/x"})),
        (Rule(Verdict.DENY, origin="crm"), act(origins=frozenset({"crm"}))),
        (Rule(Verdict.DENY, kind="sampling"), Act("sampling", "fs", "sampling")),
    ],
)
@pytest.mark.feature(173)
def test_a_rule_fits(rule: Rule, given: Act) -> None:
    assert rule.fits(given)


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        (Rule(Verdict.DENY, "g*"), act()),
        (Rule(Verdict.DENY, tool="del*"), act(READ)),
        (Rule(Verdict.DENY, kind="resource"), act()),
        (Rule(Verdict.DENY, read_only=True), act(SILENT)),
        (Rule(Verdict.DENY, read_only=True), Act("resource", "fs", "file:///x")),
        (Rule(Verdict.DENY, says=True), act(SILENT)),
        (Rule(Verdict.DENY, arguments={"path": "/etc/*"}), act(arguments={"path": "/x"})),
        (Rule(Verdict.DENY, arguments={"path": "/etc/*"}), act()),
        (Rule(Verdict.DENY, origin="crm"), act()),
        (Rule(Verdict.DENY, origin="*"), act(origins=frozenset({"fs"}))),
    ],
)
def test_a_rule_does_not_fit(rule: Rule, given: Act) -> None:
    assert not rule.fits(given)


def test_the_first_rule_that_fits_decides() -> None:
    policy = Policy((Rule(Verdict.ALLOW, tool="read", reason="why not"), Rule(Verdict.DENY, tool="*")))

    assert policy.decide(act(READ)) == Decision(Verdict.ALLOW, "allow tool='read'", "why not")
    assert policy.decide(act(WRITE)) == Decision(Verdict.DENY, "deny everything")


def test_what_no_rule_fits_is_decided_by_the_policy() -> None:
    assert Policy((), Verdict.ASK).decide(act()) == Decision(Verdict.ASK)


def test_rules_can_be_put_before_others() -> None:
    policy = Policy((), Verdict.ASK).after(Rule(Verdict.DENY, tool="delete"))

    assert (verdict(policy, act(DELETE)), verdict(policy, act(READ))) == ("deny", "ask")


def test_origins_are_looked_at_only_where_a_rule_asks() -> None:
    assert not Policy.careful().looks_at_origins
    assert Policy((Rule(Verdict.DENY, origin="crm"),)).looks_at_origins


# ----------------------------------------------------------------------------------------------------------- profiles


@pytest.mark.feature(138)
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (act(READ), "allow"),
        (act(WRITE), "ask"),
        (act(DELETE), "ask"),
        (act(SILENT), "ask"),
        (Act("resource", "fs", "file:///x"), "allow"),
        (Act("prompt", "fs", "greet"), "allow"),
        (Act("elicitation", "fs", "form"), "allow"),
        (Act("elicitation", "fs", "url"), "ask"),
        (Act("sampling", "fs", "sampling"), "ask"),
    ],
)
def test_a_careful_policy_lets_read_and_asks_for_the_rest(given: Act, expected: str) -> None:
    assert verdict(Policy.careful(), given) == expected


def test_whoever_is_not_trusted_is_not_believed_to_read() -> None:
    decision = Policy.careful(trusting="git").decide(act(READ))

    assert decision.verdict is Verdict.ASK
    assert "not trusted" in decision.reason


@pytest.mark.parametrize(
    ("given", "reason"),
    [(act(DELETE), "it may destroy something"), (act(SILENT), "it does not say whether it changes anything")],
)
def test_whoever_is_asked_is_told_why(given: Act, reason: str) -> None:
    assert Policy.careful().decide(given).reason == reason


def test_reading_lets_read_and_nothing_else() -> None:
    assert [verdict(Policy.reading(), act(tool)) for tool in (READ, WRITE, SILENT)] == ["allow", "deny", "deny"]
    assert verdict(Policy.reading(), Act("sampling", "fs", "sampling")) == "deny"


@pytest.mark.feature(174)
def test_a_sandbox_is_where_writing_runs() -> None:
    policy = Policy.sandbox("tmp-*")

    assert verdict(policy, act(WRITE, "tmp-1")) == "allow"
    assert verdict(policy, act(DELETE, "tmp-1")) == "ask"
    assert verdict(policy, act(WRITE, "prod")) == "deny"
    assert verdict(policy, act(READ, "prod")) == "allow"
    assert verdict(policy, Act("sampling", "prod", "sampling")) == "ask"


def test_a_permissive_policy_allows_everything() -> None:
    assert verdict(Policy.permissive(), act(DELETE)) == "allow"


# ----------------------------------------------------------------------------------------------------- two, remembered


@pytest.mark.parametrize(
    ("one", "other", "strictest"), [("allow", "ask", "ask"), ("deny", "ask", "deny"), ("redact", "dry-run", "dry-run")]
)
def test_of_two_decisions_the_stricter_one_holds(one: str, other: str, strictest: str) -> None:
    assert stricter(Decision(Verdict(one)), Decision(Verdict(other))).verdict.value == strictest


def test_of_two_equal_decisions_the_first_one_holds() -> None:
    assert stricter(Decision(Verdict.ASK, "a"), Decision(Verdict.ASK, "b")).rule == "a"


def test_an_answer_holds_for_one_definition_and_one_rule() -> None:
    given, decision = act(WRITE), Decision(Verdict.ASK, "rule")
    key = decision_key(given, decision)

    assert key == decision_key(structs.replace(given, arguments={"x": 1}), decision)
    assert key != decision_key(act(Tool.define("write")), decision)
    assert key != decision_key(given, Decision(Verdict.ASK, "another"))
    assert key != decision_key(structs.replace(given, server="git"), decision)
    assert key != decision_key(structs.replace(given, tool=None), decision)
    assert key != decision_key(given, decision, "npx another")


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        (True, (True, "once")),
        ("once", (True, "once")),
        (False, (False, "once")),
        (None, (False, "once")),
        ("no", (False, "once")),
        ("session", (True, "session")),
        ("always", (True, "always")),
        ("never", (False, "always")),
    ],
)
def test_answers_are_read(answer: object, read: tuple[bool, str]) -> None:
    assert read_answer(answer) == read


def test_what_is_no_answer_is_refused() -> None:
    with pytest.raises(UsageError, match="'perhaps' is no answer"):
        read_answer("perhaps")


# ------------------------------------------------------------------------------------------------------------ reading


@pytest.mark.parametrize("name", ["allow", "permissive", "careful", "ask", "deny", "reading", "read_only"])
def test_profiles_have_names(name: str) -> None:
    assert isinstance(read_policy(name), Policy)
    assert read_policy([name]) == read_policy(name)


def test_a_policy_is_one_already() -> None:
    policy = Policy.careful()

    assert read_policy(policy) is policy


def test_rules_are_read_as_a_configuration_has_them() -> None:
    policy = read_policy(
        [
            {"verdict": "dry_run", "tool": "delete_*", "reason": "careful"},
            {"verdict": "redact", "patterns": ["x"], "arguments": {"path": "/etc/*"}},
            Rule(Verdict.DENY),
        ]
    )

    assert policy.rules == (
        Rule(Verdict.DRY_RUN, tool="delete_*", reason="careful"),
        Rule(Verdict.REDACT, patterns=("x",), arguments={"path": "/etc/*"}),
        Rule(Verdict.DENY),
    )


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("lenient", "there is no policy 'lenient'"),
        ([7], "7 is no rule"),
        ([{"tool": "x"}], "is no rule"),
        ([{"verdict": "maybe"}], "'maybe' is no verdict"),
        ([{"verdict": "ask", "tol": "x"}], "a rule has no 'tol'"),
        (7, "7 is no policy"),
        ({"verdict": "deny"}, "is no policy"),
        ([{"verdict": "deny", "tool": ["a", "b"]}], "`tool` of a rule cannot be"),
        ([{"verdict": "deny", "server": None}], "`server` of a rule cannot be None"),
        ([{"verdict": "deny", "kind": "tools"}], "`kind` of a rule cannot be 'tools'"),
        ([{"verdict": "deny", "read_only": "no"}], "`read_only` of a rule cannot be 'no'"),
        ([{"verdict": "deny", "arguments": "x"}], "`arguments` of a rule cannot be 'x'"),
        ([{"verdict": "deny", "arguments": {"a": {"b": 1}}}], "`arguments` of a rule cannot be"),
        ([{"verdict": "deny", "arguments": {"a": 5}}], "`arguments` of a rule cannot be"),
        ([{"verdict": "deny", "origin": 5}], "`origin` of a rule cannot be 5"),
        ([{"verdict": "redact", "patterns": "abc"}], "`patterns` of a rule cannot be 'abc'"),
        ([{"verdict": "redact", "patterns": 5}], "`patterns` of a rule cannot be 5"),
        ([{"verdict": "redact", "patterns": ["("]}], "`patterns` of a rule cannot be"),
        ([{"verdict": "deny", "reason": 7}], "`reason` of a rule cannot be 7"),
    ],
)
def test_what_is_no_policy_is_refused(written: Any, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        read_policy(written)


def test_a_verdict_may_be_a_plain_text() -> None:
    named: Any = "deny"

    assert Rule(named).verdict is Verdict.DENY
    assert Policy(otherwise=named).decide(act()).verdict is Verdict.DENY
    assert read_policy([{"verdict": "Deny"}]).decide(act()).verdict is Verdict.DENY


def test_a_policy_is_of_rules_alone() -> None:
    rules: Any = [Rule(Verdict.DENY)]
    assert Policy(rules) == Policy((Rule(Verdict.DENY),))

    with pytest.raises(UsageError, match="'deny' is no rule"):
        Policy(("deny",))  # type: ignore[arg-type]


def test_an_act_is_shown_without_its_secrets() -> None:
    assert str(act(WRITE, arguments={"token": "x", "path": "a\x1b"})) == (
        'call write of fs with {"token":"***","path":"a\\u001b"}'
    )
    assert str(Act("resource", "fs", "file:///x")) == "read file:///x of fs"
    assert str(Act("prompt", "fs", "greet")) == "get greet of fs"
    assert str(Act("sampling", "fs", "sampling")) == "answer sampling of fs"


def test_a_rule_that_raises_lets_nothing_pass() -> None:
    def broken(_: object) -> bool:
        raise ValueError("what is this?")

    policy = Policy((Rule(Verdict.ALLOW, arguments={"x": broken}),))
    decision = policy.decide(act(arguments={"x": 1}))

    assert (decision.verdict, decision.reason) == (Verdict.DENY, "its rule raised ValueError: what is this?")


@pytest.mark.parametrize(("verdict", "fits"), [("allow", False), ("redact", False), ("ask", True), ("deny", True)])
def test_what_allows_has_to_fit_all_and_what_forbids_any(verdict: str, fits: bool) -> None:
    rule = Rule(Verdict(verdict), arguments={"paths": "/safe/*"})

    assert rule.fits(act(arguments={"paths": ["/safe/a", "/etc/passwd"]})) is fits
    assert rule.fits(act(arguments={"paths": ["/safe/a"]}))
