"""Read configurations of servers, in any dialect: good entries, and for each other one what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from dragoman.errors import ConfigError, UsageError
from dragoman.host.catalog import LOCAL
from dragoman.host.dialects import SERVERS_ELSEWHERE, Found, find_inputs, find_servers
from dragoman.host.documents import Document, read_document
from dragoman.host.entries import Entry, Problem, ToolChoice
from dragoman.host.fields import FIELDS, Mistake, plain_key, read_fields
from dragoman.host.habits import in_our_words, is_of_another_kind, written_as
from dragoman.host.jsonc import Path
from dragoman.host.policy import read_policy
from dragoman.nearest import nearest
from dragoman.types import encode

__all__ = ["Config", "Input", "merge", "read_config", "read_mapping"]

_KINDS = {
    "stdio": "stdio",
    "local": "stdio",
    "command": "stdio",
    "process": "stdio",
    "http": "web",
    "https": "web",
    "remote": "web",
    "sse": "web",
    "streamablehttp": "web",
    "streamable": "web",
    "httpstream": "web",
    "httpstreaming": "web",
    "streaminghttp": "web",
    "httpsse": "web",
    "url": "web",
}
_REACHED = {"command", "url"}
_OF_ADDRESSES = ("headers", "auth", "message_url", "verify", "ca_file", "client_cert", "proxy")
_OF_PROGRAMS = ("args", "env", "env_file", "inherit_env", "cwd")
_TAKEN = {"", LOCAL}
"""What the tools of this program are of, and nothing at all."""
_BARE = re.compile(r"((?:[A-Za-z]+ )?)\$([A-Za-z_]\w*)")
_NOT_AS_THEY_ARE = frozenset({"type", "endpoint", "tools", "include", "exclude", "read_only"})


class Input(Struct, frozen=True):
    """Something that a configuration wants to be told by its user, and refers to as `${input:ID}`.

    `is_secret` is set for what is not to be seen while it is typed; `options` are the answers to choose from.
    """

    id: str
    question: str = ""
    default: str | None = None
    is_secret: bool = False
    options: tuple[str, ...] = ()


class Config(Struct, frozen=True):
    """What configurations say together.

    Attributes:
        entries: the servers, in order; names are unique.
        problems: what is wrong or odd, in order.
        inputs: what is to be asked, by id.
        lines: the line of each field, by server and field.
        order: every name that stands there, in order, whether its server can be used or not.
    """

    entries: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()
    inputs: Mapping[str, Input] = {}
    lines: Mapping[tuple[str, str], int] = {}
    order: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the servers that can be used, in order."""
        return tuple(entry.name for entry in self.entries)

    def entry(self, name: str) -> Entry:
        """Give an entry by its name.

        Raises:
            ConfigError: there is none, or it cannot be used.
        """
        for entry in self.entries:
            if entry.name == name:
                return entry
        for problem in self.problems:
            if problem.server == name and problem.is_fatal:
                raise problem.error()
        near = nearest(name, self.names)
        known = f"there are {', '.join(self.names)}" if self.entries else "there are none"
        raise ConfigError(f"no server is called {name!r}", hint=f"did you mean {near!r}?" if near else known)


def read_config(
    text: str,
    file: str | None = None,
    *,
    is_project: bool = False,
    folder: str | None = None,
    may_be_another: bool = False,
) -> Config:
    """Read the text of a configuration file; `folder` is the project whose part of a file of many is wanted.

    With `may_be_another`, a file that has no place for servers is an empty configuration.

    Raises:
        ConfigError: it cannot be read at all, or has no place for servers.
    """
    document = read_document(text, file)
    if may_be_another and find_servers(document.value, folder) is None:
        return Config()
    return _read(document, is_project, folder)


def read_mapping(value: Mapping[str, Any]) -> Config:
    """Read a configuration that is there already, as from a program's own settings.

    Raises:
        ConfigError: it has no place for servers.
    """
    return _read(Document(value), False, None)


def _read(document: Document, is_project: bool, folder: str | None) -> Config:
    servers = find_servers(document.value, folder)
    if servers is None:
        raise ConfigError(
            "it names no servers", file=document.file, hint='write {"mcpServers": {"NAME": {"command": "..."}}}'
        )
    reader = _Reader(document, is_project)
    for found in servers:
        reader.take(found)
    return reader.config()


def merge(configs: Iterable[Config]) -> Config:
    """Make one configuration of several: of two entries with one name, the earlier stands, and the other is told of.

    A file that somebody else wrote, and that is read later, thus never takes the place of one's own entry.
    """
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    inputs: dict[str, Input] = {}
    lines: dict[tuple[str, str], int] = {}
    order: dict[str, None] = {}
    for config in configs:
        order |= dict.fromkeys(config.order)
        broken = {problem.server for problem in problems if problem.is_fatal}
        inputs = {**config.inputs, **inputs}
        problems += config.problems
        for entry in config.entries:
            if entry.name in entries or entry.name in broken:
                problems.append(_shadowed(entry, entries.get(entry.name)))
                continue
            entries[entry.name] = entry
            lines.update({key: line for key, line in config.lines.items() if key[0] == entry.name})
    return Config(tuple(entries.values()), tuple(problems), inputs, lines, tuple(order))


