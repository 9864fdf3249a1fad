"""Put what applications write in ways of their own into the words of `fields`, and into our form of variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dragoman.host.fields import plain_key

__all__ = ["SPRING", "Written", "in_our_words", "is_of_another_kind", "written_as"]

SPRING = "spring.ai"
"""What tells that an entry is one of Spring's; it holds the usual path of such servers."""

Written = tuple[re.Pattern[str], str]
"""A form of variables, and ours that it stands for."""

_SPRING: Written = (re.compile(r"\$\{([A-Za-z_][\w.-]*):(?!-)([^{}]*)\}"), r"${\1:-\2}")
_BARE: Written = (re.compile(r"(?<!\$)\$([A-Za-z_]\w*)"), r"${env:\1}")
_BRACED: Written = (re.compile(r"(?<!\$)\{(env|file):([^{}]+)\}"), r"${\1:\2}")
_DOUBLE = r"(?<!\{)\{\{\s*(%s)\s*\}\}"
_LIBRECHAT = re.compile(_DOUBLE % r"LIBRECHAT_\w+")

_TRANSPORTS_OF_THEIR_OWN = frozenset({"builtin", "platform", "frontend", "inlinepython"})
_REACHED_BY = frozenset({"command", "cmd", "url", "serverurl", "httpurl", "uri", "baseurl", "transport"})
_UNITS = {"timeoutms": "ms", "timeoutsec": "s", "timeoutsecs": "s", "timeoutseconds": "s"}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def written_as(file: str | None) -> Written | None:
    """Tell in which form a file has its variables, where that is known from whose it is.

    In others' files, `$NAME` is a text like any other.
    """
    parts = (file or "").replace("\\", "/").lower().split("/")
    if ".gemini" in parts or parts[-1] in {"crush.json", ".crush.json"}:
        return _BARE
    return _BRACED if parts[-1] in {"opencode.json", "opencode.jsonc"} else None


def is_of_another_kind(raw: Mapping[str, Any]) -> bool:
    """Whether an entry is of something that its application has in itself, or fetches from its own shop."""
    said = {plain_key(str(key)): value for key, value in raw.items()}
    if plain_key(str(said.get("type"))) in _TRANSPORTS_OF_THEIR_OWN:
        return True
    is_elsewhere = said.get("source") == "extension" or "uses" in said or "settings" in said
    return is_elsewhere and _REACHED_BY.isdisjoint(said)


def in_our_words(raw: Mapping[str, Any], written: Written | None = None) -> dict[str, Any]:
    """Put what applications write in ways of their own into fields that `fields` knows.

    `written` is the form that variables have there.
    """
    said = {str(key): value for key, value in raw.items()}
    if SPRING in said:
        written = _SPRING
        _take_usual_endpoint(said, said.pop(SPRING))
    for form in (*_users_variables(said), *([written] if written else [])):
        said = _translated(said, form)
    _take_apart_transport(said)
    _take_apart_command(said)
    _take_apart_request(said)
    _take_named_variables(said)
    _take_settings_of_tools(said)
    _take_units(said)
    if isinstance(said.get("startup"), bool):
        # LibreChat's word for whether to connect at once, which every host decides by itself.
        del said["startup"]
    return said


def _translated(value: Any, form: Written) -> Any:
    match value:
        case str():
            # What a shell would be given is a text, and nothing in it is filled in.
            return value if "$(" in value else form[0].sub(form[1], value)
        case Mapping():
            return {key: _translated(each, form) for key, each in value.items()}
        case list() | tuple():
            return [_translated(each, form) for each in value]
    return value


def _users_variables(said: dict[str, Any]) -> list[Written]:
    """LibreChat fills in `{{NAME}}` with what it asks each user, and with what it knows of them."""
    asked = said.pop("customUserVars", None)
    names = "|".join(re.escape(str(name)) for name in asked) if isinstance(asked, Mapping) else ""
    forms: list[Written] = [(_LIBRECHAT, r"${env:\1}")]
    return [*forms, (re.compile(_DOUBLE % names), r"${input:\1}")] if names else forms


