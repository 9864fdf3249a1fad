"""What Tab completes."""

import subprocess
import sys

import pytest

from tests.cli.command import dragoman, here, surroundings

PRESS_TAB = """
{script}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_dragoman
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(words: str) -> list[str]:
    script = PRESS_TAB.format(script=here("completion", "bash").out, words=words)
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dragoman to", ["tools"]),
        ("dragoman pro", ["prompts"]),
        ("dragoman call server --sa", ["--save"]),
        ("dragoman watch server --cou", ["--count"]),
        ("dragoman info --log-level no", ["notice"]),
        ("dragoman info --inherit-env ''", ["safe", "all", "none"]),
    ],
)
def test_tab_completes(words: str, expected: list[str]) -> None:
    assert sorted(completed(words)) == sorted(expected)


def test_tab_completes_files_elsewhere() -> None:
    assert "/etc/passwd" in completed("dragoman read server /etc/passw")


def test_each_shell_has_its_script() -> None:
    assert (
        here("completion", "zsh").out
        == "autoload -U +X bashcompinit && bashcompinit\n" + here("completion", "bash").out
    )
    fish = here("completion", "fish").out.splitlines()
    assert "complete -c dragoman -n '__fish_seen_subcommand_from call' -l save" in fish
    assert all(line.startswith("complete -c dragoman ") for line in fish)


def test_unknown_shell_is_refused_with_those_that_are_known() -> None:
    outcome = here("completion", "tcsh")

    assert (outcome.code, outcome.out) == (2, "")
    assert "hint: there are bash, zsh, fish" in outcome.err


def test_package_is_the_command_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dragoman", "--version"], capture_output=True, text=True, env=surroundings(), check=True
    )

    assert done.stdout == dragoman("--version").out