def _shadowed(entry: Entry, earlier: Entry | None) -> Problem:
    where = f", which stands in {earlier.file}" if earlier and earlier.file else ""
    return Problem(
        f"it is left out: an earlier server has the same name{where}",
        "give it another name",
        entry.file,
        entry.line,
        server=entry.name,
        is_fatal=False,
    )


class _Reader:
    """Reads the entries of one document; owns what it has read."""

    def __init__(self, document: Document, is_project: bool) -> None:
        self._document = document
        self._is_project = is_project
        self._entries: dict[str, Entry] = {}
        self._problems: list[Problem] = []
        self._lines: dict[tuple[str, str], int] = {}
        self._order: dict[str, None] = {}

    def config(self) -> Config:
        inputs = {each.id: each for each in map(_input, find_inputs(self._document.value)) if each.id}
        return Config(tuple(self._entries.values()), tuple(self._problems), inputs, self._lines, tuple(self._order))

    def take(self, found: Found) -> None:
        """Read one entry: it is good, or its mistakes are noted."""
        if found.path in self._document.repeated:
            self._note(found, Mistake("", "the name stands there twice; the last one counts"), is_fatal=False)
        if not found.name and not isinstance(found.raw, Mapping):
            self._note_section(found)
            return
        self._order[found.name] = None
        if not isinstance(found.raw, Mapping):
            self._note(found, Mistake("", "an entry is an object", 'write {"command": "..."} or {"url": "..."}'))
            return
        if is_of_another_kind(found.raw):
            return
        words = in_our_words({**found.defaults, **found.raw}, written_as(self._document.file))
        values, spelled, mistakes, unknown = read_fields(words)
        for key in unknown:
            self._note(found, _unknown(key), is_fatal=False)
        mistakes += _misplaced(found, values, unknown)
        mistakes += _contradictions(values)
        try:
            choice = _choice(values)
        except Mistake as wrong_choice:
            mistakes.append(wrong_choice)
            choice = ToolChoice()
        mistakes += _mistaken_rules(values, spelled)
        for mistake in mistakes:
            self._note(found, mistake)
        for mistake in _meaningless(values, spelled):
            self._note(found, mistake, is_fatal=False)
        self._doubt_variables(found, values, spelled)
        if not mistakes:
            self._add(found, values, spelled, choice)

    def _add(self, found: Found, values: dict[str, Any], spelled: dict[str, str], choice: ToolChoice) -> None:
        given = {name: value for name, value in values.items() if name not in _NOT_AS_THEY_ARE}
        if "endpoint" in values and "url" in values:
            given["url"] = values["url"].rstrip("/") + "/" + values["endpoint"].lstrip("/")
        if found.name in self._entries:
            self._problems.append(_shadowed(Entry(name=found.name), self._entries[found.name]))
            return
        self._entries[found.name] = Entry(
            name=found.name,
            **given,
            tools=choice,
            file=self._document.file,
            line=self._document.line(found.path),
            is_project=self._is_project,
        )
        for name, key in spelled.items():
            self._note_lines(found, name, key)

    def _doubt_variables(self, found: Found, values: Mapping[str, Any], spelled: Mapping[str, str]) -> None:
        """Tell of what some applications would fill in, and others would not."""
        for field in ("env", "headers"):
            for name, value in values.get(field, {}).items():
                if match := _BARE.fullmatch(value):
                    hint = f"if it is a variable, write {match[1]}${{{match[2]}}}"
                    mistake = Mistake(f"{spelled[field]}.{name}", f"{value!r} is sent as it stands", hint)
                    self._note(found, mistake, is_fatal=False)

    def _note_section(self, found: Found) -> None:
        place = str(found.path[-1])
        message, hint = "servers stand in an object", f'write "{place}": {{"NAME": {{"command": "..."}}}}'
        if plain_key(place) == SERVERS_ELSEWHERE:
            message, hint = "the file that it names is not read from here", "give that file as well"
        line = self._document.line(found.path)
        self._problems.append(Problem(message, hint, self._document.file, line, place))

    def _note_lines(self, found: Found, name: str, key: str) -> None:
        path = (*found.path, key)
        for place, line in self._document.lines.items():
            if place[: len(path)] == path:
                field = ".".join(map(str, (name, *place[len(path) :])))
                self._lines[found.name, field] = line

    def _note(self, found: Found, mistake: Mistake, *, is_fatal: bool = True) -> None:
        path: Path = (*found.path, *mistake.field.split(".")) if mistake.field else found.path
        self._problems.append(
            Problem(
                str(mistake),
                mistake.hint,
                self._document.file,
                self._document.line(path),
                mistake.field or None,
                found.name,
                is_fatal,
            )
        )


