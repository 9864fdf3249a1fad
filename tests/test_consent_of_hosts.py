"""What the terminal shows and asks before a call, and before a project's server is used."""

import io
from typing import Any

import pytest

from dragoman import Act, Approval, Entry, ask_on_terminal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


ACT = Act("tool", "fs", "delete", {"path": "x\x1b[2J"}, reason="it may destroy something")
APPROVAL = Approval.of(Entry(name="a", command="sh", args=("-c", "x" * 1000), is_project=True, file="/p/.mcp.json"))


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("y\n", True), ("s\n", "session"), ("always\n", "always"), ("n\n", False), ("\n", False), ("", False)],
)
def test_a_call_is_asked_for(typed: str, answer: Any) -> None:
    shown = io.StringIO()

    assert ask_on_terminal(ACT, source=Terminal(typed), sink=shown) == answer
    assert shown.getvalue() == (
        'call delete of fs with {"path":"x\\u001b[2J"}\n  it may destroy something\n'
        "Allow it? [y]es, for this [s]ession, [a]lways, [N]o "
    )


@pytest.mark.parametrize(("typed", "answer"), [("y\n", True), ("s\n", False), ("a\n", False), ("\n", False)])
def test_leave_is_asked_for_with_every_word(typed: str, answer: bool) -> None:
    shown = io.StringIO()

    assert ask_on_terminal(APPROVAL, source=Terminal(typed), sink=shown) is answer
    assert "x" * 1000 in shown.getvalue()
    assert shown.getvalue().endswith("Allow it? [y/N] ")


def test_without_a_terminal_the_answer_is_no() -> None:
    assert ask_on_terminal(ACT, source=io.StringIO("y\n"), sink=io.StringIO()) is False


def test_a_call_without_a_reason_is_shown() -> None:
    shown = io.StringIO()
    ask_on_terminal(Act("prompt", "fs", "greet"), source=Terminal("n\n"), sink=shown)

    assert shown.getvalue().startswith("get greet of fs\nAllow it?")
