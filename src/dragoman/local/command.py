"""A command line: its words, a name for the server that it starts, and how to show it without its secrets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath

from dragoman.errors import UsageError
from dragoman.secrecy import CONCEALED, is_secret_name

__all__ = ["advice", "brief", "server_name", "shown", "split", "without_secrets"]

_ASSIGNMENT = re.compile(r"(?s)(-{0,2}[\w.-]+)([=:])(.+)")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_QUERY = re.compile(r"([?&][^=&\s]{1,200})=([^&\s#]+)")
_WELL_KNOWN = re.compile(
    r"(sk-|sk_|pk_|rk_|ghp_|gho_|ghs_|ghu_|github_pat_|glpat-|xox[abposr]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ|npm_|pypi-|hf_|lin_api_|"
    r"ntn_|secret_|dop_v1_|shpat_|SG\.)[\w.+/=-]{8,}"
)
_RUN = re.compile(r"[A-Za-z0-9+=_]{32,}")
# Up to the last of them: a look ahead from every character would take time by the square of their number.
_DIGITS = re.compile(r"(?s).*\d")
_LETTERS = re.compile(r"(?s).*[A-Za-z]")

_LONG = 300

_SAYS_NOTHING = frozenset(
    {
        ".",
        "..",
        "__main__",
        "app",
        "bin",
        "build",
        "cli",
        "dist",
        "index",
        "lib",
        "main",
        "run",
        "server",
        "src",
        "start",
    }
)
_LAUNCHERS = frozenset(
    [
        "npx",
        "bunx",
        "uvx",
        "uv",
        "pipx",
        "pnpm",
        "yarn",
        "npm",
        "bun",
        "deno",
        "node",
        "python",
        "python3",
        "py",
        "docker",
        "podman",
        "env",
        "tsx",
        "ts-node",
        "poetry",
        "hatch",
        "dlx",
        "exec",
        "run",
        "tool",
        "x",
        "cmd",
        "sh",
        "bash",
    ]
)
_TAKES_VALUE = frozenset(
    [
        "--from",
        "--with",
        "--python",
        "-p",
        "--package",
        "--directory",
        "--project",
        "-c",
        "-e",
        "--env",
        "--env-file",
        "-v",
        "--volume",
        "--name",
    ]
)
_SUFFIXES = (".exe", ".cmd", ".bat", ".py", ".js", ".mjs", ".cjs", ".ts", ".sh")

_ADVICE = {
    "npx": "is Node.js installed? npx comes with it",
    "npm": "is Node.js installed? npm comes with it",
    "node": "is Node.js installed?",
    "uvx": "is uv installed? `pip install uv` brings uvx",
    "uv": "is uv installed? `pip install uv` brings it",
    "pipx": "is pipx installed?",
    "docker": "is Docker installed, and on the PATH?",
    "podman": "is Podman installed, and on the PATH?",
    "bunx": "is Bun installed? bunx comes with it",
    "bun": "is Bun installed?",
    "deno": "is Deno installed?",
    "python": "some systems call it python3",
}


def split(command: str | Sequence[str], *, windows: bool) -> tuple[str, ...]:
    """Split a command line into its words as a shell would, without a shell; a sequence is taken word by word.

    With `windows`, by the rules of the Microsoft C runtime: there a backslash is a path's and no escape.

    Raises:
        UsageError: there is no command in it, or a quotation mark is left open.
    """
    if not isinstance(command, str):
        words = tuple(str(word) for word in command)
    elif windows:
        words = tuple(_windows_words(command))
    else:
        words = _posix_words(command)
    if not words or not words[0].strip():
        raise UsageError("the command is empty", hint="give a command line, or the command and its arguments")
    if any("\0" in word for word in words):
        raise UsageError("the command holds a NUL character, which no program can be given")
    return words


def _posix_words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"the command line cannot be split: {error}", hint="close the quotation marks") from None


def _windows_words(command: str) -> list[str]:
    words: list[str] = []
    position, command = 0, command.strip()
    while position < len(command):
        word, position = _windows_word(command, position)
        words.append(word)
    return words


def _windows_word(command: str, position: int) -> tuple[str, int]:
    word, is_quoted = "", False
    while position < len(command) and (is_quoted or command[position] not in " \t"):
        backslashes = len(command) - position - len(command[position:].lstrip("\\"))
        position += backslashes
        if command[position : position + 1] != '"':
            word += "\\" * backslashes
            if not backslashes:
                word += command[position]
                position += 1
            continue
        word += "\\" * (backslashes // 2)
        if backslashes % 2:
            word += '"'
        else:
            is_quoted = not is_quoted
        position += 1
    if is_quoted:
        raise UsageError("the command line cannot be split: No closing quotation", hint="close the quotation marks")
    rest = command[position:]
    return word, position + len(rest) - len(rest.lstrip(" \t"))


def without_secrets(argv: Sequence[str]) -> tuple[str, ...]:
    """Conceal what looks like a secret in a command's words: values of telling options, tokens, passwords in URLs."""
    shown: list[str] = []
    is_value_secret = False
    for word in argv:
        is_option = word.startswith("-") and not word.startswith("-" * 3)
        shown.append(CONCEALED if is_value_secret and not is_option else _word_without_secrets(word))
        is_value_secret = is_option and "=" not in word and is_secret_name(word)
    return tuple(shown)


