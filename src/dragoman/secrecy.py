"""Tell by its name or its looks what is a secret, and write *** for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["CONCEALED", "is_secret_name", "without_secrets"]

CONCEALED = "***"

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_STEMS = re.compile(
    r"passw|passphrase|passcode|secret|credential|authorization|cookie|bearer|(api|access|private)key|connectionstring"
)
_WHOLE = frozenset({"auth", "authentication", "dsn", "jwt", "oauth", "pass", "pat", "pwd", "sid", "token", "tokens"})
_PAIRS = frozenset({("connection", "string"), ("connection", "strings"), ("session", "id")})
_KINDS_OF_KEY = frozenset({"access", "api", "auth", "encryption", "private", "signing"})
# Keys that open nothing.
_OTHER_KEYS = frozenset({"foreign", "primary", "public", "sort"})
# `token_type`, `max_token_count`, `auth_url`: about a secret, and none.
_ABOUT = frozenset(
    {"budget", "count", "endpoint", "length", "limit", "size", "supported", "type", "uri", "url", "usage"}
)
# Named by the protocol, and no secret.
_OPEN = frozenset({("progress", "token")})

_LOOKS = re.compile(
    r"""(?xs)
    -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | \b(?:gh[opsur]|github_pat|glpat|xox[abeoprs]|xapp|sk|pk|rk|hf|npm|pypi|dop_v1|shpat|lin_api|ntn)[-_][\w-]{16,}
    | \bya29\.[\w-]{16,} | \bSG\.[\w-]{16,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \bAIza[\w-]{35}
    | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*
    """
)
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s\"'<>]{1,2000}(?=@)")
_SCHEME = re.compile(
    r"\b(?:((?i:bearer)[ ]+)[\w.~+/=-]{4,}|(Basic[ ]+)(?=[\w+/]*(?:[\d=]|[a-z][A-Z]))[\w+/]{6,}={0,2})"
)
_NAMED = re.compile(r"""(?<![\w.-])([\w.-]{1,80})\\?["']?[ ]*[:=][ ]*\\?["']?""")
_OPTION = re.compile(r"(?<!\S)(--?[A-Za-z][\w-]{1,60})([ ]+)(?!-)[^\s\"']+")
_LOGIN = re.compile(r"(?<!\S)((?:-u|--user)[ ]+[^\s:\"']{1,80}:)[^\s\"']+")
"""What curl and others log in with."""
_VALUE = re.compile(r"""(?:(?:Bearer|Basic|Digest|Token)[ ]+)?[^\s"'\\,;&(){}\[\]<>]+""")


@lru_cache(1024)
def is_secret_name(name: str) -> bool:
    """Whether what bears this name (a variable, an option, a header, an argument) is likely to be a secret."""
    words = tuple(word.lower() for word in _WORD.findall(name))
    if not words or words in _OPEN or words[-1] in _ABOUT:
        return False
    if _STEMS.search(" ".join(words)) or not _WHOLE.isdisjoint(words):
        return True
    pairs = list(zip(("", *words), words, strict=False))
    return any(pair in _PAIRS or _is_key(*pair) for pair in pairs)


def _is_key(kind: str, word: str) -> bool:
    return kind in _KINDS_OF_KEY if word == "keys" else word == "key" and kind not in _OTHER_KEYS


def without_secrets(text: str) -> str:
    """Conceal in a text what looks like a secret: known kinds of tokens, passwords in URLs, values of telling names."""
    text = _CREDENTIALS.sub(CONCEALED, _LOOKS.sub(CONCEALED, text))
    text = _OPTION.sub(_option_alone, _LOGIN.sub(rf"\1{CONCEALED}", text))
    return _SCHEME.sub(_scheme_alone, "".join(_without_named(text)))


def _without_named(text: str) -> Iterator[str]:
    """Go from one `name=value` to the next: within a value that is no secret there may be another name."""
    position = 0
    while named := _NAMED.search(text, position):
        yield text[position : named.end()]
        position = named.end()
        if is_secret_name(named[1]) and (value := _VALUE.match(text, position)):
            yield CONCEALED
            position = value.end()
    yield text[position:]


def _option_alone(match: re.Match[str]) -> str:
    return match[1] + match[2] + CONCEALED if is_secret_name(match[1]) else match[0]


def _scheme_alone(match: re.Match[str]) -> str:
    return (match[1] or match[2]) + CONCEALED
