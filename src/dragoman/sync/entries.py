# generated from src/dragoman/aio/entries.py by tools/unasync.py; do not edit
"""Make what `connect` takes of an entry of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct

from dragoman.errors import UsageError
from dragoman.files.surroundings import resolve_entry
from dragoman.host.entries import Entry
from dragoman.host.fields import plain_key
from dragoman.sync.options import ConnectOptions
from dragoman.sync.targets import Target

__all__ = ["connection_of", "entry_as_target"]

_AS_THEY_ARE = (
    ("inherit_env", "inherit_env"),
    ("cwd", "cwd"),
    ("message_url", "message_url"),
    ("ca_file", "ca_file"),
    ("client_cert", "client_cert"),
    ("proxy", "proxy"),
    ("timeout", "timeout"),
    ("startup", "connect_timeout"),
    ("startup", "handshake_timeout"),
    ("log_level", "log_level"),
    ("roots", "roots"),
    ("versions", "versions"),
)


_FOUND_OUT = frozenset({"audiences", "authorizationurl", "authservermetadataurl", "tokenparamname", "tokenurl"})
"""What other applications want to be told, and what the server itself is asked for here."""


_TYPES = "oauth, client_credentials, private_key_jwt, workload_identity and identity_assertion"


def connection_of(entry: Entry) -> tuple[str | list[str], ConnectOptions]:
    """Give the target and the options of an entry, all of whose variables are filled in.

    Raises:
        UsageError: how it wants to be authorized makes no sense.
    """
    options: dict[str, Any] = {"name": entry.name}
    own = {option: getattr(entry, field) for field, option in _AS_THEY_ARE}
    options |= {option: value for option, value in own.items() if value is not None}
    options |= {"env": dict(entry.env)} if entry.env else {}
    options |= {"headers": dict(entry.headers)} if entry.headers else {}
    options |= {"auth": _authorization(entry.auth)} if entry.auth is not None else {}
    options |= {} if entry.verify else {"verify": False}
    options |= {} if entry.restart else {"restart": False}
    target = [entry.command, *entry.args] if entry.command is not None else entry.url or ""
    return target, cast(ConnectOptions, options)


def entry_as_target(target: Target, options: ConnectOptions) -> tuple[Target, ConnectOptions]:
    """Fill in an entry's variables, and give what it leads to; what is no entry is left as it is.

    What is given as an option comes before what the entry says.

    Raises:
        ConfigError: a variable is not set. UsageError: as for `connection_of`.
    """
    if not isinstance(target, Entry):
        return target, options
    leads_to, own = connection_of(resolve_entry(target))
    both: dict[str, Any] = {**own, **options}
    both |= {"env": {**own["env"], **options["env"]}} if "env" in own and "env" in options else {}
    return leads_to, cast(ConnectOptions, both)


def _authorization(auth: Any) -> Any:
    """Read by whose leave: "oauth", "none", or a mapping with a token or the settings of one way of getting tokens."""
    if isinstance(auth, bool | str) and auth in {True, False, "none", "oauth"}:
        return auth in {True, "oauth"}
    if not isinstance(auth, Mapping):
        raise UsageError(
            "`auth` is no way to be authorized", hint='write "oauth", or {"type": "oauth", "scope": "..."}'
        )
    given = {plain_key(str(key)): value for key, value in auth.items()}
    if "token" in given:
        return given["token"]
    if given.pop("enabled", True) is False:
        return False
    kind = plain_key(str(given.pop("type", "oauth")))
    port = given.pop("callbackport", None)
    if port is not None:
        given.setdefault("redirecturi", f"http://localhost:{port}/callback")
    return _way(kind, {key: value for key, value in given.items() if key not in _FOUND_OUT})


def _way(kind: str, given: Mapping[str, Any]) -> Struct:
    from dragoman.auth.consent import OAuth
    from dragoman.auth.grants import ClientCredentials, IdentityAssertion, PrivateKeyJwt, WorkloadIdentity

    ways: dict[str, Any] = {
        "oauth": OAuth,
        "oauth2": OAuth,
        "clientcredentials": ClientCredentials,
        "privatekeyjwt": PrivateKeyJwt,
        "workloadidentity": WorkloadIdentity,
        "identityassertion": IdentityAssertion,
    }
    if kind not in ways:
        raise UsageError(f"`auth` has no type {kind!r}", hint=f"types are {_TYPES}")
    fields = {plain_key(field): field for field in ways[kind].__struct_fields__}
    fields["scopes"] = "scope"
    unknown = sorted(set(given) - set(fields))
    if unknown:
        raise UsageError(f"`auth` has no {unknown[0]!r}", hint=f"it has {', '.join(sorted(set(fields.values())))}")
    settings = {fields[key]: _scopes(value) if fields[key] == "scope" else value for key, value in given.items()}
    try:
        made: Struct = ways[kind](**settings)
    except TypeError as error:
        raise UsageError(f"`auth` is not complete: {error}") from None
    return made


def _scopes(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value