def _word_without_secrets(word: str) -> str:
    assignment = _ASSIGNMENT.fullmatch(word)
    if assignment and is_secret_name(assignment[1]) and not word.startswith(("http:", "https:")):
        return f"{assignment[1]}{assignment[2]}{CONCEALED}"
    word = _CREDENTIALS.sub(CONCEALED, word)
    word = _QUERY.sub(lambda match: f"{match[1]}={CONCEALED}" if is_secret_name(match[1]) else match[0], word)
    return _without_random(_WELL_KNOWN.sub(CONCEALED, word))


def _without_random(word: str) -> str:
    """Conceal long runs of characters, where letters and digits follow."""
    digits, letters = _DIGITS.match(word), _LETTERS.match(word)
    if digits is None or letters is None:
        return word
    end = min(digits.end(), letters.end())
    return _RUN.sub(lambda run: CONCEALED if run.start() < end else run[0], word)


def shown(argv: Sequence[str]) -> str:
    """Write a command on one line, fit to be shown to anybody."""
    return " ".join(_quoted(word) for word in without_secrets(argv))


def brief(argv: Sequence[str]) -> str:
    """Write a command as `shown` does, and of long words, such as scripts, no more than the beginning."""
    return " ".join(_quoted(word if len(word) <= _LONG else f"{word[:_LONG]}...") for word in without_secrets(argv))


def _quoted(word: str) -> str:
    is_plain = (plain := word.replace(CONCEALED, "x")) == shlex.quote(plain)
    return word if is_plain else shlex.quote(word)


def server_name(argv: Sequence[str]) -> str:
    """Guess what the server is called: the first word that is neither a launcher nor an option of one."""
    words = iter(argv)
    for word in words:
        if word in _TAKES_VALUE:
            next(words, None)
        elif word == "-m":
            return next(words, "server")
        elif not word.startswith("-") and _stem(word) not in _LAUNCHERS and "=" not in word:
            return _telling(word) or "server"
    return _stem(argv[0]) or "server"


def _telling(word: str) -> str:
    """Name a program by its file, or by its folder where every program has such a file."""
    path = PureWindowsPath(word) if "\\" in word else PurePosixPath(word)
    folders = [part for part in path.parts[:-1] if part not in _SAYS_NOTHING and part != path.anchor]
    return _stem(folders[-1]) if _stem(word) in _SAYS_NOTHING and folders else _stem(word)


def _stem(word: str) -> str:
    """Reduce a path, a package or an image to its name: without folders, scope, version and suffix."""
    name = (PureWindowsPath(word) if "\\" in word else PurePosixPath(word)).name
    name = re.sub(r"(?<=.)(@|==|:).*", "", name)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return _word_without_secrets(re.sub(r"^python3\.\d+$", "python3", name))


def advice(argv: Sequence[str]) -> str:
    """Say what to try when a command is not found."""
    command = argv[0]
    if len(argv) == 1 and " " in command:
        return "give the command line as one string, or its words one by one"
    if command.startswith("~"):
        return "no shell expands the ~ here: write the whole path"
    return _ADVICE.get(_stem(command), "is it installed, and on the PATH?")
