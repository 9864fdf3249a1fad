import io

import pytest

from dragoman.consent import ask_on_terminal
from dragoman.types import (
    CreateMessageParams,
    ElicitFormParams,
    ElicitUrlParams,
    ListRootsParams,
    QuestionParams,
    SamplingMessage,
    TextContent,
)
from dragoman.views import Question


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def asked(params: QuestionParams, answer: str = "n\n", method: str = "x/y") -> tuple[bool, str]:
    shown = io.StringIO()
    allowed = ask_on_terminal(Question(method, params, "git"), source=Terminal(answer), sink=shown)
    return allowed, shown.getvalue()


FORM = ElicitFormParams("Your name?", {"type": "object", "properties": {}})


@pytest.mark.feature("13.5", 74)
@pytest.mark.parametrize(
    ("answer", "allowed"), [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_only_yes_allows(answer: str, allowed: bool) -> None:
    assert asked(FORM, answer)[0] is allowed


def test_without_a_terminal_the_answer_is_no() -> None:
    assert ask_on_terminal(Question("x", FORM, "git"), source=io.StringIO("y\n"), sink=io.StringIO()) is False


@pytest.mark.parametrize(
    ("params", "shown"),
    [
        (FORM, "git asks you:\n  Your name?"),
        (ElicitUrlParams("Sign in", "https://a.example/x"), "git wants you to visit https://a.example/x:\n  Sign in"),
        (
            CreateMessageParams((SamplingMessage("user", TextContent("Summarise")),), 10),
            "git wants a model to answer:\n  Summarise",
        ),
        (CreateMessageParams((), 10), "git wants a model to answer:\n  "),
        (ListRootsParams(), "git asks by x/y"),
    ],
)
def test_the_wish_is_shown(params: QuestionParams, shown: str) -> None:
    assert asked(params)[1].startswith(shown)


def test_what_a_terminal_would_obey_is_not_shown() -> None:
    shown = asked(ElicitFormParams("\x1b[2Jgone" + "x" * 1000, {}))[1]

    assert "\x1b" not in shown
    assert "..." in shown
