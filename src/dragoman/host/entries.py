"""One server as a configuration names it, its secrets hidden, and the hash that leave is given to."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import unquote

from msgspec import Struct, structs

from dragoman.errors import ConfigError
from dragoman.host.secrets import Concealer, plain_text
from dragoman.secrecy import CONCEALED, is_secret_name

__all__ = [
    "Approval",
    "Entry",
    "Problem",
    "ToolChoice",
    "entry_hash",
    "known_secrets",
    "launches",
    "runs",
    "shown_entry",
]


class Problem(Struct, frozen=True):
    """Something about a configuration that its author wants to know.

    Attributes:
        message: what is the matter. hint: what to write.
        file, line, field: where it is, as far as that is known.
        server: the entry that it is about; None for the file.
        is_fatal: whether the entry (or the file) cannot be used because of it.
    """

    message: str
    hint: str | None = None
    file: str | None = None
    line: int | None = None
    field: str | None = None
    server: str | None = None
    is_fatal: bool = True

    def error(self) -> ConfigError:
        """Make the error that tells it."""
        return ConfigError(
            str(self), file=self.file, line=self.line, field=self.field, server=self.server, hint=self.hint
        )

    def __str__(self) -> str:
        place = ":".join(str(each) for each in (self.file, self.line) if each is not None)
        what = f"{self.field}: {self.message}" if self.field else self.message
        return f"{place}: {what}" if place else what


class ToolChoice(Struct, frozen=True):
    """Which of a server's tools are wanted: patterns of names, `*` for any text; or only those that read."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    read_only: bool = False


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One server of a configuration: a program to start, or a URL to speak with.

    Attributes:
        name: its key.
        command, args, env, env_file, inherit_env, cwd: the program, its words, its variables and its folder.
        url, message_url, headers, auth: the address, and by whose leave.
        verify, ca_file, client_cert, proxy: how HTTPS is done.
        timeout: seconds that a round trip may take; None for the default. startup: seconds to connect in.
        required: whether the host cannot do without it. disabled: whether it is left alone.
        tools: which of its tools are wanted. prefix: what a name that is taken gets in front; None for its own name.
        policy: rules that hold for it besides the host's, as they are written.
        at_once: how many calls may run at a time. rate: calls in seconds.
        restart, log_level, roots, versions: as for `connect`.
        file, line: where it is written. is_project: whether that file came with somebody's project.
    """

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    env_file: str | None = None
    inherit_env: str | None = None
    cwd: str | None = None
    url: str | None = None
    message_url: str | None = None
    headers: Mapping[str, str] = {}
    auth: Any = None
    verify: bool = True
    ca_file: str | None = None
    client_cert: str | None = None
    proxy: str | None = None
    timeout: float | None = None
    startup: float | None = None
    required: bool = False
    disabled: bool = False
    tools: ToolChoice = ToolChoice()
    prefix: str | None = None
    policy: tuple[Any, ...] = ()
    at_once: int | None = None
    rate: tuple[int, float] | None = None
    restart: bool = True
    log_level: str | None = None
    roots: tuple[str, ...] | None = None
    versions: tuple[str, ...] | None = None
    file: str | None = None
    line: int | None = None
    is_project: bool = False

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in _without_secrets(self).items())
        return f"Entry({shown})"

    def __rich_repr__(self) -> Any:
        return list(_without_secrets(self).items())


_LOGIN = re.compile(r"://([^/@\s:?#]{1,500}):?([^/@\s?#]{0,500})@")
_QUERY = re.compile(r"[?&]([^=&\s?#]{1,100})=([^&\s#]+)")
_ABOUT_THE_FILE = ("file", "line", "is_project")
_CONCEALER = Concealer()


def _without_secrets(entry: Entry) -> dict[str, Any]:
    default = Entry(name="")
    given = {
        name: value
        for name, value in structs.asdict(entry).items()
        if name == "name" or (value != getattr(default, name) and name not in _ABOUT_THE_FILE)
    }
    for field in ("env", "headers"):
        if field in given:
            given[field] = dict.fromkeys(given[field], CONCEALED)
    if "args" in given:
        given["args"] = _shown_words(entry.args)
    for field in ("command", "url", "message_url", "proxy", "auth"):
        if field in given:
            given[field] = _CONCEALER.json(given[field])
    return given


def entry_hash(entry: Entry) -> str:
    """Give the hash of all that an entry does, for leave to be bound to: where it is written counts, its line does not.

    The entry is the one with all its variables filled in, so that leave ends when one of them is another.
    """
    facts = {name: value for name, value in structs.asdict(entry).items() if name != "line"}
    # Variables of the environment may hold bytes that are no text.
    return sha256(json.dumps(facts, default=_fact, sort_keys=True).encode()).hexdigest()


def _fact(value: Any) -> Any:
    return structs.asdict(value) if isinstance(value, Struct) else repr(value)


def known_secrets(entry: Entry) -> tuple[str, ...]:
    """Give the values of an entry that are secrets by where they stand, to be concealed wherever they turn up."""
    named = [value for name, value in {**entry.env, **entry.headers}.items() if is_secret_name(name)]
    named += [*_of_options(entry.args), *_of_addresses(entry), *_of_auth("auth", entry.auth)]
    # A header has its scheme in front, which is not what somebody else would repeat.
    return tuple({part for value in named for part in (value, value.rpartition(" ")[2]) if part and "${" not in part})


def _of_options(words: tuple[str, ...]) -> Iterator[str]:
    for before, word in zip(("", *words), words, strict=False):
        name, equals, value = word.partition("=")
        if equals and is_secret_name(name):
            yield value
        elif before.startswith("-") and "=" not in before and is_secret_name(before) and not word.startswith("-"):
            yield word


def _of_addresses(entry: Entry) -> Iterator[str]:
    for text in (entry.url, entry.message_url, entry.proxy, *entry.args, *entry.env.values()):
        for user, password in _LOGIN.findall(text or ""):
            yield from (password, unquote(password)) if password else (user,)
        for name, value in _QUERY.findall(text or ""):
            yield from (value, unquote(value)) if is_secret_name(name) else ()


def _of_auth(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _of_auth(str(key), each)
    elif isinstance(value, str) and name != "auth" and is_secret_name(name):
        yield value


def launches(entry: Entry) -> str:
    """Say in one line what using an entry does: the whole command, or the address."""
    if entry.command is not None:
        return " ".join(shlex.quote(_unbroken(word)) for word in (entry.command, *entry.args))
    return _unbroken(_CONCEALER.text(entry.url or ""))


def _unbroken(text: str) -> str:
    """Show a text in one line: a break in it would begin what looks like a line of ours."""
    return plain_text(text).replace("\n", "\\u{a}").replace("\t", "\\u{9}")


def runs(entry: Entry) -> str:
    """Say the same with secrets concealed, for whoever does not have to decide about it."""
    if entry.command is None:
        return launches(entry)
    concealer = Concealer(known_secrets(entry))
    return " ".join(shlex.quote(_unbroken(concealer.text(word))) for word in _shown_words((entry.command, *entry.args)))


def shown_entry(entry: Entry) -> str:
    """Say in some lines what using an entry does, for somebody to give leave to it; secrets are concealed.

    The command is shown word for word, for leave to be given to what is run; a secret belongs into `env`.
    """
    lines = [f"{_unbroken(entry.name)} {'runs' if entry.command is not None else 'connects to'}", launches(entry)]
    return "\n  ".join([*lines, *_conditions(entry), *_credentials(entry), *_origin(entry)])


def _conditions(entry: Entry) -> Iterator[str]:
    if entry.cwd:
        yield f"in {_unbroken(entry.cwd)}"
    if entry.inherit_env == "all":
        yield "with all variables of this environment"
    for name, value in sorted(entry.env.items()):
        yield f"with {_unbroken(name)}={_shown_value(name, value)}"
    if entry.env_file:
        yield f"with variables from {_unbroken(entry.env_file)}"
    if entry.roots:
        yield f"free to work in {_unbroken(', '.join(entry.roots))}"
    if entry.message_url:
        yield f"sending messages to {_unbroken(_CONCEALER.text(entry.message_url))}"


def _credentials(entry: Entry) -> Iterator[str]:
    for name in sorted(entry.headers):
        yield f"sending {_unbroken(name)}: {CONCEALED}"
    if entry.auth not in (None, False, "none"):
        yield f"authorized by {_unbroken(json.dumps(_CONCEALER.json(entry.auth), default=str))}"
    if entry.client_cert:
        yield f"showing the certificate {_unbroken(entry.client_cert)}"
    if entry.ca_file:
        yield f"trusting the authorities in {_unbroken(entry.ca_file)}"
    if entry.proxy:
        yield f"through the proxy {_unbroken(_CONCEALER.text(entry.proxy))}"
    if not entry.verify:
        yield "without checking its certificate"


def _origin(entry: Entry) -> Iterator[str]:
    if entry.file:
        yield f"as {_unbroken(entry.file)} says"


class Approval(Struct, frozen=True):
    """An entry of somebody's project that wants leave to be used; `str` shows all that it does.

    `hash` is what leave is bound to: when anything of the entry is different, leave is asked for anew.
    """

    entry: Entry
    hash: str

    @classmethod
    def of(cls, entry: Entry) -> Approval:
        """Ask for an entry whose variables are filled in."""
        return cls(entry, entry_hash(entry))

    def __str__(self) -> str:
        return shown_entry(self.entry)


def _shown_value(name: str, value: str) -> str:
    return CONCEALED if is_secret_name(name) else _unbroken(_CONCEALER.text(value))


def _shown_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Conceal the values of telling options, such as `--token x` and `--token=x`."""
    shown: list[str] = []
    follows_secret = False
    for word in words:
        name, equals, _ = word.partition("=")
        is_secret = word.startswith("-") and is_secret_name(name)
        if follows_secret and not word.startswith("-"):
            shown.append(CONCEALED)
        else:
            shown.append(f"{name}={CONCEALED}" if is_secret and equals else _CONCEALER.text(word))
        follows_secret = is_secret and not equals
    return tuple(shown)