def _unknown(key: str) -> Mistake:
    near = nearest(key, (field.name for field in FIELDS))
    return Mistake(key, "there is no such field, and it is left out", f"did you mean `{near}`?" if near else None)


def _contradictions(values: Mapping[str, Any]) -> list[Mistake]:
    """Say where the fields contradict each other about whether it is a program or an address."""
    said = values.get("type")
    kind = None if said is None else _KINDS.get("".join(filter(str.isalnum, said.lower())))
    has_command, has_url = bool(values.get("command", "").strip()), bool(values.get("url"))
    if said is not None and kind is None:
        return [Mistake("type", f"the transport {said!r} is not known", "write stdio or http, or leave it out")]
    if has_command and has_url:
        return [Mistake("url", "there is a command as well", "leave out one of the two")]
    if not has_command and not has_url:
        wanted = {"stdio": "command", "web": "url"}.get(kind or "", "command")
        return [Mistake(wanted, "it is missing", 'write "command" for a program, or "url" for an address')]
    if kind == ("web" if has_command else "stdio"):
        wanted = "url" if has_command else "command"
        return [Mistake("type", f"{said!r} wants a `{wanted}`", "leave `type` out, or write what it wants")]
    if has_url and not values["url"].lower().startswith(("http://", "https://", "${")):
        return [Mistake("url", "it is no address", "write it with http:// or https://")]
    return []


def _meaningless(values: Mapping[str, Any], spelled: Mapping[str, str]) -> list[Mistake]:
    """Find what is there for nothing: a program gets no headers, and an address no variables."""
    if "command" in values and "url" in values:
        return []
    idle, what = (_OF_ADDRESSES, "a program") if "command" in values else (_OF_PROGRAMS, "an address")
    return [
        Mistake(spelled[name], f"it means nothing for {what}", "leave it out")
        for name in idle
        if values.get(name) not in (None, {}, ()) and _REACHED & values.keys()
    ]


def _misplaced(found: Found, values: Mapping[str, Any], unknown: list[str]) -> list[Mistake]:
    """Find what stands where something else belongs: a name that is taken, servers in an entry, a whole command line."""
    mistakes: list[Mistake] = []
    if found.name in _TAKEN or not found.name.isprintable():
        mistakes.append(Mistake("", f"a server cannot be called {found.name!r}", "give it another name"))
    if unknown and not _REACHED & values.keys() and any(isinstance(found.raw.get(key), Mapping) for key in unknown):
        mistakes.append(Mistake("", "it holds servers, and is none itself", "leave out one of the two levels"))
    for field in ("command", "cwd"):
        if any(ord(char) < ord(" ") for char in values.get(field, "") or ""):
            mistakes.append(Mistake(field, "it holds a control character", r'write a backslash twice: "C:\\new"'))
            return mistakes
    first, *rest = str(values.get("command", "")).split() or [""]
    # The paths of programs may have blanks, too.
    if rest and "args" not in values and not any(sign in first for sign in "/\\$"):
        hint = f'write "command": "{first}", "args": {encode(rest).decode()}'
        mistakes.append(Mistake("command", "it is a whole command line", hint))
    return mistakes


def _mistaken_rules(values: Mapping[str, Any], spelled: Mapping[str, str]) -> list[Mistake]:
    try:
        read_policy(values.get("policy", ()))
    except UsageError as error:
        return [Mistake(spelled["policy"], error.message, error.hint)]
    return []


def _choice(values: Mapping[str, Any]) -> ToolChoice:
    tools = values.get("tools")
    inner: Mapping[str, Any] = {}
    if isinstance(tools, Mapping):
        inner, _, mistakes, unknown = read_fields(tools)
        wrong = [*mistakes, *(_unknown(key) for key in unknown)]
        if wrong:
            raise Mistake(f"tools.{wrong[0].field}", str(wrong[0]), wrong[0].hint)
    elif tools is not None:
        inner, _, mistakes, _ = read_fields({"include": tools})
        if mistakes:
            raise Mistake("tools", str(mistakes[0]), mistakes[0].hint)
    both = {**values, **inner}
    return ToolChoice(both.get("include", ()), both.get("exclude", ()), both.get("read_only", False))


def _input(found: tuple[Path, Mapping[str, Any]]) -> Input:
    raw = found[1]
    listed, default = raw.get("options"), raw.get("default")
    options = [each.get("value", each.get("label")) if isinstance(each, Mapping) else each for each in _list(listed)]
    return Input(
        str(raw.get("id") or ""),
        str(raw.get("description") or ""),
        str(default) if isinstance(default, str | int | float) else None,
        raw.get("password") is True,
        tuple(str(each) for each in options if isinstance(each, str | int | float)),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
