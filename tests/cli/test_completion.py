"""What Tab completes."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

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
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dragoman to", ["tools"]),
        ("dragoman pro", ["prompts"]),
        ("dragoman call server --sa", ["--save"]),
        ("dragoman watch server --cou", ["--count"]),
        ("dragoman info --log-level no", ["notice"]),
        ("dragoman config i", ["import"]),
        ("dragoman completion ''", ["bash", "fish", "zsh"]),
        ("dragoman help cal", ["call"]),
        ("dragoman he", ["help"]),
        ("dragoman config check --no", ["--no-color"]),
        ("dragoman info --inherit-env ''", ["safe", "all", "none"]),
    ],
)
def test_tab_completes(words: str, expected: list[str]) -> None:
    assert sorted(completed(words)) == sorted(expected)


def test_tab_completes_files_elsewhere() -> None:
    assert "/etc/passwd" in completed("dragoman read server /etc/passw")


def test_tab_completes_a_file_whose_name_has_a_space(tmp_path: Path) -> None:
    for name in ("my request.json", "my reply.json"):
        (tmp_path / name).touch()

    assert sorted(completed(f"dragoman call server tool {tmp_path}/my")) == [
        f"{tmp_path}/my reply.json",
        f"{tmp_path}/my request.json",
    ]


def test_tab_makes_no_folder_of_a_command(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    line = shown_by_bash("dragoman to\t\x01echo \n", tmp_path)

    assert "dragoman tools" in line
    assert "dragoman tools/" not in line


def shown_by_bash(typed: str, folder: Path) -> str:
    """Type into a bash on a terminal that has the script, and give what it printed."""
    rc = folder / "rc"
    rc.write_text(here("completion", "bash").out, "utf-8")
    master, slave = pty.openpty()
    with subprocess.Popen(["bash", "--rcfile", rc, "-i"], cwd=folder, stdin=slave, stdout=slave, stderr=slave) as shell:
        os.close(slave)
        os.write(master, typed.encode() + b"exit\n")
        shown = b""
        with suppress(OSError):  # the end of what a terminal says
            while more := os.read(master, 4096):
                shown += more
        os.close(master)
        shell.wait(30)
    return shown.decode("utf-8", "replace")


def test_each_shell_has_its_script() -> None:
    assert here("completion", "zsh").out == (
        "(( $+functions[compdef] )) || { autoload -U compinit && compinit }\n"
        "autoload -U +X bashcompinit && bashcompinit\n" + here("completion", "bash").out
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
