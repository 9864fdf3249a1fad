"""Look up what configurations leave to their surroundings: variables, the keyring, inputs, and where things are."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import structs

from dragoman.errors import ConfigError
from dragoman.files.places import home
from dragoman.host.config import Config, Input
from dragoman.host.entries import Entry, Problem
from dragoman.host.expansion import EXPANDED, Lookup, expand
from dragoman.host.provenance import texts_in

__all__ = [
    "Inputs",
    "asked_once",
    "base_folder",
    "has_questions",
    "lookup",
    "read_variables",
    "resolve_entry",
    "resolved",
    "rooted",
]

Inputs: TypeAlias = Mapping[str, str] | Callable[[Input], str | None]
"""What is answered to what a configuration asks: by id, or by a function that asks the user."""

_SERVICE = "dragoman"
_MARK = "${input:"
_OF_THE_FILE = ("workspaceFolder", "workspaceRoot", "fileDirname", "workspaceFolderBasename")


def asked_once(inputs: Inputs) -> Inputs:
    """Remember what a function has answered to each question, however many servers want to know it."""
    if not callable(inputs):
        return inputs
    answers: dict[Input, str] = {}

    def answer(asked: Input) -> str | None:
        known = answers.get(asked)
        given = inputs(asked) if known is None else known
        return given if given is None else answers.setdefault(asked, given)

    return answer


def has_questions(entry: Entry) -> bool:
    """Whether somebody may be asked for a part of an entry."""
    return any(_MARK in text for field in EXPANDED for text in texts_in(getattr(entry, field)))


def base_folder(file: str | None) -> Path:
    """Give the folder that a configuration speaks of: its own, or the project's where it lies in `.vscode` or the like."""
    if file is None:
        return Path.cwd()
    folder = Path(file).absolute().parent
    while folder.name.startswith(".") and folder != Path(home()) and folder.parent != folder:
        folder = folder.parent
    return folder


def lookup(config: Config, inputs: Inputs, file: str | None) -> Lookup:
    """Make the function that fills in variables for the entries of one file."""
    folder = base_folder(file)

    def look(kind: str, name: str) -> str | None:
        match kind:
            case "env":
                return os.environ.get(name)
            case "keyring":
                return _from_keyring(name)
            case "input":
                return _answered(config, inputs, name)
        return _place(name, folder)

    return look


def _from_keyring(name: str) -> str | None:
    """Read a secret of ours; `service/name` is one of another service."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return None
    service, slash, user = name.rpartition("/")
    try:
        return keyring.get_password(service if slash else _SERVICE, user)
    except KeyringError:
        return None


def _answered(config: Config, inputs: Inputs, name: str) -> str | None:
    asked = config.inputs.get(name) or Input(name)
    answer = inputs(asked) if callable(inputs) else inputs.get(name)
    return asked.default if answer is None else answer


def _place(name: str, folder: Path) -> str | None:
    places = {
        "workspaceFolder": str(folder),
        "workspaceRoot": str(folder),
        "fileDirname": str(folder),
        "workspaceFolderBasename": folder.name,
        "cwd": str(Path.cwd()),
        "userHome": home(),
        "pathSeparator": os.sep,
        "/": os.sep,
    }
    return places.get(name)


def resolve_entry(
    entry: Entry,
    config: Config | None = None,
    inputs: Inputs | None = None,
    *,
    heed: Callable[[str], object] = lambda _: None,
) -> Entry:
    """Fill in an entry's variables, as `config` asks for them and `inputs` answers, and make its paths absolute.

    `heed` is told each value that is a secret by where it comes from: of the keyring, or typed unseen.

    Raises:
        ConfigError: a variable is not set, or a path makes no sense; the field is named.
    """
    found = resolved(entry, config or Config(), inputs or {}, heed)
    if isinstance(found, Problem):
        raise found.error()
    return found


def resolved(
    entry: Entry, config: Config, inputs: Inputs, heed: Callable[[str], object] = lambda _: None
) -> Entry | Problem:
    """Fill in an entry's variables, make its paths absolute, and add the variables of its `env_file`."""
    look = _heeded(lookup(config, inputs, entry.file), config, heed)
    found = expand(entry, look, lambda field: config.lines.get((entry.name, field)))
    if isinstance(found, Problem):
        return found
    field = ""
    try:
        for field, of in _PATHS.items():
            found = structs.replace(found, **{field: of(found)})
        field = "env_file"
        return _with_variables(found)
    except ConfigError as error:
        line = config.lines.get((entry.name, field), entry.line)
        return Problem(error.message, error.hint, entry.file, line, field, entry.name)


