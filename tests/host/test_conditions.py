"""Conditions of rules."""

from typing import Any

import pytest

from dragoman.errors import UsageError
from dragoman.host.conditions import check_conditions
from dragoman.host.policy import Rule, Verdict


@pytest.mark.parametrize(
    "conditions",
    [
        {},
        {"server": "a", "tool": "b*", "kind": "tool", "read_only": False},
        {"arguments": {"a": "x", "b": ["x", "y"], "c": bool}},
        {"origin": "crm", "patterns": (r"\d+",), "reason": "why not"},
    ],
)
def test_what_can_fit_is_taken(conditions: dict[str, Any]) -> None:
    check_conditions(Rule(Verdict.DENY, **conditions))


@pytest.mark.parametrize(
    ("conditions", "hint"),
    [
        ({"tool": ["a", "b"]}, "a rule for each further one"),
        ({"kind": "tools"}, "it is one of tool, resource"),
        ({"says": "yes"}, "write true or false"),
        ({"arguments": {5: "x"}}, "with several patterns in a list"),
        ({"patterns": ["("]}, "a list of regular expressions"),
    ],
)
def test_what_can_never_fit_is_refused(conditions: dict[str, Any], hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        Rule(Verdict.DENY, **conditions)