def _take_apart_transport(said: dict[str, Any]) -> None:
    """A transport is a word, or an object that has the rest."""
    transport = said.pop("transport", None)
    if isinstance(transport, Mapping):
        for key, value in transport.items():
            said.setdefault(str(key), value)
    elif transport is not None:
        said.setdefault("type", transport)


def _take_apart_command(said: dict[str, Any]) -> None:
    """A command is a word, a list of the program and its arguments, or an object that has them."""
    command = said.get("command")
    if isinstance(command, Mapping):
        del said["command"]
        for key, value in command.items():
            said.setdefault("command" if key == "path" else str(key), value)
    elif isinstance(command, list) and command:
        said["command"] = command[0]
        said["args"] = [*command[1:], *_list(said.get("args"))]


def _take_apart_request(said: dict[str, Any]) -> None:
    """Continue has headers within the options of requests, and a key that is sent as a token."""
    options, key = said.pop("requestOptions", None), said.pop("apiKey", None)
    bearer = {"Authorization": f"Bearer {key}"} if isinstance(key, str) else {}
    headers = options.get("headers") if isinstance(options, Mapping) else None
    more = headers if isinstance(headers, Mapping) else {}
    if (bearer or more) and _can_be_added_to(said.get("headers")):
        said["headers"] = {**bearer, **more, **(said.get("headers") or {})}


def _take_named_variables(said: dict[str, Any]) -> None:
    """Codex and Goose name the variables that headers, tokens and the environment come from."""
    token = said.pop("bearer_token_env_var", None)
    named = said.pop("env_http_headers", None)
    headers = said.get("headers") or said.pop("http_headers", None) or {}
    if isinstance(headers, Mapping) and (token or isinstance(named, Mapping)):
        pairs = named.items() if isinstance(named, Mapping) else ()
        extra = {name: f"${{env:{variable}}}" for name, variable in pairs}
        bearer = {"Authorization": f"Bearer ${{env:{token}}}"} if token else {}
        said["headers"] = {**bearer, **extra, **headers}
    elif headers:
        said["headers"] = headers
    passed = {_name(each): f"${{env:{_name(each)}:-}}" for each in _list(said.pop("env_vars", None))}
    wanted = {_name(each): f"${{env:{_name(each)}}}" for each in _list(said.pop("env_keys", None))}
    if passed or wanted:
        key = next((key for key in said if plain_key(key) in {"env", "envs"}), "env")
        if _can_be_added_to(said.get(key)):
            said[key] = {**passed, **wanted, **(said.get(key) or {})}


def _can_be_added_to(pairs: Any) -> bool:
    """Whether something holds names with values; of anything else it is told later that it does not."""
    return pairs is None or isinstance(pairs, Mapping)


def _name(variable: Any) -> str:
    return str(variable.get("name") if isinstance(variable, Mapping) else variable)


def _take_settings_of_tools(said: dict[str, Any]) -> None:
    """Codex has a table for each tool, of which only those that are switched off matter here."""
    tools = said.get("tools")
    if not isinstance(tools, Mapping) or not tools or not all(isinstance(each, Mapping) for each in tools.values()):
        return
    del said["tools"]
    off = [str(name) for name, each in tools.items() if each.get("enabled") is False or each.get("disabled") is True]
    if off:
        key = next((key for key in said if plain_key(key) in {"exclude", "disabledtools"}), "exclude")
        said[key] = [*_list(said.get(key)), *off]


def _take_units(said: dict[str, Any]) -> None:
    """A key that ends in a unit says what its number counts, however large that is."""
    for key in list(said):
        ending = next((ending for ending in _UNITS if plain_key(key).endswith(ending)), None)
        if ending is not None:
            value, unit = said.pop(key), _UNITS[ending]
            plain = key[: -len(ending) + len("timeout")].rstrip("_-")
            said[plain] = f"{value}{unit}" if _NUMBER.fullmatch(str(value)) else value


def _take_usual_endpoint(said: dict[str, Any], usual: str | None) -> None:
    """Spring adds a usual path to an address that has none."""
    address = said.get("url")
    has_endpoint = any(plain_key(key) in {"endpoint", "sseendpoint"} for key in said)
    if usual and isinstance(address, str) and not has_endpoint:
        host = address.partition("://")[2] or address
        if not host.partition("/")[2]:
            said["endpoint"] = usual


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
