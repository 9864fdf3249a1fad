"""`dragoman completion`: what a shell needs in order to complete commands and their options when Tab is pressed."""

import re
from argparse import Namespace
from collections.abc import Iterable

from dragoman.cli.failures import Exit
from dragoman.cli.pages import COMMANDS
from dragoman.cli.parser import LEVELS, help_of
from dragoman.cli.screen import Screen
from dragoman.errors import UsageError

__all__ = ["completion"]

_CHOICES = {"--log-level": LEVELS, "--inherit-env": ("safe", "all", "none")}
_WORDS = {
    "completion": ("bash", "zsh", "fish"),
    "config": ("check", "import", "schema", "show"),
    "help": tuple(COMMANDS),
}
"""What a command's first word can be, where there are only so many."""

_OPTION = re.compile(r"(?m)^  (?:-\w(?: \S+)?, )?(--[a-z-]+)")

_BASH = """\
_dragoman() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" options=""
    case "${{COMP_WORDS[COMP_CWORD - 1]}}" in
{choices}
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
        return
    fi
    case "$COMP_CWORD ${{COMP_WORDS[1]}}" in
{words}
    esac
    case "${{COMP_WORDS[1]}}" in
{options}
    esac
    case "$word" in
        -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        *)
            # Only here: a command is no folder, though there be one of its name.
            compopt -o filenames 2> /dev/null
            local IFS=$'\n'
            COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}}
complete -F _dragoman dragoman
"""


def completion(asked: Namespace, screen: Screen) -> Exit:
    """Write the script for a shell."""
    if asked.shell not in _SCRIPTS:
        raise UsageError(f"nothing is known of the shell {asked.shell!r}", hint=f"there are {', '.join(_SCRIPTS)}")
    screen.out.write(_SCRIPTS[asked.shell]())
    return Exit.OK


def _bash() -> str:
    choices = [_case(option, values) for option, values in _CHOICES.items()]
    words = [_case(f'"2 {name}"', values, '[ -n "$COMPREPLY" ] && ') for name, values in _WORDS.items()]
    options = [f'        {name}) options="{" ".join(_options(name))}" ;;' for name in COMMANDS]
    return _BASH.format(
        choices="\n".join(choices),
        commands=" ".join((*COMMANDS, "help")),
        words="\n".join(words),
        options="\n".join(options),
    )


def _case(pattern: str, values: Iterable[str], condition: str = "") -> str:
    return f'        {pattern}) COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$word")); {condition}return ;;'


_ZSH = """\
(( $+functions[compdef] )) || {{ autoload -U compinit && compinit }}
autoload -U +X bashcompinit && bashcompinit
{bash}"""


def _zsh() -> str:
    return _ZSH.format(bash=_bash())


def _fish() -> str:
    lines = ["complete -c dragoman -f -n __fish_use_subcommand -a 'help'"]
    for name, command in COMMANDS.items():
        lines.append(f"complete -c dragoman -f -n __fish_use_subcommand -a {name} -d {_quoted(command.summary)}")
        for option in _options(name):
            values = f" -x -a '{' '.join(_CHOICES[option])}'" if option in _CHOICES else ""
            seen = f"'__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c dragoman -n {seen} -l {option.removeprefix('--')}{values}")
    lines += [
        f"complete -c dragoman -f -n '__fish_seen_subcommand_from {name}' -a '{' '.join(values)}'"
        for name, values in _WORDS.items()
    ]
    return "\n".join(lines) + "\n"


def _options(name: str) -> list[str]:
    return _OPTION.findall(help_of(COMMANDS[name]))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
