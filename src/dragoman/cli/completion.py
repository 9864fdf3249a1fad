"""`dragoman completion`: what a shell needs in order to complete commands and their options when Tab is pressed."""

import re
from argparse import Namespace

from dragoman.cli.failures import Exit
from dragoman.cli.pages import COMMANDS
from dragoman.cli.parser import LEVELS, help_of
from dragoman.cli.screen import Screen
from dragoman.errors import UsageError

__all__ = ["completion"]

_CHOICES = {"--log-level": LEVELS, "--inherit-env": ("safe", "all", "none")}
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
    choices = [
        f'        {option}) COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$word")); return ;;'
        for option, values in _CHOICES.items()
    ]
    options = [f'        {name}) options="{" ".join(_options(name))}" ;;' for name in COMMANDS]
    return _BASH.format(choices="\n".join(choices), commands=" ".join(COMMANDS), options="\n".join(options))


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
    return "\n".join(lines) + "\n"


def _options(name: str) -> list[str]:
    return _OPTION.findall(help_of(COMMANDS[name]))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
