"""The environment that a server is started with: a safe part of ours, and the user's values over it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Literal, TypeAlias

from dragoman.errors import UsageError

__all__ = ["SAFE_ON_POSIX", "SAFE_ON_WINDOWS", "Inherited", "environment", "inherited"]

Inherited: TypeAlias = Literal["safe", "all", "none"]
"""How much of our own environment a server gets: what programs need to run, everything, or nothing."""

_EVERYWHERE = frozenset(
    {
        # Which certificates to trust: paths, which a company's machines cannot do without.
        "CURL_CA_BUNDLE",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        # The way out; left away where it holds a password.
        "ALL_PROXY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NO_PROXY",
        # Where version managers keep the tools that their shims on the PATH look for.
        "ASDF_DATA_DIR",
        "BUN_INSTALL",
        "DENO_DIR",
        "FNM_DIR",
        "MISE_DATA_DIR",
        "NVM_DIR",
        "PYENV_ROOT",
        "VOLTA_HOME",
    }
)

SAFE_ON_POSIX = _EVERYWHERE | {
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "TZDIR",
    "USER",
    # The desktop, for servers that open a window or a browser, or ask the keyring.
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "__CF_USER_TEXT_ENCODING",
}
"""What a program on Linux or macOS is given of our environment; `LC_*` and `XDG_*` as well."""

SAFE_ON_WINDOWS = _EVERYWHERE | {
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMMONPROGRAMW6432",
    "COMPUTERNAME",
    "COMSPEC",
    "DRIVERDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "LOGONSERVER",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROCESSOR_IDENTIFIER",
    "PROCESSOR_LEVEL",
    "PROCESSOR_REVISION",
    # Without this one OpenSSH, and whoever calls it, stops as it starts.
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PSMODULEPATH",
    "PUBLIC",
    "SESSIONNAME",
    "SYSTEMDRIVE",
    # Without this one no socket can be opened.
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERDNSDOMAIN",
    "USERDOMAIN",
    "USERDOMAIN_ROAMINGPROFILE",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
}
"""What a program on Windows is given of our environment."""

_DEFAULTS = {"PYTHONUTF8": "1"}
"""Set unless the user sets them. Python would otherwise speak the code page of a Windows machine; others do not look."""


def environment(
    values: Mapping[str, str] | None = None,
    inherit: Inherited = "safe",
    *,
    ours: Mapping[str, str] | None = None,
    windows: bool = sys.platform == "win32",
) -> dict[str, str]:
    """Make a server's environment: what it inherits, `PYTHONUTF8=1`, and `values` over both.

    With `inherit="none"` it is exactly `values`. `ours` is this process's environment unless given.

    Raises:
        UsageError: a name or a value is none that an environment can hold.
    """
    base = inherited(os.environ if ours is None else ours, inherit, windows=windows)
    if inherit != "none":
        base = _DEFAULTS | base
    for name, value in (values or {}).items():
        _check(name, value)
        if windows:
            # There are no two variables whose names differ only in case.
            base = {other: kept for other, kept in base.items() if other.upper() != name.upper()}
        base[name] = value
    return base


def inherited(ours: Mapping[str, str], inherit: Inherited, *, windows: bool) -> dict[str, str]:
    """Choose what a server inherits of an environment. Functions that a shell has exported are never among it.

    Raises:
        UsageError: `inherit` is none of "safe", "all" and "none".
    """
    match inherit:
        case "none":
            return {}
        case "all":
            return {name: value for name, value in ours.items() if not value.startswith("()")}
        case "safe":
            return {name: value for name, value in ours.items() if _is_safe(name, value, windows=windows)}
    raise UsageError(f"a server cannot inherit {inherit!r}", hint='write "safe", "all" or "none"')


def _is_safe(name: str, value: str, *, windows: bool) -> bool:
    known = name.upper()
    if value.startswith("()") or (known.endswith("_PROXY") and "@" in value):
        return False
    if windows:
        return known in SAFE_ON_WINDOWS
    is_listed = name in SAFE_ON_POSIX or (known in _EVERYWHERE and known.endswith("_PROXY"))
    return is_listed or name.startswith(("LC_", "XDG_"))


def _check(name: str, value: object) -> None:
    if not name or "=" in name or "\0" in name:
        raise UsageError(f"{name!r} cannot be the name of an environment variable")
    if not isinstance(value, str) or "\0" in value:
        raise UsageError(f"the environment variable {name} is not text", hint="give each value as a string")
