"""The command about configurations: check, show, import, schema."""

import json
import os
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.cli.configured import configuration
from dragoman.cli.failures import Exit
from dragoman.cli.given import text_of_file
from dragoman.cli.nearest import suggestion
from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen
from dragoman.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from dragoman import Config, Entry, Input

__all__ = ["config"]

_ABOUT = ("name", "file", "line", "is_project")


def config(asked: Namespace, screen: Screen) -> Exit:
    """Do what the first word says."""
    actions = {"check": _check, "show": _show, "import": _import, "schema": _schema}
    if asked.action not in actions:
        raise UsageError(f"config cannot {asked.action!r}", hint=suggestion(asked.action, actions, "words"))
    return actions[asked.action](asked, screen)


def _check(asked: Namespace, screen: Screen) -> Exit:
    """Tell everything that is wrong or odd, and what to write instead."""
    found = _read(asked)
    problems = [*found.problems, *_unset(found)]
    broken = {each.server for each in problems if each.is_fatal}
    usable = [name for name in found.names if name not in broken]
    if screen.wants_json:
        screen.document({"servers": usable, "problems": [_problem(each) for each in problems]})
    else:
        for each in problems:
            screen.out.line(
                ("error: " if each.is_fatal else "note: ", "bold red" if each.is_fatal else "yellow"),
                one_line(f"{each.server}: {each}" if each.server else str(each)),
            )
            if each.hint:
                screen.out.line(("  hint: ", "bold"), each.hint)
        screen.note(f"{len(usable)} servers can be used: {', '.join(usable) or 'none'}")
    return Exit.USAGE if any(each.is_fatal for each in problems) else Exit.OK


def _unset(found: "Config") -> list[Any]:
    """Find the servers whose variables are not set."""
    from dragoman import Problem, resolve_entry

    problems = []
    for entry in found.entries:
        try:
            resolve_entry(entry, found, lambda asked: asked.default or "asked for")
        except ConfigError as error:
            what = error.message.rpartition(": ")[2]
            problems.append(Problem(what, error.hint, error.file, error.line, error.field, entry.name))
    return problems


def _problem(each: Any) -> dict[str, Any]:
    return {
        "message": each.message,
        "hint": each.hint,
        "server": each.server,
        "file": each.file,
        "line": each.line,
        "field": each.field,
        "fatal": each.is_fatal,
    }


def _show(asked: Namespace, screen: Screen) -> Exit:
    """List the servers, or show one, without secrets."""
    found = _read(asked)
    _warn(found, screen)
    if screen.wants_json:
        screen.document({"mcpServers": {entry.name: _shown(entry) for entry in found.entries}})
        return Exit.OK
    rows = []
    for entry in found.entries:
        target = " ".join((entry.command, *entry.args)) if entry.command is not None else entry.url or ""
        marks = [*(["disabled"] if entry.disabled else []), *(["project"] if entry.is_project else [])]
        rows.append(
            ((entry.name, "bold cyan"), one_line(_shown_target(entry, target)), ", ".join(marks), entry.file or "")
        )
    screen.out.table(("server", "what it runs or speaks with", "", "where it is written"), rows)
    return Exit.OK


def _warn(found: "Config", screen: Screen) -> None:
    """Tell of what is left out, which would be missed in silence."""
    for each in found.problems:
        if each.is_fatal:
            screen.warn(f"{each.server}: {each}" if each.server else str(each))


def _shown_target(entry: "Entry", target: str) -> str:
    """Give what an entry runs or speaks with, as its own `repr` conceals it."""
    fields = dict(entry.__rich_repr__())
    if entry.command is not None:
        return " ".join((str(fields["command"]), *fields.get("args", ())))
    return str(fields.get("url", target))


def _shown(entry: "Entry") -> dict[str, Any]:
    shown = {name: value for name, value in entry.__rich_repr__() if name not in _ABOUT}
    return json.loads(json.dumps(shown, default=_plain))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    fields = getattr(value, "__struct_fields__", ())
    return {name: getattr(value, name) for name in fields} if fields else str(value)