def _heeded(look: Lookup, config: Config, heed: Callable[[str], object]) -> Lookup:
    def looked_up(kind: str, name: str) -> str | None:
        value = look(kind, name)
        asked = config.inputs.get(name) if kind == "input" else None
        if value and (kind == "keyring" or (asked is not None and asked.is_secret)):
            heed(value)
        return value

    return looked_up


def _with_variables(entry: Entry) -> Entry:
    if entry.env_file is None:
        return entry
    return structs.replace(entry, env={**read_variables(Path(entry.env_file)), **entry.env})


def _absolute(path: str | None, entry: Entry) -> str | None:
    return None if path is None else str(base_folder(entry.file) / Path(_without_tilde(path) or "."))


def _folder_of_project(entry: Entry) -> str | None:
    """Start what a project names in its folder, as others do: leave for `./run` shall not be for that of another one."""
    return "." if entry.is_project and entry.command is not None and entry.file is not None else None


def _without_tilde(path: str) -> str:
    """Give a path with the folder of a user in place of its `~`.

    Raises:
        ConfigError: there is no such user, or nothing can have this path.
    """
    if "\0" in path:
        raise ConfigError("it holds a NUL character, which no path can have")
    if not path.startswith("~") or not home():
        return path
    try:
        return str(Path(path).expanduser())
    except RuntimeError:
        user = path[1:].replace("\\", "/").partition("/")[0]
        raise ConfigError(
            f"there is no user {user!r} here", hint="write the path itself, or ~/ for one's own"
        ) from None


def _roots(entry: Entry) -> tuple[str, ...] | None:
    if entry.roots is None:
        return None
    folder = base_folder(entry.file)
    return tuple(each if "://" in each else (folder / Path(_without_tilde(each))).as_uri() for each in entry.roots)


_PATHS: Mapping[str, Callable[[Entry], Any]] = {
    "command": lambda entry: entry.command and _without_tilde(entry.command),
    "cwd": lambda entry: _absolute(entry.cwd or _folder_of_project(entry), entry),
    "env_file": lambda entry: _absolute(entry.env_file, entry),
    "ca_file": lambda entry: _absolute(entry.ca_file, entry),
    "client_cert": lambda entry: _absolute(entry.client_cert, entry),
    "roots": _roots,
}


def rooted(entry: Entry) -> Entry:
    """Write an entry so that it means the same in another file: places that were relative to its own are written out."""
    folder = base_folder(entry.file)
    named = {place: _place(place, folder) for place in _OF_THE_FILE}
    changes = {field: _moved(getattr(entry, field), named) for field in EXPANDED}
    moved = structs.replace(entry, **changes)
    paths = {
        field: _written_out(getattr(moved, field), folder) for field in ("cwd", "env_file", "ca_file", "client_cert")
    }
    paths["cwd"] = paths["cwd"] or _written_out(_folder_of_project(entry), folder)
    roots = None if moved.roots is None else tuple(_written_out(each, folder) or each for each in moved.roots)
    return structs.replace(moved, **paths, roots=roots)


def _moved(value: Any, named: Mapping[str, str | None]) -> Any:
    match value:
        case str():
            for place, path in named.items():
                value = re.sub(rf"(?<!\$)\$\{{{place}\}}", (path or "").replace("\\", r"\\"), value)
            return value
        case Mapping():
            return {name: _moved(each, named) for name, each in value.items()}
        case list() | tuple():
            return tuple(_moved(each, named) for each in value)
    return value


def _written_out(path: str | None, folder: Path) -> str | None:
    is_somewhere = path is None or path.startswith(("~", "$")) or "://" in path
    return path if is_somewhere else str(folder / str(path))


def read_variables(file: Path) -> dict[str, str]:
    """Read a file of variables: `NAME=value` a line, quoted or not; `export` and comments may be there.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}", file=str(file)) from None
    variables: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#") and name.strip():
            variables[name.strip()] = _unquoted(value.strip())
    return variables


def _unquoted(value: str) -> str:
    if value[:1] in {'"', "'"}:
        end = value.find(value[0], 1)
        return value[1:end] if end > 0 else value
    return value.partition(" #")[0].rstrip()
