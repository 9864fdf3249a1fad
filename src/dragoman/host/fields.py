"""The fields that an entry of a configuration may have: how each is spelled, what it holds, and what it is for.

One table reads entries, refuses what is wrong with them, and makes the JSON Schema that editors complete from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from dragoman.errors import UsageError
from dragoman.host.durations import read_duration, read_rate
from dragoman.types import LoggingLevel

__all__ = ["FIELDS", "IGNORED", "TEXT", "Field", "Kind", "Mistake", "plain_key", "read_fields"]


class Mistake(Exception):
    """A field cannot be used as it is written: which one, why, and what to write.

    `field` has the way to the part of it that is wrong, as in "env.PORT".
    """

    def __init__(self, field: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.hint = hint


class Kind(Struct, frozen=True):
    """What a field holds: how that is read (a `UsageError` says that it is not that), and its JSON Schema."""

    read: Callable[[Any], Any]
    schema: Mapping[str, Any]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise UsageError(f"{_name_of(value)} stands where a text belongs", hint="put it into quotes")


def _flag(value: Any) -> bool:
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
    found = value if isinstance(value, bool) else words.get(str(value).strip().lower())
    if found is None:
        raise UsageError(f"{value!r} is neither true nor false", hint="write true or false")
    return found


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise UsageError(f"{_name_of(value)} stands where a list belongs", hint='write a list, as in ["-y", "package"]')
    return tuple(_part(str(index), _text, each) for index, each in enumerate(value))


def _patterns(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else _texts(value)


def _pairs(value: Any) -> dict[str, str]:
    if isinstance(value, Mapping):
        # What is null is not given; an empty variable is written "".
        return {str(name): _part(str(name), _text, each) for name, each in value.items() if each is not None}
    if isinstance(value, list | tuple) and all(isinstance(each, str) and "=" in each for each in value):
        return dict(each.split("=", 1) for each in value)
    raise UsageError(
        f"{_name_of(value)} stands where names with values belong", hint='write them as in {"NAME": "value"}'
    )


def _count(value: Any) -> int:
    if isinstance(value, bool) or not str(value).isdecimal() or int(str(value)) < 1:
        raise UsageError(f"{value!r} is not a number of things", hint="write 1, 2, 3 ...")
    return int(str(value))


def _rules(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _anything(value: Any) -> Any:
    return value


def _part(step: str, read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except UsageError as error:
        raise Mistake(step, error.message, error.hint) from None


def _name_of(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case bool():
            return "a truth value"
        case str():
            return "a text"
    return "a number"


def _one_of(*words: str) -> Kind:
    def read(value: Any) -> str:
        said = _text(value).strip().lower()
        if said not in words:
            raise UsageError(f"{value!r} is none of {', '.join(words)}", hint=f"write {words[0]}, or leave it out")
        return said

    return Kind(read, {"type": "string", "enum": list(words)})


def _span(value: Any) -> float:
    seconds = read_duration(value)
    if not seconds:
        raise UsageError("nothing can be done in no time", hint='write "20s" or more, or leave it out')
    return seconds


def _address(value: Any) -> str:
    return _text(value).strip()


def _way(value: Any) -> Any:
    if isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in {"oauth", "none"}):
        return value if isinstance(value, bool) else value.strip().lower()
    if isinstance(value, Mapping):
        if not isinstance(value.get("token", ""), str):
            raise UsageError("its token is no text", hint='write {"token": "${env:NAME}"}')
        return value
    raise UsageError(
        f"{_name_of(value)} says no way", hint='write "oauth", {"token": "${env:NAME}"}, or {"type": "oauth"}'
    )


TEXT = Kind(_text, {"type": "string"})
_FLAG = Kind(_flag, {"type": "boolean"})
_TEXTS = Kind(_texts, {"type": "array", "items": {"type": "string"}})
_PATTERNS = Kind(_patterns, {"type": ["string", "array"], "items": {"type": "string"}})
_PAIRS = Kind(_pairs, {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}})
_ADDRESS = Kind(_address, {"type": "string"})
_WAY = Kind(_way, {"type": ["string", "boolean", "object"]})
_INHERITED = _one_of("safe", "all", "none")
_LEVEL = _one_of(*(level.word for level in LoggingLevel))
_TIME = Kind(_span, {"type": ["number", "string"], "examples": ["20s", "2m", 30]})
_COUNT = Kind(_count, {"type": "integer", "minimum": 1})
_RATE = Kind(read_rate, {"type": "string", "examples": ["10/s", "100/m"]})
_RULES = Kind(_rules, {"type": ["string", "array", "object"]})
_ANY = Kind(_anything, {})


class Field(Struct, frozen=True):
    """One field: its name here, what it holds, what it is for, and how else it is written.

    `opposites` are spellings that say the opposite, as `enabled` does of `disabled`.
    """

    name: str
    kind: Kind
    purpose: str
    spellings: tuple[str, ...] = ()
    opposites: tuple[str, ...] = ()


FIELDS = (
    Field("type", TEXT, "How to reach it: stdio, http or sse. Told from the other fields.", ("transportType",)),
    Field("command", TEXT, "The program to start.", ("cmd",)),
    Field("args", _TEXTS, "Its arguments.", ("arguments",)),
    Field("env", _PAIRS, "Environment variables for it.", ("environment", "envs", "environmentVariables")),
    Field("env_file", TEXT, "A file with further variables, one NAME=value a line."),
    Field("inherit_env", _INHERITED, "What of our own environment it gets: safe, all or none."),
    Field("cwd", TEXT, "The folder to start it in.", ("workingDirectory", "workdir")),
    Field("url", _ADDRESS, "The address of a server on the web.", ("serverUrl", "httpUrl", "uri", "baseUrl")),
    Field("endpoint", TEXT, "The path under `url`, where that is given apart.", ("sseEndpoint",)),
    Field("message_url", TEXT, "Where messages to a server of 2024-11-05 go."),
    Field("headers", _PAIRS, "HTTP headers to send to it.", ("httpHeaders", "requestHeaders")),
    Field("auth", _WAY, 'By whose leave: "oauth", or a table of its settings.', ("oauth", "authorization")),
    Field("verify", _FLAG, "Whether its certificate is checked.", ("tlsVerify",), ("insecure",)),
    Field("ca_file", TEXT, "Authorities to trust besides the system's, as a PEM file.", ("caBundle", "caCert")),
    Field("client_cert", TEXT, "A PEM file that proves who we are."),
    Field("proxy", TEXT, "The proxy to go through."),
    Field(
        "timeout",
        _TIME,
        "How long a request may take.",
        ("requestTimeout", "toolTimeout", "toolTimeoutSec", "callTimeout", "readTimeout"),
    ),
    Field(
        "startup",
        _TIME,
        "How long connecting may take, and each answer while it does.",
        (
            "startupTimeout",
            "startupTimeoutSec",
            "startupTimeoutMs",
            "connectTimeout",
            "connectionTimeout",
            "initTimeout",
            "initialTimeout",
        ),
    ),
    Field("required", _FLAG, "Whether nothing works without it.", opposites=("optional",)),
    Field("disabled", _FLAG, "Whether to leave it alone.", opposites=("enabled", "isActive", "active")),
    Field("tools", _ANY, "Which tools are wanted: patterns, or {include, exclude, read_only}."),
    Field("include", _PATTERNS, "Tools that are wanted.", ("includeTools", "enabledTools", "allowedTools")),
    Field("exclude", _PATTERNS, "Tools that are not.", ("excludeTools", "disabledTools", "blockedTools")),
    Field("read_only", _FLAG, "Whether only tools that read are wanted."),
    Field("prefix", TEXT, "What a tool whose name is taken gets in front; its own name by default.", ("toolPrefix",)),
    Field("policy", _RULES, "Rules for it: allow, ask or deny, or a list of rules."),
    Field("at_once", _COUNT, "How many calls may run at a time.", ("maxConcurrent", "concurrency")),
    Field("rate", _RATE, "How many calls may be made in what time.", ("rateLimit",)),
    Field("restart", _FLAG, "Whether to start it again when it dies.", ("autoRestart", "reconnect")),
    Field("log_level", _LEVEL, "The least severe log messages to hear."),
    Field("roots", _TEXTS, "The places that it may work in, as URIs or paths."),
    Field("versions", _PATTERNS, "The protocol versions that may be spoken.", ("protocolVersions", "protocolVersion")),
)
"""Every field; `type`, `endpoint`, `include`, `exclude` and `read_only` are another way to say others."""

IGNORED = frozenset(
    {
        "$schema",
        "alwaysallow",
        "alwaysload",
        "annotations",
        "authservermetadataurl",
        "autoallow",
        "autoapprove",
        "available",
        "availabletools",
        "bundled",
        "category",
        "chatmenu",
        "chattemplate",
        "comment",
        "comments",
        "defaulttoolsapprovalmode",
        "description",
        "dev",
        "disabledreason",
        "displayname",
        "experimentalenvironment",
        "faviconurl",
        "gallery",
        "icon",
        "iconpath",
        "id",
        "includetoolsininstructions",
        "installsource",
        "isbuiltin",
        "label",
        "metadata",
        "name",
        "note",
        "notes",
        "oauthresource",
        "provider",
        "registry",
        "remoteconfigured",
        "requiresoauth",
        "sandbox",
        "sandboxenabled",
        "schema",
        "serverinstructions",
        "settings",
        "source",
        "stderr",
        "supportsparalleltoolcalls",
        "tags",
        "title",
        "trust",
        "version",
        "watchpaths",
    }
)
"""What other applications write for themselves, without its `_` and `-`. None of it gives leave to anything here."""


def plain_key(key: str) -> str:
    """Give a key without its style: `request-timeout`, `request_timeout` and `requestTimeout` are one."""
    return key.replace("-", "").replace("_", "").lower()


def _spelled() -> Iterator[tuple[str, tuple[Field, bool]]]:
    for field in FIELDS:
        for spelling in (field.name, *field.spellings):
            yield plain_key(spelling), (field, False)
        for spelling in field.opposites:
            yield plain_key(spelling), (field, True)


_SPELLINGS = dict(_spelled())


def read_fields(raw: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str], list[Mistake], list[str]]:
    """Read the fields of an entry.

    Gives the values by our names, how each was spelled, what is wrong, and the keys that mean nothing.
    """
    values: dict[str, Any] = {}
    spelled: dict[str, str] = {}
    mistakes: list[Mistake] = []
    unknown: list[str] = []
    for key, value in raw.items():
        field, is_opposite = _SPELLINGS.get(plain_key(key), (None, False))
        if field is None:
            unknown += [] if plain_key(key) in IGNORED else [key]
        elif value is not None and (field.name not in values or key == field.name):
            try:
                found = _read(field, key, value)
                values[field.name] = not found if is_opposite else found
                spelled[field.name] = key
            except Mistake as mistake:
                mistakes.append(mistake)
    return values, spelled, mistakes, unknown


def _read(field: Field, key: str, value: Any) -> Any:
    try:
        return field.kind.read(value)
    except UsageError as error:
        raise Mistake(key, error.message, error.hint) from None
    except Mistake as part:
        raise Mistake(f"{key}.{part.field}", str(part), part.hint) from None