def _import(asked: Namespace, screen: Screen) -> Exit:
    """Copy servers of other applications into one's own file, as they are written, variables and all.

    What a project brings is copied only where its file is named, or it has leave: in one's own file it needs none.

    Raises:
        UsageError: the file cannot be added to without losing something.
    """
    from dragoman import rooted

    found = _read(asked)
    _warn(found, screen)
    file = Path(asked.into)
    whole = _existing(file)
    servers = whole.setdefault("mcpServers", {})
    new = [entry for entry in found.entries if entry.name not in servers and entry.file != str(file.absolute())]
    if not asked.config:
        new = [entry for entry in new if _has_leave(entry, found, screen)]
    for entry in new:
        servers[entry.name] = _written(rooted(entry))
    _add_questions(whole, new, found)
    if new:
        _write(file, json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
    if screen.wants_json:
        screen.document({"file": str(file), "imported": [entry.name for entry in new]})
    else:
        for entry in new:
            screen.out.line((entry.name, "bold cyan"), f" from {entry.file}")
        screen.note(f"{len(new)} servers were added to {file}")
    return Exit.OK


def _add_questions(whole: dict[str, Any], new: "list[Entry]", found: "Config") -> None:
    """Copy what servers want to be told by their user, or it would be asked for without a word, and in plain sight."""
    texts = json.dumps([_written(entry) for entry in new])
    known = {each.get("id") for each in whole.get("inputs", []) if isinstance(each, dict)}
    asked = [each for each in found.inputs.values() if f"${{input:{each.id}}}" in texts and each.id not in known]
    if asked:
        whole["inputs"] = [*whole.get("inputs", []), *map(_question, asked)]


def _question(asked: "Input") -> dict[str, Any]:
    written = {
        "id": asked.id,
        "type": "pickString" if asked.options else "promptString",
        "description": asked.question,
        "default": asked.default,
        "password": asked.is_secret,
        "options": list(asked.options),
    }
    return {name: value for name, value in written.items() if value not in (None, "", False, [])}


def _has_leave(entry: "Entry", found: "Config", screen: Screen) -> bool:
    from dragoman import Approvals, resolve_entry

    if not entry.is_project:
        return True
    try:
        has_leave = Approvals.of_user().has_approved(resolve_entry(entry, found)) is True
    except ConfigError:  # a variable is not set, so nobody has seen all of it
        has_leave = False
    if not has_leave:
        screen.warn(f"{entry.name} comes with a project and has no leave: it is left out ({entry.file})")
    return has_leave


def _existing(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    text = text_of_file(str(file))
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    is_plain = isinstance(whole, dict) and isinstance(whole.get("inputs", []), list)
    if not isinstance(whole, dict) or not is_plain or not isinstance(whole.get("mcpServers", {}), dict):
        raise UsageError(
            f"{file} is no plain JSON with `mcpServers`, and would lose its comments or more",
            hint="name another file by --into, or add the servers by hand: `dragoman config show --json`",
        )
    return whole


def _written(entry: "Entry") -> dict[str, Any]:
    """Write an entry in our own words; what a variable stands for stays a variable."""
    from dragoman import Entry

    default = Entry(name="")
    fields = {name: getattr(entry, name) for name in entry.__struct_fields__ if name not in _ABOUT}
    given = {name: value for name, value in fields.items() if value != getattr(default, name)}
    if "tools" in given:
        given["tools"] = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in _plain(given["tools"]).items()
            if value
        }
    if "rate" in given:
        given["rate"] = f"{entry.rate[0]}/{entry.rate[1]:g}s" if entry.rate else None
    for name in ("timeout", "startup"):
        if name in given:
            given[name] = f"{given[name]:g}s"
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}


def _write(file: Path, text: str) -> None:
    try:
        _replace(file, text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}", hint="name another file by --into") from error


def _replace(file: Path, text: str) -> None:
    """Give a file new contents at one stroke, and keep the old ones when that fails."""
    # Through a link, it is the file behind it that is meant.
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as written:
            written.write(text)
        if file.exists():
            Path(draft).chmod(file.stat().st_mode & 0o777)
        Path(draft).replace(file)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _schema(_: Namespace, screen: Screen) -> Exit:
    """Print the JSON Schema of a configuration, for editors."""
    from dragoman import configuration_schema

    screen.document(configuration_schema())
    return Exit.OK


def _read(asked: Namespace) -> "Config":
    asked.config = [*asked.config, *asked.names]
    return configuration(asked)
